"""The command lines of Storm and PRISM that reproduce a value."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.oracle.client import CheckedModel
    from engine.oracle.request import Request

_PRISM = {".prism", ".nm", ".pm", ".sm", ".jani"}


def reproduce(request: Request, checked: CheckedModel, text: str, state: int | None = None) -> list[str]:
    """Return shell commands whose result is the value of a property, in a state or at the initial states.

    Explicit models have no expressions that select a state, so that there only initial values can be reproduced.
    """
    ending = request.path.suffix.lower()
    constants = ",".join(f"{name}={value}" for name, value in request.constants.items())
    valuation = checked.mdp.valuation(state) if state is not None else {}
    initial = state is None or state in checked.mdp.initial
    if not initial and valuation:
        where = " & ".join(f"{name}={str(value).lower()}" for name, value in valuation.items())
        text = f"filter(min, {text}, {where})"
    source = {".jani": "--jani", ".drn": "--explicit-drn", ".tra": "--explicit", ".umb": "--umb"}.get(ending, "--prism")
    storm = ["storm", source, str(request.path)]
    if request.labels_path is not None:
        storm.append(str(request.labels_path))
    for rewards in request.reward_paths:
        storm += ["--transrew" if rewards.suffix.lower() == ".trew" else "--staterew", str(rewards)]
    if constants:
        storm += ["--constants", constants]
    storm += ["--prop", text, "--exact" if checked.exact else "--sound"]
    commands = [shlex.join(storm)]
    if ending in _PRISM and ending != ".jani":
        prism = ["prism", str(request.path)]
        if constants:
            prism += ["-const", constants]
        prism += ["-pf", text, *(["-exact"] if checked.exact else [])]
        commands.append(shlex.join(prism))
    return commands
