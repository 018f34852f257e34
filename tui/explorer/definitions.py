"""What the facts about a state mean, in a sentence each, for the objective at hand (methods.md 1.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.oracle.facts import Kind

if TYPE_CHECKING:
    from engine.oracle.facts import Facts

_OPTIMAL = {
    Kind.PMAX: "the largest probability that any way of acting has",
    Kind.PMIN: "the smallest probability that any way of acting has",
    Kind.RMAX: "the largest expected reward that any way of acting has",
    Kind.RMIN: "the smallest expected reward that any way of acting has",
}
_DEAD_ENDS = {
    Kind.PMAX: "no way of acting reaches the target from here",
    Kind.RMIN: "no way of acting reaches the target from here",
    Kind.PMIN: "every way of acting reaches the target from here, which is not reached yet",
    Kind.RMAX: "not defined for objectives that maximise a reward",
}
BOTTLENECK = "every run that reaches the target from a start passes through here; not defined for starts and targets"


def definitions(facts: Facts) -> dict[str, str]:
    """Return the meaning of each fact by its name in the state panel."""
    kind = facts.objective.kind
    bottleneck = "not defined for objectives that minimise a probability" if kind is Kind.PMIN else BOTTLENECK
    return {
        "V": f"{_OPTIMAL[kind]}, for {facts.objective.text}",
        "D": f"danger: the risk that no way of acting can avoid, {facts.danger_text or 'not known here'}",
        "Vπ": "the value under the loaded policy",
        "gap": "what the loaded policy loses against V",
        "dead end": _DEAD_ENDS[kind],
        "bottleneck": bottleneck,
        "loss": "the share of V at the starts that is lost when this state may not be visited",
    }
