"""The real engine behind the explorer. Its parts load when they are first used."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from engine.errors import StormscopeError
from engine.explainers.waiting import observe_waits
from tui.asking.engine_asking import EngineAsking
from tui.services.services import CategoryChoice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from engine.explainers.base import Explainer, Question, Reply
    from engine.explainers.streaming import OnPiece
    from engine.explainers.waiting import OnWait, Wait
    from engine.mdp.decided import Truth
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, Numbers
    from engine.settings import Settings
    from tui.campaigns.engine_campaigns import EngineCampaigns
    from tui.campaigns.open_stores import OpenStores

USUAL = "local"
"""Who is asked where nobody is named."""


class Shared:
    """An explainer that stays ready for the next question: a campaign that ends must not stop a server others use."""

    def __init__(self, explainer: Explainer, tell: Callable[[str], None] = lambda _: None) -> None:
        self.name = explainer.name
        self.baseline = explainer.baseline
        self.explainer = explainer
        self.on_wait: OnWait | None = None
        self._tell = tell
        self._starting: asyncio.Task[None] | None = None
        observe_waits(explainer, self._waits)

    @property
    def fingerprint(self) -> str:
        """As in `Fingerprinted`; AttributeError if the explainer tells none."""
        return str(self.explainer.fingerprint)  # type: ignore[attr-defined] # only some have it, as said above

    def _waits(self, wait: Wait) -> None:
        """Tell of a wait: in words to whoever listens, and to a campaign with how long it will be."""
        self._tell(str(wait))
        if self.on_wait is not None:
            self.on_wait(wait)

    async def start(self) -> None:
        """Start it once; a failed start is tried again by the next question."""
        if self._starting is None or (self._starting.done() and _failed(self._starting)):
            self._starting = asyncio.create_task(self.explainer.start(), name=f"starting {self.name}")
        await asyncio.shield(self._starting)

    async def ask(self, question: Question) -> Reply:
        """Answer one question. After a failure for good, the next question starts the explainer anew."""
        return self._noted(await self.explainer.ask(question))

    async def ask_in_pieces(self, question: Question, on_piece: OnPiece) -> Reply:
        """Answer as `ask` does, in pieces if the explainer can."""
        from engine.explainers.streaming import ask_in_pieces  # noqa: PLC0415 - loads with the first question

        return self._noted(await ask_in_pieces(self.explainer, question, on_piece))

    def _noted(self, reply: Reply) -> Reply:
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
        await self.explainer.close()


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
        self._former: list[Shared] = []
        self._named: list[str] = []
        self._campaigns: EngineCampaigns | None = None
        self._stores: OpenStores | None = None
        self._listeners: dict[str, list[Callable[[str], None]]] = {}
        self.asking = EngineAsking(self)

    @property
    def settings(self) -> Settings:
        """The settings, read when they are first needed; raises UsageError."""
        from engine.settings import load_settings  # noqa: PLC0415 - loads when the first question is asked

        if self._given_settings is None:
            self._given_settings = load_settings()
        return self._given_settings

    def select(self, oracle: Oracle, text: str) -> BoolArray:
        """Return ``(states,)`` where a PRISM expression holds; raises ExpressionError with the position."""
        from engine.mdp.expressions import scope_of, select  # noqa: PLC0415 - the grammar loads with the first filter

        return select(scope_of(oracle.mdp, oracle.constants, oracle.facts), text)

    def decide(self, oracle: Oracle, text: str, numbers: Mapping[str, Callable[[], Numbers]]) -> Truth:
        """Return where an expression holds and where bounds do not tell; it may name further numbers of the states."""
        from engine.mdp.expressions import decide, scope_of  # noqa: PLC0415 - as above

        return decide(scope_of(oracle.mdp, oracle.constants, oracle.facts, numbers), text)

    def categories(self, oracle: Oracle) -> Sequence[CategoryChoice]:
        """Return the categories that can have a case on a model, questions about one state first."""
        from engine.queries.registry import all_categories  # noqa: PLC0415 - loads with the first form

        return [
            CategoryChoice(category.name, category.summary_for(oracle), category.scope)
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

    @property
    def wanted(self) -> tuple[str, ...]:
        """Those that the user has named: at the start, unless it is the usual one, or since."""
        return tuple(dict.fromkeys([*((self._default,) if self._default != USUAL else ()), *self._named]))

    def check_explainer(self, name: str) -> None:
        """Offer an explainer from now on; UsageError as in `make_explainer`."""
        self._explainer(name)
        if name not in self._named:
            self._named.append(name)

    @property
    def stores(self) -> OpenStores:
        """The campaign files that are being written."""
        if self._stores is None:
            from tui.campaigns.open_stores import OpenStores  # noqa: PLC0415 - loads with the first campaign

            self._stores = OpenStores()
        return self._stores

    @property
    def campaigns(self) -> EngineCampaigns:
        """What the campaign screen asks."""
        if self._campaigns is None:
            from tui.campaigns.engine_campaigns import EngineCampaigns  # noqa: PLC0415 - loads with the campaign screen

            self._campaigns = EngineCampaigns(self, self._campaign_folder)
        return self._campaigns

    def campaign_file(self, oracle: Oracle) -> Path:
        """Return the file that keeps the campaigns on a checked model: one each, so that starting again continues."""
        from tui.campaigns.campaign_services import CampaignRequest  # noqa: PLC0415 - as above

        return self.campaigns.file(oracle, CampaignRequest((), (), 1))

    def lend(self, explainer: Explainer) -> None:
        """Let an explainer be asked by its name that the settings do not know."""
        self._explainers.setdefault(explainer.name, Shared(explainer))

    def reload(self) -> None:
        """Read the settings anew; what is being asked now is asked to its end, and the embedded model stays loaded."""
        before, self._given_settings = self._given_settings, None
        self.asking.forget()
        if before is None:
            return
        try:
            same_local = self.settings.local == before.local
        except StormscopeError:
            return  # the next question says what is wrong with the settings
        gone = [spec for spec in self._explainers if not (same_local and spec.partition(":")[0] == "local")]
        self._former += [self._explainers.pop(spec) for spec in gone]

    async def close(self) -> None:
        """Stop every explainer that was started; never raises."""
        all_of_them = (*self._explainers.values(), *self._former)
        await asyncio.gather(*(shared.release() for shared in all_of_them), return_exceptions=True)
        self._explainers.clear()
        self._former.clear()

    def explainer_named(self, name: str) -> Shared:
        """Return an explainer that stays ready; UsageError as in `make_explainer`."""
        return self._explainer(name)

    @contextmanager
    def listening(self, name: str, listener: Callable[[str], None]) -> Iterator[None]:
        """Let somebody hear of an explainer's waits while the block runs."""
        heard = self._listeners.setdefault(name, [])
        heard.append(listener)
        try:
            yield
        finally:
            heard.remove(listener)

    def _explainer(self, spec: str) -> Shared:
        from engine.explainers.registry import make_explainer  # noqa: PLC0415 - HTTP loads with the first question

        if spec not in self._explainers:
            explainer = make_explainer(spec, self.settings, on_event=partial(self._waits, spec))
            self._explainers[spec] = Shared(explainer, partial(self._waits, spec))
        return self._explainers[spec]

    def _waits(self, spec: str, why: str) -> None:
        for listener in self._listeners.get(spec, ()):
            listener(why)
