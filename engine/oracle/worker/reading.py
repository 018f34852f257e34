"""The first stage of the oracle child: the model file and the properties, parsed, with constants substituted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.errors import ModelError, UsageError
from engine.mdp.drn import write_drn
from engine.mdp.explicit import read_explicit
from engine.oracle.worker.drn_source import placed, require_whole
from engine.oracle.worker.kinds import require_explained, require_explained_drn, require_explained_text
from engine.oracle.worker.property_reading import read_properties
from engine.oracle.worker.storm import instantiate, parse_model, symbolic_kind
from engine.oracle.worker.storm_error import StormError
from engine.oracle.worker.symbols import read_constants
from engine.oracle.worker.text_source import require_kind, require_shallow
from engine.oracle.worker.umb_source import inexact_reason

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.request import Job
    from engine.oracle.worker.properties import Properties

_EXPLICIT = {".drn", ".umb", ".tra"}
_LONGEST = 300
_JSON_ERROR = re.compile(
    r"\[json\.exception\.\w+\.\d+\] (?:parse error at line (?P<line>\d+), column (?P<column>\d+): )?(?P<what>.*)",
    re.DOTALL,
)
_PARSING = re.compile(r"^syntax error while parsing [\w ]+ - ")
_VALUES = "check the constants (--const); if they are as they should be, mend the model file"
_BUILD_HINTS = (
    ("sum to one", "make the probabilities of that command sum to 1, or check the constants (--const)"),
    ("negative", _VALUES),
    ("out-of-bounds", _VALUES),
    ("initial state", _VALUES),
    ("ower bound", _VALUES),
)
"""What a sentence about building holds, and what to do then: mostly it depends on the constants."""


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
    require_kind(request.path)
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
            require_explained_drn(request.path)
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
    require_shallow(path)
    try:
        return parse_model(path, ending)
    except StormError as error:
        if ending == ".jani":
            where, message = _in_json(error, path)
            raise ModelError(message, where=where, hint="mend the model file") from None
        require_explained_text(path)
        line = ":".join(str(part) for part in error.position) if error.position else ""
        begins = "<model type>" in error.message
        hint = "a PRISM model begins with its type: mdp or dtmc" if begins else "mend the model file"
        message = error.message.split(", here:")[0] if begins else error.message
        raise ModelError(message, where=f"{path}:{line}" if line else str(path), hint=hint) from None


def _in_json(error: StormError, path: Path) -> tuple[str, str]:
    """Return the place and the sentence of an error in a JANI file, without the name of Storm's JSON parser."""
    found = _JSON_ERROR.match(error.message)
    if found is None:
        return str(path), error.message
    place = f"{path}:{found['line']}:{found['column']}" if found["line"] else str(path)
    return place, f"this is no JSON: {_PARSING.sub('', found['what'])}"


def build_error(error: StormError, path: Path) -> ModelError:
    """Return the error for a model that Storm does not build."""
    ending = path.suffix.lower()
    where, message = placed(error, path) if ending == ".drn" else (str(path), error.message)
    hint = next((hint for part, hint in _BUILD_HINTS if part in message), "mend the model file")
    if ending in _EXPLICIT:
        hint = "mend the model file"
    return ModelError(_short(message), where=where, hint=hint)


def _short(message: str) -> str:
    """Return a sentence in which no expression fills the screen; its beginning and its end stay."""
    return message if len(message) <= _LONGEST else f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 2 :]}"
