"""The oracle's folder: arrays, facts and ``meta.json``, written by the child and memory-mapped by the parent."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.mdp.model import Mdp
from engine.oracle.facts import Facts, Kind, Objective
from engine.oracle.numbers import Numbers, exact_text, parse_exact
from engine.oracle.umb import UmbArchive

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TRIS = ("best", "worst", "progressing", "dead_end", "bottleneck")
_MASKS = ("phi", "target")


def write_mdp(folder: Path, mdp: Mdp) -> None:
    """Write what an MDP has beside the UMB archive: names, labels, columns, rewards, exact probabilities."""
    for part in ("labels", "valuations", "rewards"):
        columns: Mapping[str, Any] = getattr(mdp, part)
        (folder / part).mkdir()
        _write_json(folder / part / "names.json", list(columns))
        for index, column in enumerate(columns.values()):
            np.save(folder / part / f"{index}.npy", np.ascontiguousarray(column))
    for index, name in enumerate(mdp.rewards):
        if name in mdp.exact_rewards:
            write_numbers(folder, f"exact_reward{index}", mdp.exact_rewards[name])
    np.save(folder / "action.npy", mdp.action)
    _write_json(folder / "action_names.json", mdp.action_names)
    if mdp.exact_probability is not None and mdp.probability_table is not None:
        np.save(folder / "exact_probability.npy", mdp.exact_probability)
        _write_json(folder / "probability_table.json", [str(value) for value in mdp.probability_table])


def read_mdp(folder: Path) -> Mdp:
    """Memory-map an MDP from its folder."""
    umb = UmbArchive(folder / "model.umb")
    labels = _read_columns(folder / "labels")
    rewards = _read_columns(folder / "rewards")
    exact = {name: read_numbers(folder, f"exact_reward{index}") for index, name in enumerate(rewards)}
    table = folder / "probability_table.json"
    return Mdp(
        choice_start=umb.starts("state-to-choices.bin", umb.states),
        transition_start=umb.starts("choice-to-branches.bin", umb.choices),
        target=umb.array("branch-to-target.bin", np.int64),
        probability=umb.array("branch-to-probability.bin", np.float64),
        initial=np.flatnonzero(labels["init"]),
        action_names=tuple(_read_json(folder / "action_names.json")),
        action=_load(folder / "action.npy"),
        labels=labels,
        valuations=_read_columns(folder / "valuations"),
        rewards=rewards,
        exact_rewards={name: numbers for name, numbers in exact.items() if numbers is not None},
        exact_probability=_load(folder / "exact_probability.npy") if table.exists() else None,
        probability_table=tuple(Fraction(text) for text in _read_json(table)) if table.exists() else None,
    )


def write_numbers(folder: Path, name: str, numbers: Numbers) -> None:
    """Write a vector of numbers: ranks and their table, or two bounds."""
    if numbers.rank is not None and numbers.table is not None:
        np.save(folder / f"{name}.rank.npy", numbers.rank)
        _write_json(folder / f"{name}.table.json", [exact_text(value) for value in numbers.table])
    else:
        np.save(folder / f"{name}.lower.npy", numbers.lower)
        np.save(folder / f"{name}.upper.npy", numbers.upper)


def read_numbers(folder: Path, name: str) -> Numbers | None:
    """Read a vector of numbers, None if it is not there."""
    if (folder / f"{name}.rank.npy").exists():
        table = _read_json(folder / f"{name}.table.json")
        return Numbers.from_ranks(_load(folder / f"{name}.rank.npy"), [parse_exact(text) for text in table])
    if (folder / f"{name}.lower.npy").exists():
        return Numbers(_load(folder / f"{name}.lower.npy"), _load(folder / f"{name}.upper.npy"))
    return None


def write_facts(folder: Path, facts: Facts) -> None:
    """Write all facts."""
    write_numbers(folder, "value", facts.value)
    write_numbers(folder, "q", facts.q)
    for name in ("danger", "reward"):
        numbers = getattr(facts, name)
        if numbers is not None:
            write_numbers(folder, name, numbers)
    for name in (*_TRIS, *_MASKS):
        np.save(folder / f"{name}.npy", getattr(facts, name))
    objective = facts.objective
    _write_json(
        folder / "objective.json",
        {
            "text": objective.text,
            "kind": objective.kind.value,
            "bound": objective.bound,
            "reward": objective.reward,
            "danger": facts.danger_text,
        },
    )


def read_facts(folder: Path) -> Facts | None:
    """Read all facts, None where the folder was made without an objective."""
    value, q = read_numbers(folder, "value"), read_numbers(folder, "q")
    if value is None or q is None:
        return None
    data = _read_json(folder / "objective.json")
    return Facts(
        objective=Objective(data["text"], Kind(data["kind"]), data["bound"], data["reward"]),
        value=value,
        q=q,
        danger=read_numbers(folder, "danger"),
        danger_text=data["danger"],
        reward=read_numbers(folder, "reward"),
        **{name: _load(folder / f"{name}.npy") for name in (*_TRIS, *_MASKS)},
    )


def write_meta(folder: Path, meta: Mapping[str, Any]) -> None:
    """Write ``meta.json``: every version and setting behind the folder, and the checked properties."""
    _write_json(folder / "meta.json", meta)


def read_meta(folder: Path) -> dict[str, Any]:
    """Read ``meta.json``."""
    return dict(_read_json(folder / "meta.json"))


def _read_columns(folder: Path) -> dict[str, Any]:
    return {name: _load(folder / f"{index}.npy") for index, name in enumerate(_read_json(folder / "names.json"))}


def _load(path: Path) -> Any:
    array = np.load(path, mmap_mode="r" if path.stat().st_size > np.lib.format.MAGIC_LEN + 256 else None)
    array.flags.writeable = False
    return array


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, allow_nan=False), encoding="utf-8")


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
