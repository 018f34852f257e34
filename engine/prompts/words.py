"""One wording of one model: the words that no case changes are made once (methods.md 1.4)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from engine.prompts.templating import Stamp, Template
from engine.prompts.wording import same_target, within_bound, wording

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from engine.oracle.facts import Objective, Oracle
    from engine.queries.category import Wording

GENERIC = "generic.j2"
KEPT = 64
"""Wordings of models that stay in memory. They hold texts and templates, never a model."""

Constant = Fraction | int | bool | str


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one model in one wording.

    Attributes
    ----------
    world
        The environment in words.
    wording
        The objective in words: the environment's words only fit its own objective.
    """

    world: str
    wording: Wording
    _template: Template
    _constants: Mapping[str, Constant]

    def state(self, values: Mapping[str, int | bool]) -> str:
        """Return a state in words; raises UsageError if the template fails."""
        return self._template.call("state", values, self._constants)


@dataclass(frozen=True, slots=True)
class _Source:
    """All that words depend on; the stamp tells when a template was edited."""

    folder: Path | None
    variant: str
    own_objective: str | None
    objective: Objective
    constants: tuple[tuple[str, str], ...]
    stamp: Stamp


def words_of(oracle: Oracle, variant: str) -> Words:
    """Return the words of a model; raises UsageError that names the file and the line if a template fails.

    Parameters
    ----------
    oracle
        The model; it is not kept.
    variant
        One of its environment's wordings.
    """
    environment = oracle.environment
    folder = None if environment.folder is None else environment.folder / "prompts"
    constants = tuple(oracle.constants.items())
    stamp = () if folder is None else _stamp(folder)
    return _words(_Source(folder, variant, environment.objective, oracle.facts.objective, constants, stamp))


@lru_cache(maxsize=KEPT)
def _words(source: _Source) -> Words:
    constants = constant_values(dict(source.constants))
    if source.folder is None:
        template = Template(GENERIC)
    else:
        template = Template(f"{source.variant}.j2", (source.folder,), source.stamp)
    own = source.folder is not None and same_target(source.own_objective or "", source.objective.text)
    world = template.call("world", constants)
    goal = within_bound(template.call("goal", constants), source.objective) if own else None
    return Words(world, wording(source.objective, goal), template, constants)


def _stamp(folder: Path) -> Stamp:
    """Return what changes when a file of the folder does; a folder that cannot be read is the template's failure."""
    try:
        with os.scandir(folder) as entries:
            found = [(entry.name, entry.stat()) for entry in entries]
    except OSError:
        return ()
    return tuple(sorted((name, status.st_mtime_ns, status.st_size) for name, status in found))


def constant_values(constants: Mapping[str, str]) -> dict[str, Constant]:
    """Return constants as templates use them: integers, exact fractions, booleans, else the text itself."""
    return {name: _constant(text) for name, text in constants.items()}


def _constant(text: str) -> Constant:
    if text.strip().lower() in {"true", "false"}:
        return text.strip().lower() == "true"
    try:
        number = Fraction(text.replace(" ", ""))
    except (ValueError, ZeroDivisionError):
        return text
    return number.numerator if number.denominator == 1 else number
