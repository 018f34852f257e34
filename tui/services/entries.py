"""What the start screen offers: environments, recent files and campaigns, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import environments
from engine.folders import config_dir, data_dir
from engine.recent import Recent, RecentModel, load_recent

SHOWN = 8
"""Recent models, and campaigns, that are listed."""


class Kind(Enum):
    """Where an entry comes from; the value heads its part of the list."""

    ENVIRONMENT = "Environments"
    OWN = "Your environments"
    RECENT = "Recent"
    CAMPAIGN = "Campaigns"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the list.

    Attributes
    ----------
    name
        What it is called in the list.
    model
        What is opened, for all but campaigns; the path of the file for those.
    """

    kind: Kind
    name: str
    model: RecentModel

    @property
    def key(self) -> str:
        """A name that no other entry has."""
        constants = "".join(f"{name}={value}:" for name, value in self.model.constants)
        return f"{self.kind.name}:{constants}{self.model.model}"


def all_entries() -> tuple[Entry, ...]:
    """Return what there is, by kind. Reads the names of folders and one small file, so that it is quick."""
    recent = load_recent()
    packaged = [Entry(Kind.ENVIRONMENT, name, RecentModel(name)) for name in environments.packaged()]
    folders = sorted((config_dir() / "environments").glob("[!.]*/environment.toml"))
    own = [Entry(Kind.OWN, file.parent.name, RecentModel(file.parent.name)) for file in folders]
    plain = {entry.model.model for entry in (*packaged, *own)}
    models = [
        Entry(Kind.RECENT, _name_of(each), each)
        for each in recent.models
        if each.model not in plain or each.constants or each.objective
    ]
    campaigns = [Entry(Kind.CAMPAIGN, Path(file).stem, RecentModel(file)) for file in campaign_files(recent)]
    return (*packaged, *own, *models[:SHOWN], *campaigns[:SHOWN])


def campaign_files(recent: Recent) -> list[str]:
    """Return the campaigns that are remembered and those of the explorer itself, the ones changed last first."""
    found: dict[str, float] = {}
    for file in (*map(Path, recent.campaigns), *(data_dir() / "campaigns").glob("*.sqlite")):
        try:
            found[str(file)] = file.stat().st_mtime
        except OSError:
            continue  # it was deleted or is on a disk that is away: there is nothing to offer
    return sorted(found, key=lambda file: -found[file])


def _name_of(model: RecentModel) -> str:
    name = Path(model.model).name if "/" in model.model else model.model
    settings = ",".join(f"{key}={value}" for key, value in model.constants)
    return f"{name}:{settings}" if settings else name
