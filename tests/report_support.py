"""Campaign files whose every answer is written down in the test that reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from campaign_support import MOVES, fake_oracle

from engine.explainers.base import Reply
from engine.queries.case import Case
from engine.verdicts.records import Answer, Key, ModelRecord, Selection
from engine.verdicts.store import Store
from engine.verdicts.verdict import InvalidKind, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from engine.queries.spaces import AnswerSpace


@dataclass(frozen=True)
class Said:
    """One answer about a state; what it leaves out is as in `campaign_support`: right is the move state modulo 4.

    ``text`` is an option; ``"?"`` for an answer that bounds do not decide, ``""`` for a blank reply, and None for a
    transport error.
    """

    state: int
    text: str | None
    explainer: str = "model"
    category: str = "best-action"
    model: str = "lake"
    variant: str = "plain"
    sample: int = 0
    score: float | None = None
    regret: str | None = None
    shown: tuple[str, ...] = ()
    reply: Reply = Reply("x", finish="stop")  # noqa: RUF009 - a frozen value

    @property
    def case_id(self) -> str:
        """The id of its case."""
        return f"{self.model}/{self.category}/{self.state}"


def right(state: int) -> str:
    """Return the accepted move."""
    return MOVES.options[state % 4]


def wrong(state: int) -> str:
    """Return a move that is not."""
    return MOVES.options[(state + 1) % 4]


def write(
    path: Path,
    said: Iterable[Said],
    *,
    baselines: Iterable[str] = (),
    difficulty: Mapping[int, float] | None = None,
    strategies: Mapping[str, Iterable[int]] | None = None,
    space: AnswerSpace = MOVES,
    plan: Mapping[str, object] | None = None,
) -> Path:
    """Write a campaign file and return its path.

    Parameters
    ----------
    said
        The answers, in the order in which they come.
    baselines
        Explainers without a language model.
    difficulty
        State → δ; 1/2 for all others.
    strategies
        Strategy → states that it chose; ``prioritized`` has chosen all if none is given.
    space
        Of every case.
    plan
        What the run was asked to do.
    """
    said = list(said)
    with Store(path, write=True) as store:
        run = store.start_run(dict(plan or {}), "0", total=len(said), done=0)
        store.add_models([ModelRecord.of(name, fake_oracle(name, name)) for name in _each(said, "model")])
        store.add_explainers({name: name in set(baselines) for name in _each(said, "explainer")})
        cases = {entry.case_id: _case(entry, space, dict(difficulty or {})) for entry in said}
        for strategy, states in (strategies or {"prioritized": range(1000)}).items():
            _select(store, strategy, [entry for entry in said if entry.state in set(states)], cases)
        store.add_answers([_answer(entry, cases[entry.case_id]) for entry in said])
        store.end_run(run, done=sum(entry.text is not None for entry in said))
    return path


def _select(store: Store, strategy: str, said: Iterable[Said], cases: Mapping[str, Case]) -> None:
    chosen: dict[str, dict[str, dict[str, Case]]] = {}
    for entry in said:
        chosen.setdefault(entry.model, {}).setdefault(entry.category, {})[entry.case_id] = cases[entry.case_id]
    for model, categories in chosen.items():
        selections = {name: Selection(tuple(found.values())) for name, found in categories.items()}
        store.add_selections(model, strategy, 1, selections)


def _each(said: Iterable[Said], name: str) -> list[str]:
    return list(dict.fromkeys(getattr(entry, name) for entry in said))


def _case(entry: Said, space: AnswerSpace, difficulty: Mapping[int, float]) -> Case:
    return Case(
        id=entry.case_id,
        category=entry.category,
        states=(entry.state,),
        space=space,
        accepted=(right(entry.state),),
        numbers={},
        difficulty=difficulty.get(entry.state, 0.5),
        parts={},
        strategy="prioritized",
    )


def _answer(entry: Said, case: Case) -> Answer:
    outcome, kind, reply = Outcome.FAIL, None, entry.reply
    if entry.text is None:
        outcome, reply = Outcome.ERROR, Reply(error="the connection was cut", seconds=reply.seconds)
    elif entry.text == "?":
        outcome = Outcome.UNDECIDED
    elif not entry.text:
        outcome, kind = Outcome.INVALID, InvalidKind.BLANK
    elif entry.text in case.accepted:
        outcome = Outcome.PASS
    score = entry.score if entry.score is not None else float(outcome is Outcome.PASS)
    verdict = Verdict(
        outcome=outcome,
        score=score if outcome.counted else None,
        reason=f"answered {entry.text}",
        answer=entry.text or None,
        accepted=case.accepted,
        numbers={},
        regret=entry.regret,
        invalid_kind=kind,
    )
    key = Key(case.id, entry.variant, entry.sample)
    at = "2026-01-01T00:00:00.000+00:00"
    return Answer(key, entry.explainer, "system", "user", reply, verdict, at, entry.shown)
