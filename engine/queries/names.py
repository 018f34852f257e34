"""States as people know them: by their valuation, where there is one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.mdp.model import Mdp

LONGEST = 60
"""Characters of a valuation that are told; a longer one is cut between variables."""


def state_names(mdp: Mdp, states: Sequence[int]) -> tuple[str, ...]:
    """Return the states' names, to follow the word "state": ``pos=5``, ``x=1,y=2``, or the number without a valuation.

    A name stands for one of the given states only: where valuations are cut or equal, the number follows.
    """
    told = [_valuation(mdp, state) for state in states]
    count = Counter(text for text, _ in told)
    return tuple(
        text if whole and count[text] == 1 else f"{text} (number {state})"
        for (text, whole), state in zip(told, states, strict=True)
    )


def state_name(mdp: Mdp, state: int) -> str:
    """Return one state's name; see `state_names`."""
    return state_names(mdp, (state,))[0]


def _valuation(mdp: Mdp, state: int) -> tuple[str, bool]:
    """Return the valuation as text, and whether it is told whole."""
    parts = [plain(f"{name}={str(value).lower()}") for name, value in mdp.valuation(state).items()]
    if not parts:
        return str(state), True
    text = ",".join(parts)
    if len(text) <= LONGEST:
        return text, True
    while len(parts) > 1 and len(",".join(parts)) > LONGEST - 2:
        parts.pop()
    return plain(",".join(parts), limit=LONGEST - 2) + ",…", False
