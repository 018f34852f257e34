"""From the MODEL argument of the command line to a request for the oracle."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import environments
from engine.errors import UsageError
from engine.folders import config_dir
from engine.mdp.environment import Environment, bare_environment, load_environment
from engine.oracle.numbers import parse_exact
from engine.oracle.request import Mode, Request

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ENDINGS = (".prism", ".nm", ".pm", ".sm", ".jani", ".drn", ".tra")
"""Endings of the model files that are read."""


@dataclass(frozen=True)
class Source:
    """A model as the user named it.

    Attributes
    ----------
    environment
        Words and defaults; generic for a bare file.
    labels_path
        The ``.lab`` file beside a ``.tra`` file.
    """

    environment: Environment
    labels_path: Path | None = None

    def request(
        self,
        constants: Mapping[str, str] | None = None,
        *,
        objective: str | None = None,
        danger: str | None = None,
        mode: Mode = Mode.AUTO,
        properties: Sequence[str] = (),
        properties_path: Path | None = None,
    ) -> Request:
        """Return the request for the oracle, the environment's defaults filled in.

        An objective may be a property or the name of one of the environment's objectives.

        Raises UsageError for a constant's value that the environment does not know.
        """
        for name, value in (constants or {}).items():
            allowed = self.environment.constant_values.get(name)
            if allowed is not None and parse_exact(value) not in {parse_exact(known) for known in allowed}:
                meaning = self.environment.constant_help.get(name, f"one of {', '.join(allowed)}")
                raise UsageError(f"{name} cannot be {value}", where="--const", hint=f"{name}: {meaning}")
        return Request(
            path=self.environment.model,
            labels_path=self.labels_path,
            constants={**self.environment.constants, **(constants or {})},
            objective=self.environment.objectives.get(objective or "", objective) or self.environment.objective,
            danger=danger or self.environment.danger,
            properties=tuple(properties),
            properties_path=properties_path,
            mode=mode,
        )


def known_environments() -> dict[str, Path]:
    """Return the folders of the packaged and the user's environments by name; the user's come first."""
    root = config_dir() / "environments"
    own = {file.parent.name: file.parent for file in sorted(root.glob("*/environment.toml"))}
    return {**environments.packaged(), **own}


def find_model(name: str) -> Source:
    """Return the model that a MODEL argument names: an environment, or a file.

    Raises UsageError if there is no such environment or file, or the file's ending is unknown.
    """
    folders = known_environments()
    if name in folders:
        return Source(load_environment(folders[name]))
    path = Path(name).expanduser()
    if not path.suffix and not path.exists():
        near = difflib.get_close_matches(name, folders, n=1)
        hint = f"did you mean {near[0]}?" if near else f"environments: {', '.join(folders)}; or give a model file"
        raise UsageError(f"there is no environment named {name}", hint=hint)
    if path.is_dir() and (path / "environment.toml").is_file():
        return Source(load_environment(path.resolve()))
    if not path.exists():
        raise UsageError("there is no such file", where=str(path), hint="check the path")
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(
            f"{path.suffix or 'a file without an ending'} is no model format that is read here",
            where=str(path),
            hint=f"use one of {' '.join(ENDINGS)}",
        )
    environment = bare_environment(path)
    if path.suffix.lower() != ".tra":
        return Source(environment)
    labels = path.with_suffix(".lab")
    if not labels.is_file():
        raise UsageError("the labels of this model are missing", where=str(labels), hint="put the .lab file there")
    return Source(environment, labels)


def parse_constants(texts: Sequence[str]) -> dict[str, str]:
    """Read ``k=v,k=v`` texts; values are integers, decimals, fractions, true or false, kept as exact text."""
    found: dict[str, str] = {}
    for part in (part.strip() for text in texts for part in text.split(",") if part.strip()):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and name and value):
            raise UsageError(f"{part!r} is no constant", where="--const", hint="write --const N=3,p=1/3")
        if value.lower() not in {"true", "false"}:
            try:
                parse_exact(value)
            except (ValueError, ZeroDivisionError):
                raise UsageError(
                    f"{value!r} is no value for {name}", where="--const", hint="write 3, 0.1, 1/3, true or false"
                ) from None
        if name in found:
            raise UsageError(f"{name} is given twice", where="--const")
        found[name] = value
    return found
