"""What the explorer asks of the engine, as one small interface that tests can stand in for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from pathlib import Path

    from engine.campaign.control import Control
    from engine.explainers.base import Question, Reply
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray
    from engine.queries.category import Scope
    from engine.verdicts.verdict import Verdict
    from tui.tally import News, Stored


@dataclass(frozen=True, slots=True)
class CategoryChoice:
    """A category to choose from.

    Attributes
    ----------
    name
        As in methods.md 1.2.
    summary
        What it asks, in a few words.
    scope
        What a question is about: one state, a pair, or a subset.
    """

    name: str
    summary: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, its answer, and the verdict."""

    explainer: str
    question: Question
    reply: Reply
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class CampaignRequest:
    """A small campaign on the model that is open: so many cases of each category, asked of each explainer."""

    explainers: tuple[str, ...]
    categories: tuple[str, ...]
    budget: int


class Services(Protocol):
    """The engine as the explorer sees it. `select` may block and is called in a thread; all raise StormscopeError."""

    def select(self, oracle: Oracle, text: str) -> BoolArray:
        """Return ``(states,)`` where a PRISM expression holds; raises ExpressionError with the position."""
        ...

    def categories(self, oracle: Oracle) -> Sequence[CategoryChoice]:
        """Return the categories that make sense for a model."""
        ...

    def explainers(self) -> Sequence[str]:
        """Return the explainers to choose from, the default first."""
        ...

    def check_explainer(self, name: str) -> None:
        """Offer an explainer from now on; raises StormscopeError if it cannot be asked."""
        ...

    def askable(self, oracle: Oracle, category: str, states: tuple[int, ...]) -> bool:
        """Return whether a category has a question with a known answer about these states."""
        ...

    def stored(self, oracle: Oracle) -> Stored | None:
        """Return all verdicts of earlier campaigns on a model; None if there are none. May block."""
        ...

    def campaign_file(self, oracle: Oracle) -> Path:
        """Return the file that keeps the campaigns on a model."""
        ...

    async def ask(self, oracle: Oracle, category: str, states: tuple[int, ...], explainer: str) -> Asked:
        """Ask one question. Cancelling it closes the connection."""
        ...

    def campaign(self, oracle: Oracle, request: CampaignRequest, control: Control) -> AsyncGenerator[News, None]:
        """Ask many questions; each answer is committed before its event arrives. `control` stops it."""
        ...

    async def close(self) -> None:
        """Stop what was started; never raises."""
