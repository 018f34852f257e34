"""The oracle child's work: model file → Storm → arrays, values and facts in a folder."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from engine import __version__
from engine.errors import LimitError, ModelError, UsageError
from engine.mdp.explicit import write_drn
from engine.mdp.model import Mdp
from engine.mdp.naming import name_actions
from engine.oracle import folder as files
from engine.oracle.derive import Checked, derive_facts
from engine.oracle.facts import Objective
from engine.oracle.losses import write_losses
from engine.oracle.properties import Properties, property_rows, read_properties
from engine.oracle.request import FOLDER_VERSION, Job, Limits, Mode
from engine.oracle.rows import check_rows
from engine.oracle.storm import STORM_VERSION, StormModel, instantiate, parse_model
from engine.oracle.storm_error import StormError
from engine.oracle.symbols import read_constants
from engine.oracle.umb import UmbArchive
from engine.oracle.values import choice_rewards, distinct_probabilities, state_values

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.oracle.formulas import Shape
    from engine.oracle.numbers import Numbers

Progress: TypeAlias = "Callable[[str, str], None]"


def run(job: Job, progress: Progress) -> None:
    """Do the job; raises UsageError, ModelError or LimitError."""
    progress("reading", job.request.path.name)
    symbolic, drn, properties = _read(job)
    model = _build(job, symbolic, drn, properties, progress)
    properties = properties.with_defaults(model.labels)
    if job.blocked:
        shape = properties.objective_shape
        if shape is None:
            raise UsageError("there is no objective, so no state has a loss", hint="give one with --objective")
        progress("checking", f"loss of {len(job.blocked)} states")
        write_losses(job.folder, model, shape, job.blocked)
        return
    progress("exporting", f"{model.states:,} states")
    mdp = _arrays(job.folder, model)
    check_rows(mdp, str(job.request.path))
    _write_facts(job, model, mdp, properties, progress)
    rows = property_rows(model, properties.extra, progress)
    files.write_mdp(job.folder, mdp)
    files.write_meta(job.folder, _meta(job, model, mdp, rows))


def _read(job: Job) -> tuple[Any, Path | None, Properties]:
    """Parse the model and the properties and substitute the constants."""
    request = job.request
    ending = request.path.suffix.lower()
    if ending == ".tra":
        drn = job.folder / "model.drn"
        write_drn(request.path, request.labels_path, drn)
        return None, drn, read_properties(request, None, []).with_shorter(None)
    try:
        symbolic, own = parse_model(request.path, ending)
    except StormError as error:
        line = ":".join(str(part) for part in error.position) if error.position else ""
        where = f"{request.path}:{line}" if line else str(request.path)
        raise ModelError(error.message, where=where, hint="mend the model file") from None
    if symbolic is None:
        return None, request.path, read_properties(request, None, own).with_shorter(None)
    constants = read_constants(symbolic, request.constants, str(request.path))
    properties = read_properties(request, symbolic, own)
    try:
        symbolic, parsed = instantiate(symbolic, constants, properties.all)
    except StormError as error:
        raise ModelError(error.message, where=str(request.path), hint="check the values given by --const") from None
    return symbolic, None, properties.instantiated(parsed, symbolic)


def _build(job: Job, symbolic: Any, drn: Path | None, properties: Properties, progress: Progress) -> StormModel:
    """Build exactly, in doubles, or (auto) in doubles first to see whether the model is small enough for exactness."""
    where = str(job.request.path)

    def build(*, exact: bool, trusted: bool = False) -> StormModel:
        progress("building", "exact" if exact else "doubles")
        model = StormModel(symbolic, properties.all, exact=exact, drn=drn, trusted=trusted)
        _check_size(model, job.limits)
        if model.kind not in {"MDP", "DTMC"}:
            raise ModelError(
                f"the model is a {model.kind}", where=where, hint="stormscope explains MDPs and DTMCs only"
            )
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
        small = model.states <= job.limits.exact_states
        return build(exact=True) if job.mode is Mode.AUTO and small else model
    except StormError as error:
        raise ModelError(error.message, where=where, hint=_build_hint(error.message)) from None


def _build_hint(message: str) -> str:
    if "sum to one" in message:
        return "make the probabilities of that command sum to 1"
    return "mend the model file"


def _check_size(model: StormModel, limits: Limits) -> None:
    if limits.states is not None and model.states > limits.states:
        raise LimitError(
            f"the model has {model.states:,} states, more than the limit of {limits.states:,}",
            hint="raise --max-states, or choose smaller constants",
        )


def _arrays(folder: Path, model: StormModel) -> Mdp:
    """Export the model and read its arrays back, exact probabilities beside them."""
    try:
        model.export(folder / "model.umb")
    except StormError as error:
        raise ModelError(f"the model's arrays could not be written: {error.message}") from None
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
        valuations=umb.valuations(),
        rewards=umb.rewards(choice_start),
        exact_probability=exact,
        probability_table=table,
    )


def _write_facts(job: Job, model: StormModel, mdp: Mdp, properties: Properties, progress: Progress) -> None:
    """Check the objective and the danger, derive the facts and write them; nothing without an objective."""
    shape = properties.objective_shape
    if properties.objective is None or shape is None:
        return
    text = properties.objective_text
    progress("checking", text)
    checked = _checked(model, mdp, properties, shape)
    danger: Numbers | None = None
    if properties.danger is not None:
        progress("checking", properties.danger_text)
        danger = state_values(model, properties.danger, properties.danger_text).value
    progress("deriving", "facts")
    objective = Objective(text, shape.kind, shape.bound, shape.reward)
    files.write_facts(
        job.folder, derive_facts(mdp, objective, checked, danger, properties.danger_text if danger else None)
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


def _meta(job: Job, model: StormModel, mdp: Mdp, rows: list[dict[str, Any]]) -> dict[str, Any]:
    deadlocks = mdp.labels.get("deadlock")
    return {
        "version": FOLDER_VERSION,
        "storm": STORM_VERSION,
        "stormscope": __version__,
        "mode": "exact" if model.exact else "sound",
        "kind": model.kind,
        "deadlocks": int(deadlocks.sum()) if deadlocks is not None else 0,
        "properties": rows,
        "request": job.request.model_dump(mode="json"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
