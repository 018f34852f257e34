"""The witnesses of a case: what to replay to see why an answer to it is right or wrong."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.numbers import SMALLER
from engine.oracle.tri import Tri
from engine.queries.names import state_name
from engine.witnesses.runs import Witness, around, into_danger, through, to_target

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.tri import TriArray
    from engine.queries.case import Case

MOST = 4
"""Witnesses of one case; of a larger subset the first ones are shown."""


def witnesses(oracle: Oracle, case: Case, answer: str | None = None) -> tuple[Witness, ...]:
    """Return what shows the truth of a case, and where the answer to it fails.

    Values are shown by the likeliest optimal run to the target, danger by the likeliest run into it, bottlenecks by the
    likeliest path through or around them, actions by the likeliest run after each, rankings by the first two actions
    that are out of order.

    Parameters
    ----------
    answer
        As it was read; None if there was none.
    """
    match case.category:
        case "best-action" | "worst-action":
            return _actions(oracle, case, [answer] if answer is not None else [])
        case "action-ranking":
            return _actions(oracle, case, _out_of_order(oracle, case, answer))
        case "safer":
            return tuple(into_danger(oracle, state) for state in case.states)
        case "is-bottleneck" | "which-is-bottleneck" | "subset-has-bottleneck" | "bottlenecks-of-subset":
            return tuple(_bottleneck(oracle, state) for state in _telling(case, oracle.facts.bottleneck))
        case "subset-has-dead-end" | "dead-ends-of-subset":
            return tuple(_end(oracle, state) for state in _telling(case, oracle.facts.dead_end))
        case _:
            return tuple(to_target(oracle, state) for state in case.states[:MOST])


def _actions(oracle: Oracle, case: Case, said: list[str]) -> tuple[Witness, ...]:
    """Return the run after each action that was said, then after the first right one."""
    (state,) = case.states
    choices = {oracle.mdp.action_name(choice): choice for choice in oracle.mdp.choices_of(state)}
    right = case.accepted[0] if case.category != "action-ranking" else json.loads(case.accepted[0])[0]
    names = list(dict.fromkeys([*said, right] if case.category != "action-ranking" or not said else said))
    return tuple(to_target(oracle, state, choices[name]) for name in names if name in choices)


def _out_of_order(oracle: Oracle, case: Case, answer: str | None) -> list[str]:
    """Return the first two neighbours of a ranking of which the later one is better."""
    if answer is None:
        return []
    (state,) = case.states
    choices = {oracle.mdp.action_name(choice): choice for choice in oracle.mdp.choices_of(state)}
    facts = oracle.facts
    for first, second in pairwise(json.loads(answer)):
        pair = (
            (choices[first], choices[second]) if facts.objective.kind.maximises else (choices[second], choices[first])
        )
        if facts.q.sign(np.array(pair[:1]), np.array(pair[1:]))[0] == SMALLER:
            return [first, second]
    return []


def _telling(case: Case, fact: TriArray) -> list[int]:
    """Return the states of a case to look at: of a subset those that have the property, or else the first ones."""
    having = [state for state in case.states if fact[state] == Tri.YES]
    if len(case.states) <= 2:  # noqa: PLR2004 - one state or a pair is shown whole
        return list(case.states)
    return (having or list(case.states))[:MOST]


def _bottleneck(oracle: Oracle, state: int) -> Witness:
    match oracle.facts.bottleneck[state]:
        case Tri.YES:
            return through(oracle, state)
        case Tri.UNDEFINED:
            return Witness("bottlenecks are not defined for this objective")
        case _:
            return around(oracle, state)


def _end(oracle: Oracle, state: int) -> Witness:
    if oracle.facts.dead_end[state] == Tri.YES and oracle.facts.objective.kind.name == "PMIN":
        return Witness(f"from {state_name(oracle.mdp, state)} every run reaches what is to be avoided")
    return to_target(oracle, state)
