"""Gymnasium environments made by their IDs, and what to write where that fails."""

from __future__ import annotations

import difflib
import inspect
import io
import re
import warnings
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.oracle.numbers import parse_exact, to_float

if TYPE_CHECKING:
    from collections.abc import Mapping

_RESERVED = {"id", "render_mode", "max_episode_steps", "disable_env_checker", "vectorization_mode", "num_envs"}
"""Arguments of ``gymnasium.make`` that do not change the transition table."""


def made_environment(identity: str, arguments: Mapping[str, str], name: str) -> Any:
    """Return the unwrapped environment.

    Parameters
    ----------
    identity, arguments
        As in `engine.mdp.gym.find_gym_model`.
    name
        How messages call it.

    Raises
    ------
    UsageError
        If Gymnasium is missing or does not make it, for whatever reason: its own code is at work there.
    """
    try:
        import gymnasium  # noqa: PLC0415  # an optional extra
    except ImportError:
        raise UsageError("Gymnasium is not installed", where=name, hint="pip install 'stormscope[gym]'") from None
    reserved = sorted(_RESERVED & set(arguments))
    if reserved:
        raise UsageError(f"{reserved[0]} does not change the transition table", where=name, hint="leave it out")
    values: dict[str, Any] = {key: _value(text) for key, text in arguments.items()}
    silence = io.StringIO()  # what packages print while they are imported is no part of any output
    try:
        with warnings.catch_warnings(), redirect_stdout(silence), redirect_stderr(silence):
            warnings.simplefilter("ignore")
            return gymnasium.make(identity, disable_env_checker=True, **values).unwrapped
    except gymnasium.error.DependencyNotInstalled as error:
        raise UsageError(f"the environment needs another package: {_sentence(error)}", where=name) from None
    except gymnasium.error.UnregisteredEnv:
        near = difflib.get_close_matches(identity, map(str, gymnasium.registry), n=1, cutoff=0.75)
        raise UsageError(
            f"Gymnasium has no environment {identity}",
            where=name,
            hint=f"did you mean gym:{near[0]}?" if near else "give an ID that Gymnasium knows, as in gym:Taxi-v4",
        ) from None
    except gymnasium.error.Error as error:
        raise UsageError(
            _sentence(error), where=name, hint="give an ID that Gymnasium knows, as in gym:Taxi-v4"
        ) from None
    except Exception as error:  # noqa: BLE001  # the environment's own code is a border: whatever it raises is shown
        _require_arguments(gymnasium, identity, arguments, name)
        given = ", ".join(f"{key}={value}" for key, value in arguments.items())
        raise UsageError(
            f"the environment cannot be made: {_sentence(error)}",
            where=name,
            hint=f"check its arguments: {given}" if given else "check its ID, and that its packages are installed",
        ) from None


def _require_arguments(gymnasium: Any, identity: str, arguments: Mapping[str, str], name: str) -> None:
    """Raise UsageError for an argument that the environment does not take, if its signature tells."""
    try:
        creator = gymnasium.spec(identity).entry_point
        creator = gymnasium.envs.registration.load_env_creator(creator) if isinstance(creator, str) else creator
        parameters = inspect.signature(creator).parameters
    except Exception:  # noqa: BLE001  # again the environment's own code; then nothing is known about its arguments
        return
    unknown = next((key for key in arguments if key not in parameters), None)
    if unknown is None or any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return
    taken = [key for key in parameters if key not in _RESERVED]
    hint = f"it takes: {', '.join(taken)}" if taken else "it takes none"
    raise UsageError(f"the environment has no argument {unknown}", where=name, hint=hint)


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__} {text}".rstrip() if isinstance(error, LookupError) or not text else text


def _value(text: str) -> bool | int | float | str:
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    try:
        return to_float(parse_exact(text))
    except (ValueError, ZeroDivisionError):
        return text
