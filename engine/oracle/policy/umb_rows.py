"""Models as UMB archives with doubles: Storm reads a million states in a second, where DRN text takes a minute."""

from __future__ import annotations

import io
import json
import tarfile
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.oracle.numbers import to_float
from engine.oracle.policy.rebuilt import require_going_on

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from pathlib import Path

    from engine.oracle.numbers import BoolArray
    from engine.oracle.policy.rebuilt import Rebuilt

_DOUBLE = {"type": "double", "size": 64}


def write_umb(model: Rebuilt, path: Path, cancel: threading.Event | None = None) -> None:
    """Write the model without its action names; raises OSError, and CancelledError between two arrays.

    Probabilities and rewards become doubles, so this is for sound mode only.
    """
    with tarfile.open(path, "w") as archive:
        for name, data in _members(model):
            require_going_on(cancel)
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def _members(model: Rebuilt) -> Iterator[tuple[str, bytes]]:
    initial = next(mask for name, mask in model.labels if name == "init")
    labels = {f"l{place}": (name, mask) for place, (name, mask) in enumerate(model.labels) if name != "init"}
    yield "index.json", json.dumps(_index(model, {key: name for key, (name, _) in labels.items()})).encode()
    yield "state-to-choices.bin", model.choice_start.astype("<u8").tobytes()
    yield "state-is-initial.bin", _bits(initial)
    yield "choice-to-branches.bin", model.transition_start.astype("<u8").tobytes()
    yield "branch-to-target.bin", model.target.astype("<u8").tobytes()
    numbers = np.array([float(number) for number in model.probability.values], dtype="<f8")
    yield "branch-to-probability.bin", numbers[model.probability.code].tobytes()
    for key, (_, mask) in labels.items():
        yield f"annotations/aps/{key}/states/values.bin", _bits(mask)
    for place, reward in enumerate(model.rewards.values()):
        rewards = np.array([to_float(number) for number in reward.values], dtype="<f8")
        yield f"annotations/rewards/r{place}/choices/values.bin", rewards[reward.code].tobytes()


def _index(model: Rebuilt, labels: dict[str, str]) -> dict[str, Any]:
    truth = {"type": "bool", "size": 1}
    aps = {key: {"alias": name, "applies-to": ["states"], "type": truth} for key, name in labels.items()}
    rewards = {
        f"r{place}": {"alias": name, "applies-to": ["choices"], "type": _DOUBLE}
        for place, name in enumerate(model.rewards)
    }
    return {
        "format-version": 1,
        "format-revision": 0,
        "transition-system": {
            "time": "discrete",
            "#players": 0 if model.kind == "DTMC" else 1,
            "#states": model.states,
            "#initial-states": int(next(mask for name, mask in model.labels if name == "init").sum()),
            "#choices": model.choices,
            "#choice-actions": 0,
            "#branches": len(model.target),
            "#branch-actions": 0,
            "#observations": 0,
            "branch-probability-type": _DOUBLE,
        },
        "annotations": {"aps": aps, "rewards": rewards},
    }


def _bits(mask: BoolArray) -> bytes:
    """Return a bitmap of whole 64-bit words, least significant bit first."""
    data = np.packbits(mask, bitorder="little").tobytes()
    return data + bytes(-len(data) % 8)
