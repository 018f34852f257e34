"""The stages that a campaign joins, as values, so that each can be replaced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from engine.explainers.base import Question, Reply
    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from engine.queries.generation import Strategy
    from engine.queries.setting import Formula
    from engine.verdicts.verdict import Verdict


class Generated(Protocol):
    """What case generation gives: the cases in order, and category → why it has none."""

    @property
    def cases(self) -> tuple[Case, ...]:
        """All cases, those of one category in the order of their choice."""
        ...

    @property
    def omitted(self) -> Mapping[str, str]:
        """Category → why it has no candidates."""
        ...


class Generate(Protocol):
    """Chooses cases (`engine.queries.generation.generate`)."""

    def __call__(
        self,
        oracle: Oracle,
        categories: Sequence[str],
        *,
        budget: int,
        strategy: Strategy,
        seed: int,
        subset_size: int,
        difficulty: Formula,
        tolerance: Fraction,
    ) -> Generated:
        """Return the cases of one model by one strategy."""
        ...


class Render(Protocol):
    """Puts a case into words (`engine.prompts.rendering.render`)."""

    def __call__(
        self,
        oracle: Oracle,
        case: Case,
        *,
        variant: str,
        sample: int,
        seed: int,
        explanation_length: int,
        shuffle: bool,
    ) -> Question:
        """Return the question."""
        ...


class Judge(Protocol):
    """Reads and grades a reply (`engine.verdicts.grading.judge`)."""

    def __call__(self, oracle: Oracle, case: Case, reply: Reply) -> Verdict:
        """Return the verdict; a transport failure is an ``error``, an undecided answer is not."""
        ...


@dataclass(frozen=True, slots=True)
class Tools:
    """The three stages."""

    generate: Generate
    render: Render
    judge: Judge


def default_tools() -> Tools:
    """Return the engine's own stages."""
    # Imported when a campaign runs: the stages load template and array libraries that `--help` must not wait for.
    from engine.prompts.rendering import render  # noqa: PLC0415 - as said above
    from engine.queries.generation import generate  # noqa: PLC0415 - as said above
    from engine.verdicts.grading import judge  # noqa: PLC0415 - as said above

    return Tools(generate, render, judge)
