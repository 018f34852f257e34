"""What a PRISM expression about a model's states may name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.mdp.decided import Truth
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import BoolArray, Numbers
    from engine.oracle.tri import TriArray

_NAMES_SHOWN = 12


@dataclass(frozen=True)
class Scope:
    """What an expression may name.

    Attributes
    ----------
    states
        The number of states.
    variables
        Name → ``(states,)`` integers or truth values.
    constants
        Name → exact text, or ``true``/``false``.
    labels
        Name → ``(states,)`` mask, or a `Truth` where bounds leave it open; written in double quotes.
    numbers
        Name → what returns ``(states,)`` checked numbers, called when they are named. They are compared, no more.
    """

    states: int
    variables: Mapping[str, Any]
    constants: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, BoolArray | Truth] = field(default_factory=dict)
    numbers: Mapping[str, Callable[[], Numbers]] = field(default_factory=dict)


ABSENT = {
    "V": "it needs an objective",
    "D": 'the model has no danger: that needs an objective of its own, as in Pmin=? [F "unsafe"]',
    "loss": "the explorer knows it once it has computed the losses",
    "Vpi": "the explorer knows it once a policy is loaded",
    "gap": "the explorer knows it once a policy is loaded",
}
"""Numbers that expressions may name, and why one may not be there."""


FLAGS = ("dead_end", "bottleneck", "target", "initial")
"""Labels that the facts add to those of the model."""


def scope_of(
    mdp: Mdp,
    constants: Mapping[str, str],
    facts: Facts | None = None,
    numbers: Mapping[str, Callable[[], Numbers]] | None = None,
) -> Scope:
    """Return the scope of a model: its variables, constants and labels, and with facts ``V``, ``D`` and `FLAGS`.

    ``state`` is the state's number unless a variable has that name. Names of the model go before all others.

    Parameters
    ----------
    numbers
        Further numbers of the states, as in `Scope`.
    """
    variables = {"state": np.arange(mdp.states, dtype=np.int64), **mdp.valuations}
    labels: dict[str, BoolArray | Truth] = dict(mdp.labels)
    known: dict[str, Callable[[], Numbers]] = {}
    if facts is not None:
        value, danger, initial = facts.value, facts.danger, np.zeros(mdp.states, dtype=bool)
        initial[mdp.initial] = True
        flags = (_flag(facts.dead_end), _flag(facts.bottleneck), facts.target, initial)
        labels = {**dict(zip(FLAGS, flags, strict=True)), **labels}
        known["V"] = lambda: value
        if danger is not None:
            known["D"] = lambda: danger
    return Scope(mdp.states, variables, constants, labels, {**known, **(numbers or {})})


def _flag(column: TriArray) -> BoolArray | Truth:
    """Return where a fact holds; where it is not defined it does not."""
    yes, open_ = column == Tri.YES, column == Tri.UNDECIDED
    return Truth(yes, ~(yes | open_), yes | open_, ~yes) if open_.any() else yes


def names_of(scope: Scope) -> str:
    """Return the names that an expression may use, for messages."""
    names = [*scope.variables, *scope.constants, *scope.numbers, *(f'"{label}"' for label in scope.labels)]
    return ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")
