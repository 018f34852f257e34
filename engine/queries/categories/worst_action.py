"""Category ``worst-action``: which action is most damaging."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category`

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from engine.queries.actions import OneAction

if TYPE_CHECKING:
    from engine.oracle.facts import Facts
    from engine.oracle.tri import TriArray
    from engine.queries.category import Wording


class WorstAction(OneAction):
    """One action out of A-(s): taken once, with optimal play afterwards, it costs the most."""

    name: ClassVar = "worst-action"
    summary: ClassVar = "which action is most damaging?"
    adjective: ClassVar = "worst"
    wanted: ClassVar = "bad"
    symbol: ClassVar = "A-"

    def members(self, facts: Facts) -> TriArray:
        return facts.worst

    def takes_largest(self, facts: Facts) -> bool:
        return not facts.objective.kind.maximises

    def ask(self, wording: Wording) -> str:
        return f"Which action is the most damaging in this state, that is, gives the {wording.worst} value?"


CATEGORY = WorstAction()
