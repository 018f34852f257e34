"""Asking with the real engine: every category, streamed answers, failures in words, and answers that are kept."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from fake_server import FakeServer, answer, delta, error, events, says, silent
from pydantic import SecretStr
from reference import enclosed, frozen_lake_4x4
from textual.widgets import Input
from tui_support import explorer, lake_app, text_of, until

from engine.endpoints import Endpoint
from engine.errors import StoreError, UsageError
from engine.queries.registry import all_categories
from engine.reports.build import build_report
from engine.settings import Settings
from engine.verdicts.store import Store
from engine.verdicts.verdict import Outcome
from tui.asking.asking_services import Query
from tui.asking.card import card_of
from tui.screens.categories import CategoriesScreen
from tui.services.engine_services import EngineServices
from tui.widgets.verdict_card import VerdictCard

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from engine.explainers.base import Question
    from engine.explainers.streaming import Piece
    from tui.services.services import Asked

LAKE = frozen_lake_4x4()
BEST = Query("best-action", (14,))
"""State 14 is next to the goal: only ``down`` is optimal there."""


def services_of(server: FakeServer | None = None, folder: Path | None = None, **fields: object) -> EngineServices:
    """Return the engine with an endpoint at a server."""
    url = "http://127.0.0.1:9/v1" if server is None else server.url
    values = {"attempts": 1, **fields}
    endpoint = Endpoint(base_url=url, api_key=SecretStr("sk-secret"), **values)  # type: ignore[arg-type]  # any field
    return EngineServices("openai:tiny", settings=Settings(openai=endpoint), campaign_folder=folder)


def question_of(services: EngineServices, query: Query = BEST, samples: Sequence[int] = (0,)) -> Sequence[Question]:
    """Put a question into words."""
    return services.asking.questions(LAKE, services.asking.case(LAKE, query), query, samples)


async def asked_of(services: EngineServices, explainer: str = "openai:tiny") -> tuple[Asked, list[Piece], list[str]]:
    """Ask about state 14, and close."""
    pieces: list[Piece] = []
    waits: list[str] = []
    (question,) = question_of(services)
    try:
        return await services.asking.ask(LAKE, question, explainer, pieces.append, waits.append), pieces, waits
    finally:
        await services.close()


def test_every_category_is_offered_with_states_or_a_reason() -> None:
    """All of the taxonomy is there; what is offered can be made, and what is not says why."""
    asking = EngineServices("random").asking
    for states in ((0,), (14,), (15,), (0, 14), (1, 2, 5, 14)):
        offers = asking.offers(LAKE, states, [3, 9])
        assert [offer.name for offer in offers] == list(all_categories())
        for offer in offers:
            query = Query(offer.name, offer.states)
            if offer.reason:
                with pytest.raises(UsageError):
                    asking.case(LAKE, query)
            else:
                assert asking.case(LAKE, query).states == offer.states
    named = {offer.name: offer for offer in asking.offers(LAKE, (15,), [])}
    assert named["best-action"].reason
    assert named["holds"].parameter == "threshold"


def test_a_threshold_is_part_of_the_question() -> None:
    """V(14) is 16/17, so λ = 16/17 holds and λ = 0.95 does not; nonsense is refused with a hint about numbers."""
    asking = EngineServices("random").asking
    assert asking.case(LAKE, Query("holds", (14,), {"threshold": "16/17"})).accepted == ("yes",)
    assert asking.case(LAKE, Query("holds", (14,), {"threshold": "0.95"})).accepted == ("no",)
    with pytest.raises(UsageError) as caught:
        asking.case(LAKE, Query("holds", (14,), {"threshold": "much"}))
    assert "0.05 or 1/20" in caught.value.hint


async def test_an_answer_arrives_in_pieces_and_is_judged() -> None:
    """Words and reasoning come as the server sends them; the verdict is on the whole."""
    text = json.dumps({"explanation": "it is next to the goal", "answer": "down"})
    chunks = [delta(reasoning_content="hm"), delta(content=text[:20]), delta(content=text[20:]), delta("stop")]
    with FakeServer(events(*chunks)) as server:
        asked, pieces, _ = await asked_of(services_of(server))
    assert asked.verdict.outcome is Outcome.PASS
    assert ("".join(piece.text for piece in pieces), "".join(piece.reasoning for piece in pieces)) == (text, "hm")


@pytest.mark.parametrize(
    ("behaviour", "outcome", "words"),
    [
        (error(401, "no such key"), Outcome.ERROR, ["the server refuses the key", "OPENAI_API_KEY", "set the key"]),
        (error(500, "broken"), Outcome.ERROR, ["the server answered 500", "T tests the endpoint"]),
        (says('{"explanation": "and so on', finish="length"), Outcome.INVALID, ["raise max_tokens"]),
        (says(""), Outcome.INVALID, ["the model sent nothing"]),
        (says("It depends."), Outcome.INVALID, ["obeys a JSON schema"]),
    ],
)
async def test_each_failure_says_what_to_do(behaviour: object, outcome: Outcome, words: list[str]) -> None:
    """A refused key, a broken server, a cut, empty or unreadable answer: a card each, never a verdict of fail."""
    with FakeServer(behaviour) as server:  # type: ignore[arg-type]  # behaviours of the fake server
        asked, _, _ = await asked_of(services_of(server))
    assert asked.verdict.outcome is outcome
    text = "\n".join(row.text for row in card_of(asked).rows)
    assert not [word for word in words if word not in text]
    assert "sk-secret" not in text


async def test_a_server_that_is_not_there_and_a_name_that_is_none_are_answers_with_an_error() -> None:
    """Neither ends the others that are asked at the same time."""
    away, _, _ = await asked_of(services_of())
    assert away.verdict.outcome is Outcome.ERROR
    assert "127.0.0.1:9" in away.reply.error
    nobody, _, _ = await asked_of(services_of(), "gpt")
    assert "there is no explainer 'gpt'" in nobody.reply.error


async def test_waits_are_heard_while_asking() -> None:
    """A server that is too busy makes the explainer wait, and whoever asks is told why."""
    busy = error(429, "slow down", {"Retry-After": "0.01"})
    with FakeServer(busy, answer("down")) as server:
        asked, _, waits = await asked_of(services_of(server, attempts=2))
    assert asked.verdict.outcome is Outcome.PASS
    assert len(waits) == 1
    assert "429" in waits[0]


def test_witnesses_of_a_wrong_action_begin_with_it() -> None:
    """After the action that was said comes the right one; both paths start at the state and end at the goal."""
    asking = EngineServices("random").asking
    said, right = asking.witnesses(LAKE, asking.case(LAKE, BEST), "left")
    for witness, action in ((said, "left"), (right, "down")):
        assert witness.path is not None
        assert (witness.path.states[0], witness.path.states[-1]) == (14, 15)
        assert LAKE.mdp.action_name(witness.path.choices[0]) == action


async def test_answers_are_kept_beside_a_campaign(tmp_path: Path) -> None:
    """Samples of a case of one's own are stored once, below 0, with their prompts; no table of a campaign has them."""
    services = services_of(folder=tmp_path)
    questions = question_of(services, samples=(0, 1))
    asked = [await services.asking.ask(LAKE, each, "oracle", lambda _: None, lambda _: None) for each in questions]
    first = services.asking.keep(LAKE, asked[:1])
    both = services.asking.keep(LAKE, asked)
    assert ((first.kept, first.already), (both.kept, both.already)) == ((1, 0), (1, 1))
    with Store(first.file, write=False) as store:
        stored = list(store.answers())
        assert [(each.key.sample, each.user) for each in stored] == [(-1, questions[0].user), (-2, questions[1].user)]
        (case,) = store.cases().values()
        assert (case.strategies, case.case.states) == (("manual",), (14,))
        assert not store.runs()
        built = build_report(store)
        assert (built.table, built.questions.total, built.questions.kept) == ([], 0, 2)
        (cell,) = built.cells
        assert (cell.strategy, cell.explainer, cell.category, cell.n, cell.passed) == (
            "manual",
            "oracle",
            "best-action",
            2,
            2,
        )
    await services.close()


async def test_what_is_not_the_cases_own_answer_is_not_kept(tmp_path: Path) -> None:
    """Edited prompts and failures are refused, and so are questions made otherwise than the campaign's."""
    services = services_of(folder=tmp_path)
    (question,) = question_of(services)
    asked = await services.asking.ask(LAKE, question, "oracle", lambda _: None, lambda _: None)
    with pytest.raises(UsageError, match="edited"):
        services.asking.keep(LAKE, [replace(asked, edited=True)])
    with pytest.raises(UsageError, match="no answer to keep"):
        services.asking.keep(LAKE, [])
    file = services.campaign_file(LAKE)
    with Store(file, write=True) as store:
        store.start_run({"models": ["frozen_lake"], "shuffle": True}, "0", total=1, done=0)
    with pytest.raises(StoreError, match="shuffle on, not off"):
        services.asking.keep(LAKE, [asked])
    with Store(file, write=False) as store:
        assert not store.cases()
    await services.close()


async def test_a_slow_endpoint_delays_no_key() -> None:
    """While a server says nothing, a list opens and closes at once; escape closes the connection."""
    with FakeServer(then=silent(), models=("tiny",)) as server:
        app = lake_app(services_of(server), LAKE, explainer="openai:tiny")  # type: ignore[arg-type]  # the real engine
        async with app.run_test(size=(80, 24)) as pilot:
            await explorer(pilot)
            await pilot.press("a", "ctrl+r")
            await until(pilot, lambda: bool(server.questions))
            ask = app.screen
            begun = time.monotonic()
            ask.query_one("#ask-category").focus()
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, CategoriesScreen))
            await pilot.press("down", "down", "escape")
            await until(pilot, lambda: app.screen is ask)
            assert time.monotonic() - begun < 8  # the server would keep silent for ten seconds
            await pilot.press("escape")
            await until(pilot, lambda: "was cancelled" in text_of(app))
            assert await asyncio.to_thread(server.client_left.wait, 5)


async def test_the_journey_from_a_state_to_its_witness() -> None:
    """State 14 is asked about with the real engine and a server that says left; its witness ends at the goal."""
    with FakeServer(then=answer("left"), models=("tiny",)) as server:
        app = lake_app(services_of(server), LAKE, explainer="openai:tiny")  # type: ignore[arg-type]  # as above
        async with app.run_test(size=(120, 40)) as pilot:
            screen = await explorer(pilot)
            await pilot.press("end", "k", "a")
            app.screen.query_one("#ask-samples", Input).value = "2"
            await pilot.press("ctrl+r")
            await until(pilot, lambda: "passes 0 of 2" in text_of(app))
            await until(pilot, lambda: "the likeliest run from pos=14" in text_of(app))
            assert "guessing passes 0.25" in text_of(app)
            assert app.screen.query_one(VerdictCard).asked.verdict.outcome is Outcome.FAIL
            await pilot.press("w")
            await until(pilot, lambda: app.screen is not screen)
            await pilot.press("enter")
            await until(pilot, lambda: app.screen is screen)
            assert screen.trail.current == 14
            assert screen.trail.states[-1] == 15


def test_an_undecided_category_is_not_offered() -> None:
    """With enclosures so wide that nothing is decided, best-action cannot be asked, and the reason says so."""
    asking = EngineServices("random").asking
    named = {offer.name: offer for offer in asking.offers(enclosed(LAKE, 0.9), (14,), [])}
    assert "no state's best actions are decided" in named["best-action"].reason
