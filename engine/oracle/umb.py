"""Reading an uncompressed UMB archive: a tar file whose members are the arrays themselves."""

from __future__ import annotations

import json
import tarfile
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.numbers import BoolArray, FloatArray, IntArray

_WORD = 64


class UmbArchive:
    """The arrays of one archive, memory-mapped.

    Parameters
    ----------
    path
        An archive that was written without compression.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with tarfile.open(path) as tar:
            self._members = {member.name: (member.offset_data, member.size) for member in tar if member.isfile()}
            index = tar.extractfile("index.json")
            self.index: dict[str, Any] = json.load(index) if index is not None else {}
        system = self.index["transition-system"]
        self.states = int(system["#states"])
        self.choices = int(system["#choices"])

    def array(self, name: str, dtype: Any) -> Any:
        """Return a member as a read-only array; an absent or empty one has length 0."""
        offset, size = self._members.get(name, (0, 0))
        if size == 0:
            return np.empty(0, dtype=dtype)
        count = size // np.dtype(dtype).itemsize
        return np.memmap(self._path, dtype=dtype, mode="r", offset=offset, shape=(count,))

    def starts(self, name: str, count: int) -> IntArray:
        """``(count + 1,)`` row starts; an archive leaves them out where every row has one entry."""
        starts: IntArray = self.array(name, np.int64)
        return starts if len(starts) else np.arange(count + 1, dtype=np.int64)

    def bitmap(self, name: str, count: int) -> BoolArray:
        """``(count,)`` mask from a bitmap of 64-bit words, least significant bit first."""
        return np.unpackbits(self.array(name, np.uint8), count=count, bitorder="little").astype(bool)

    def labels(self) -> dict[str, BoolArray]:
        """Return every label's mask, and the initial states as ``init``."""
        propositions = self.index.get("annotations", {}).get("aps", {})
        masks = {
            entry.get("alias", key): self.bitmap(f"annotations/aps/{key}/states/values.bin", self.states)
            for key, entry in propositions.items()
        }
        return {"init": self.bitmap("state-is-initial.bin", self.states), **masks}

    def rewards(self, choice_start: IntArray) -> dict[str, FloatArray]:
        """Return every reward model by name as ``(choices,)``: state reward plus action reward, in doubles."""
        found = {}
        for key, entry in self.index.get("annotations", {}).get("rewards", {}).items():
            total = np.zeros(self.choices)
            states = self.array(f"annotations/rewards/{key}/states/values.bin", np.float64)
            choices = self.array(f"annotations/rewards/{key}/choices/values.bin", np.float64)
            if len(states):
                total += np.repeat(states, np.diff(choice_start))
            if len(choices):
                total += choices
            found[str(entry.get("alias", key))] = total
        return found

    def choice_labels(self) -> tuple[IntArray, tuple[str, ...]]:
        """Return each choice's position in the tuple of label texts; unlabelled choices have the text ``""``."""
        labels: IntArray = self.array("actions/choices/values.bin", np.uint32).astype(np.int64)
        if not len(labels):
            return np.zeros(self.choices, dtype=np.int64), ("",)
        ends = self.array("actions/choices/string-mapping.bin", np.uint64).astype(np.int64)
        text = bytes(self.array("actions/choices/strings.bin", np.uint8))
        return labels, tuple(text[start:end].decode("utf-8", "replace") for start, end in pairwise(ends))

    def valuations(self) -> dict[str, IntArray | BoolArray]:
        """Return every variable's ``(states,)`` column, from records of packed bits; empty without valuations."""
        classes = self.index.get("valuations", {}).get("states", {}).get("classes", [])
        if len(classes) != 1:
            return {}
        fields = classes[0]["variables"]
        width = sum(int(field.get("padding", 0)) or int(field["type"]["size"]) for field in fields)
        records = self.array("valuations/states/valuations.bin", np.uint8)
        if len(records) != self.states * (width // 8):
            raise OSError("the archive is cut off")
        records = records.reshape(self.states, width // 8)
        columns: dict[str, IntArray | BoolArray] = {}
        position = 0
        for field in fields:
            size = int(field.get("padding", 0)) or int(field["type"]["size"])
            if "padding" not in field:
                columns[field["name"]] = _column(records, position, field)
            position += size
        return columns


def _column(records: Any, position: int, field: dict[str, Any]) -> IntArray | BoolArray:
    """Decode the field at a bit position of every record."""
    size, kind = int(field["type"]["size"]), field["type"]["type"]
    if kind == "bool":
        bits: BoolArray = ((records[:, position // 8] >> (position % 8)) & 1).astype(bool)
        return bits
    if kind not in {"uint", "int"} or size > _WORD:
        raise ValueError(f"variable {field['name']}: UMB type {kind} of {size} bits is not supported")
    value = np.zeros(len(records), dtype=np.uint64)
    last = (position + size - 1) // 8
    for byte in range(position // 8, last + 1):
        shift = byte * 8 - position
        part = records[:, byte].astype(np.uint64)
        value |= part << np.uint64(shift) if shift >= 0 else part >> np.uint64(-shift)
    if size < _WORD:
        value &= np.uint64((1 << size) - 1)
    signed = value.astype(np.int64)
    if kind == "int" and size < _WORD:
        signed = np.where(signed >> (size - 1), signed - (1 << size), signed)
    return signed + int(field.get("offset", 0))
