"""What the explorer asks of the engine, as one small interface that tests can stand in for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from engine.explainers.base import Explainer, Question, Reply
    from engine.mdp.decided import Truth
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray, Numbers
    from engine.queries.category import Scope
    from engine.verdicts.verdict import Verdict
    from tui.asking.asking_services import Asking
    from tui.campaigns.campaign_services import CampaignServices


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
    """One question, its answer, and the verdict.

    Attributes
    ----------
    edited
        Whether the prompt was changed by hand: then it is not the case's own question.
    shuffled
        Whether its options were listed in an order of their own.
    stored
        Whether it was read from a campaign's file.
    words
        The question's own sentence where its prompt is not known: a file keeps none of what has failed.
    """

    explainer: str
    question: Question
    reply: Reply
    verdict: Verdict
    edited: bool = False
    shuffled: bool = False
    stored: bool = False
    words: str = ""


class Services(Protocol):
    """The engine as the explorer sees it. `select` may block and is called in a thread; all raise StormscopeError."""

    def select(self, oracle: Oracle, text: str) -> BoolArray:
        """Return ``(states,)`` where a PRISM expression holds; raises ExpressionError with the position."""
        ...

    def decide(self, oracle: Oracle, text: str, numbers: Mapping[str, Callable[[], Numbers]]) -> Truth:
        """Return where an expression holds and where bounds do not tell; it may name further numbers of the states."""
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

    @property
    def asking(self) -> Asking:
        """Asking single questions."""
        ...

    def campaign_file(self, oracle: Oracle) -> Path:
        """Return the file that keeps the campaigns on a model."""
        ...

    @property
    def campaigns(self) -> CampaignServices:
        """What the campaign screen asks."""
        ...

    def lend(self, explainer: Explainer) -> None:
        """Let an explainer be asked by its name that the settings do not know."""
        ...

    def reload(self) -> None:
        """Read the settings anew before the next question: they were changed."""
        ...

    async def close(self) -> None:
        """Stop what was started; never raises."""
