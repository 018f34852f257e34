"""Category ``best-action``: which action is optimal."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from engine.queries.actions import OneAction

if TYPE_CHECKING:
    from engine.oracle.facts import Facts
    from engine.oracle.tri import TriArray
    from engine.queries.category import Wording


class BestAction(OneAction):
    """One action out of A*(s); the answer needs not be a progressing one (methods.md 1.1)."""

    name: ClassVar = "best-action"
    summary: ClassVar = "which action is optimal?"
    adjective: ClassVar = "best"
    symbol: ClassVar = "A*"

    def members(self, facts: Facts) -> TriArray:
        return facts.best

    def takes_largest(self, facts: Facts) -> bool:
        return facts.objective.kind.maximises

    def ask(self, wording: Wording) -> str:
        return f"Which action is optimal in this state, that is, gives the {wording.best} value?"


CATEGORY = BestAction()
