"""Names that complete what is typed into a filter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from textual.suggester import Suggester

from engine.mdp.scope import FLAGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.mdp.model import Mdp
    from engine.oracle.facts import Oracle

FUNCTIONS = ("min(", "max(", "mod(", "floor(", "ceil(", "pow(", "true", "false")
_LAST = re.compile(r'"?[A-Za-z_][A-Za-z0-9_]*$|"$')
SHOWN = 6


def names_in(oracle: Oracle, numbers: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names that an expression about this model may use: variables, numbers, labels, constants, functions.

    Parameters
    ----------
    numbers
        Names of numbers beside V and D.
    """
    labels = [f'"{label}"' for label in dict.fromkeys([*oracle.mdp.labels, *FLAGS])]
    known = ["V", *(["D"] if oracle.facts.danger is not None else []), *numbers]
    return tuple(dict.fromkeys([*oracle.mdp.valuations, *known, *labels, *oracle.constants, "state", *FUNCTIONS]))


def names_of_model(mdp: Mdp, constants: Iterable[str]) -> tuple[str, ...]:
    """Return the names that a property of a model may use: its labels, rewards and variables, and constants.

    Storm adds labels for formulas of a JANI model's properties, which are no names.
    """
    labels = [f'"{label}"' for label in mdp.labels if label != "deadlock" and label.isidentifier()]
    rewards = [f'R{{"{name}"}}{optimum}=? [F ' for name in mdp.rewards if name for optimum in ("max", "min")]
    return tuple(dict.fromkeys([*labels, *rewards, *mdp.valuations, *constants]))


def candidates(text: str, names: tuple[str, ...]) -> list[str]:
    """Return the names that continue the last word of a text; a label also by its bare beginning."""
    found = _LAST.search(text)
    if found is None:
        return []
    word = found[0]
    inside = text[: found.start()].count('"') % 2 == 1
    if inside:
        return []
    matching = [name for name in names if name.startswith((word, f'"{word}'))]
    return [] if word in matching else matching


def completed(text: str, names: tuple[str, ...]) -> str | None:
    """Return the text with its last word completed by the first name that continues it exactly; None if none does."""
    found = _LAST.search(text)
    matching = candidates(text, names)
    first = next((name for name in matching if found is not None and name.startswith(found[0])), None)
    return None if first is None or found is None else text[: found.start()] + first


def taken(text: str, names: tuple[str, ...]) -> str | None:
    """Return the text with its first completion, also of a label that was begun without its quote; None if none."""
    found, matching = _LAST.search(text), candidates(text, names)
    if found is None or not matching:
        return None
    return completed(text, names) or text[: found.start()] + matching[0]


class NameSuggester(Suggester):
    """Offers the completed text as a shadow behind the cursor; tab and the right arrow take it."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._names = names

    async def get_suggestion(self, value: str) -> str | None:
        """Return the completed text."""
        return completed(value, self._names)
