"""The answer cache: the same request is answered once, samples stay apart, and it can never end a campaign."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from campaign_support import MOVES, TOOLS, Scripted, fake_case, fake_oracle, plan
from hypothesis import given
from hypothesis import strategies as st

from engine.campaign import AnswerCache, Answered, Finished, run_campaign
from engine.campaign.asking import in_its_currency
from engine.campaign.spent import Cost
from engine.endpoints import Endpoint
from engine.explainers.base import Question, Reply
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from engine.campaign import Event, Plan

QUESTION = Question(fake_case(fake_oracle(), "best-action", 1), "system", "user", {"type": "object"}, "plain", 0, 7)
REPLY = Reply('{"answer": "up"}', reasoning="hm", finish="stop", seconds=1.5, tokens_in=3, tokens_out=2, cost="0.01")


@dataclass
class Remembered(Scripted):
    """A scripted language model whose answers may be remembered."""

    fingerprint: str = "endpoint and model"


async def run(
    folder: Path, name: str, explainer: Scripted, cache: AnswerCache, grid: Plan | None = None
) -> list[Event]:
    """Run a campaign in a file of its own."""
    with Store(folder / name, write=True) as store:
        events = run_campaign(
            grid or plan(explainers=(explainer.name,)),
            {"lake": fake_oracle()},
            {explainer.name: explainer},
            store,
            tools=TOOLS,
            cache=cache,
        )
        return [event async for event in events]


def cached(events: list[Event]) -> list[bool]:
    """Return of each answer whether it came from the cache."""
    return [event.cached for event in events if isinstance(event, Answered)]


async def test_another_campaign_asks_nothing_again(tmp_path: Path) -> None:
    """A second file with the same grid is filled from the cache; its answers are the same and say where from."""
    cache = AnswerCache(tmp_path / "cache" / "answers.db")
    first, second = Remembered(), Remembered()
    assert cached(await run(tmp_path, "1.db", first, cache)) == [False] * 10
    events = await run(tmp_path, "2.db", second, cache)
    assert cached(events) == [True] * 10
    assert (len(first.asked), second.asked) == (10, [])
    assert isinstance(events[-1], Finished)
    assert events[-1].summary.cached == 10
    with Store(tmp_path / "1.db", write=False) as one, Store(tmp_path / "2.db", write=False) as two:
        before, after = ({a.key: a for a in store.answers()} for store in (one, two))
        assert {key: a.verdict for key, a in after.items()} == {key: a.verdict for key, a in before.items()}
        assert all(a.reply.details["cached"] is True and a.reply.attempts == 0 for a in after.values())
        assert {a.reply.tokens_in for a in after.values()} == {100}
    cache.close()


async def test_what_the_cache_gives_is_not_spent_again(tmp_path: Path) -> None:
    """The second campaign's cost is that of the answers, all of it from the cache; resumed, it stays so."""

    def priced(question: Question) -> Reply:
        return Reply(question.case.accepted[0], finish="stop", cost="0.1", details={"currency": "EUR"})

    cache = AnswerCache(tmp_path / "answers.db")
    grid = plan(budget=3, categories=("best-action",))
    first = await run(tmp_path, "1.db", Remembered(answer=priced), cache, grid)
    second = await run(tmp_path, "2.db", Remembered(answer=priced), cache, grid)
    more = plan(budget=4, categories=("best-action",))
    third = await run(tmp_path, "2.db", Remembered(answer=priced), cache, more)
    ends = [events[-1] for events in (first, second, third)]
    spent = [end.summary.spent["model"].costs for end in ends if isinstance(end, Finished)]
    assert spent == [
        {"EUR": Cost(Fraction(3, 10))},
        {"EUR": Cost(Fraction(3, 10), Fraction(3, 10))},
        {"EUR": Cost(Fraction(4, 10), Fraction(3, 10))},
    ]
    cache.close()


@pytest.mark.parametrize(
    "other",
    [
        replace(QUESTION, sample=1),
        replace(QUESTION, seed=8),
        replace(QUESTION, user="user!"),
        replace(QUESTION, system=""),
        replace(QUESTION, schema={"type": "string"}),
    ],
)
def test_everything_that_makes_a_request_is_in_the_key(other: Question) -> None:
    """Another sample, seed, prompt or schema is another request; another endpoint too; another case is not."""
    key = AnswerCache.key("a", QUESTION)
    assert AnswerCache.key("a", other) != key
    assert AnswerCache.key("b", QUESTION) != key
    same_words = replace(QUESTION, case=fake_case(fake_oracle("twin"), "best-action", 1))
    assert AnswerCache.key("a", same_words) == key


async def test_samples_stay_independent(tmp_path: Path) -> None:
    """Three samples are asked three times, and each finds its own answer again."""
    cache = AnswerCache(tmp_path / "answers.db")
    grid = plan(samples=3, budget=2)
    first = Remembered(answer=lambda question: Reply(MOVES.options[question.sample]))
    await run(tmp_path, "1.db", first, cache, grid)
    assert len(first.asked) == 12
    again = Remembered()
    assert cached(await run(tmp_path, "2.db", again, cache, grid)) == [True] * 12
    with Store(tmp_path / "2.db", write=False) as store:
        assert all(answer.reply.text == MOVES.options[answer.key.sample] for answer in store.answers())
    cache.close()


async def test_fresh_asks_anew_and_keeps_what_comes(tmp_path: Path) -> None:
    """With ``fresh`` nothing is found; what comes replaces what was kept."""
    path = tmp_path / "answers.db"
    old, new, late = Remembered(), Remembered(answer=lambda _: Reply("up")), Remembered()
    for explainer, fresh in ((old, False), (new, True), (late, False)):
        cache = AnswerCache(path, fresh=fresh)
        await run(tmp_path, f"{id(explainer)}.db", explainer, cache)
        cache.close()
    assert (len(new.asked), late.asked) == (10, [])
    with Store(tmp_path / f"{id(late)}.db", write=False) as store:
        assert {answer.reply.text for answer in store.answers()} == {"up"}


async def test_failures_baselines_and_unknown_explainers_are_not_kept(tmp_path: Path) -> None:
    """An error is asked again, a baseline is at hand anyway, and who tells no fingerprint is asked every time."""
    cache = AnswerCache(tmp_path / "answers.db")
    for number, explainer in enumerate(
        (
            Remembered(answer=lambda _: Reply(error="cut"), fingerprint="failing"),
            Remembered(baseline=True, fingerprint="baseline"),
            Scripted(),
        )
    ):
        for turn in range(2):
            events = await run(tmp_path, f"{number}{turn}.db", explainer, cache)
            assert not any(cached(events))
    cache.close()
    connection = sqlite3.connect(tmp_path / "answers.db")
    assert connection.execute("SELECT count(*) FROM replies").fetchone() == (0,)
    connection.close()


@given(text=st.text(st.characters(), max_size=30), seconds=st.floats(0, 1e6), tokens=st.none() | st.integers(0, 10**9))
def test_a_reply_is_found_as_it_was_kept(
    tmp_path_factory: pytest.TempPathFactory, text: str, seconds: float, tokens: int
) -> None:
    """Whatever a model says is found again, even what is no proper text."""
    cache = AnswerCache(tmp_path_factory.mktemp("cache") / "a.db")
    reply = replace(REPLY, text=text, seconds=seconds, tokens_out=tokens, details={"structured": "json_schema"})
    cache.put({b"key": reply})
    found = cache.get(b"key")
    cache.close()
    assert found is not None
    assert found.details["cached"] is True
    assert replace(found, attempts=1, details={"structured": "json_schema"}) == reply


@pytest.mark.parametrize(
    ("prices", "cost", "currency"),
    [
        ({"currency": "EUR"}, "0.01", "EUR"),
        ({"currency": "USD", "price_in": Decimal(1000), "price_out": Decimal(500)}, "0.004", "USD"),
        ({"currency": "USD"}, None, ""),
    ],
)
def test_a_cost_is_in_the_currency_of_the_endpoint_that_is_asked(
    prices: dict[str, Any], cost: str | None, currency: str
) -> None:
    """Another endpoint's answer of 3 and 2 tokens: its cost stays in its currency; in another it is 3·1000 + 2·500."""
    kept = replace(REPLY, details={"currency": "EUR", "cached": True})
    asked = Remembered("model")
    asked.endpoint = Endpoint(base_url="http://127.0.0.1:1/v1", **prices)  # type: ignore[attr-defined]  # as real ones have
    found = in_its_currency(kept, asked)
    assert (found.cost, found.currency, found.cached) == (cost, currency, True)


def test_the_oldest_go_when_there_are_too_many(tmp_path: Path) -> None:
    """The size is bounded; what was used again lately stays."""
    cache = AnswerCache(tmp_path / "a.db", largest=20_000)
    large = replace(REPLY, text="x" * 1000)
    keys = [number.to_bytes(2) for number in range(100)]
    for key in keys:
        cache.put({key: large}, used=[keys[0]])
    cache.close()
    cache = AnswerCache(tmp_path / "a.db")
    kept = [key for key in keys if cache.get(key) is not None]
    cache.close()
    assert keys[0] in kept
    assert keys[-1] in kept
    assert keys[1] not in kept
    assert 10 <= len(kept) <= 20


@pytest.mark.parametrize("damage", ["no database", "folder", "table"])
def test_a_damaged_cache_is_said_and_not_used(tmp_path: Path, damage: str) -> None:
    """A file that is something else ends in one sentence; nothing is found, nothing raises, the file stays."""
    path = tmp_path / "a.db"
    if damage == "folder":
        path.mkdir()
    elif damage == "no database":
        path.write_text("hello" * 1000)
    else:
        cache = AnswerCache(path)
        cache.put({b"key": REPLY})
        cache.close()
        connection = sqlite3.connect(path)
        connection.execute("UPDATE replies SET reply = '[]'")
        connection.commit()
        connection.close()
    said: list[str] = []
    cache = AnswerCache(path, tell=said.append)
    cache.put({b"other": REPLY})
    assert cache.get(b"key") is None
    cache.put({b"key": REPLY})
    cache.close()
    assert len(said) == 1
    assert str(path) in said[0]


def test_two_programs_use_it_at_once(tmp_path: Path) -> None:
    """Two caches on one file, written from two threads: everything that both kept is found."""
    path = tmp_path / "a.db"
    said: list[str] = []

    def fill(offset: int) -> None:
        cache = AnswerCache(path, tell=said.append)
        for number in range(offset, offset + 100):
            cache.put({number.to_bytes(2): REPLY})
        cache.close()

    threads = [threading.Thread(target=fill, args=(offset,)) for offset in (0, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cache = AnswerCache(path)
    assert all(cache.get(number.to_bytes(2)) is not None for number in range(200))
    cache.close()
    assert said == []
