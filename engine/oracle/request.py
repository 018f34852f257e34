"""What the oracle child is asked to do, and the key under which its answer is kept."""

from __future__ import annotations

import hashlib
import json
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

FOLDER_VERSION = 4
"""Version of the folder's layout and of the definitions behind its facts; a change invalidates what is kept."""


LAYOUT_VERSION = 3
"""Version of what is kept in a folder beside the facts. A folder of another one is made again, under the same key."""


class Mode(StrEnum):
    """How numbers are computed: exactly, with sound bounds, or exactly as far as the time limit allows."""

    AUTO = "auto"
    EXACT = "exact"
    SOUND = "sound"


class Limits(BaseModel):
    """What the oracle may use.

    Attributes
    ----------
    seconds
        Time for all of it; None for no limit.
    exact_seconds
        Time after which mode ``auto`` gives up exactness.
    exact_states
        States above which mode ``auto`` does not try exactness.
    megabytes
        Resident memory; None for no limit.
    states
        States of the model; None for no limit.
    """

    model_config = ConfigDict(frozen=True)

    seconds: float | None = None
    exact_seconds: float = 60.0
    exact_states: int = 200_000
    megabytes: float | None = None
    states: int | None = None


class Request(BaseModel):
    """One model with one objective, to be built and checked.

    Attributes
    ----------
    path
        The model file.
    labels_path, states_path, reward_paths
        The ``.lab``, ``.sta`` and reward files of an explicit model.
    constants
        Values of the model's undefined constants, as exact text.
    objective, danger
        Properties in PRISM syntax. Without an objective the first of `properties` that is one is taken.
    properties
        Further properties, as texts or as names from the model or from `properties_path`.
    properties_path
        A file of named properties.
    objective_shown
        How messages call the objective, where its text is of labels that the user does not know.
    objective_names
        Names that could have been given for the objective, known to whoever asks: messages list them.
    notes
        What is to be said about how the model came about; they do not change what is checked.
    """

    model_config = ConfigDict(frozen=True)

    path: Path
    labels_path: Path | None = None
    states_path: Path | None = None
    reward_paths: tuple[Path, ...] = ()
    constants: dict[str, str] = Field(default_factory=dict)
    objective: str | None = None
    danger: str | None = None
    objective_shown: str | None = None
    objective_names: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    properties_path: Path | None = None
    notes: tuple[str, ...] = ()
    mode: Mode = Mode.AUTO

    @property
    def files(self) -> list[Path]:
        """Every file that is read."""
        single = (self.path, self.labels_path, self.states_path, self.properties_path)
        return [*(path for path in single if path is not None), *self.reward_paths]

    def key(self, storm_version: str) -> str:
        """Return the hash of everything the facts depend on: file contents, not file names."""
        parts = {
            "folder": FOLDER_VERSION,
            "storm": storm_version,
            "ending": self.path.suffix.lower(),
            "model": _digest(self.path),
            "labels": _digest(self.labels_path),
            "states": _digest(self.states_path),
            "rewards": [(path.name.removeprefix(self.path.stem), _digest(path)) for path in self.reward_paths],
            "constants": dict(sorted(self.constants.items())),
            "objective": self.objective,
            "danger": self.danger,
            "properties": self.properties,
            "properties_file": _digest(self.properties_path),
            "mode": self.mode,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


class Job(BaseModel):
    """A request with its limits and the folder to fill, as passed to the child."""

    model_config = ConfigDict(frozen=True)

    request: Request
    limits: Limits
    folder: Path
    mode: Mode
    blocked: tuple[int, ...] = ()
    """States whose loss is asked for; then only losses are computed."""


def _digest(path: Path | None) -> str | None:
    return None if path is None else hashlib.sha256(path.read_bytes()).hexdigest()
