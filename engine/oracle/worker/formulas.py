"""The parts of Storm's formulas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from engine.oracle.facts import Kind

_QUOTED = re.compile(r'"[^"]*"')
_REWARD_BOUND = re.compile(r"\bUrew\b")


@dataclass(frozen=True)
class Shape:
    """What an objective's formula consists of.

    Attributes
    ----------
    left, right
        State formulas φ and T; left is None for ``F T``.
    bound
        Largest number of steps, None if unbounded.
    """

    kind: Kind
    left: Any
    right: Any
    bound: int | None
    reward: str | None


def property_name(prop: Any) -> str:
    """Return a property's name, or its number in its file if it has none."""
    return str(prop.get_name())


def property_text(prop: Any) -> str:
    """Return a property's formula in PRISM syntax."""
    return str(prop.get_raw_formula())


def reward_of(prop: Any) -> str | None:
    """Return the name of the reward that a property is about, empty if it names none, None if it is about no reward."""
    formula = prop.get_raw_formula()
    if not formula.is_reward_operator_formula:
        return None
    return str(formula.reward_name) if formula.has_reward_model_name() else ""


def lacks_optimum(prop: Any) -> bool:
    """Return whether a property asks for a value and says neither max nor min, as in ``P=? […]``."""
    formula = prop.get_raw_formula()
    return hasattr(formula, "has_optimality_type") and not (formula.has_optimality_type or formula.has_bound)


def is_objective(prop: Any) -> bool:
    """Return whether a property is of a form that facts are defined for; constants may still stand in its bound."""
    return _shape_of(prop, open_bound=True) is not None


def shape_of(prop: Any) -> Shape | None:
    """Return the parts of an objective, or None where the property is not of a form that facts are defined for.

    ``P=?`` and ``R=?`` count as max: they are for DTMCs, which have one choice in every state; Storm refuses them for
    MDPs.
    """
    return _shape_of(prop, open_bound=False)


def _shape_of(prop: Any, *, open_bound: bool) -> Shape | None:
    formula = prop.get_raw_formula()
    probability, reward = formula.is_probability_operator_formula, formula.is_reward_operator_formula
    if not (probability or reward) or formula.has_bound:
        return None
    maximise = not formula.has_optimality_type or "max" in str(formula.optimality_type).lower()
    path = formula.subformula
    name = reward_of(prop) or None
    kind = Kind(f"{'R' if reward else 'P'}{'max' if maximise else 'min'}")
    if path.is_eventually_formula:
        return Shape(kind, None, path.subformula, None, name)
    if reward:
        return None
    if path.is_until_formula:
        return Shape(kind, path.left_subformula, path.right_subformula, None, None)
    if path.is_bounded_until_formula and not _bound_trouble(path):
        return _bounded_shape(kind, path, open_bound=open_bound)
    return None


def objective_hint(prop: Any) -> str:
    """Return what to write instead of a property that is no objective."""
    formula = prop.get_raw_formula()
    path = formula.subformula if formula.is_probability_operator_formula else None
    trouble = _bound_trouble(path) if path is not None and path.is_bounded_until_formula else ""
    if trouble:
        return f"{trouble}; an objective takes steps up to a bound, as in F<=k; show others with --property"
    return "use Pmax/Pmin of F or U (also F<=k), or Rmin/Rmax of F; show others with --property"


def _bound_trouble(path: Any) -> str:
    """Return why facts are not defined for a bounded path formula; empty if they are.

    The binding tells steps and rewards apart nowhere but in the text.
    """
    if path.is_multi_dimensional:
        return "it has several bounds"
    if path.has_lower_bound:
        return "it has a lower bound"
    return "its bound is on a reward" if _REWARD_BOUND.search(_QUOTED.sub('""', str(path))) else ""


def with_bound(prop: Any, bound: int) -> str:
    """Return the text of a step-bounded property with another bound."""
    limit = prop.get_raw_formula().subformula.upper_bound_expression
    return re.sub(rf" U<=?{re.escape(str(limit))} ", f" U<={bound} ", property_text(prop), count=1)


def _bounded_shape(kind: Kind, path: Any, *, open_bound: bool) -> Shape | None:
    limit = path.upper_bound_expression
    strict = f" U<{limit} " in str(path)
    if not limit.has_integer_type():
        return None
    if limit.contains_variables():
        return Shape(kind, path.left_subformula, path.right_subformula, 0, None) if open_bound else None
    return Shape(kind, path.left_subformula, path.right_subformula, limit.evaluate_as_int() - strict, None)
