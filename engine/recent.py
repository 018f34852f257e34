"""What the program remembers between two runs: recent models and campaigns, and whether the tour was offered.

Losing it costs nobody anything, so reading never fails: a file that is damaged or from a newer version counts as empty.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from engine.folders import state_dir

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")
VERSION = 1
MOST = 20
"""Models, and campaigns, that are remembered."""


@dataclass(frozen=True, slots=True)
class RecentModel:
    """A model that was open.

    Attributes
    ----------
    model
        As the MODEL argument of the command line takes it; a file's path is absolute.
    constants
        The constants that it was opened with, as written.
    objective
        The property or the name of an objective; None for the environment's own.
    title
        For lists.
    states
        Its size; None if that is not known.
    """

    model: str
    constants: tuple[tuple[str, str], ...] = ()
    objective: str | None = None
    title: str = ""
    states: int | None = None

    @property
    def key(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        """What tells models apart: the name and the constants in any order."""
        return self.model, tuple(sorted(self.constants))


@dataclass(frozen=True, slots=True)
class Recent:
    """Everything that is remembered, the latest first.

    Attributes
    ----------
    models
        Models that were open; each appears once with the same constants.
    campaigns
        Paths of campaign files.
    tour_offered
        Whether the guided tour was offered.
    """

    models: tuple[RecentModel, ...] = ()
    campaigns: tuple[str, ...] = ()
    tour_offered: bool = False


def recent_file() -> Path:
    """Return where it is kept, or would be."""
    return state_dir() / "recent.json"


def load_recent() -> Recent:
    """Return what is remembered; nothing if the file is missing, damaged or from a newer version."""
    try:
        data = json.loads(recent_file().read_text(encoding="utf-8"))
        return _read(data)
    except (OSError, ValueError, TypeError, KeyError):
        return Recent()


def remember_model(model: RecentModel) -> None:
    """Put a model at the front; the same model with the same constants is replaced."""
    _change(lambda now: replace(now, models=_front(model, now.models, lambda each: each.key)))


def remember_campaign(file: Path) -> None:
    """Put a campaign's file at the front."""
    path = os.path.abspath(file)  # noqa: PTH100 - a link stays the name that the user knows
    _change(lambda now: replace(now, campaigns=_front(path, now.campaigns, lambda each: each)))


def remember_tour() -> None:
    """Note that the tour was offered."""
    _change(lambda now: replace(now, tour_offered=True))


def forget_model(model: RecentModel) -> None:
    """Forget a model with these constants."""
    _change(lambda now: replace(now, models=tuple(each for each in now.models if each.key != model.key)))


def forget_campaign(file: str) -> None:
    """Forget a campaign by the path that it is remembered under."""
    _change(lambda now: replace(now, campaigns=tuple(each for each in now.campaigns if each != file)))


def _front(new: T, known: tuple[T, ...], key: Callable[[T], object]) -> tuple[T, ...]:
    return (new, *(each for each in known if key(each) != key(new)))[:MOST]


def _change(change: Callable[[Recent], Recent]) -> None:
    """Read, change and write; where the folder cannot be written, nothing is remembered."""
    before = load_recent()
    after = change(before)
    if after == before:
        return
    file = recent_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        new = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump({"version": VERSION, **asdict(after)}, stream, ensure_ascii=True, indent=1)
            new.replace(file)
        finally:
            new.unlink(missing_ok=True)
    except OSError:
        return


def _read(data: Mapping[str, Any]) -> Recent:
    """Read the file's contents; raises KeyError, TypeError or ValueError if they are not what is written here."""
    if data["version"] != VERSION:
        raise ValueError("another version")
    models = tuple(
        RecentModel(
            model=_text(each["model"]),
            constants=tuple((_text(name), _text(value)) for name, value in each["constants"]),
            objective=None if each["objective"] is None else _text(each["objective"]),
            title=_text(each["title"]),
            states=None if each["states"] is None else int(each["states"]),
        )
        for each in data["models"]
    )
    return Recent(models, tuple(_text(each) for each in data["campaigns"]), bool(data["tour_offered"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value
