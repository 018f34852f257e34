"""Completing the path of a model file."""

from __future__ import annotations

import os
from pathlib import Path

from engine.mdp.model_name import split_model
from engine.recent import RecentModel

ENDINGS = frozenset({".prism", ".nm", ".pm", ".sm", ".jani", ".drn", ".umb", ".tra"})
MOST = 200
"""Entries of a folder that are offered at most."""


def model_of(text: str) -> RecentModel:
    """Return the model that a text names: a path, a name or ``gym:ID``, behind a colon constants, as in ``lake:N=8``.

    A file whose name has such a colon is that file. Raises UsageError if what looks like constants is none.
    """
    name, constants = split_model(text)
    if not constants:
        return RecentModel(text)
    from engine.mdp.sources import parse_constants  # noqa: PLC0415 - loads after the first frame

    return RecentModel(name, tuple(parse_constants([constants]).items()))


def completions(text: str) -> tuple[str, ...]:
    """Return the folders and model files whose path begins with the text, as the user would have typed them.

    Folders end in a slash. Names that begin with a dot are offered only to those who typed the dot. A folder that
    cannot be read has no entries. Blocks as long as the disk does.
    """
    head, slash, last = text.rpartition("/")
    if text == "~":
        return ("~/",)
    found = []
    try:
        folder = Path(f"{head}{slash}" or ".").expanduser()
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.startswith(last) or (entry.name.startswith(".") and not last):
                    continue
                if entry.is_dir():
                    found.append(f"{head}{slash}{entry.name}/")
                elif os.path.splitext(entry.name)[1].lower() in ENDINGS:  # noqa: PTH122 - a name, no path
                    found.append(f"{head}{slash}{entry.name}")
    except (OSError, RuntimeError, ValueError):
        return ()
    return tuple(sorted(found, key=lambda path: (path.endswith("/"), path.lower())))[:MOST]


def common_start(paths: tuple[str, ...]) -> str:
    """Return what all of the paths begin with."""
    if not paths:
        return ""
    first, last = min(paths), max(paths)
    return first[
        : next((at for at, pair in enumerate(zip(first, last, strict=False)) if len(set(pair)) > 1), len(first))
    ]
