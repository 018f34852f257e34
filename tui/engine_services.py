"""The real engine behind the explorer. Its parts load when they are first used."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from engine.errors import StoreError, UsageError
from tui.services import Asked, CategoryChoice

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from pathlib import Path

    from engine.campaign.control import Control
    from engine.campaign.plan import Plan
    from engine.explainers.base import Explainer, Question, Reply
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray
    from engine.queries.case import Case
    from engine.settings import Settings
    from engine.verdicts.store import Store
    from engine.verdicts.verdict import Outcome
    from tui.services import CampaignRequest
    from tui.tally import News, Stored


class Shared:
    """An explainer that stays ready for the next question: a campaign that ends must not stop a server others use."""

    def __init__(self, explainer: Explainer) -> None:
        self.name = explainer.name
        self.baseline = explainer.baseline
        self._explainer = explainer
        self._starting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start it once; a failed start is tried again by the next question."""
        if self._starting is None or (self._starting.done() and _failed(self._starting)):
            self._starting = asyncio.create_task(self._explainer.start(), name=f"starting {self.name}")
        await asyncio.shield(self._starting)

    async def ask(self, question: Question) -> Reply:
        """Answer one question. After a failure for good, the next question starts the explainer anew."""
        reply = await self._explainer.ask(question)
        if reply.fatal:
            self._starting = None
        return reply

    async def close(self) -> None:
        """Keep it: `release` ends it."""

    async def release(self) -> None:
        """End it for good, also while it is still starting."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})
        await self._explainer.close()


def _failed(task: asyncio.Task[None]) -> bool:
    return task.cancelled() or task.exception() is not None


class EngineServices:
    """What the explorer asks of the engine.

    Parameters
    ----------
    explainer
        The default explainer.
    settings
        None reads the settings file when it is first needed.
    campaign_folder
        Where campaigns are kept, one file per checked model; None takes the user's data folder.
    """

    def __init__(
        self, explainer: str, *, settings: Settings | None = None, campaign_folder: Path | None = None
    ) -> None:
        self._default = explainer
        self._given_settings = settings
        self._campaign_folder = campaign_folder
        self._explainers: dict[str, Shared] = {}
        self._named: list[str] = []
        self._control: Control | None = None

    @property
    def _settings(self) -> Settings:
        from engine.settings import load_settings  # noqa: PLC0415 - loads when the first question is asked

        if self._given_settings is None:
            self._given_settings = load_settings()
        return self._given_settings

    def select(self, oracle: Oracle, text: str) -> BoolArray:
        """Return ``(states,)`` where a PRISM expression holds; raises ExpressionError with the position."""
        from engine.mdp.expressions import scope_of, select  # noqa: PLC0415 - the grammar loads with the first filter

        return select(scope_of(oracle.mdp, oracle.constants, oracle.facts), text)

    def categories(self, oracle: Oracle) -> Sequence[CategoryChoice]:
        """Return the categories that can have a case on a model, questions about one state first."""
        from engine.queries.registry import all_categories  # noqa: PLC0415 - loads with the first form

        return [
            CategoryChoice(category.name, category.summary, category.scope)
            for category in all_categories().values()
            if category.defined(oracle) is None
        ]

    def explainers(self) -> Sequence[str]:
        """Return the default explainer, those that were named, and the baselines."""
        from engine.explainers.registry import known_explainers  # noqa: PLC0415 - loads with the first form

        return tuple(
            dict.fromkeys(
                [self._default, *self._named, *(each.spec for each in known_explainers() if ":" not in each.spec)]
            )
        )

    def check_explainer(self, name: str) -> None:
        """Offer an explainer from now on; UsageError as in `make_explainer`."""
        self._explainer(name)
        if name not in self._named:
            self._named.append(name)

    def askable(self, oracle: Oracle, category: str, states: tuple[int, ...]) -> bool:
        """Return whether a category has a question with a known answer about these states."""
        from engine.queries.registry import category_named  # noqa: PLC0415 - loads with the first form

        return category_named(category).refusal(oracle, states) is None

    def stored(self, oracle: Oracle) -> Stored | None:
        """Return all verdicts of the model's file, by the names that a report gives; None if there is no file yet."""
        from engine.verdicts.store import Store  # noqa: PLC0415 - loads with the campaign screen

        file = self.campaign_file(oracle)
        try:
            if not file.is_file():
                return None
        except OSError:
            return None  # starting a campaign there says why
        with Store(file, write=False) as store, store.snapshot():
            return _all_stored(store)

    async def ask(self, oracle: Oracle, category: str, states: tuple[int, ...], explainer: str) -> Asked:
        """Ask one question. Cancelling it closes the connection."""
        from engine.prompts.rendering import render  # noqa: PLC0415 - templates load with the first question
        from engine.verdicts.grading import judge  # noqa: PLC0415 - as above

        case = await asyncio.to_thread(_case, oracle, category, states)
        length = self._settings.explanation_length
        question = await asyncio.to_thread(render, oracle, case, explanation_length=length)
        asked = self._explainer(explainer)
        await asked.start()
        reply = await asked.ask(question)
        verdict = await asyncio.to_thread(judge, oracle, case, reply)
        return Asked(explainer, question, reply, verdict)

    async def campaign(self, oracle: Oracle, request: CampaignRequest, control: Control) -> AsyncGenerator[News, None]:
        """Ask many questions; each answer is committed before its event arrives. `control` stops it."""
        from engine.campaign import Plan, run_campaign  # noqa: PLC0415 - loads with the first campaign
        from engine.campaign.events import Planned  # noqa: PLC0415 - as above
        from engine.verdicts.store import Store  # noqa: PLC0415 - as above

        name = oracle.environment.name
        length = self._settings.explanation_length
        plan = Plan((name,), request.explainers, request.categories, budget=request.budget, explanation_length=length)
        explainers = {spec: self._explainer(spec) for spec in request.explainers}
        file = self.campaign_file(oracle)
        await asyncio.to_thread(_make_folder, file.parent)
        store = await asyncio.to_thread(Store, file, write=True)
        self._control = control
        try:
            async with aclosing(run_campaign(plan, {name: oracle}, explainers, store, control=control)) as events:
                async for event in events:
                    yield event
                    if isinstance(event, Planned):
                        yield await asyncio.to_thread(_stored, plan, oracle, store)
        finally:
            self._control = None
            store.close()

    def campaign_file(self, oracle: Oracle) -> Path:
        """Return the file that keeps the campaigns on a checked model: one each, so that starting again continues."""
        from engine.folders import data_dir  # noqa: PLC0415 - as above

        folder = self._campaign_folder if self._campaign_folder is not None else data_dir() / "campaigns"
        return folder / f"{oracle.environment.name}-{oracle.identity[:12]}.sqlite"

    async def close(self) -> None:
        """Stop every explainer that was started; never raises."""
        await asyncio.gather(*(shared.release() for shared in self._explainers.values()), return_exceptions=True)
        self._explainers.clear()

    def _explainer(self, spec: str) -> Shared:
        from engine.explainers.registry import make_explainer  # noqa: PLC0415 - HTTP loads with the first question

        if spec not in self._explainers:
            explainer = make_explainer(spec, self._settings, on_event=partial(self._waits, spec))
            self._explainers[spec] = Shared(explainer)
        return self._explainers[spec]

    def _waits(self, spec: str, why: str) -> None:
        if self._control is not None:
            self._control.waiting(spec, why)


def _case(oracle: Oracle, category: str, states: tuple[int, ...]) -> Case:
    """Return the case; a refusal says what can be done on the screen."""
    from engine.queries.generation import case_for  # noqa: PLC0415 - loads with the first question

    try:
        return case_for(oracle, category, states)
    except UsageError as error:
        raise UsageError(error.what, where=error.where, hint="choose other states or another category") from None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the folder for campaigns cannot be made: {error.strerror or error}",
            where=str(folder),
            hint="make that place writable, or set XDG_DATA_HOME to a folder that is",
        ) from None


def _all_stored(store: Store) -> Stored:
    """Return every verdict of a file, questions that have only failed so far included as errors."""
    from tui.tally import Stored  # noqa: PLC0415 - as above

    cases = store.cases()
    found: dict[tuple[str, str], Counter[Outcome]] = {}
    for record in store.outcomes():
        category = cases[record.key.case].case.category
        found.setdefault((record.explainer, category), Counter())[record.outcome] += 1
    return Stored(found)


def _stored(plan: Plan, oracle: Oracle, store: Store) -> Stored:
    """Return the verdicts that the plan's questions have already. Failures are left out: they are asked again."""
    from engine.verdicts.verdict import Outcome  # noqa: PLC0415 - loads with the first campaign
    from tui.tally import Stored  # noqa: PLC0415 - as above

    category_of = {
        case.id: category
        for category in plan.categories
        for model in plan.models
        for strategy in plan.strategies
        if (selection := store.selection(model, category, strategy, plan.budget)) is not None
        for case in selection.cases
    }
    variants = plan.variants or oracle.environment.variants[:1]
    found: dict[tuple[str, str], Counter[Outcome]] = {}
    for record in store.outcomes():
        category = category_of.get(record.key.case)
        asked = record.explainer in plan.explainers and record.key.variant in variants
        if category is None or not asked or record.key.sample >= plan.samples or record.outcome is Outcome.ERROR:
            continue
        found.setdefault((record.explainer, category), Counter())[record.outcome] += 1
    return Stored(found)
