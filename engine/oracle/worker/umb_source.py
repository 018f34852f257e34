"""UMB archives as models: whether they are whole, and whether their numbers are exact."""

from __future__ import annotations

import json
import lzma
import tarfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.numbers import FloatArray

_SHORT = 2.0**20
_LARGEST = 2.0**32
_TOLERANCE = 1e-9
_EXACT_TYPES = {"rational", "int", "uint", "bool"}


def inexact_reason(path: Path) -> str:
    """Return why the archive's numbers cannot be taken as exact; empty if they can.

    Rational numbers are exact. Doubles are taken as exact where all of them are binary fractions with at most 20
    digits (1/2, 3/4), which no writer had to round; elsewhere a stored 0.3333 may stand for 1/3, and Storm would
    quietly scale such rows until they sum to 1.

    Raises
    ------
    ModelError
        If the archive is damaged, or has intervals or rows that do not sum to 1.
    """
    index, members = _read(path)
    try:
        system = index["transition-system"]
        kind = str(system.get("branch-probability-type", {}).get("type", "rational"))
        rewards = index.get("annotations", {}).get("rewards", {})
        kinds = {key: str(entry["type"]["type"]) for key, entry in rewards.items()}
        choices = int(system["#choices"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, f"its index lacks {error}") from None
    if "interval" in kind:
        raise ModelError(
            "the probabilities are intervals", where=str(path), hint="stormscope explains MDPs and DTMCs only"
        )
    short = True
    if kind not in _EXACT_TYPES:
        probabilities = _doubles(path, members.get("branch-to-probability.bin", b""))
        _require_sums(path, probabilities, members.get("choice-to-branches.bin", b""), choices)
        short = _is_short(probabilities)
    for key in (key for key, found in kinds.items() if found not in _EXACT_TYPES):
        values = [data for name, data in members.items() if name.startswith(f"annotations/rewards/{key}/")]
        short = short and all(_is_short(_doubles(path, data)) for data in values)
    return "" if short else "the archive stores rounded numbers (doubles)"


def _read(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the index and the members that hold numbers; reading to the end finds what is cut off."""
    wanted = ("branch-to-probability.bin", "choice-to-branches.bin")
    members: dict[str, bytes] = {}
    whole = True
    try:
        with tarfile.open(path, "r:*") as archive:
            for member in archive:
                file = archive.extractfile(member)
                data = b"" if file is None else file.read()
                whole = whole and len(data) == member.size
                if member.name in {*wanted, "index.json"} or member.name.startswith("annotations/rewards/"):
                    members[member.name] = data
            whole = whole and _ends(archive)
    except tarfile.ReadError as error:
        # Which compressions were tried says nothing to whoever has a damaged file.
        opened = "could not be opened" not in str(error)
        raise _damaged(path, "it is cut off" if opened else "it is neither a tar file nor a compressed one") from None
    except EOFError:
        raise _damaged(path, "it is cut off") from None
    except (tarfile.TarError, OSError, zlib.error, lzma.LZMAError) as error:
        raise _damaged(path, f"it cannot be unpacked ({error})") from None
    if not whole:
        raise _damaged(path, "it is cut off")
    return _index(path, members), members


def _index(path: Path, members: dict[str, bytes]) -> dict[str, Any]:
    if "index.json" not in members:
        raise _damaged(path, "it has no index.json")
    try:
        index = json.loads(members["index.json"])
    except (ValueError, RecursionError) as error:
        raise _damaged(path, f"its index is no JSON ({error})") from None
    if not isinstance(index, dict):
        raise _damaged(path, "its index is no object")
    return index


def _ends(archive: tarfile.TarFile) -> bool:
    """Return whether the archive ends with the empty block that says so; the reader takes any end for one."""
    archive.fileobj.seek(archive.offset)
    return bool(archive.fileobj.read(tarfile.BLOCKSIZE) == bytes(tarfile.BLOCKSIZE))


def _doubles(path: Path, data: bytes) -> FloatArray:
    if len(data) % 8:
        raise _damaged(path, "an array of doubles has a part of one")
    return np.frombuffer(data, dtype="<f8")


def _is_short(values: FloatArray) -> bool:
    scaled = values * _SHORT
    return bool(np.all((np.abs(values) < _LARGEST) & (scaled == np.rint(scaled))))


def _require_sums(path: Path, probabilities: FloatArray, starts: bytes, choices: int) -> None:
    first = np.frombuffer(starts, dtype="<u8").astype(np.int64) if starts else np.arange(choices + 1)
    if len(first) != choices + 1 or first[-1] != len(probabilities) or (np.diff(first) <= 0).any():
        raise _damaged(path, "its rows and its probabilities do not fit together")
    sums = np.add.reduceat(probabilities, first[:-1]) if choices else np.empty(0)
    wrong = np.flatnonzero(~(np.abs(sums - 1) <= _TOLERANCE))
    if len(wrong):
        raise ModelError(
            f"the probabilities of choice {wrong[0]} sum to {sums[wrong[0]]:.12g} instead of 1", where=str(path)
        )


def _damaged(path: Path, what: str) -> ModelError:
    return ModelError(f"this is no whole UMB archive: {what}", where=str(path), hint="write the archive again")
