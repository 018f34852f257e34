"""A seal on the oracle's folder: what was damaged since it was written is made anew, never read as if it were good."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NAME = "seal.json"
_LEFT_OUT = {NAME, "storm.log", "job.json"}
_WHOLE = 16 * 2**20
_END = 2**20


def seal(folder: Path) -> None:
    """Write the digests of all files of a folder."""
    (folder / NAME).write_text(json.dumps(_digests(folder)), encoding="utf-8")


def is_sealed(folder: Path) -> bool:
    """Whether a folder holds the files that were sealed, unchanged; what was put beside them later has its own checks.

    Files above 16 MB are compared by their size and their first and last megabyte, so that large models open at once.
    """
    try:
        sealed = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return bool(sealed) and all(_digest(folder / name) == digest for name, digest in sealed.items())
    except (OSError, ValueError, AttributeError):
        return False


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in _LEFT_OUT)
    return {path.relative_to(folder).as_posix(): _digest(path) for path in files}


def _digest(path: Path) -> str:
    size = path.stat().st_size
    digest = hashlib.blake2b(str(size).encode(), digest_size=16)
    with path.open("rb") as file:
        if size <= _WHOLE:
            digest.update(file.read())
        else:
            digest.update(file.read(_END))
            file.seek(-_END, 2)
            digest.update(file.read())
    return digest.hexdigest()
