"""What a category of the taxonomy is (methods.md 1.2). A new one is one file in `engine.queries.categories`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.oracle.facts import Kind, Oracle
    from engine.oracle.numbers import BoolArray, FloatArray, IntArray
    from engine.queries.case import Case, FactValue
    from engine.queries.draws import Draws
    from engine.queries.setting import Setting
    from engine.queries.spaces import AnswerSpace


class Scope(StrEnum):
    """How many states a question is about."""

    STATE = "state"
    PAIR = "pair"
    SUBSET = "subset"


class Object(StrEnum):
    """What a question is about: a property's result, or the ranking of actions."""

    RESULT = "property result"
    RANKING = "action ranking"


class Mode(StrEnum):
    """Whether a question is about its states one by one, or about how they compare."""

    INDIVIDUAL = "individual"
    RELATIONAL = "relational"


@dataclass(frozen=True, slots=True)
class Truth:
    """The answers that pass, and the numbers behind them as JSON values."""

    accepted: tuple[str, ...]
    numbers: Mapping[str, FactValue]


@dataclass(frozen=True, slots=True)
class Grade:
    """What a valid answer is worth.

    Attributes
    ----------
    passed
        The `verdict` grader; None where the oracle's enclosure decides neither way, which is never counted.
    score
        The `score` grader in [0, 1], exact; None where undecided.
    reason
        One sentence with the numbers.
    regret
        For action answers abs(V - Q(answer)), exact text or an upper bound in sound mode.
    figures
        What the grader found beside the verdict, e.g. precision and recall, as JSON values.
    """

    passed: bool | None
    score: Fraction | None
    reason: str
    regret: str | None = None
    figures: Mapping[str, FactValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chance:
    """What the `random` explainer gets on average, exactly, from each of the two graders."""

    verdict: Fraction
    score: Fraction


@dataclass(frozen=True, slots=True)
class Difficulty:
    """δ of some candidates, before rounding (methods.md 1.3).

    Attributes
    ----------
    delta
        ``(n,)`` in [0, 1].
    parts
        Name → ``(n,)`` what δ is made of.
    """

    delta: FloatArray
    parts: Mapping[str, FloatArray] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Search:
    """What a candidate pool is for.

    Attributes
    ----------
    budget
        How many cases will be taken from it.
    size
        States of a subset.
    hardest
        Whether the hardest candidates are wanted, rather than uniformly drawn ones.
    refined
        Whether the hardest by the `refined` formulas are wanted.
    """

    budget: int
    size: int
    hardest: bool
    refined: bool = False


@dataclass(frozen=True, slots=True)
class Wording:
    """The objective in words, as question texts use it.

    Attributes
    ----------
    goal
        What the objective is about, after "the probability of": ``reaching the goal tile``.
    measure
        What is optimised: ``the probability of reaching the goal tile``.
    kind
        How it is optimised.
    danger
        What the danger D is about, after "the probability of".
    policy
        What a fixed policy does, in words; None where every action is chosen optimally.
    """

    goal: str
    measure: str
    kind: Kind
    danger: str = "reaching an unsafe state"
    policy: str | None = None

    @property
    def play(self) -> str:
        """How actions are chosen, after "if": ``every action is chosen optimally``."""
        return "every action is chosen optimally" if self.policy is None else "every action is the given policy's"

    @property
    def whatever(self) -> str:
        """Over which plays a fact holds, at the end of a clause."""
        return "whatever actions are taken" if self.policy is None else "when the given policy is followed"

    @property
    def best(self) -> str:
        """``highest`` or ``lowest``: what the optimum is."""
        return "highest" if self.kind.maximises else "lowest"

    @property
    def worst(self) -> str:
        """The opposite of `best`."""
        return "lowest" if self.kind.maximises else "highest"


class Category(ABC):
    """One kind of question: who is asked about, what is true, how hard it is, how an answer is graded.

    Arrays of candidates are ``(n, k)`` int64: n candidates of k states each. Models have up to millions of states.
    """

    name: ClassVar[str]
    scope: ClassVar[Scope]
    object: ClassVar[Object]
    mode: ClassVar[Mode]
    summary: ClassVar[str]
    wanted: ClassVar[Literal["good", "bad"]] = "good"
    """Whether the better of the options is asked for or the worse: what a reader of answers has to know."""
    balanced: ClassVar[bool] = False
    """Whether both answers must occur equally often (methods.md 1.3)."""

    def configured(self, setting: Setting) -> Category:
        """Return the category with these settings; by default it has none."""
        del setting
        return self

    def summary_for(self, oracle: Oracle) -> str:
        """Return `summary` as it reads for a model's objective."""
        del oracle
        return self.summary

    def parameters(self, oracle: Oracle, states: tuple[int, ...]) -> Mapping[str, str]:
        """Return what a candidate's question depends on beside its states (`Case.parameters`)."""
        del oracle, states
        return {}

    @abstractmethod
    def defined(self, oracle: Oracle) -> str | None:
        """Return why the category cannot have any case on this model, or None if it can."""

    @abstractmethod
    def pool(self, oracle: Oracle, search: Search, draws: Draws) -> IntArray:
        """Return ``(n, k)`` distinct valid candidates: all there are, or enough for the search."""

    @abstractmethod
    def refusal(self, oracle: Oracle, states: tuple[int, ...]) -> str | None:
        """Return why these states, of the right number and distinct, make no question with a known answer, or None."""

    def classes(self, oracle: Oracle, states: IntArray) -> BoolArray | None:
        """Return ``(n,)`` whether the answer is yes, for balanced categories; None for the others."""
        del oracle, states
        return None

    def one_sided(self, classes: BoolArray) -> str | None:
        """Return why candidates of these classes make no category, e.g. if a yes/no question has one answer only."""
        del classes
        return None

    @abstractmethod
    def difficulty(self, oracle: Oracle, states: IntArray) -> Difficulty:
        """Return δ by the `paper` formulas (methods.md 1.3)."""

    def refined(self, oracle: Oracle, states: IntArray) -> Difficulty:
        """Return δ by the `refined` formulas (methods.md 1.3), which are often the same."""
        return self.difficulty(oracle, states)

    def refinable(self, oracle: Oracle, states: IntArray, budget: int) -> IntArray:
        """Return the positions of candidates whose refined δ is worth computing: all, unless that takes long."""
        del oracle, budget
        return np.arange(len(states), dtype=np.int64)

    @abstractmethod
    def space(self, oracle: Oracle, states: tuple[int, ...]) -> AnswerSpace:
        """Return the valid answers."""

    @abstractmethod
    def truth(self, oracle: Oracle, states: tuple[int, ...]) -> Truth:
        """Return the true answer of a valid candidate."""

    @abstractmethod
    def question(self, case: Case, wording: Wording) -> str:
        """Return the question's text; it never depends on the truth."""

    def grade(self, case: Case, answer: str) -> Grade:
        """Grade an answer of the case's space, from nothing but the case: regrading needs no oracle."""
        passed = answer in case.accepted
        return Grade(passed, self.score(case, answer), self.reason(case, answer), self.regret(case, answer))

    def score(self, case: Case, answer: str) -> Fraction:
        """Return what the `score` grader gives for an answer of the case's space that is decided; by default 0 or 1."""
        return Fraction(answer in case.accepted)

    @abstractmethod
    def reason(self, case: Case, answer: str) -> str:
        """Return one sentence that says why an answer is right or wrong, with the numbers."""

    def regret(self, case: Case, answer: str) -> str | None:
        """Return what an action answer costs; None for other answers."""
        del case, answer
        return None

    def chance(self, case: Case) -> Chance:
        """Return what a uniformly drawn answer gets on average; by default for one option of several."""
        share = Fraction(len(case.accepted), len(_options(case)))
        return Chance(share, share)


def _options(case: Case) -> tuple[str, ...]:
    options: tuple[str, ...] = getattr(case.space, "options", ())
    if not options:
        raise TypeError(f"{case.category} has no listed options, so it must define its own chance level")
    return options
