"""The oracle child's work: model file → Storm → arrays, values and facts in a folder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from engine import __version__
from engine.errors import LimitError, ModelError, UsageError
from engine.mdp.model import Mdp
from engine.mdp.naming import name_actions
from engine.mdp.valuations import read_valuations
from engine.oracle import folder as files
from engine.oracle.derive import Checked, derive_facts, graph_facts
from engine.oracle.facts import Objective
from engine.oracle.kinds import require_explained
from engine.oracle.losses import write_losses
from engine.oracle.properties import Properties, property_rows
from engine.oracle.reading import Reading, build_error, read_model
from engine.oracle.request import FOLDER_VERSION, Job, Limits, Mode
from engine.oracle.rows import check_rows
from engine.oracle.seal import seal
from engine.oracle.storm import STORM_VERSION, StormModel, explored_states
from engine.oracle.storm_error import StormError
from engine.oracle.umb import UmbArchive
from engine.oracle.values import choice_rewards, distinct_probabilities, path_masks, property_error, state_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.oracle.formulas import Shape
    from engine.oracle.numbers import BoolArray, IntArray, Numbers

Progress: TypeAlias = "Callable[[str, str], None]"


def run(job: Job, progress: Progress) -> None:
    """Do the job; raises UsageError, ModelError or LimitError."""
    progress("reading", job.request.path.name)
    reading = read_model(job)
    model = _build(job, reading, progress)
    properties = reading.properties.with_defaults(model.labels)
    reading = replace(reading, properties=properties)
    if job.blocked:
        shape = properties.objective_shape
        if shape is None:
            raise UsageError("there is no objective, so no state has a loss", hint="give one with --objective")
        progress("checking", f"loss of {len(job.blocked)} states")
        write_losses(job.folder, model, shape, job.blocked)
        return
    progress("exporting", f"{model.states:,} states")
    mdp = _arrays(job, model)
    check_rows(mdp, str(job.request.path))
    # Storm leaves the interpreter free while it checks: the arrays are written and the graph is searched meanwhile.
    with ThreadPoolExecutor(max_workers=1) as beside:
        writing = beside.submit(files.write_mdp, job.folder, mdp)
        _write_facts(job, model, mdp, properties, progress, beside=beside)
        rows = property_rows(job.folder, model, properties.extra, progress)
        writing.result()
    files.write_meta(job.folder, _meta(job, reading, model, mdp, rows))
    seal(job.folder)


def _build(job: Job, reading: Reading, progress: Progress) -> StormModel:
    """Build exactly, in doubles, or (auto) in doubles first to see whether the model is small enough for exactness."""
    where = str(job.request.path)
    if reading.inexact and job.mode is Mode.EXACT:
        raise ModelError(
            f"there are no exact values: {reading.inexact}", where=where, hint="use --mode sound, or another format"
        )

    _stop_at_limit(job, reading, progress)

    def build(*, exact: bool, trusted: bool = False) -> StormModel:
        progress("building", "exact" if exact else "doubles")
        checked = reading.properties.all
        model = StormModel(reading.symbolic, checked, exact=exact, explicit=reading.explicit, trusted=trusted)
        _check_size(model, job.limits)
        require_explained(model.kind, where)
        return model

    try:
        if job.mode is Mode.EXACT:
            return build(exact=True)
        try:
            model = build(exact=False)
        except StormError as error:
            if "sum" not in error.message:
                raise
            # Doubles can miss a sum of 1 that the exact build finds to be 1; only that build can tell.
            model = build(exact=True)
            if job.mode is Mode.AUTO and model.states <= job.limits.exact_states:
                return model
            return build(exact=False, trusted=True)
        small = model.states <= job.limits.exact_states and not reading.inexact
        return build(exact=True) if job.mode is Mode.AUTO and small else model
    except StormError as error:
        raise build_error(error, job.request.path) from None


def _stop_at_limit(job: Job, reading: Reading, progress: Progress) -> None:
    """Explore a symbolic model up to the state limit before it is built: building itself cannot be stopped."""
    limit = job.limits.states
    if limit is None or reading.symbolic is None:
        return
    progress("building", f"up to {limit:,} states")
    try:
        explored = explored_states(reading.symbolic, reading.properties.all, limit)
    except StormError as error:
        raise build_error(error, job.request.path) from None
    if explored > limit:
        raise LimitError(
            f"building stopped at {explored:,} states: there are more than the limit of {limit:,}",
            where=str(job.request.path),
            hint="raise --max-states, or choose smaller constants",
        )


def _check_size(model: StormModel, limits: Limits) -> None:
    if limits.states is not None and model.states > limits.states:
        raise LimitError(
            f"the model has {model.states:,} states, more than the limit of {limits.states:,}",
            hint="raise --max-states, or choose smaller constants",
        )


def _arrays(job: Job, model: StormModel) -> Mdp:
    """Export the model and read its arrays back, exact probabilities beside them."""
    folder = job.folder
    try:
        model.export(folder / "model.umb")
    except StormError as error:
        raise ModelError(
            f"the model's arrays could not be written: {error.message}",
            where=str(folder.parent),
            hint="free some space, or set XDG_CACHE_HOME to another folder",
        ) from None
    umb = UmbArchive(folder / "model.umb")
    choice_start = umb.starts("state-to-choices.bin", umb.states)
    label, texts = umb.choice_labels()
    action, names = name_actions(label, texts, choice_start)
    labels = umb.labels()
    exact, table = distinct_probabilities(model) if model.exact else (None, None)
    return Mdp(
        choice_start=choice_start,
        transition_start=umb.starts("choice-to-branches.bin", umb.choices),
        target=umb.array("branch-to-target.bin", np.int64),
        probability=umb.array("branch-to-probability.bin", np.float64),
        initial=np.flatnonzero(labels["init"]),
        action_names=names,
        action=action,
        labels=labels,
        valuations=_valuations(job, umb),
        rewards=umb.rewards(choice_start),
        exact_probability=exact,
        probability_table=table,
    )


def _valuations(job: Job, umb: UmbArchive) -> dict[str, IntArray | BoolArray]:
    """Return the variables' columns: from the file beside an explicit model, else from the model itself."""
    if job.request.states_path is not None:
        return read_valuations(job.request.states_path, umb.states)
    try:
        return umb.valuations()
    except ValueError as error:
        raise ModelError(str(error), where=str(job.request.path), hint="leave that variable out") from None


def _write_facts(
    job: Job, model: StormModel, mdp: Mdp, properties: Properties, progress: Progress, *, beside: ThreadPoolExecutor
) -> None:
    """Check the objective and the danger, derive the facts and write them; nothing without an objective."""
    shape = properties.objective_shape
    if properties.objective is None or shape is None:
        return
    text = properties.objective_text
    objective = Objective(text, shape.kind, shape.bound, shape.reward)
    progress("checking", text)
    try:
        phi, target = path_masks(model, shape)
    except StormError as error:
        raise property_error(error, text) from None
    by_graph = beside.submit(graph_facts, mdp, objective, phi, target)
    checked = _checked(model, mdp, properties, shape)
    danger: Numbers | None = None
    if properties.danger is not None:
        progress("checking", properties.danger_text)
        danger = state_values(model, properties.danger, properties.danger_text).value
    progress("deriving", "facts")
    danger_text = properties.danger_text if danger is not None else None
    files.write_facts(
        job.folder, derive_facts(mdp, objective, checked, danger, danger_text, shown_by_graph=by_graph.result())
    )


def _checked(model: StormModel, mdp: Mdp, properties: Properties, shape: Shape) -> Checked:
    values = state_values(model, properties.objective, properties.objective_text)
    after: Numbers | None = values.value
    if shape.bound is not None:
        shorter = properties.shorter
        after = state_values(model, shorter, properties.objective_text).value if shorter is not None else None
    reward = choice_rewards(model, mdp, shape) if shape.kind.is_reward else None
    if values.phi is None or values.target is None or values.one is None:
        raise ModelError("the objective has no target set", where=properties.objective_text)
    return Checked(values.value, after, reward, values.phi, values.target, values.one)


def _meta(job: Job, reading: Reading, model: StormModel, mdp: Mdp, rows: list[dict[str, Any]]) -> dict[str, Any]:
    inexact = f"{reading.inexact}, so the values are bounds" if reading.inexact else ""
    if not model.exact and not inexact and job.mode is Mode.AUTO:
        inexact = f"more than {job.limits.exact_states:,} states, so the values are bounds (--mode exact insists)"
    deadlocks = mdp.labels.get("deadlock")
    return {
        "version": FOLDER_VERSION,
        "storm": STORM_VERSION,
        "stormscope": __version__,
        "mode": "exact" if model.exact else "sound",
        "kind": model.kind,
        "deadlocks": int(deadlocks.sum()) if deadlocks is not None else 0,
        "objective_name": reading.properties.objective_name,
        "notes": [*job.request.notes, *([inexact] if inexact else [])],
        "properties": rows,
        "request": job.request.model_dump(mode="json"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
