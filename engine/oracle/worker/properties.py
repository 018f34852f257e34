"""The properties of a request: the objective, the danger, and further ones that are checked for display."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import UsageError
from engine.oracle.columns import PropertyColumn, write_column
from engine.oracle.numbers import Interval, Numbers, number_json, parse_exact
from engine.oracle.worker.filters import Approximate, Filter, StateValue, combine
from engine.oracle.worker.formulas import Shape, property_text, shape_of, with_bound
from engine.oracle.worker.quotient import settled, with_bounds
from engine.oracle.worker.refusals import property_error
from engine.oracle.worker.storm import StormModel, parse_properties
from engine.oracle.worker.storm_error import StormError
from engine.oracle.worker.values import choice_rewards, enclosure, graph_side, interned, widened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from engine.mdp.model import Mdp
    from engine.oracle.numbers import FloatArray
    from engine.oracle.worker.result import Result


DEFAULT_OBJECTIVE = 'Pmax=? [F "goal"]'
DEFAULT_DANGER = 'Pmin=? [F "unsafe"]'
"""Of models with such labels, where nothing else is asked for."""


@dataclass(frozen=True)
class Named:
    """A parsed property and how the user called it.

    Attributes
    ----------
    filter
        What is done with its values; None for the values at the initial states.
    states
        The states of the filter, parsed as a property.
    """

    name: str
    prop: Any
    filter: Filter | None = None
    states: Any = None

    @property
    def text(self) -> str:
        """The formula in PRISM syntax."""
        return property_text(self.prop)


@dataclass(frozen=True)
class Properties:
    """The properties of a request.

    Attributes
    ----------
    objective, danger
        None where there is none.
    shorter
        The objective with one step less, for the Q of step-bounded objectives; None elsewhere and for k = 0.
    extra
        Further properties, for display.
    objective_text, danger_text
        As the user wrote them; the formula where a name was given.
    objective_name
        The objective's name in the model or the properties file; None if it has none.
    """

    objective: Any
    danger: Any
    extra: tuple[Named, ...]
    objective_text: str
    danger_text: str
    shorter: Any = None
    objective_name: str | None = None

    @property
    def all(self) -> list[Any]:
        """Every property that will be checked."""
        single = (self.objective, self.danger, self.shorter)
        shown = [prop for named in self.extra for prop in (named.prop, named.states)]
        return [prop for prop in (*single, *shown) if prop is not None]

    @property
    def objective_shape(self) -> Shape | None:
        """The objective's parts."""
        return None if self.objective is None else shape_of(self.objective)

    def instantiated(self, parsed: list[Any], symbolic: Any) -> Properties:
        """Return the same with constants substituted: `parsed` are the properties of `all` in their order."""
        rest = list(parsed)
        objective = rest.pop(0) if self.objective is not None else None
        danger = rest.pop(0) if self.danger is not None else None
        extra = tuple(
            replace(named, prop=rest.pop(0), states=None if named.states is None else rest.pop(0))
            for named in self.extra
        )
        return replace(self, objective=objective, danger=danger, extra=extra).with_shorter(symbolic)

    def with_shorter(self, symbolic: Any) -> Properties:
        """Return the same with `shorter`, once constants in the bound have been substituted.

        Raises UsageError for a bound that is no whole number.
        """
        shape = self.objective_shape
        if self.objective is not None and shape is None:
            raise UsageError("the bound is no whole number of steps", where=self.objective_text)
        if shape is None or not shape.bound:
            return self
        return replace(self, shorter=parse_properties(with_bound(self.objective, shape.bound - 1), symbolic)[0])

    def with_defaults(self, labels: set[str]) -> Properties:
        """Return the same with the default objective and danger where the model's labels allow them."""
        objective, danger = self.objective, self.danger
        if objective is None and "goal" in labels:
            objective = parse_properties(DEFAULT_OBJECTIVE, None)[0]
        if danger is None and "unsafe" in labels:
            danger = parse_properties(DEFAULT_DANGER, None)[0]
        return replace(
            self,
            objective=objective,
            danger=danger,
            objective_text=self.objective_text or DEFAULT_OBJECTIVE,
            danger_text=self.danger_text or DEFAULT_DANGER,
        )


def property_rows(
    folder: Path, model: StormModel, mdp: Mdp, extra: tuple[Named, ...], progress: Callable[[str, str], None]
) -> list[dict[str, Any]]:
    """Check further properties and return one JSON row each, with the values at the initial states or the filter's.

    A property that Storm checks in every state also becomes a column of the folder; the row says which it is.
    """
    rows = []
    for index, named in enumerate(extra):
        progress("checking", named.name)
        try:
            bounded = with_bounds(folder, model, mdp, named.prop, model.check(named.prop))
            result = _with_certain(model, mdp, named, bounded)
            if named.filter is not None:
                mask = model.satisfying(named.states.get_raw_formula())
        except StormError as error:
            raise property_error(error, named.text, model.labels) from None
        covers = "all" if len(result.states) == model.states and named.filter is None else "initial"
        row: dict[str, Any] = {"property": named.name, "formula": named.text, "states": covers}
        if covers == "all":
            write_column(folder, index, _column(named, result))
        if named.filter is None:
            values = [_json(value) for value in _values(result, model.initial, model.states, named.text)]
            row["value"] = values[0] if all(value == values[0] for value in values) else None
            row["initial"] = [
                {"state": state, "value": value} for state, value in zip(model.initial, values, strict=True)
            ]
        else:
            if len(result.states) < model.states:
                raise UsageError("Storm gives this property at the initial states only", where=named.name)
            found = _values(result, np.flatnonzero(mask).tolist(), model.states, named.text)
            row["value"] = _json(combine(named.filter.kind, found, named.name))
            row["initial"] = []
        rows.append(row)
    return rows


def _with_certain(model: StormModel, mdp: Mdp, named: Named, result: Result) -> Result:
    """Return the result with the values that the graph decides in place of Storm's bounds."""
    if result.lower is None or result.upper is None or len(result.states) < model.states:
        return result
    side = graph_side(model, mdp, named.prop, named.text)
    if side.shape is None:
        return result
    numbers = widened(result, side)
    if side.shape.kind.is_reward:
        numbers = settled(mdp, numbers, choice_rewards(model, mdp, side.shape), side.target, side.shape)
    return replace(result, lower=numbers.lower, upper=numbers.upper, widened=True)


def _column(named: Named, result: Result) -> PropertyColumn:
    """Return a result over all states as a column."""
    if result.exact is not None:
        return PropertyColumn(named.name, named.text, numbers=interned(result.exact))
    if result.lower is not None and result.upper is not None:
        lower, upper = _bounds(result, named.text)
        return PropertyColumn(named.name, named.text, numbers=Numbers(lower, upper))
    return PropertyColumn(named.name, named.text, truth=result.truth, approximate=result.unbounded)


def _values(result: Result, states: Sequence[int], count: int, text: str) -> list[StateValue]:
    """Return a result's values in some of the `count` states."""
    position = {state: index for index, state in enumerate(result.states)} if len(result.states) < count else {}
    places = [position.get(state, state) for state in states]
    if result.truth is not None:
        return [bool(result.truth[place]) for place in places]
    if result.exact is not None:
        return [parse_exact(result.exact[place]) for place in places]
    if result.unbounded is not None:
        return [Approximate(float(result.unbounded[place])) for place in places]
    lower, upper = _bounds(result, text)
    return [Interval(float(lower[place]), float(upper[place])) for place in places]


def _bounds(result: Result, text: str) -> tuple[FloatArray, FloatArray]:
    if result.lower is None or result.upper is None:
        raise UsageError("the property has no value", where=text)
    if result.widened:
        return result.lower, result.upper
    return enclosure(result.lower, result.upper, probability=text.startswith("P"))


def _json(value: StateValue | None) -> Any:
    if isinstance(value, Approximate):
        return {"approximate": value.value}
    return value if isinstance(value, bool) else number_json(value)
