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
from engine.mdp.ranges import require_ranges
from engine.mdp.rewards import reward_files
from engine.oracle.numbers import parse_exact
from engine.oracle.request import Mode, Request

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ENDINGS = (".prism", ".nm", ".pm", ".sm", ".jani", ".drn", ".umb", ".tra")
"""Endings of the model files that are read."""

GYM = "gym:"


@dataclass(frozen=True)
class Source:
    """A model as the user named it.

    Attributes
    ----------
    environment
        Words and defaults; generic for a bare file.
    """

    environment: Environment

    def configured(self, constants: Mapping[str, str]) -> Source:  # noqa: ARG002  # the description is always the same
        """Return the source whose environment describes the model with these constants."""
        return self

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

        Raises UsageError for a constant's value that is none, that the environment does not know or that is out of
        its range, and for an explicit model without labels.
        """
        for name, value in (constants or {}).items():
            _require_number(name, value)
            allowed = self.environment.constant_values.get(name)
            if allowed is not None and parse_exact(value) not in {parse_exact(known) for known in allowed}:
                meaning = self.environment.constant_help.get(name, f"one of {', '.join(allowed)}")
                raise UsageError(f"{name} cannot be {value}", where="--const", hint=f"{name}: {meaning}")
        values = {**self.environment.constants, **(constants or {})}
        if constants:
            require_ranges(self.environment, values)
        model = self.environment.model
        labels, states, rewards = files_beside(model)
        return Request(
            path=model,
            labels_path=labels,
            states_path=states,
            reward_paths=rewards,
            constants=values,
            objective=self.environment.objectives.get(objective or "", objective) or self.environment.objective,
            objective_names=tuple(self.environment.objectives),
            danger=danger or self.environment.danger,
            properties=tuple(self.environment.objectives.get(text, text) for text in properties),
            properties_path=properties_path,
            mode=mode,
        )


def files_beside(model: Path) -> tuple[Path | None, Path | None, tuple[Path, ...]]:
    """Return the labels, the valuations and the rewards beside an explicit model, as far as its format takes them.

    A ``.tra`` file needs ``.lab`` and may have ``.sta`` and reward files; a ``.drn`` file may have ``.sta``. Raises
    UsageError if the labels are missing.
    """
    ending = model.suffix.lower()
    states = model.with_suffix(".sta")
    valuations = states if ending in {".tra", ".drn"} and states.is_file() else None
    if ending != ".tra" or not model.is_file():
        return None, valuations, ()
    labels = model.with_suffix(".lab")
    if not labels.is_file():
        raise UsageError("the labels of this model are missing", where=str(labels), hint="put the .lab file there")
    return labels, valuations, reward_files(model)


def user_environments_dir() -> Path:
    """Return the folder of the user's own environments; it may not exist."""
    return config_dir() / "environments"


def known_environments() -> dict[str, Path]:
    """Return the folders of the packaged and the user's environments by name; the user's come first."""
    root = user_environments_dir()
    own = {file.parent.name: file.parent for file in sorted(root.glob("[!.]*/environment.toml"))}
    return {**environments.packaged(), **own}


def find_model(name: str) -> Source:
    """Return the model that a MODEL argument names: an environment, a file, or ``gym:ID``.

    Raises UsageError if there is no such environment or file, or the file's ending is unknown.
    """
    if name.startswith(GYM):
        from engine.mdp.gym import find_gym_model  # noqa: PLC0415  # Gymnasium is an optional extra

        return find_gym_model(name.removeprefix(GYM))
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
    files_beside(path)
    return Source(bare_environment(path))


def parse_constants(texts: Sequence[str]) -> dict[str, str]:
    """Read ``k=v,k=v`` texts, values kept as they are: which ones make sense depends on the model."""
    found: dict[str, str] = {}
    for part in (part.strip() for text in texts for part in text.split(",") if part.strip()):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and name and value):
            raise UsageError(f"{part!r} is no constant", where="--const", hint="write --const N=3,p=1/3")
        if name in found:
            raise UsageError(f"{name} is given twice", where="--const")
        found[name] = value
    return found


def _require_number(name: str, value: str) -> None:
    """Raise UsageError unless the value is an integer, a decimal, a fraction, true or false."""
    if value.lower() in {"true", "false"}:
        return
    try:
        parse_exact(value)
    except (ValueError, ZeroDivisionError):
        raise UsageError(
            f"{value!r} is no value for {name}", where="--const", hint="write 3, 0.1, 1/3, true or false"
        ) from None
