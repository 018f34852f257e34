"""From a symbolic or explicit model to one that Storm holds in memory, within the limits."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from engine.errors import LimitError, ModelError
from engine.oracle.request import Job, Limits, Mode
from engine.oracle.worker.kinds import require_explained
from engine.oracle.worker.reading import Reading, build_error
from engine.oracle.worker.storm import StormModel, explored_states
from engine.oracle.worker.storm_error import StormError

if TYPE_CHECKING:
    from collections.abc import Callable

_STEPS = tuple(10_000 * 4**step for step in range(10))
"""State counts up to which a model is explored in turn, where a limit wants to know how far the building came."""


def build(job: Job, reading: Reading, progress: Callable[[str, str], None]) -> StormModel:
    """Build exactly, in doubles, or (auto) in doubles first to see whether the model is small enough for exactness.

    Raises
    ------
    ModelError
        If the model cannot be built, is of a kind that has no facts, or has no exact numbers where they are asked for.
    LimitError
        If it has more states than allowed.
    """
    where = str(job.request.path)
    if reading.inexact and job.mode is Mode.EXACT:
        raise ModelError(
            f"there are no exact values: {reading.inexact}", where=where, hint="use --mode sound, or another format"
        )
    _explore(job, reading, progress)

    def built(*, exact: bool, trusted: bool = False) -> StormModel:
        progress("building", "exact" if exact else "doubles")
        checked = reading.properties.all
        model = StormModel(reading.symbolic, checked, exact=exact, explicit=reading.explicit, trusted=trusted)
        _check_size(model, job.limits)
        require_explained(model.kind, where)
        return model

    try:
        if job.mode is Mode.EXACT:
            return built(exact=True)
        try:
            model = built(exact=False)
        except StormError as error:
            if "sum" not in error.message:
                raise
            # Doubles can miss a sum of 1 that the exact build finds to be 1; only that build can tell.
            model = built(exact=True)
            if job.mode is Mode.AUTO and model.states <= job.limits.exact_states:
                return model
            return built(exact=False, trusted=True)
        small = model.states <= job.limits.exact_states and not reading.inexact
        return built(exact=True) if job.mode is Mode.AUTO and small else model
    except StormError as error:
        raise build_error(error, job.request.path) from None


def _explore(job: Job, reading: Reading, progress: Callable[[str, str], None]) -> None:
    """Explore a symbolic model before it is built, as building neither stops at a limit nor tells how far it came."""
    limits = job.limits
    if reading.symbolic is None or (limits.states is None and limits.megabytes is None):
        return
    most = limits.states
    steps = _STEPS if limits.megabytes is not None else ()
    steps = steps if most is None else (*takewhile(lambda step: step < most, steps), most)
    progress("exploring", "states")
    for step in steps:
        try:
            explored = explored_states(reading.symbolic, reading.properties.all, step)
        except StormError as error:
            raise build_error(error, job.request.path) from None
        if explored <= step:
            return
        progress("exploring", f"more than {step:,} states")
    if most is not None:
        raise LimitError(
            f"building stopped at {explored:,} states: there are more than the limit of {most:,}",
            where=str(job.request.path),
            hint="raise --max-states, or choose smaller constants",
        )


def _check_size(model: StormModel, limits: Limits) -> None:
    if limits.states is not None and model.states > limits.states:
        raise LimitError(
            f"the model has {model.states:,} states, more than the limit of {limits.states:,}",
            hint="raise --max-states, or choose smaller constants",
        )
