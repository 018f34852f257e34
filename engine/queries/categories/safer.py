"""Category ``safer``: which of two states has the smaller danger."""

# ruff: noqa: D102 - the methods are documented where they are declared, in `Category` and `ComparedStates`

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.queries.comparisons import ComparedStates
from engine.queries.values import Scale

if TYPE_CHECKING:
    from engine.oracle.facts import Facts, Oracle
    from engine.oracle.numbers import Numbers
    from engine.queries.case import Case
    from engine.queries.category import Wording


class Safer(ComparedStates):
    """The state with the smaller D: the risk that no play can avoid (methods.md 1.1)."""

    name: ClassVar = "safer"
    summary: ClassVar = "which of two states has the smaller unavoidable danger?"
    symbol: ClassVar = "D"
    noun: ClassVar = "danger"
    adjective: ClassVar = "safer"

    def defined(self, oracle: Oracle) -> str | None:
        if oracle.facts.danger is None:
            return "the model has no danger property; --danger gives one"
        return super().defined(oracle)

    def numbers(self, facts: Facts) -> Numbers:
        if facts.danger is None:
            raise ValueError("the model has no danger property, so no pair is a candidate")
        return facts.danger

    def scale(self, facts: Facts) -> Scale:
        floats = self.numbers(facts).floats
        finite = floats[np.isfinite(floats)]
        # A danger is a probability, unless a user's own danger property is an expected cost.
        return Scale(0.0, 1.0) if not len(finite) or finite.max() <= 1 else Scale(0.0, float(finite.max()))

    def larger_is_right(self, facts: Facts) -> bool:
        del facts
        return False

    def question(self, case: Case, wording: Wording) -> str:
        del case
        care = "if every action is chosen to avoid it" if wording.policy is None else f"if {wording.play}"
        return (
            f"Which of the two states is safer, that is, from which of them is the probability of {wording.danger} "
            f"smaller {care}, A or B?"
        )


CATEGORY = Safer()
