"""One wording of one model: the words that no case changes are made once (methods.md 1.4)."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from engine.mdp.wordings import template_folders
from engine.oracle.facts import Kind, Objective
from engine.prompts.templating import Stamp, Template
from engine.prompts.wording import declared_words, filled, goal_of, same_target, within_bound, wording

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from engine.oracle.facts import Oracle
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
    _question: Template
    _constants: Mapping[str, Constant]

    def state(self, values: Mapping[str, int | bool]) -> str:
        """Return a state in words; raises UsageError if the template fails."""
        return self._template.call("state", values, self._constants)

    def prompt(self, values: Mapping[str, object]) -> str:
        """Return a whole prompt from its parts; raises UsageError if the template fails."""
        return self._question.render(values)


@dataclass(frozen=True, slots=True)
class _Source:
    """All that words depend on; the stamp tells when a template was edited."""

    folders: tuple[Path, ...]
    bare: bool
    variant: str
    own_objective: str | None
    objective: Objective
    goal: str | None
    measure: str | None
    own_danger: str | None
    danger: str | None
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
    folders = template_folders(environment.name, environment.folder)
    constants = tuple(oracle.constants.items())
    stamp = tuple(file for folder in folders for file in _stamp(folder))
    bare, own, objective = environment.folder is None, environment.objective, oracle.facts.objective
    goal, measure = declared_words(environment, variant, objective)
    dangers = environment.danger, oracle.facts.danger_text
    return _words(_Source(folders, bare, variant, own, objective, goal, measure, *dangers, constants, stamp))


@lru_cache(maxsize=KEPT)
def _words(source: _Source) -> Words:
    constants = constant_values(dict(source.constants))
    template = Template(GENERIC if source.bare else f"{source.variant}.j2", source.folders, source.stamp)
    question = Template("question.j2", source.folders, source.stamp)
    own = not source.bare and same_target(source.own_objective or "", source.objective.text)
    world = template.call("world", constants)
    goal = template.call("goal", constants) if own else source.goal and filled(source.goal, constants)
    measure = source.measure and filled(source.measure, constants)
    bounded = within_bound(goal, source.objective) if goal else None
    said = wording(source.objective, bounded, measure)
    said = replace(said, danger=_danger(source, template, constants), policy=source.objective.policy)
    return Words(world, said, template, question, constants)


def _danger(source: _Source, template: Template, constants: Mapping[str, Constant]) -> str:
    """Return what the danger is, in the environment's words if it is the environment's own and they have some."""
    if source.danger is None:
        return "reaching an unsafe state"
    own = source.own_danger is not None and source.own_danger.split() == source.danger.split()
    if own and template.defines("danger"):
        return template.call("danger", constants)
    return goal_of(Objective(source.danger, Kind.PMIN))


def _stamp(folder: Path) -> Stamp:
    """Return what changes when a file of the folder does; a folder that cannot be read is the template's failure."""
    try:
        with os.scandir(folder) as entries:
            found = [(entry.name, entry.stat()) for entry in entries]
    except OSError:
        return ()
    return tuple(sorted((f"{folder}/{name}", status.st_mtime_ns, status.st_size) for name, status in found))


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
