"""The folders that the program uses, by the platform's conventions (XDG on Linux). None may exist yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import platformdirs

if TYPE_CHECKING:
    from pathlib import Path

APP = "stormscope"


def cache_dir() -> Path:
    """Return the folder for what can be computed again."""
    return platformdirs.user_cache_path(APP, appauthor=False)


def config_dir() -> Path:
    """Return the folder of the settings file and of the user's environments and themes."""
    return platformdirs.user_config_path(APP, appauthor=False)


def data_dir() -> Path:
    """Return the folder for what the user made, such as campaigns."""
    return platformdirs.user_data_path(APP, appauthor=False)


def state_dir() -> Path:
    """Return the folder for what the program remembers between two runs, such as recent files."""
    return platformdirs.user_state_path(APP, appauthor=False)
