"""An objective in words: the environment's own, or one read off the property (methods.md 1.4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.oracle.facts import Kind
from engine.queries.category import Wording

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.mdp.environment import Environment
    from engine.oracle.facts import Objective

_PATH = re.compile(r"\[(?P<path>.*)\]", re.DOTALL)
_EVENTUALLY = re.compile(r"F\s*(?:<=\s*(?P<bound>[^\s\"(]+))?\s*(?P<target>.*)", re.DOTALL)
_REWARD = re.compile(r'\s*R\s*(?:\{\s*"(?P<name>[^"]*)"\s*\})?')
_PLACE = re.compile(r"\{(?P<name>\w+)\}")
_LABEL = re.compile(r'"(?P<label>[^"]*)"')


def same_target(left: str, right: str) -> bool:
    """Return whether two properties are about reaching the same target, whatever they optimise and however soon."""
    targets = [_target(text) for text in (left, right)]
    return targets[0] is not None and targets[0] == targets[1]


def within_bound(goal: str, objective: Objective) -> str:
    """Return an environment's words for its goal, with the objective's step bound."""
    return goal if objective.bound is None else f"{goal} within {objective.bound} steps (every action is one step)"


def _target(text: str) -> str | None:
    found = _PATH.search(text)
    eventually = _EVENTUALLY.fullmatch(found["path"].strip()) if found else None
    return "".join(eventually["target"].split()) if eventually else None


def goal_of(objective: Objective) -> str:
    """Return what a property is about, to follow "the probability of": ``reaching a state labelled "goal"``."""
    found = _PATH.search(objective.text)
    path = found["path"].strip() if found else objective.text
    eventually = _EVENTUALLY.fullmatch(path)
    if eventually is None:
        return f"following a path with {path} (in PRISM's notation)"
    target = eventually["target"].strip()
    label = _LABEL.fullmatch(target)
    where = f'labelled "{label["label"]}"' if label else f"where {target} holds (in PRISM's notation)"
    within = "" if objective.bound is None else f" within {objective.bound} steps"
    return f"reaching a state {where}{within}"


def declared_words(environment: Environment, variant: str, objective: Objective) -> tuple[str | None, str | None]:
    """Return the environment's words for the goal and the measure of an objective, None where it has none.

    They are those of a named objective about the same target and, for a reward, the same reward.
    """
    for name, words in environment.objective_words.items():
        named = environment.objectives[name]
        if same_target(named, objective.text) and _reward(named) == _reward(objective.text):
            return words.of(variant)
    return None, None


def _reward(text: str) -> str | None:
    """Return the name of the reward that a property is about, empty if it names none, None for a probability."""
    found = _REWARD.match(text)
    return None if found is None else found["name"] or ""


def filled(text: str, values: Mapping[str, object]) -> str:
    """Return a text with ``{NAME}`` replaced by the value of that name; other braces stay as they are."""
    return _PLACE.sub(lambda found: str(values.get(found["name"], found[0])), text)


def wording(objective: Objective, goal: str | None = None, measure: str | None = None) -> Wording:
    """Return the words for an objective.

    Parameters
    ----------
    objective
        The objective.
    goal
        The environment's words for what it is about; read off the property if None.
    measure
        The environment's words for what is optimised; made from the goal if None.
    """
    what = goal or goal_of(objective)
    if measure is not None:
        return Wording(what, filled(measure, {"goal": what}), objective.kind)
    if objective.kind in {Kind.PMAX, Kind.PMIN}:
        return Wording(what, f"the probability of {what}", objective.kind)
    reward = f' "{objective.reward}"' if objective.reward else ""
    return Wording(what, f"the expected total of the reward{reward} before {what}", objective.kind)
