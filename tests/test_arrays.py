"""From files to arrays: packed valuations, action names, explicit files."""

from __future__ import annotations

import io
import json
import tarfile
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.mdp.drn import write_drn
from engine.mdp.explicit import read_explicit
from engine.mdp.naming import name_actions
from engine.oracle.umb import UmbArchive

if TYPE_CHECKING:
    from pathlib import Path


def _archive(path: Path, fields: list[dict[str, Any]], records: bytes, states: int) -> UmbArchive:
    """Write an archive with nothing but valuations."""
    index = {
        "transition-system": {"#states": states, "#choices": states},
        "valuations": {"states": {"classes": [{"variables": fields}]}},
    }
    with tarfile.open(path, "w") as tar:
        for name, content in (
            ("index.json", json.dumps(index).encode()),
            ("valuations/states/valuations.bin", records),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return UmbArchive(path)


@given(data=st.data())
def test_packed_valuations_are_unpacked(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Fields of any width at any bit come back as the integers that were packed with Python's own long arithmetic."""
    widths = data.draw(st.lists(st.integers(1, 33), min_size=1, max_size=6))
    offsets = [data.draw(st.integers(-1000, 1000)) for _ in widths]
    rows = [[data.draw(st.integers(0, 2**width - 1)) for width in widths] for _ in range(3)]
    padding = -sum(widths) % 8
    records = b""
    for row in rows:
        packed, position = 0, 0
        for value, width in zip(row, widths, strict=True):
            packed |= value << position
            position += width
        records += packed.to_bytes((position + padding) // 8, "little")
    fields: list[dict[str, Any]] = [
        {"name": f"v{index}", "type": {"type": "uint", "size": width}, "offset": offset}
        for index, (width, offset) in enumerate(zip(widths, offsets, strict=True))
    ]
    if padding:
        fields.append({"padding": padding})
    path = tmp_path_factory.mktemp("umb") / "model.umb"
    columns = _archive(path, fields, records, len(rows)).valuations()
    for index, offset in enumerate(offsets):
        assert columns[f"v{index}"].tolist() == [row[index] + offset for row in rows]


def test_equal_names_are_numbered_within_a_state() -> None:
    """Equal labels in one state get numbers in choice order; a lone one keeps its name; unlabelled ones count up."""
    texts = ("", "a", "b")
    label = np.array([1, 1, 2, 1, 0, 0, 2])
    starts = np.array([0, 3, 4, 7])
    action, names = name_actions(label, texts, starts)
    assert [names[index] for index in action] == ["a#1", "a#2", "b", "a", "action 0", "action 1", "b"]


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=5), min_size=1, max_size=5))
def test_names_are_unique_within_every_state(states: list[list[int]]) -> None:
    """However labels repeat, no two choices of one state share a name."""
    label = np.array([value for state in states for value in state])
    starts = np.cumsum([0, *(len(state) for state in states)])
    action, names = name_actions(label, ("", "a", "b"), starts)
    for begin, end in pairwise(starts):
        found = [names[index] for index in action[begin:end]]
        assert len(set(found)) == len(found)


TRA = "3 4 5\n0 0 1 0.5 go\n0 0 2 0.5 go\n0 1 0 1\n1 0 1 1\n2 0 2 1\n"
LAB = '0="init" 1="goal"\n0: 0\n1: 1\n'


def test_explicit_files_become_drn_with_exact_decimals(tmp_path: Path) -> None:
    """Decimals of an explicit file arrive as the fractions that they are, choices and labels in place."""
    tra, lab, drn = (tmp_path / name for name in ("m.tra", "m.lab", "m.drn"))
    tra.write_text(TRA.replace("0.5", "0.1", 1).replace("0.5", "0.9"))
    lab.write_text(LAB)
    write_drn(read_explicit(tra, lab, ()), drn, str(tra))
    lines = [line.strip() for line in drn.read_text().splitlines()]
    assert "1 : 1/10" in lines
    assert "2 : 9/10" in lines
    assert "action go" in lines
    assert "state 1 goal" in lines


@pytest.mark.parametrize(
    ("tra", "lab", "says"),
    [
        (TRA.replace("0 1 0 1", "0 1 0"), LAB, ":4: expected"),
        (TRA.replace("0 1 0 1", "0 1 9 1"), LAB, ":4: the model has the states 0 to 2 only"),
        (TRA.replace("0 1 0 1", "0 1 0 1.5"), LAB, ":4: 1.5 is no probability"),
        (TRA.replace("2 0 2 1\n", ""), LAB, "state 2 has no transition"),
        ("", LAB, "there are no transitions"),
        (TRA, LAB.replace("1: 1", "1: 7"), ":3: expected a state and its labels"),
        (TRA, LAB.replace("1: 1", "8: 1"), ":3: the model has the states 0 to 2 only"),
        (TRA, "nonsense\n", ":1: expected labels"),
    ],
)
def test_bad_explicit_files_name_file_and_line(tmp_path: Path, tra: str, lab: str, says: str) -> None:
    """Each mistake in an explicit file is one message with the file's name and the line."""
    (tmp_path / "m.tra").write_text(tra)
    (tmp_path / "m.lab").write_text(lab)
    with pytest.raises(ModelError) as caught:
        write_drn(
            read_explicit(tmp_path / "m.tra", tmp_path / "m.lab", ()), tmp_path / "m.drn", str(tmp_path / "m.tra")
        )
    assert says in str(caught.value)
    assert str(tmp_path) in str(caught.value)
