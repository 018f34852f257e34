"""The oracle's client: opens a request's folder, or lets a child process make it."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import tempfile
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from engine.errors import LimitError, ModelError, UsageError
from engine.folders import cache_dir
from engine.mdp.environment import Environment, bare_environment
from engine.oracle.child import Progress, run_child
from engine.oracle.columns import PropertyColumn, read_columns
from engine.oracle.facts import Facts, Oracle
from engine.oracle.folder import read_facts, read_mdp, read_meta
from engine.oracle.request import FOLDER_VERSION, LAYOUT_VERSION, Job, Limits, Mode, Request
from engine.oracle.seal import is_sealed

if TYPE_CHECKING:
    import threading

    from engine.mdp.model import Mdp


@dataclass(frozen=True)
class CheckedModel:
    """A model as the oracle's folder holds it.

    Attributes
    ----------
    facts
        None where no objective was asked for.
    meta
        What ``meta.json`` says: mode, versions, notes, and further properties at the initial states.
    columns
        Further properties that have a value in every state.
    """

    identity: str
    folder: Path
    mdp: Mdp
    facts: Facts | None
    meta: dict[str, Any]
    columns: tuple[PropertyColumn, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact."""
        return bool(self.meta["mode"] == "exact")


def check_model(
    request: Request,
    limits: Limits | None = None,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> CheckedModel:
    """Return the checked model, from its folder if it was checked before.

    Blocks; a front end calls it in a thread. Raises UsageError, ModelError, LimitError, or CancelledError once
    `cancel` is set; then nothing is left behind.
    """
    limits = limits or Limits()
    _require_files(request)
    identity = request.key(version("stormpy"))
    folder = cache_dir() / "oracle" / identity
    if not _complete(folder):
        _make(Job(request=request, limits=limits, folder=folder, mode=request.mode), progress, cancel)
    return _open(identity, folder, limits)


def is_checked(request: Request) -> bool:
    """Return whether `check_model` would find the model in its folder, without running the oracle."""
    try:
        return _complete(cache_dir() / "oracle" / request.key(version("stormpy")))
    except OSError:
        return False


def open_oracle(
    request: Request,
    environment: Environment | None = None,
    limits: Limits | None = None,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Oracle:
    """Return the facts about a model and an objective, ready for questions; errors as in `check_model`.

    Raises UsageError if the request has no objective.
    """
    checked = check_model(request, limits, progress=progress, cancel=cancel)
    if checked.facts is None:
        raise UsageError("the model has no objective", where=str(request.path), hint="give one with --objective")
    return Oracle(
        identity=checked.identity,
        environment=environment or bare_environment(request.path),
        constants=dict(request.constants),
        mdp=checked.mdp,
        facts=checked.facts,
        exact=checked.exact,
        request=request,
    )


def losses(
    request: Request,
    states: tuple[int, ...],
    limits: Limits | None = None,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> dict[int, Any]:
    """Return loss(b) of each state as a JSON number (methods.md 1.1), from Storm; errors as in `check_model`."""
    folder = cache_dir() / "oracle" / f"loss-{request.key(version('stormpy'))}-{os.getpid()}-{time.monotonic_ns()}"
    job = Job(request=request, limits=limits or Limits(), folder=folder, mode=request.mode, blocked=states)
    try:
        _make(job, progress, cancel)
        found = json.loads((folder / "loss.json").read_text(encoding="utf-8"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {int(state): value for state, value in found.items()}


def _require_files(request: Request) -> None:
    for path in request.files:
        if not path.is_file():
            what = "this is a folder, not a file" if path.is_dir() else "there is no such file"
            raise UsageError(what, where=str(path), hint="check the path")
        if not os.access(path, os.R_OK):
            raise UsageError("the file cannot be read", where=str(path), hint="check its permissions")


def _complete(folder: Path) -> bool:
    try:
        if not is_sealed(folder):
            return False
        meta = read_meta(folder)
        return bool(meta["version"] == FOLDER_VERSION and meta["layout"] == LAYOUT_VERSION)
    except (OSError, ValueError, KeyError):
        return False


def _open(identity: str, folder: Path, limits: Limits) -> CheckedModel:
    try:
        mdp, facts, meta = read_mdp(folder), read_facts(folder), read_meta(folder)
        columns = read_columns(folder, meta["properties"])
    except (OSError, ValueError, KeyError, EOFError, tarfile.TarError) as error:
        raise ModelError(
            f"the kept result cannot be read: {error}", where=str(folder), hint="delete that folder and try again"
        ) from None
    if limits.states is not None and mdp.states > limits.states:
        raise LimitError(
            f"the model has {mdp.states:,} states, more than the limit of {limits.states:,}", hint="raise --max-states"
        )
    return CheckedModel(identity, folder, mdp, facts, meta, columns)


def _make(job: Job, progress: Progress | None, cancel: threading.Event | None) -> None:
    """Run the child in a folder of its own and move that into place; auto mode falls back to bounds."""
    root = job.folder.parent
    try:
        root.mkdir(parents=True, exist_ok=True)
        _sweep(root)
        started = time.monotonic()
        exact_seconds = job.limits.exact_seconds if job.mode is Mode.AUTO else None
        if not _attempt(job, progress, cancel, started, exact_seconds):
            late = f"not exact within {job.limits.exact_seconds:g} s, so with sound bounds"
            if progress is not None:
                progress("building", late)
            noted = job.request.model_copy(update={"notes": (*job.request.notes, late)})
            sound = job.model_copy(update={"mode": Mode.SOUND, "request": noted})
            _attempt(sound, progress, cancel, started, None)
    except OSError as error:
        raise ModelError(
            f"the oracle's folder cannot be written: {error.strerror or error}",
            where=str(root),
            hint="free some space, or set XDG_CACHE_HOME to another folder",
        ) from None


def _attempt(
    job: Job, progress: Progress | None, cancel: threading.Event | None, started: float, exact_seconds: float | None
) -> bool:
    """Return True when the folder is in place, False when exactness took too long."""
    scratch = Path(tempfile.mkdtemp(prefix=f"{job.folder.name}.tmp-{os.getpid()}-", dir=job.folder.parent))
    try:
        own = job.model_copy(update={"folder": scratch})
        (scratch / "job.json").write_text(own.model_dump_json(), encoding="utf-8")
        if not run_child(own, progress, cancel, started, exact_seconds):
            return False
        try:
            scratch.rename(job.folder)
        except OSError:
            if not _complete(job.folder):
                shutil.rmtree(job.folder, ignore_errors=True)
                scratch.rename(job.folder)
        return True
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _sweep(root: Path) -> None:
    """Remove what programs left behind that were killed: their scratch folders carry their process id."""
    for folder in root.glob("*.tmp-*"):
        owner = folder.name.partition(".tmp-")[2].partition("-")[0]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)
