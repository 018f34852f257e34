"""What the yes/no questions have in common: both answers must occur, and the answer is a decided fact."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from engine.queries.category import Category
from engine.queries.spaces import YES_NO

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray
    from engine.queries.spaces import AnswerSpace


class YesNo(Category):
    """A balanced question that is answered with yes or no."""

    balanced: ClassVar = True

    def space(self, oracle: Oracle, states: tuple[int, ...]) -> AnswerSpace:
        """Return yes and no."""
        del oracle, states
        return YES_NO

    def one_sided(self, classes: BoolArray) -> str | None:
        """Return that only one of the two answers occurs."""
        if classes.all() or not classes.any():
            return f"every candidate has the answer {'yes' if classes.any() else 'no'}"
        return None


def yes_or_no(holds: bool) -> tuple[str]:  # noqa: FBT001 - the fact itself, not a switch
    """Return the accepted answer of a decided fact."""
    return ("yes",) if holds else ("no",)
