"""What asking looks like, at 80×24 and at 120×40, dark, light, and in the terminal's own sixteen colours."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Input
from tui_support import FAILED, FakeServices, explorer, lake_app, text_of, until
from waiting import settled

from engine.errors import EndpointError
from engine.explainers.base import Reply
from engine.explainers.streaming import Piece
from engine.verdicts.verdict import Outcome, Verdict
from engine.witnesses.likeliest import Path
from engine.witnesses.runs import Witness
from tui.asking.asking_services import ExplainerOffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    Snap = Callable[..., bool]

SMALL, LARGE = (80, 24), (120, 40)
EVERYWHERE = pytest.mark.parametrize(
    ("size", "theme"),
    [(size, theme) for size in (SMALL, LARGE) for theme in ("storm-dark", "storm-light", "sixteen")],
    ids=[f"{size}-{theme}" for size in ("small", "large") for theme in ("dark", "light", "sixteen")],
)
BOTH = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
ERROR = Verdict(Outcome.ERROR, None, "no answer came", None, ("left", "right"), FAILED.numbers)
REFUSED = Reply(error="https://api.example/v1: the server refuses the key; check OPENAI_API_KEY", key_refused=True)
WALK = Path((6, 10, 14, 15), (21, 34, 45), Fraction(1, 27))


def services_with(verdict: Verdict = FAILED, **fields: Any) -> FakeServices:
    """Return the scripted engine with a witness."""
    services = FakeServices(verdict, **fields)
    services.asking.seen = (Witness("the likeliest run from pos=6 to the target after 'left'", WALK),)
    return services


def still(pilot: Pilot[Any]) -> None:
    """Keep cursors still: a picture is taken at any moment."""
    for field in pilot.app.screen.query(Input):
        field.cursor_blink = False


def after(*keys: str, shows: str, samples: str = "1") -> Callable[[Pilot[Any]], Any]:
    """Return what to do before the picture is taken: open the form at state 6, press the keys, wait for a text."""

    async def run(pilot: Pilot[Any]) -> None:
        await explorer(pilot)
        await pilot.press(*["down"] * 6, "a")
        await until(pilot, lambda: "Which action is optimal on tile 6?" in text_of(pilot.app))
        pilot.app.screen.query_one("#ask-samples", Input).value = samples
        await pilot.press(*keys)
        await until(pilot, lambda: shows in text_of(pilot.app))
        await until(pilot, lambda: not any(screen.query("Button.-active") for screen in pilot.app.screen_stack))
        still(pilot)
        await settled(pilot)

    return run


@EVERYWHERE
def test_form(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """The form, and the prompt before it is sent."""
    assert snap_compare(lake_app(theme=theme), terminal_size=size, run_before=after(shows="Prompt as it will be sent"))


@EVERYWHERE
def test_verdict_card(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """A failed answer with its reason, numbers, regret and witness."""
    app = lake_app(services_with(), theme=theme)
    assert snap_compare(app, terminal_size=size, run_before=after("ctrl+r", shows="FAIL"))


@EVERYWHERE
def test_answers_side_by_side(snap_compare: Snap, size: tuple[int, int], theme: str) -> None:
    """Samples with their spread, beside the card of the first."""
    passed = replace(FAILED, outcome=Outcome.PASS, answer="left", score=1.0, reason="Q(left) = 9/17 is the best")
    services = services_with()
    services.asking.verdicts = [FAILED, FAILED, passed]
    run = after("ctrl+r", shows="passes 2 of 6", samples="6")
    assert snap_compare(lake_app(services, theme=theme), terminal_size=size, run_before=run)


@BOTH
def test_refused_key(snap_compare: Snap, size: tuple[int, int]) -> None:
    """An endpoint that refuses the key: what failed, and what to do."""
    app = lake_app(FakeServices(ERROR, REFUSED))
    assert snap_compare(app, terminal_size=size, run_before=after("ctrl+r", shows="set the key where"))


@BOTH
def test_growing_answer(snap_compare: Snap, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    """An answer while it is written, its reasoning folded away."""
    for module in ("tui.widgets.growing_answer", "tui.asking.ask_session"):
        monkeypatch.setattr(f"{module}.time", SimpleNamespace(monotonic=lambda: 0.0))
    services = FakeServices()
    services.hold = asyncio.Event()
    services.asking.pieces = (Piece(reasoning="The hole is to the right. " * 20), Piece('{"explanation": "Up is away'))
    assert snap_compare(lake_app(services), terminal_size=size, run_before=after("ctrl+r", shows="Up is away"))


@BOTH
def test_categories(snap_compare: Snap, size: tuple[int, int]) -> None:
    """Every category; one that cannot be asked here is grey, with its reason."""
    services = FakeServices()
    services.asking.unaskable = {"is-bottleneck": "bottlenecks are not defined for this objective"}

    async def run(pilot: Pilot[Any]) -> None:
        await after(shows="Prompt as it will be sent")(pilot)
        pilot.app.screen.query_one("#ask-category").focus()
        await pilot.press("enter")
        await until(pilot, lambda: "What is asked" in text_of(pilot.app))
        await pilot.press("down")
        await pilot.pause()

    assert snap_compare(lake_app(services), terminal_size=size, run_before=run)


@BOTH
def test_explainers(snap_compare: Snap, size: tuple[int, int]) -> None:
    """Who can be asked, with an endpoint's models, and what another one lacks."""
    services = FakeServices()
    services.asking.offered = (
        ExplainerOffer("ollama:gemma3:1b"),
        ExplainerOffer("openai:MODEL", "no endpoint is set for language models", ready=False),
    )

    async def run(pilot: Pilot[Any]) -> None:
        await after(shows="Prompt as it will be sent")(pilot)
        pilot.app.screen.query_one("#ask-explainers").focus()
        await pilot.press("enter")
        await until(pilot, lambda: "no endpoint is set" in text_of(pilot.app))
        still(pilot)
        await pilot.press("down", "space")

    assert snap_compare(lake_app(services), terminal_size=size, run_before=run)


def test_prompt(snap_compare: Snap) -> None:
    """The prompt, to be changed."""

    async def run(pilot: Pilot[Any]) -> None:
        await after("p", shows="An edited prompt is marked")(pilot)
        pilot.app.screen.query_one("#form-send").focus()
        await pilot.pause()

    assert snap_compare(lake_app(), terminal_size=SMALL, run_before=run)


def test_failure(snap_compare: Snap) -> None:
    """What went wrong beside the answers, in a modal."""
    services = FakeServices()
    services.failure = EndpointError("the key was refused", where="https://api.example/v1", hint="check OPENAI_API_KEY")
    run = after("ctrl+r", shows="the key was refused")
    assert snap_compare(lake_app(services), terminal_size=SMALL, run_before=run)
