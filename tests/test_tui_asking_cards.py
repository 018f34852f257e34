"""Asking from the explorer with a scripted engine: the form, answers as they come, and the cards."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from asking_support import choose_category
from textual.widgets import Input
from tui_support import FAILED, SAID_UP, FakeServices, card, explorer, lake_app, text_of, until

from engine.errors import EndpointError, UsageError
from engine.explainers.base import Reply
from engine.verdicts.verdict import InvalidKind, Outcome, Verdict
from tui.screens.ask import AskScreen
from tui.screens.explorer import ExplorerScreen
from tui.screens.message import FailureScreen
from tui.widgets.verdict_card import VerdictCard

PASSED = Verdict(Outcome.PASS, 1.0, "left is in A*(6)", "left", ("left", "right"), {"V": "9/17"}, regret="0")
INVALID = Verdict(Outcome.INVALID, 0.0, "the reply was cut off", None, ("left",), {}, invalid_kind=InvalidKind.CUT_OFF)
UNDECIDED = Verdict(
    Outcome.UNDECIDED, None, "0.82 may be within 0.01 of V", "0.82", ("0.81…",), {"V": {"lower": 0.80, "upper": 0.84}}
)
ERROR = Verdict(Outcome.ERROR, None, "no answer came", None, ("left",), {})


@pytest.mark.parametrize(
    ("verdict", "reply", "words"),
    [
        (FAILED, SAID_UP, ["FAIL", "up", "left or right", "Q(6, up) = 14/51", "13/51", "Up is away from the hole."]),
        (PASSED, SAID_UP, ["PASS", "left is in A*(6)", "regret"]),
        (INVALID, Reply(text='{"expl', finish="length"), ["INVALID", "(cut off)", "none that could be read", '{"expl']),
        (UNDECIDED, SAID_UP, ["UNDECIDED", "0.82 may be within 0.01 of V", "0.8 ≤ x ≤ 0.84"]),
        (ERROR, Reply(error="connection refused", attempts=3), ["ERROR", "connection refused", "3 attempts"]),
    ],
)
async def test_the_verdict_card_says_each_outcome_in_words(verdict: Verdict, reply: Reply, words: list[str]) -> None:
    """Question, answer, the oracle's answer, the reason with its numbers, and the outcome as a word."""
    services = FakeServices(verdict, reply)
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "enter")
        await card(pilot)
        await until(pilot, lambda: "Which action is optimal on tile 6?" in text_of(app))
        shown = text_of(app)
        assert not [word for word in words if word not in shown]
    assert services.asked == [("best-action", (0,), "local")]


async def test_a_pair_category_suggests_two_states() -> None:
    """Choosing a category about pairs fills in a second state; what is asked is what the form says."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("a")
        await choose_category(pilot, "more-promising")
        states = app.screen.query_one("#ask-states", Input)
        await until(pilot, lambda: states.value == "0 1")
        states.value = "0, 14"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: bool(services.asked))
    assert services.asked == [("more-promising", (0, 14), "local")]


async def test_a_wrong_form_is_explained_and_asks_nothing() -> None:
    """A state that does not exist is named below the form."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a")
        app.screen.query_one("#ask-states", Input).value = "99"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "there is no state 99" in text_of(app))
        app.screen.query_one("#ask-states", Input).value = "0"
        app.screen.query_one("#ask-samples", Input).value = "0"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "samples: a number from 1 to 200" in text_of(app))
    assert not services.asked


async def test_a_running_question_can_be_cancelled() -> None:
    """Escape ends the question, a second escape leaves; a late answer changes nothing; the app stayed responsive."""
    services = FakeServices()
    services.hold = asyncio.Event()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "ctrl+r")
        await until(pilot, lambda: "local has not answered yet" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "local was cancelled" in text_of(app))
        services.hold.set()
        await pilot.pause(0.2)
        assert not app.screen.query(VerdictCard)
        await pilot.press("escape")
        assert isinstance(app.screen, ExplorerScreen)


async def test_a_question_that_has_no_known_answer_is_refused_in_place() -> None:
    """A refusal by the engine appears where the prompt would, its hint below the form."""
    services = FakeServices()
    services.refusal = UsageError("all actions of state 0 are tied", hint="choose another state")
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "ctrl+r")
        await until(pilot, lambda: "Not asked: all actions of state 0 are tied" in text_of(app))
        assert "choose another state" in text_of(app)


async def test_a_failure_that_is_no_answer_is_shown_in_a_modal() -> None:
    """It has what and hint; behind it the question is over, and the form is ready for another one."""
    services = FakeServices()
    services.failure = EndpointError("the key was refused", where="https://api.example", hint="check OPENAI_API_KEY")
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, FailureScreen))
        assert "check OPENAI_API_KEY" in text_of(app)
        await pilot.press("escape")
        await until(pilot, lambda: "local was cancelled" in text_of(app))
        assert isinstance(app.screen, AskScreen)


async def test_hostile_answers_stay_text() -> None:
    """A model's markup, escape sequences and line tricks are drawn as they are, nothing is interpreted."""
    evil = "\x1b]0;owned\x07[bold]x[/] \u202egnp [@click=app.quit]quit[/]"
    verdict = replace(FAILED, answer=evil, reason=evil, explanation=evil, accepted=(evil,), numbers={evil: evil})
    app = lake_app(FakeServices(verdict, Reply(text=evil, reasoning=evil)))
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "ctrl+r")
        await card(pilot)
        shown = text_of(app)
        assert "[bold]x[/]" in shown
        assert "[@click=app.quit]quit[/]" in shown
        assert not {"\x1b", "\x07", "\u202e"} & set(shown)
