"""Which states a question is about: read from text, or suggested."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import StormscopeError
from engine.queries.category import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engine.mdp.model import Mdp
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import BoolArray

SUBSET_SIZE = 4
MAX_SUBSET = 20
_SIZES = {Scope.STATE: (1, 1), Scope.PAIR: (2, 2), Scope.SUBSET: (2, MAX_SUBSET)}


def parse_states(text: str, states: int, scope: Scope) -> tuple[int, ...]:
    """Read state numbers separated by spaces or commas; ``s`` before a number is fine.

    Raises ValueError with a sentence for the user: no number, no such state, the wrong number of states, one twice.
    """
    words = [word for word in re.split(r"[\s,;]+", text.strip()) if word]
    found: list[int] = []
    for word in words:
        digits = word.removeprefix("s")
        if not (digits.isascii() and digits.isdecimal()):
            raise ValueError(f"{word!r} is no state number; write for example: 3 14")
        state = int(digits[:18])
        if state >= states:
            raise ValueError(f"there is no state {state}; the last one is {states - 1}")
        if state in found:
            raise ValueError(f"state {state} is named twice")
        found.append(state)
    least, most = _SIZES[scope]
    if not least <= len(found) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        plural = "" if most == 1 else "s"
        raise ValueError(f"this category asks about {wanted} state{plural}, not {len(found)}")
    return tuple(found)


MOST_TRIED = 40
"""Suggestions that are tried before a question counts as impossible here."""


def candidates_of(
    states: int, selected: tuple[int, ...], recent: Sequence[int], scope: Scope
) -> Iterator[tuple[int, ...]]:
    """Yield what a question of a scope could be about, the selected states themselves first.

    Of too many states the first are taken; too few are filled up: with each recently seen state or neighbour in turn
    for a pair, with the nearest ones for a subset. Nothing comes where the model has too few states.
    """
    least, most = _SIZES[scope]
    if least <= len(selected) <= most:
        yield selected
        return
    if len(selected) > most:
        yield selected[:most]
        return
    wanted = SUBSET_SIZE if scope is Scope.SUBSET else least
    near = (selected[0] + sign * step for step in range(1, MOST_TRIED) for sign in (1, -1))
    others = dict.fromkeys([*reversed(recent), *(state for state in near if 0 <= state < states)])
    choices = [state for state in others if state not in selected]
    missing = wanted - len(selected)
    for start in range(min(MOST_TRIED, len(choices) - missing + 1)):
        yield (*selected, *choices[start : start + missing])


def example_of(oracle: Oracle) -> str:
    """Return an expression that this model understands, with a variable and a label where it has them."""
    mdp = oracle.mdp
    parts = [f"{name}={str(value).lower()}" for name, value in list(mdp.valuation(0).items())[:1]] or ["state>4"]
    label = next((name for name in ("unsafe", "goal") if name in mdp.labels), None)
    return " & ".join([*parts, *([f'!"{label}"'] if label is not None else [])])


def read_states(
    text: str, states: int, scope: Scope, select: Callable[[str], BoolArray] | None = None
) -> tuple[int, ...]:
    """Read state numbers, or PRISM expressions separated by ``;``: each stands for the states that satisfy it.

    Raises ValueError with a sentence for the user, as `parse_states`, and ExpressionError as `select`.
    """
    if select is None or re.fullmatch(r"[\s,;s\d]*", text):
        return parse_states(text, states, scope)
    found: list[int] = []
    for part in (each.strip() for each in text.split(";")):
        if re.fullmatch(r"s?\d+", part):
            found.extend(parse_states(part, states, Scope.STATE))
        elif part:
            matches = np.flatnonzero(select(part))
            if len(matches) == 0:
                raise ValueError(f"no state satisfies {part}")
            if len(matches) > MAX_SUBSET:
                raise ValueError(f"{len(matches):,} states satisfy {part}; narrow it down")
            found.extend(int(state) for state in matches)
    return parse_states(" ".join(map(str, dict.fromkeys(found))), states, scope)


def named_states(text: str, states: int, select: Callable[[str], BoolArray]) -> tuple[int, ...]:
    """Return the states that a text names, however many they are; none if it makes no sense."""
    for scope in (Scope.STATE, Scope.SUBSET):
        try:
            return read_states(text, states, scope, select)
        except (ValueError, StormscopeError):
            continue
    return ()


def same_state(before: Mdp, after: Mdp, state: int) -> int | None:
    """Return the state of another model with the same valuation; None if there is none, or not exactly one.

    Without variables, states are the same by number where both models have equally many.
    """
    if not before.valuations and not after.valuations:
        return state if before.states == after.states else None
    if set(before.valuations) != set(after.valuations):
        return None
    matches = np.ones(after.states, dtype=bool)
    for name, value in before.valuation(state).items():
        matches &= after.valuations[name] == value
    found = np.flatnonzero(matches)
    return int(found[0]) if len(found) == 1 else None
