"""The asking part of the real engine. Its parts load when they are first used."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Protocol

from engine.errors import EndpointError, StormscopeError, UsageError
from tui.asking.asking_services import CategoryOffer, ExplainerOffer, Kept
from tui.explorer.states import candidates_of
from tui.services.services import Asked
from tui.told import told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from engine.explainers.base import Explainer, Question
    from engine.explainers.streaming import OnPiece
    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from engine.queries.category import Category
    from engine.settings import Settings
    from engine.witnesses.runs import Witness
    from tui.asking.asking_services import Query
    from tui.campaigns.open_stores import OpenStores

MOST_MODELS = 40
"""Models of one endpoint that are offered; others can be typed."""
PARAMETERS = {"holds": "threshold", "satisfy": "tolerance"}


class Home(Protocol):
    """What asking needs of the engine's other services."""

    @property
    def settings(self) -> Settings:
        """The settings; raises UsageError. May read a file."""
        ...

    @property
    def stores(self) -> OpenStores:
        """The campaign files that are being written."""
        ...

    def explainer_named(self, name: str) -> Explainer:
        """Return an explainer that stays ready; raises UsageError."""
        ...

    def listening(self, name: str, listener: Callable[[str], None]) -> AbstractContextManager[None]:
        """Let somebody hear of an explainer's waits while a block runs."""
        ...

    def campaign_file(self, oracle: Oracle) -> Path:
        """Return the file that keeps the campaigns on a model."""
        ...


class EngineAsking:
    """Asking single questions."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._known: tuple[str, ...] | None = None
        self._changes = 0

    def offers(self, oracle: Oracle, states: tuple[int, ...], recent: Sequence[int]) -> Sequence[CategoryOffer]:
        """Return every category of the taxonomy, those that cannot be asked about the states with the reason."""
        from engine.queries.registry import all_categories  # noqa: PLC0415 - loads with the first form

        return [_offer(oracle, category, states, recent) for category in all_categories().values()]

    def case(self, oracle: Oracle, query: Query) -> Case:
        """Return the case; a refusal says what can be done on the screen."""
        from engine.queries.generation import case_for  # noqa: PLC0415 - as above

        try:
            return case_for(oracle, query.category, query.states, parameters=query.parameters)
        except UsageError as error:
            hint = (
                error.hint if error.where in {"threshold", "tolerance"} else "choose other states or another category"
            )
            raise UsageError(error.what, where=error.where, hint=hint) from None

    def questions(self, oracle: Oracle, case: Case, query: Query, samples: Sequence[int]) -> Sequence[Question]:
        """Put a case into words, once for each sample's number."""
        from engine.prompts.rendering import render  # noqa: PLC0415 - templates load with the first question

        length = self._home.settings.explanation_length
        put = partial(
            render, oracle, case, variant=query.variant or None, explanation_length=length, shuffle=query.shuffle
        )
        return [put(sample=sample) for sample in samples]

    async def models(self) -> Sequence[ExplainerOffer]:
        """Return who can be asked now; commands that print keys and slow endpoints hold up nothing else."""
        changes = self._changes
        found = await asyncio.to_thread(self._models)
        if changes == self._changes:
            self._known = tuple(offer.name for offer in found if offer.ready)
        return found

    @property
    def known(self) -> Sequence[str] | None:
        """The names that `models` has last found ready; None if nobody has looked since the settings changed."""
        return self._known

    def forget(self) -> None:
        """Look again when somebody wants to know who can be asked: the settings were changed."""
        self._known = None
        self._changes += 1

    def _models(self) -> list[ExplainerOffer]:
        from engine.explainers.offers import PATIENCE, all_statuses  # noqa: PLC0415 - loads the network libraries

        found: list[ExplainerOffer] = []
        for info, status in asyncio.run(all_statuses(self._home.settings, patience=PATIENCE)):
            name, _, any_model = info.spec.partition(":")
            listed = status.endpoint.models if status.endpoint is not None else None
            if not any_model:
                found.append(ExplainerOffer(info.spec, info.summary if status.ready else status.status, status.ready))
            elif listed:
                found += [ExplainerOffer(f"{name}:{model}", info.summary) for model in listed[:MOST_MODELS]]
            else:
                found.append(ExplainerOffer(info.spec, status.status, ready=False))
        return found

    async def ask(
        self, oracle: Oracle, question: Question, explainer: str, on_piece: OnPiece, on_wait: Callable[[str], None]
    ) -> Asked:
        """Ask one question and judge the answer; what fails is an answer with an error."""
        from engine.explainers.base import Reply  # noqa: PLC0415 - loads with the first question
        from engine.explainers.streaming import ask_in_pieces  # noqa: PLC0415 - as above
        from engine.verdicts.grading import judge  # noqa: PLC0415 - as above

        await asyncio.to_thread(_load)
        try:
            with self._home.listening(explainer, on_wait):
                asked = self._home.explainer_named(explainer)
                await asked.start()
                reply = await ask_in_pieces(asked, question, on_piece)
        except (EndpointError, UsageError) as error:
            reply = Reply(error=_sentence(error), fatal=True)
        verdict = await asyncio.to_thread(judge, oracle, question.case, reply)
        return Asked(explainer, question, reply, verdict)

    def witnesses(self, oracle: Oracle, case: Case, answer: str | None) -> Sequence[Witness]:
        """Return what can be replayed to see why an answer is right or wrong."""
        from engine.witnesses.cases import witnesses  # noqa: PLC0415 - loads with the first verdict

        return witnesses(oracle, case, answer)

    def keep(self, oracle: Oracle, asked: Sequence[Asked]) -> Kept:
        """Put answers into the model's campaign file; raises UsageError for prompts that were edited."""
        from engine.campaign.keeping import HandAsked, keep_answers  # noqa: PLC0415 - loads with the first campaign

        usable = [each for each in asked if each.verdict.outcome.value != "error"]
        if any(each.edited for each in usable):
            raise UsageError(
                "the prompt was edited, so this is no answer to the case's own question",
                hint="ask with the prompt as it is; the card can be saved with e",
            )
        if not usable:
            raise UsageError("there is no answer to keep", hint="ask first; failures are not kept")
        file = self._home.campaign_file(oracle)
        make_folder(file.parent)
        given = [
            HandAsked(
                each.explainer,
                self._home.explainer_named(each.explainer).baseline,
                each.question,
                each.reply,
                each.verdict,
                each.shuffled,
            )
            for each in usable
        ]
        length = self._home.settings.explanation_length
        with self._home.stores.writing(file) as store:
            new = keep_answers(store, oracle.environment.name, oracle, given, explanation_length=length)
        return Kept(file, new, len(given) - new)


def make_folder(folder: Path) -> None:
    """Make the folder for campaigns; raises StoreError that says what to do."""
    from engine.errors import StoreError  # noqa: PLC0415 - rarely needed

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the folder for campaigns cannot be made: {error.strerror or error}",
            where=str(folder),
            hint="make that place writable, or set XDG_DATA_HOME to a folder that is",
        ) from None


def _offer(oracle: Oracle, category: Category, states: tuple[int, ...], recent: Sequence[int]) -> CategoryOffer:
    """Return a category with the first of the candidate states that it can be asked about, else with the reason."""
    parameter = PARAMETERS.get(category.name, "")
    reason = category.defined(oracle)
    first: tuple[int, ...] = states
    if reason is None:
        for candidate in candidates_of(oracle.mdp.states, states, recent, category.scope):
            refused = category.refusal(oracle, candidate)
            if refused is None:
                return CategoryOffer(
                    category.name, category.summary_for(oracle), category.scope, candidate, "", parameter
                )
            if reason is None:
                first, reason = candidate, refused
    reason = reason or f"the model has only {oracle.mdp.states:,} states"
    return CategoryOffer(category.name, category.summary_for(oracle), category.scope, first, reason, parameter)


def _load() -> None:
    """Load what explainers need: done in a thread, so that the first question stops no key."""
    import engine.explainers.local  # noqa: PLC0415
    import engine.explainers.ollama  # noqa: PLC0415
    import engine.explainers.openai  # noqa: F401, PLC0415


def _sentence(error: StormscopeError) -> str:
    """Return an error as one sentence with its place and what to do."""
    said = told(error)
    where = f"{said.where}: " if said.where else ""
    hint = f"; {' '.join(said.hint.split())}" if said.hint else ""
    return f"{where}{said.what}{hint}"
