"""Answers side by side, their spread, edited prompts, witnesses, and what becomes of a verdict afterwards."""

from __future__ import annotations

import asyncio
from fractions import Fraction
from typing import TYPE_CHECKING

from asking_support import choose_category
from textual.widgets import Input, Select, TextArea
from tui_support import FAILED, SAID_UP, FakeServices, card, explorer, lake_app, text_of, until

from engine.explainers.streaming import Piece
from engine.witnesses.likeliest import Path as Walk
from engine.witnesses.runs import Witness
from tui.asking.asking_services import ExplainerOffer
from tui.screens.ask import AskScreen
from tui.screens.categories import CategoriesScreen
from tui.screens.explainers import ExplainersScreen
from tui.screens.explorer import ExplorerScreen
from tui.screens.prompt import PromptScreen
from tui.screens.save_card import SaveCardScreen
from tui.screens.witness import WitnessScreen
from tui.widgets.answer_list import AnswerList
from tui.widgets.growing_answer import GrowingAnswer
from tui.widgets.verdict_card import VerdictCard

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from tui.app import ExplorerApp


def ask_screen(app: ExplorerApp) -> AskScreen:
    """Return the ask screen, which must be on top."""
    assert isinstance(app.screen, AskScreen)
    return app.screen


async def asked(pilot: Pilot[None]) -> None:
    """Ask about the first state, and wait for the card."""
    await explorer(pilot)
    await pilot.press("a", "ctrl+r")
    await until(pilot, lambda: bool(pilot.app.screen.query(VerdictCard)))


async def test_several_explainers_answer_side_by_side() -> None:
    """The same question goes to each of them; a line a answer, and the one under the cursor in full."""
    services = FakeServices()
    lacking = ExplainerOffer("openai:MODEL", "no key is set", ready=False)
    services.asking.offered = (ExplainerOffer("ollama:tiny"), lacking)
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("a")
        ask = ask_screen(app)
        ask.query_one("#ask-explainers").focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExplainersScreen))
        await until(pilot, lambda: "no key is set" in text_of(app))
        await pilot.press("down", "space", "ctrl+r")
        await until(pilot, lambda: app.screen is ask)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: len(ask.session.attempts.asked) == 2)
        assert services.asked == [("best-action", (0,), "local"), ("best-action", (0,), "random")]
        await until(pilot, lambda: "asked of local" in text_of(app))
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "asked of random" in text_of(app))


async def test_an_explainer_can_be_named_for_a_question() -> None:
    """The field refuses nonsense with a hint, and adds what can be asked."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a")
        ask = ask_screen(app)
        ask.query_one("#ask-explainers").focus()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExplainersScreen))
        app.screen.query_one(Input).focus()
        await pilot.press(*"gpt", "enter")
        await until(pilot, lambda: "there is no explainer 'gpt'" in text_of(app))
        app.screen.query_one(Input).value = "openai:big"
        await pilot.press("enter")
        await until(pilot, lambda: "[x] openai:big" in text_of(app))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.screen is ask)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: len(services.asked) == 2)
    assert {who for _, _, who in services.asked} == {"local", "openai:big"}


async def test_asking_again_adds_samples_and_shows_their_spread() -> None:
    """Three samples, then three more with numbers of their own: passes and answers are counted over all six."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("a")
        app.screen.query_one("#ask-samples", Input).value = "3"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "passes 0 of 3" in text_of(app))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "passes 0 of 6" in text_of(app))
        assert "always the same: up ×6" in text_of(app)
        assert app.screen.query_one(AnswerList).border_title == "Answers (6 of 6)"
    assert [question.sample for question in services.asking.sent] == [0, 1, 2, 3, 4, 5]


async def test_another_question_replaces_the_answers() -> None:
    """Answers to one question are not counted with those to another state."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot)
        ask = ask_screen(app)
        ask.query_one("#ask-states", Input).value = "14"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: [each.question.case.states for each in ask.session.attempts.all] == [(14,)])


async def test_the_answer_grows_with_its_reasoning_folded_away() -> None:
    """What has come is shown while more is awaited; reasoning is counted, and a broken connection voids it all."""
    services = FakeServices()
    services.hold = asyncio.Event()
    services.asking.pieces = (
        Piece("void"),
        Piece(again=True),
        Piece(reasoning="secret thought"),
        Piece('{"explanation": "Up is'),
        Piece(" away"),
    )
    services.asking.waits = ("local: too busy; asking again in 2.0 s",)
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "ctrl+r")
        await until(pilot, lambda: "Up is away" in text_of(app))
        shown = text_of(app)
        assert "local is writing" in shown
        assert "Reasoning, 14 characters" in shown
        assert "secret thought" not in shown
        assert "void" not in shown
        services.hold.set()
        await card(pilot)
        assert not app.screen.query(GrowingAnswer)


async def test_a_wait_is_told_while_nothing_comes() -> None:
    """Which endpoint waits, how long and why, until the first words arrive."""
    services = FakeServices()
    services.hold = asyncio.Event()
    services.asking.waits = ("local: too busy; asking again in 2.0 s",)
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "ctrl+r")
        await until(pilot, lambda: "too busy; asking again in 2.0 s" in text_of(app))


async def test_categories_that_cannot_be_asked_are_greyed_with_the_reason() -> None:
    """The list has all of them; one that cannot be asked here says why and cannot be chosen."""
    services = FakeServices()
    services.asking.unaskable = {"is-bottleneck": "bottlenecks are not defined for this objective"}
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("a")
        ask = ask_screen(app)
        await choose_category(pilot, "is-bottleneck")
        await until(pilot, lambda: "Not here: bottlenecks are not defined" in text_of(app))
        assert isinstance(app.screen, CategoriesScreen)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is ask)
        assert ask.form.values.category == "best-action"


async def test_marked_states_choose_what_is_asked() -> None:
    """Two marks begin with a pair category, three with a subset category, about exactly the marked states."""
    app = lake_app(FakeServices())
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("space", "down", "down", "space", "a")
        await until(pilot, lambda: ask_screen(app).form.values.category == "more-promising")
        assert ask_screen(app).form.values.states == "0 2"
        await pilot.press("escape", "down", "space", "a")
        await until(pilot, lambda: ask_screen(app).form.values.category == "subset-has-dead-end")
        assert ask_screen(app).form.values.states == "0 2 3"


async def test_a_threshold_is_asked_for_where_the_category_has_one() -> None:
    """The field is there for satisfy (its tolerance) and not for best-action; what is typed goes to the engine."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("a")
        ask = ask_screen(app)
        parameter = ask.query_one("#ask-parameter", Input)
        assert not parameter.display
        await choose_category(pilot, "satisfy")
        await until(pilot, lambda: parameter.display)
        parameter.value = "1/20"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: bool(services.asked))
    assert services.asking.parameters[-1] == {"tolerance": "1/20"}


async def test_another_wording_is_another_prompt() -> None:
    """The prompt is shown before it is sent, in the wording that the form says; answers name it."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a")
        await until(pilot, lambda: "Which action is optimal on tile 6?" in text_of(app))
        app.screen.query_one("#ask-wording", Select).value = "story"
        await until(pilot, lambda: "In the words of story: which one?" in text_of(app))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "asked of local, story" in text_of(app))


async def test_an_edited_prompt_is_sent_and_marked() -> None:
    """What was typed is what is sent; the card says so; another state brings the case's own prompt back."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a")
        ask = ask_screen(app)
        await until(pilot, lambda: "Prompt as it will be sent" in text_of(app))
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        app.screen.query_one("#prompt-user", TextArea).text = "Just say up."
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "Prompt, edited by you" in text_of(app))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "(prompt edited)" in text_of(app))
        assert "this is not the case's own question" in text_of(app)
        assert services.asking.sent[0].user == "Just say up."
        assert ask.session.attempts.asked[0].edited
        ask.query_one("#ask-states", Input).value = "14"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: len(services.asking.sent) == 2)
        assert services.asking.sent[1].user == "Which action is optimal on tile 6?"


async def test_a_witness_is_walked_in_the_explorer() -> None:
    """The card shows the path; w goes to its beginning in the explorer, ] walks it, A comes back to the verdict."""
    services = FakeServices()
    path = Walk((0, 1, 2), (0, 4), Fraction(1, 9))
    services.asking.seen = (Witness("the likeliest run", path), Witness("no path reaches the target"))
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("a", "ctrl+r")
        await until(pilot, lambda: "2 steps, probability 1/9" in text_of(app))
        assert "no path reaches the target" in text_of(app)
        await pilot.press("w")
        await until(pilot, lambda: app.screen is screen)
        assert screen.trail.states == (0, 1, 2)
        assert screen.trail.current == 0
        await pilot.press("right_square_bracket", "right_square_bracket")
        assert screen.trail.current == 2
        assert screen.trail.path == ((0, 1, 2), (0, 4))
        await pilot.press("A")
        await card(pilot)
        assert len(services.asked) == 1


async def test_of_several_witnesses_one_is_chosen() -> None:
    """A list is shown; enter walks along the one under the cursor."""
    services = FakeServices()
    first, second = Walk((0, 1), (0,), Fraction(1, 3)), Walk((0, 4), (1,), Fraction(1, 3))
    services.asking.seen = (Witness("after left", first), Witness("after down", second))
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("a", "ctrl+r")
        await until(pilot, lambda: "after down" in text_of(app))
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WitnessScreen))
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.screen is screen)
    assert screen.trail.states == (0, 4)


async def test_a_long_witness_can_be_read() -> None:
    """What a line of the list cuts stands below it in full, for the line under the cursor."""
    services = FakeServices()
    first, second = Walk((0, 1), (0,), Fraction(1, 3)), Walk((0, 4), (1,), Fraction(1, 3))
    long = "the likeliest path to the target when the optimal action is taken everywhere but in the state asked about"
    services.asking.seen = (Witness("after left", first), Witness(long, second))
    app = lake_app(services)
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("a", "ctrl+r")
        await card(pilot)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WitnessScreen))
        await pilot.press("down")
        await until(pilot, lambda: "in the state asked about" in " ".join(text_of(app).replace("│", " ").split()))


async def test_answers_are_kept_on_request() -> None:
    """All answers that are there go to the campaign file, whose name is said."""
    services = FakeServices()
    app = lake_app(services)
    async with app.run_test(size=(120, 40)) as pilot:
        await asked(pilot)
        await pilot.press("k")
        await until(pilot, lambda: "1 answer kept in /data/campaigns/frozen_lake.sqlite" in text_of(app))
    assert [each.verdict for each in services.asking.kept[0]] == [FAILED]


async def test_a_card_is_saved_in_the_format_of_its_ending(tmp_path: Path) -> None:
    """The kind changes the name's ending; the file holds the verdict; a file that is there is not replaced."""
    app = lake_app(FakeServices(reply=SAID_UP))
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, SaveCardScreen))
        form = app.screen
        name = form.query_one("#save-file", Input)
        name.value = str(tmp_path / "card.md")
        form.query_one("#card-kind", Select).value = "html"
        await until(pilot, lambda: name.value.endswith("card.html"))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, AskScreen))
        assert "Q(6, up) = 14/51" in (tmp_path / "card.html").read_text(encoding="utf-8")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, SaveCardScreen))
        app.screen.query_one("#save-file", Input).value = str(tmp_path / "card.html")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "there is such a file already" in text_of(app))
        app.screen.query_one("#save-file", Input).value = str(tmp_path / "card.pdf")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "end it in .md, .html or .svg" in text_of(app))


async def test_nothing_was_asked_yet() -> None:
    """Going back to the last verdict before there is one says so and stays."""
    app = lake_app(FakeServices())
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await explorer(pilot)
        await pilot.press("A")
        await until(pilot, lambda: "Nothing was asked about this model yet" in text_of(app))
        assert isinstance(app.screen, ExplorerScreen)
