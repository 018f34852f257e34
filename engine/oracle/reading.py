"""The first stage of the oracle child: the model file and the properties, parsed, with constants substituted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.errors import ModelError, UsageError
from engine.mdp.drn import write_drn
from engine.mdp.explicit import read_explicit
from engine.oracle.drn_source import placed, require_whole
from engine.oracle.kinds import require_explained, require_explained_text
from engine.oracle.properties import Properties, read_properties
from engine.oracle.storm import instantiate, parse_model, symbolic_kind
from engine.oracle.storm_error import StormError
from engine.oracle.symbols import read_constants
from engine.oracle.umb_source import inexact_reason

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.request import Job

_EXPLICIT = {".drn", ".umb", ".tra"}


@dataclass(frozen=True)
class Reading:
    """What is built and checked.

    Attributes
    ----------
    symbolic
        An instantiated PRISM or JANI model; None for explicit models.
    explicit
        The DRN or UMB file of an explicit model.
    inexact
        Why the model's numbers cannot be exact; empty if they can.
    """

    symbolic: Any
    explicit: Path | None
    properties: Properties
    inexact: str = ""


def read_model(job: Job) -> Reading:
    """Parse the model and the properties and substitute the constants.

    Raises
    ------
    ModelError
        If the model cannot be read, or is of a kind that is not explained.
    UsageError
        If a property or a constant does not fit.
    """
    request = job.request
    where = str(request.path)
    ending = request.path.suffix.lower()
    if ending in _EXPLICIT:
        if request.constants:
            names = ", ".join(request.constants)
            raise UsageError(
                f"the model has no constant {names}", where=where, hint="explicit models take no constants"
            )
        explicit, inexact = request.path, ""
        if ending == ".tra":
            explicit = job.folder / "model.drn"
            write_drn(read_explicit(request.path, request.labels_path, request.reward_paths), explicit, where)
        elif ending == ".umb":
            inexact = inexact_reason(request.path)
        else:
            require_whole(request.path)
        return Reading(None, explicit, read_properties(request, None, []).with_shorter(None), inexact)
    symbolic, own = _parse(request.path, ending)
    require_explained(symbolic_kind(symbolic), where)
    constants = read_constants(symbolic, request.constants, where)
    properties = read_properties(request, symbolic, own)
    try:
        symbolic, parsed = instantiate(symbolic, constants, properties.all)
    except StormError as error:
        raise ModelError(error.message, where=where, hint="check the values given by --const") from None
    return Reading(symbolic, None, properties.instantiated(parsed, symbolic))


def _parse(path: Path, ending: str) -> tuple[Any, list[Any]]:
    try:
        return parse_model(path, ending)
    except StormError as error:
        if ending != ".jani":
            require_explained_text(path)
        line = ":".join(str(part) for part in error.position) if error.position else ""
        where = f"{path}:{line}" if line else str(path)
        raise ModelError(error.message, where=where, hint="mend the model file") from None


def build_error(error: StormError, path: Path) -> ModelError:
    """Return the error for a model that Storm does not build."""
    hint = "make the probabilities of that command sum to 1" if "sum to one" in error.message else "mend the model file"
    where, message = placed(error, path) if path.suffix.lower() == ".drn" else (str(path), error.message)
    return ModelError(message, where=where, hint=hint)
