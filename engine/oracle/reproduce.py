"""The command lines of Storm and PRISM that reproduce a value."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.client import CheckedModel
    from engine.oracle.request import Request

_OPTIONS = {".jani": "--jani", ".drn": "--explicit-drn", ".umb": "--explicit-umb", ".tra": "--explicit-drn"}
"""Storm's option for a file ending; all others are PRISM programs."""

_NO_PRISM = {
    ".jani": "PRISM reads no JANI",
    ".drn": "PRISM reads no DRN, Storm's own format",
    ".umb": "PRISM programs are no archives, and this model is one (UMB)",
    ".tra": "PRISM imports explicit models by other options (-importtrans, -importlabels, the model's type)",
}
"""Why there is no ``prism`` command for a file ending."""


def reproduce(request: Request, checked: CheckedModel, text: str, state: int | None = None) -> list[str]:
    """Return shell lines that reproduce the value of a property.

    Parameters
    ----------
    request, checked
        The model as it was asked for and as it was checked.
    text
        The property.
    state
        The state whose value it is; the initial ones if None.

    Returns
    -------
    Commands, and comments (``# …``) that say what a command is about or why there is none. Explicit models have no
    expressions that select a state, so that only their initial values can be reproduced.
    """
    ending = request.path.suffix.lower()
    symbolic = ending not in _OPTIONS or ending == ".jani"
    lines = []
    if state is not None and [state] != checked.mdp.initial.tolist():
        valuation = checked.mdp.valuation(state)
        if symbolic and valuation:
            where = " & ".join(f"{name}={str(value).lower()}" for name, value in valuation.items())
            text = f"filter(min, {text}, {where})"
        elif state not in checked.mdp.initial:
            lines.append(f"# for the initial states: no expression selects state {state} of an explicit model")
    constants = ",".join(f"{name}={value}" for name, value in request.constants.items())
    path = request.path
    if ending == ".tra":
        lines.append("# the model as it was handed to Storm, which reads .tra files of its own kind only")
        path = checked.folder / "model.drn"
    storm = ["storm", _OPTIONS.get(ending, "--prism"), _file(path)]
    if constants:
        storm += ["--constants", constants]
    lines.append(shlex.join([*storm, "--prop", text, "--exact" if checked.exact else "--sound"]))
    if ending in _NO_PRISM:
        return [*lines, f"# no prism command: {_NO_PRISM[ending]}"]
    prism = ["prism", _file(path)]
    if constants:
        prism += ["-const", constants]
    return [*lines, shlex.join([*prism, "-pf", text, "-exact" if checked.exact else "-intervaliter"])]


def _file(path: Path) -> str:
    """Return a path that no program takes for an option."""
    return f"./{path}" if str(path).startswith("-") else str(path)
