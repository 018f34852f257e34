"""Category ``more-promising``: which of two states has the better property result."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category` and `ComparedStates`

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from engine.queries.comparisons import ComparedStates
from engine.queries.values import Scale

if TYPE_CHECKING:
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import Numbers
    from engine.queries.case import Case
    from engine.queries.category import Wording


class MorePromising(ComparedStates):
    """The state with the better V: the larger one for max objectives, else the smaller one."""

    name: ClassVar = "more-promising"
    summary: ClassVar = "which of two states has the better property result?"
    symbol: ClassVar = "V"
    noun: ClassVar = "value"
    adjective: ClassVar = "better"

    def numbers(self, facts: Facts) -> Numbers:
        return facts.value

    def scale(self, facts: Facts) -> Scale:
        return Scale.of(facts)

    def larger_is_right(self, facts: Facts) -> bool:
        return facts.objective.kind.maximises

    def question(self, case: Case, wording: Wording) -> str:
        del case
        return (
            f"Which of the two states is more promising, that is, from which of them is {wording.measure} "
            f"{'higher' if wording.kind.maximises else 'lower'} if {wording.play}, A or B?"
        )


CATEGORY = MorePromising()
