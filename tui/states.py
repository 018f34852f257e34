"""Which states a question is about: read from text, or suggested."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.queries.category import Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def suggest_states(states: int, selected: int, recent: Sequence[int], scope: Scope) -> tuple[int, ...]:
    """Return the selected state, filled up with recently seen ones, then with its neighbours by number."""
    wanted = {Scope.STATE: 1, Scope.PAIR: 2, Scope.SUBSET: SUBSET_SIZE}[scope]
    near = (selected + sign * step for step in range(1, wanted + 1) for sign in (1, -1))
    found = dict.fromkeys([selected, *reversed(recent), *(state for state in near if 0 <= state < states)])
    return tuple(found)[:wanted]
