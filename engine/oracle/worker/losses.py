"""Loss on demand: how much of V at the initial states goes when a state is blocked (methods.md 1.1)."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import UsageError
from engine.oracle.facts import Kind
from engine.oracle.numbers import Interval, number_json
from engine.oracle.worker.storm_error import StormError
from engine.oracle.worker.values import enclosure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from engine.oracle.worker.formulas import Shape
    from engine.oracle.worker.result import Result
    from engine.oracle.worker.storm import StormModel


def write_losses(folder: Path, model: StormModel, shape: Shape, states: Sequence[int]) -> None:
    """Compute loss(b) for each state b and write ``loss.json``: state → number.

    Raises UsageError for Pmin objectives, for which the loss is undefined.
    """
    if shape.kind is Kind.PMIN:
        raise UsageError("loss is not defined for Pmin objectives")
    try:
        target = model.satisfying(shape.right)
        every = np.ones(model.states, dtype=bool)
        phi = every if shape.left is None else model.satisfying(shape.left)
        whole, *blocked = model.values_avoiding([None, *states], phi, target, shape.bound)
    except StormError as error:
        raise UsageError(error.message) from None
    losses = {
        str(state): number_json(_loss(model, whole, without)) for state, without in zip(states, blocked, strict=True)
    }
    (folder / "loss.json").write_text(json.dumps(losses, allow_nan=False), encoding="utf-8")


def _loss(model: StormModel, whole: Result, without: Result) -> Fraction | Interval | None:
    if whole.exact is not None and without.exact is not None:
        total = sum((Fraction(whole.exact[state]) for state in model.initial), start=Fraction(0))
        left = sum((Fraction(without.exact[state]) for state in model.initial), start=Fraction(0))
        return (total - left) / total if total else None
    low, high = _total(model, whole)
    low_left, high_left = _total(model, without)
    if high <= 0:
        return None
    if low <= 0:
        return Interval(0.0, 1.0)
    return Interval(max(0.0, 1 - high_left / low), min(1.0, 1 - low_left / high))


def _total(model: StormModel, result: Result) -> tuple[float, float]:
    lower, upper = _bounds(result)
    return float(lower[model.initial].sum()), float(upper[model.initial].sum())


def _bounds(result: Result) -> tuple[Any, Any]:
    if result.lower is None or result.upper is None:
        raise UsageError("Storm gives no bounds for this objective, so the loss is not decided")
    return enclosure(result.lower, result.upper, probability=True)
