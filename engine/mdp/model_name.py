"""How a model is named where its constants stand beside it: ``MODEL:k=v,…``."""

from __future__ import annotations

from pathlib import Path


def split_model(text: str) -> tuple[str, str]:
    """Return a path, a name or ``gym:ID``, and the constants behind its last colon, as in ``lake:N=8,p=1/3``.

    The constants are empty where there are none; a file whose name has such a colon is that file.
    """
    name, colon, constants = text.rpartition(":")
    return (name, constants) if colon and name and "=" in constants and not _is_file(text) else (text, "")


def _is_file(text: str) -> bool:
    try:
        return Path(text).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        return False
