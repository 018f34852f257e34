"""An objective in words: the environment's own, or one read off the property (methods.md 1.4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.oracle.facts import Kind
from engine.queries.category import Wording

if TYPE_CHECKING:
    from engine.oracle.facts import Objective

_PATH = re.compile(r"\[(?P<path>.*)\]", re.DOTALL)
_EVENTUALLY = re.compile(r"F\s*(?:<=\s*(?P<bound>[^\s\"(]+))?\s*(?P<target>.*)", re.DOTALL)
_LABEL = re.compile(r'"(?P<label>[^"]*)"')


def same_property(left: str, right: str) -> bool:
    """Return whether two properties are the same text but for spaces."""
    return "".join(left.split()) == "".join(right.split())


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


def wording(objective: Objective, goal: str | None = None) -> Wording:
    """Return the words for an objective.

    Parameters
    ----------
    objective
        The objective.
    goal
        The environment's words for what it is about; read off the property if None.
    """
    what = goal or goal_of(objective)
    if objective.kind in {Kind.PMAX, Kind.PMIN}:
        return Wording(what, f"the probability of {what}", objective.kind)
    reward = f' "{objective.reward}"' if objective.reward else ""
    return Wording(what, f"the expected total of the reward{reward} before {what}", objective.kind)
