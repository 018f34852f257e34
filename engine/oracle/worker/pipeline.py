"""The oracle child's work: model file → Storm → arrays, values and facts in a folder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from engine import __version__
from engine.errors import ModelError, UsageError
from engine.mdp.drn import named_by
from engine.mdp.model import Mdp
from engine.mdp.naming import name_actions
from engine.mdp.valuations import read_valuations
from engine.oracle import folder as files
from engine.oracle.beside import beside
from engine.oracle.derivation.derive import Checked, derive_facts, graph_facts
from engine.oracle.facts import Facts, Objective
from engine.oracle.request import FOLDER_VERSION, LAYOUT_VERSION, Job, Mode
from engine.oracle.seal import seal
from engine.oracle.umb import UmbArchive
from engine.oracle.worker.building import build
from engine.oracle.worker.losses import write_losses
from engine.oracle.worker.properties import Properties, property_rows
from engine.oracle.worker.quotient import settled, with_bounds
from engine.oracle.worker.reading import Reading, read_model
from engine.oracle.worker.refusals import property_error
from engine.oracle.worker.rows import check_rows
from engine.oracle.worker.storm import STORM_VERSION, StormModel
from engine.oracle.worker.storm_error import StormError
from engine.oracle.worker.values import (
    GraphSide,
    choice_rewards,
    distinct_probabilities,
    exact_rewards,
    graph_side,
    state_values,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from pathlib import Path

    from engine.oracle.numbers import BoolArray, IntArray, Numbers
    from engine.oracle.worker.result import Result

Progress: TypeAlias = "Callable[[str, str], None]"


def run(job: Job, progress: Progress) -> None:
    """Do the job; raises UsageError, ModelError or LimitError."""
    progress("reading", job.request.path.name)
    reading = read_model(job)
    model = build(job, reading, progress)
    properties = reading.properties.with_defaults(model.labels)
    reading = replace(reading, properties=properties)
    if job.blocked:
        shape = properties.objective_shape
        if shape is None:
            raise UsageError("there is no objective, so no state has a loss", hint="give one with --objective")
        progress("checking", f"loss of {len(job.blocked)} states")
        write_losses(job.folder, model, shape, job.blocked)
        return
    # Storm leaves the interpreter free while it checks: the arrays are written and the graph is searched meanwhile.
    results = beside(lambda: _results(model, properties))
    progress("exporting", f"{model.states:,} states")
    mdp = _arrays(job, model)
    check_rows(mdp, str(job.request.path))
    files.write_mdp(job.folder, mdp)
    facts = _facts(job.folder, (model, mdp), properties, results, progress)
    if facts is not None:
        files.write_facts(job.folder, facts)
    rows = property_rows(job.folder, model, mdp, properties.extra, progress)
    files.write_meta(job.folder, _meta(job, reading, model, mdp, rows))
    seal(job.folder)


@dataclass(frozen=True)
class _Results:
    """What Storm says about the objective, about the one with a step less, and about the danger."""

    objective: Result | None
    shorter: Result | None
    danger: Result | None


def _results(model: StormModel, properties: Properties) -> _Results:
    def check(prop: Any, text: str) -> Result | None:
        try:
            return None if prop is None else model.check(prop)
        except StormError as error:
            raise property_error(error, text, model.labels) from None

    return _Results(
        check(properties.objective, properties.objective_text),
        check(properties.shorter, properties.objective_text),
        check(properties.danger, properties.danger_text) if properties.objective is not None else None,
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
    if job.request.path.suffix.lower() in {".drn", ".tra"}:  # the latter is built by way of the former
        texts = tuple(map(named_by, texts))
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
        exact_rewards=exact_rewards(model, choice_start) if model.exact else {},
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


def _facts(
    folder: Path, built: tuple[StormModel, Mdp], properties: Properties, results: Future[_Results], progress: Progress
) -> Facts | None:
    """Derive the facts from the graph and from Storm's results; None without an objective."""
    model, mdp = built
    shape = properties.objective_shape
    if shape is None:
        results.result()
        return None
    text, danger_text = properties.objective_text, properties.danger_text
    progress("checking", text)
    side = graph_side(model, mdp, properties.objective, text)
    objective = Objective(text, shape.kind, shape.bound, shape.reward)
    by_graph = graph_facts(mdp, objective, side.phi, side.target)
    shorter = None if properties.shorter is None else graph_side(model, mdp, properties.shorter, text)
    threat = None if properties.danger is None else graph_side(model, mdp, properties.danger, danger_text)
    reward = choice_rewards(model, mdp, shape) if shape.kind.is_reward else None
    found = results.result()
    progress("deriving", "facts")
    main = found.objective
    main = None if main is None else with_bounds(folder, model, mdp, properties.objective, main)
    value = _numbers(model, main, side, text)
    after = value if shape.bound is None else _numbers(model, found.shorter, shorter, text)
    if reward is not None:
        value, after = (
            None if each is None else settled(mdp, each, reward, side.target, shape) for each in (value, after)
        )
    danger = _numbers(model, found.danger, threat, danger_text)
    if value is None:
        raise ModelError("the objective was not checked", where=text)
    checked = Checked(value, after, reward, side.phi, side.target, side.one)
    return derive_facts(
        mdp, objective, checked, danger, danger_text if danger is not None else None, shown_by_graph=by_graph
    )


def _numbers(model: StormModel, result: Result | None, side: GraphSide | None, text: str) -> Numbers | None:
    return None if result is None or side is None else state_values(result, side, text, exact=model.exact)


def _meta(job: Job, reading: Reading, model: StormModel, mdp: Mdp, rows: list[dict[str, Any]]) -> dict[str, Any]:
    inexact = f"{reading.inexact}, so the values are bounds" if reading.inexact else ""
    if not model.exact and not inexact and job.mode is Mode.AUTO:
        inexact = f"more than {job.limits.exact_states:,} states, so the values are bounds (--mode exact insists)"
    deadlocks = mdp.labels.get("deadlock")
    return {
        "version": FOLDER_VERSION,
        "layout": LAYOUT_VERSION,
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
