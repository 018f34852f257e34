"""Runs of one model that show a fact: to the target, into danger, through or around a state."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.derivation.expectation import expectation
from engine.oracle.derivation.extremes import extreme_choices
from engine.oracle.tri import Tri
from engine.queries.names import state_name
from engine.witnesses.likeliest import likeliest_after, likeliest_path

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray
    from engine.witnesses.likeliest import Path

_LABEL = re.compile(r'F\s*(?:<=\s*\d+\s*)?"(?P<label>[^"]+)"')


@dataclass(frozen=True, slots=True)
class Witness:
    """One thing to look at.

    Attributes
    ----------
    caption
        What it shows, as a sentence without a full stop.
    path
        To replay; None where there is no such path, which is what the caption says.
    """

    caption: str
    path: Path | None = None


def to_target(oracle: Oracle, state: int, choice: int | None = None) -> Witness:
    """Return the likeliest run from a state to the target by optimal actions, the first one being given if it is."""
    mdp, facts = oracle.mdp, oracle.facts
    name = state_name(mdp, state)
    if facts.target[state]:
        return Witness(f"{name} is in the target set itself")
    first = "by optimal actions"
    if choice is not None:
        first = f"after {mdp.action_name(choice)!r}, optimal actions from there"
    target, allowed, avoided = np.asarray(facts.target), possibly_optimal(oracle), _outside(oracle)
    if choice is None:
        path = likeliest_path(mdp, np.array([state]), target, allowed=allowed, avoided=avoided)
    else:
        path = likeliest_after(mdp, choice, target, allowed=allowed, avoided=avoided)
    if path is not None:
        return Witness(f"the likeliest run from {name} to the target {first}", path)
    if facts.dead_end[state] == Tri.YES and facts.objective.kind.name != "PMIN":
        return Witness(f"from {name} no path reaches the target, whatever is played")
    return Witness(f"no path from {name} reaches the target {first}")


def into_danger(oracle: Oracle, state: int) -> Witness:
    """Return the likeliest run from a state into danger by the actions that make it smallest."""
    mdp, facts = oracle.mdp, oracle.facts
    name = state_name(mdp, state)
    label = _LABEL.search(facts.danger_text or "")
    if facts.danger is None or label is None or label["label"] not in mdp.labels:
        return Witness("the danger property names no label, so no run into it is shown")
    goal = np.asarray(mdp.labels[label["label"]])
    least = "Pmax" not in (facts.danger_text or "")
    risk = expectation(mdp, facts.danger, np.ones(mdp.choices, dtype=bool))
    allowed = extreme_choices(risk, mdp.choice_start, largest=not least) != Tri.NO
    path = likeliest_path(mdp, np.array([state]), goal, allowed=allowed)
    how = "by the most careful actions" if least else "by the most dangerous actions"
    if path is None:
        return Witness(f"from {name} no run is unsafe {how}")
    return Witness(f"the likeliest run from {name} into danger {how}", path)


def through(oracle: Oracle, state: int) -> Witness:
    """Return the likeliest path from an initial state to the target, to see that it visits a state."""
    name = state_name(oracle.mdp, state)
    path = _from_start(oracle, None)
    if path is None:
        return Witness("no path from an initial state reaches the target")
    return Witness(f"every path to the target visits {name}; this is the likeliest", path)


def around(oracle: Oracle, state: int) -> Witness:
    """Return the likeliest path from an initial state to the target that does without a state."""
    name = state_name(oracle.mdp, state)
    path = _from_start(oracle, state)
    if path is None:
        return Witness(f"no path from an initial state reaches the target without {name}")
    return Witness(f"a path to the target without {name}: the likeliest one", path)


def possibly_optimal(oracle: Oracle) -> BoolArray:
    """``(choices,)`` what an optimal run may take: progressing actions where they are defined, else those of A*.

    Where the enclosures leave it open, a choice that may be optimal is taken in.
    """
    facts = oracle.facts
    known = facts.progressing != Tri.UNDEFINED
    allowed: BoolArray = np.where(known, facts.progressing != Tri.NO, facts.best != Tri.NO)
    return allowed


def _from_start(oracle: Oracle, without: int | None) -> Path | None:
    avoided = _outside(oracle)
    if without is not None:
        avoided[without] = True
    return likeliest_path(oracle.mdp, oracle.mdp.initial, np.asarray(oracle.facts.target), avoided=avoided)


def _outside(oracle: Oracle) -> BoolArray:
    """``(states,)`` what a successful run never visits: neither φ nor T."""
    outside: BoolArray = ~(np.asarray(oracle.facts.phi) | np.asarray(oracle.facts.target))
    return outside
