"""A stand-in engine for tests of the explorer, and ways to wait for its workers."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asking_support import FakeAsking
from campaign_screen_support import FakeCampaigns
from reference import frozen_lake_4x4
from textual._compositor import LayoutUpdate
from waiting import until

from engine.campaign.events import Answered, Cell, Planned
from engine.errors import UsageError
from engine.explainers.base import Reply
from engine.mdp.expressions import decide, scope_of, select
from engine.mdp.user_environments import Words
from engine.queries.case import Case
from engine.queries.category import Scope
from engine.queries.spaces import OneOf
from engine.verdicts.verdict import Outcome, Verdict
from tui.app import ExplorerApp
from tui.screens.explorer import ExplorerScreen
from tui.services.models import ModelSettings
from tui.services.services import CategoryChoice
from tui.widgets.picture import EMPTY, Picture
from tui.widgets.status_line import StatusLine
from tui.widgets.text_picture import TextPicture
from tui.widgets.verdict_card import VerdictCard

if TYPE_CHECKING:
    import asyncio
    import threading
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import App
    from textual.pilot import Pilot
    from textual.screen import Screen

    from engine.explainers.base import Explainer
    from engine.mdp.constants import Constant
    from engine.mdp.decided import Truth
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, Numbers
    from tui.campaigns.tally import News
    from tui.services.models import Progress

    Open = Callable[[ModelSettings, Progress, threading.Event], Oracle]

ACTIONS = ("left", "down", "right", "up")
CATEGORIES = (
    CategoryChoice("satisfy", "How likely is the property from here?", Scope.STATE),
    CategoryChoice("best-action", "Which action is optimal?", Scope.STATE),
    CategoryChoice("is-bottleneck", "Must every run pass here?", Scope.STATE),
    CategoryChoice("more-promising", "Which of two states is better?", Scope.PAIR),
    CategoryChoice("subset-has-dead-end", "Is a dead end among them?", Scope.SUBSET),
)
SAID_UP = Reply(
    text='{"explanation": "Up is away from the hole.", "answer": "up"}', seconds=0.5, tokens_in=180, tokens_out=24
)
FAILED = Verdict(
    Outcome.FAIL,
    0.0,
    "Q(6, up) = 14/51, but Q(6, left) = 9/17 is the best",
    "up",
    ("left", "right"),
    {"V": "9/17", "Q": {"left": "9/17", "down": "13/51", "right": "9/17", "up": "14/51"}},
    regret="13/51",
    explanation="Up is away from the hole.",
)


class FakeServices:
    """An engine that answers from a script.

    Attributes
    ----------
    reply
        What the model says next, as text.
    hold
        If set, an answer waits for it.
    events
        What a campaign brings; each is yielded after a turn of the event loop.
    refusal
        Why no question can be made.
    failure
        What asking fails with.
    asking
        The part that asks.
    campaigns
        The part that runs campaigns.
    closed
        Whether the app released it.
    """

    def __init__(self, verdict: Verdict = FAILED, reply: Reply = SAID_UP, events: Sequence[News] = ()) -> None:
        self.verdict = verdict
        self.reply = reply
        self.events = events
        self.hold: asyncio.Event | None = None
        self.failure: Exception | None = None
        self.asked: list[tuple[str, tuple[int, ...], str]] = []
        self.closed = False
        self.reloads = 0
        self.lent: list[str] = []
        self.refusal: Exception | None = None
        self.asking = FakeAsking(self)
        self.campaigns = FakeCampaigns(self)

    def select(self, oracle: Oracle, text: str) -> BoolArray:
        """Filter as the engine does."""
        return select(scope_of(oracle.mdp, oracle.constants, oracle.facts), text)

    def decide(self, oracle: Oracle, text: str, numbers: Mapping[str, Callable[[], Numbers]]) -> Truth:
        """Filter as the engine does."""
        return decide(scope_of(oracle.mdp, oracle.constants, oracle.facts, numbers), text)

    def categories(self, oracle: Oracle) -> Sequence[CategoryChoice]:
        """Return five categories of all three scopes."""
        del oracle
        return CATEGORIES

    def explainers(self) -> Sequence[str]:
        """Return three names."""
        return ("local", "random", "first")

    def check_explainer(self, name: str) -> None:
        """Refuse what is no ``openai:`` model."""
        if not name.startswith("openai:"):
            raise UsageError(f"there is no explainer '{name}'", hint="openai:MODEL")

    def campaign_file(self, oracle: Oracle) -> Path:
        """Return a name."""
        return Path("/data/campaigns") / f"{oracle.environment.name}.sqlite"

    def lend(self, explainer: Explainer) -> None:
        """Note it."""
        self.lent.append(explainer.name)

    def reload(self) -> None:
        """Count it."""
        self.reloads += 1

    async def close(self) -> None:
        """Note it."""
        self.closed = True


class FakeOpener:
    """A model that opens by a function, with given constants and objectives.

    Attributes
    ----------
    wanted
        The settings of every attempt.
    saved
        What was saved: name, words, whether to replace.
    """

    def __init__(
        self,
        open_model: Open,
        *,
        title: str = "frozen_lake",
        constants: tuple[Constant, ...] = (),
        objectives: Mapping[str, str] | None = None,
        first: ModelSettings | None = None,
    ) -> None:
        self._open = open_model
        self._constants = constants
        self._objectives = objectives or {}
        self.title = title
        self.first = first or ModelSettings()
        self.wanted: list[ModelSettings] = []
        self.saved: list[tuple[str, Words, bool]] = []
        self.words_known = True

    def constants(self) -> tuple[Constant, ...]:
        """Return the given ones."""
        return self._constants

    def objectives(self) -> Mapping[str, str]:
        """Return the given ones."""
        return self._objectives

    def names(self) -> tuple[str, ...]:
        """Return the lake's labels."""
        return ('"goal"', '"unsafe"')

    def open(self, settings: ModelSettings, progress: Progress, cancel: threading.Event) -> Oracle:
        """Call the function."""
        self.wanted.append(settings)
        return self._open(settings, progress, cancel)

    def words(self, oracle: Oracle) -> tuple[str, Words]:
        """Return empty words, or refuse."""
        if not self.words_known:
            raise UsageError("this is none of your own environments", where=oracle.environment.name)
        return "lake", Words(oracle.environment.title, "", "")

    def save(self, oracle: Oracle, name: str, words: Words, *, replace: bool) -> Oracle:
        """Keep the words, and refuse a name that is taken."""
        self.saved.append((name, words, replace))
        if name == "taken" and not replace:
            raise UsageError("you have an environment named taken already", hint="choose another name")
        environment = oracle.environment.model_copy(update={"name": name, "title": words.title})
        return dataclasses.replace(oracle, environment=environment)


def answered(explainer: str, category: str, outcome: Outcome, done: int, total: int) -> Answered:
    """Return a campaign's event for one verdict."""
    numbers = {"V": "9/17", "tolerance": "1/100"}
    case = Case(f"{done}", category, (6,), OneOf(ACTIONS), ("left",), numbers, None, {}, "prioritized")
    verdict = Verdict(outcome, None, "because", None, ("left",), {})
    cell = Cell("frozen_lake", explainer, category, "prioritized", "plain")
    return Answered((cell,), case, "plain", 0, verdict, done, total, 0, 1.0, 4.0)


def planned(explainers: Sequence[str], categories: Sequence[str], budget: int) -> Planned:
    """Return a campaign's first event."""
    cells = {
        Cell("frozen_lake", explainer, category, "prioritized", "plain"): budget
        for explainer in explainers
        for category in categories
    }
    return Planned(len(cells) * budget, 0, cells, {}, {}, {})


def lake_app(services: FakeServices | None = None, oracle: Oracle | None = None, **options: str) -> ExplorerApp:
    """Return the explorer on Frozen Lake with a scripted engine."""
    checked = oracle or frozen_lake_4x4()
    return app_of(FakeOpener(lambda *_: checked), services, **options)


def app_of(opener: FakeOpener, services: FakeServices | None = None, **options: str) -> ExplorerApp:
    """Return the explorer on a model with a scripted engine."""
    # Named, so that the terminal that the tests run in does not choose it.
    return ExplorerApp(opener, services=services or FakeServices(), **{"theme": "storm-dark", **options})


async def explorer(pilot: Pilot[None]) -> ExplorerScreen:
    """Wait until the explorer shows its picture, and return it."""
    await until(pilot, lambda: _drawn(pilot.app.screen), "the explorer did not open")
    screen = pilot.app.screen
    assert isinstance(screen, ExplorerScreen)
    return screen


def _drawn(screen: Screen[object]) -> bool:
    if not isinstance(screen, ExplorerScreen):
        return False
    drawn = any(picture.tiles or picture.notice == EMPTY for picture in screen.query(Picture))
    return drawn or any(picture.ready for picture in screen.query(TextPicture))


def hints_of(app: App[Any]) -> list[str]:
    """Return what is said in the corner, and then in status lines."""
    lines = [line for screen in app.screen_stack for line in screen.query(StatusLine) if line.hint]
    return [*(each.message for each in app._notifications), *(line.hint for line in lines)]


async def card(pilot: Pilot[None]) -> VerdictCard:
    """Wait until a verdict is drawn, and return its card."""
    app = pilot.app
    words = [outcome.value.upper() for outcome in Outcome]
    await until(pilot, lambda: bool(app.screen.query(VerdictCard)) and any(word in text_of(app) for word in words))
    return app.screen.query(VerdictCard).first()


def text_of(app: ExplorerApp) -> str:
    """Return what the screen shows, line by line."""
    # Rendered with the screens below, as the app itself does: a modal keeps what it painted of them.
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    assert isinstance(update, LayoutUpdate)
    return "\n".join("".join(segment.text for strip in line for segment in strip) for line in update.strips)
