"""What the ask screen asks of the engine: which questions there are, asking one, and what comes of an answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from engine.explainers.base import Question
    from engine.explainers.streaming import OnPiece
    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from engine.queries.category import Scope
    from engine.witnesses.runs import Witness
    from tui.services.services import Asked

PREFERRED = ("best-action", "satisfy", "more-promising", "safer", "subset-has-dead-end")
"""Chosen at first where they can be asked, the first that can be."""


@dataclass(frozen=True, slots=True)
class CategoryOffer:
    """A category, and whether it can be asked about some states.

    Attributes
    ----------
    name, summary, scope
        As in `tui.services.services.CategoryChoice`.
    states
        What it would be asked about: the selected states where their number fits, else a suggestion.
    reason
        Why it cannot be asked of these; empty if it can.
    parameter
        What can be set about it, ``threshold`` or ``tolerance``; empty if nothing.
    """

    name: str
    summary: str
    scope: Scope
    states: tuple[int, ...]
    reason: str = ""
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """One question before it is put into words.

    Attributes
    ----------
    category, states
        What is asked about.
    parameters
        As in `engine.queries.case.Case`.
    variant
        The wording; empty for the environment's first.
    shuffle
        Whether options are listed in another order in each sample.
    """

    category: str
    states: tuple[int, ...]
    parameters: Mapping[str, str] = field(default_factory=dict)
    variant: str = ""
    shuffle: bool = False


@dataclass(frozen=True, slots=True)
class ExplainerOffer:
    """Somebody who can be asked, with what is known about that; `ready` is false where something is lacking."""

    name: str
    note: str = ""
    ready: bool = True


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of answers that were to be kept.

    Attributes
    ----------
    file
        The campaign file.
    kept
        Answers that are in the file now and were not before.
    already
        Answers to questions that have an answer there already: the first one stays.
    """

    file: Path
    kept: int
    already: int


class Asking(Protocol):
    """All but `models`, `known` and `ask` may block and are called in threads; all raise StormscopeError."""

    def offers(self, oracle: Oracle, states: tuple[int, ...], recent: Sequence[int]) -> Sequence[CategoryOffer]:
        """Return every category of the taxonomy, those that cannot be asked about the states with the reason."""
        ...

    def case(self, oracle: Oracle, query: Query) -> Case:
        """Return the case of a question with its true answer; raises UsageError if there is none."""
        ...

    def questions(self, oracle: Oracle, case: Case, query: Query, samples: Sequence[int]) -> Sequence[Question]:
        """Put a case into words, once for each sample's number."""
        ...

    async def models(self) -> Sequence[ExplainerOffer]:
        """Return who can be asked now: every endpoint is asked for its models, all at once, for a few seconds."""
        ...

    @property
    def known(self) -> Sequence[str] | None:
        """The names that `models` has last found ready; None if nobody has looked since the settings changed."""
        ...

    async def ask(
        self, oracle: Oracle, question: Question, explainer: str, on_piece: OnPiece, on_wait: Callable[[str], None]
    ) -> Asked:
        """Ask one question and judge the answer; what fails is an answer with an error.

        Cancelling it closes the connection.

        Parameters
        ----------
        on_piece
            Gets the answer while it is written.
        on_wait
            Gets a sentence whenever the explainer waits or asks again.
        """
        ...

    def witnesses(self, oracle: Oracle, case: Case, answer: str | None) -> Sequence[Witness]:
        """Return what can be replayed to see why an answer is right or wrong."""
        ...

    def keep(self, oracle: Oracle, asked: Sequence[Asked]) -> Kept:
        """Put answers into the model's campaign file; raises UsageError for prompts that were edited."""
        ...
