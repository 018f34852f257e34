"""A campaign in miniature: a model that is never checked, numbered cases, and explainers that are scripted."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from engine.campaign import Plan, Tools
from engine.explainers.base import Question, Reply
from engine.mdp.environment import Environment
from engine.queries.case import Case
from engine.queries.spaces import OneOf
from engine.verdicts.verdict import InvalidKind, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction

    from engine.oracle.facts import Oracle

MOVES = OneOf(("left", "down", "right", "up"))
CATEGORIES = ("best-action", "worst-action")


def fake_oracle(identity: str = "oracle-1", name: str = "lake", *, states: int = 16, slip: str = "1/3") -> Oracle:
    """Return what a campaign reads of an oracle, without a model behind it."""
    environment = Environment(
        name=name, title=name.title(), summary="", model=Path("model.prism"), variants=("plain", "story")
    )
    return cast(
        "Oracle",
        SimpleNamespace(
            identity=identity,
            environment=environment,
            constants={"slip": slip},
            mdp=SimpleNamespace(states=states),
            facts=SimpleNamespace(objective=SimpleNamespace(text='Pmax=? [F "goal"]'), danger_text=None),
            exact=True,
            request=None,
        ),
    )


def fake_case(oracle: Oracle, category: str, state: int, strategy: str = "prioritized") -> Case:
    """Return a case about a state whose right answer is the move with the state's number modulo 4."""
    return Case(
        id=f"{oracle.identity}/{category}/{state}",
        category=category,
        states=(state,),
        space=MOVES,
        accepted=(MOVES.options[state % 4],),
        numbers={"V": "14/17"},
        difficulty=0.5,
        parts={"tied": 0.5},
        strategy=strategy,
    )


@dataclass(frozen=True)
class FakeGenerated:
    """Cases and reasons, as generation gives them."""

    cases: tuple[Case, ...]
    omitted: Mapping[str, str] = field(default_factory=dict)


def generate(
    oracle: Oracle,
    categories: Sequence[str],
    *,
    budget: int,
    strategy: str,
    seed: int,
    subset_size: int,
    difficulty: str,
    tolerance: Fraction,
) -> FakeGenerated:
    """Choose the states 0, 1, …, or for ``random`` those from 2 on: two strategies share all but two of their cases."""
    del seed, subset_size, difficulty, tolerance
    first = 0 if strategy == "prioritized" else 2
    cases = [
        fake_case(oracle, category, state, strategy)
        for category in categories
        if category != "is-bottleneck"
        for state in range(first, min(first + budget, oracle.mdp.states))
    ]
    return FakeGenerated(tuple(cases), {"is-bottleneck": "the model has no bottleneck"})


def render(
    oracle: Oracle, case: Case, *, variant: str, sample: int, seed: int, explanation_length: int, shuffle: bool
) -> Question:
    """Put a case into words that name its category and state."""
    del explanation_length, shuffle
    system = f"{oracle.environment.name} in {variant} words"
    return Question(
        case, system, f"{case.category} in state {case.states[0]}?", {"type": "object"}, variant, sample, seed
    )


def judge(oracle: Oracle, case: Case, reply: Reply) -> Verdict:
    """Judge a text that is the answer and nothing else; an empty one is invalid, "perhaps" is undecided."""
    del oracle
    if reply.error:
        return Verdict(Outcome.ERROR, None, reply.error, None, case.accepted, {})
    if not reply.text:
        return Verdict(Outcome.INVALID, 0.0, "it is blank", None, case.accepted, {}, invalid_kind=InvalidKind.BLANK)
    if reply.text == "perhaps":
        return Verdict(Outcome.UNDECIDED, None, "the bounds overlap", reply.text, case.accepted, case.numbers)
    passed = reply.text in case.accepted
    return Verdict(
        Outcome.PASS if passed else Outcome.FAIL, float(passed), "as compared", reply.text, case.accepted, case.numbers
    )


TOOLS = Tools(cast("Any", generate), render, judge)


def right(question: Question) -> Reply:
    """Answer rightly."""
    return Reply(question.case.accepted[0], finish="stop", seconds=0.5, tokens_in=100, tokens_out=10)


def always_up(question: Question) -> Reply:
    """Answer "up" whatever is asked."""
    del question
    return Reply("up", finish="stop")


@dataclass
class Scripted:
    """An explainer that answers from a function, and remembers what it was asked."""

    name: str = "model"
    answer: Callable[[Question], Reply] = right
    delay: float = 0.0
    baseline: bool = False
    asked: list[tuple[str, str, int]] = field(default_factory=list)
    started: int = 0
    closed: int = 0
    in_flight: int = 0
    most_in_flight: int = 0

    async def start(self) -> None:
        """Count the start."""
        self.started += 1

    async def ask(self, question: Question) -> Reply:
        """Answer after the delay."""
        self.asked.append((question.case.id, question.variant, question.sample))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.delay:
                await asyncio.sleep(self.delay)
            return self.answer(question)
        finally:
            self.in_flight -= 1

    async def close(self) -> None:
        """Count the end."""
        self.closed += 1


def plan(**changes: Any) -> Plan:
    """Return a plan of one model, one explainer and two categories of five cases, with changes."""
    values: dict[str, Any] = {
        "models": ("lake",),
        "explainers": ("model",),
        "categories": CATEGORIES,
        "budget": 5,
        **changes,
    }
    return Plan(**values)
