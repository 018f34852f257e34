"""Tables of cells made elsewhere: read exactly, and every mistake named with its line, its column and what to do."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.verdicts.cell_files import read_cells
from engine.verdicts.research import ScoreCell

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "environment,explainer,category,prioritized,random\n"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a path for a table."""
    return tmp_path_factory.mktemp("cells") / "cells.csv"


def test_decimals_are_read_exactly(file: Path) -> None:
    """0.1 is one tenth, fractions are accepted, an empty score is no cell, and baselines are known by name."""
    file.write_text(HEAD + "Lake,Random,a,0.1,1/3\nLake,M,a,,1\n")
    assert read_cells(file) == [
        ScoreCell("Lake", "Random", "a", "prioritized", Fraction(1, 10), baseline=True),
        ScoreCell("Lake", "Random", "a", "random", Fraction(1, 3), baseline=True),
        ScoreCell("Lake", "M", "a", "random", Fraction(1)),
    ]


@pytest.mark.parametrize("text", ["1/4", ".25", "0.25", " 0.250 ", "25e-2", "2.5E-1"])
def test_a_quarter_is_a_quarter(file: Path, text: str) -> None:
    """Whatever way a number is written in, its value is exact."""
    file.write_text(HEAD + f"Lake,M,a,{text},1\n")
    assert read_cells(file)[0].score == Fraction(1, 4)


def test_columns_in_any_order_and_a_byte_order_mark(file: Path) -> None:
    """Spreadsheets put a mark first; further columns are ignored."""
    file.write_text("random,note,category,explainer,environment,prioritized\n1,x,a,M,Lake,0\n", encoding="utf-8-sig")
    assert {cell.strategy: int(cell.score) for cell in read_cells(file)} == {"prioritized": 0, "random": 1}


@pytest.mark.parametrize(
    ("rows", "line", "told"),
    [
        ("Lake,M,a,0.1,0.2\nLake,M,b,x,1\n", 3, "prioritized is 'x', which is no number"),
        ("Lake,M,a,1,1/0\n", 2, "random is '1/0', which is no number"),
        ("Lake,M,a,nan,1\n", 2, "no number"),
        ("Lake,M,a,-0.1,1\n", 2, "no number"),
        ("Lake,M,a,1e999999999,1\n", 2, "no number"),
        ("Lake,M,a,65,1\n", 2, "prioritized is 65, which is not between 0 and 1"),
        ("Lake,M,a,0.1,0.2\nLake,M,a,0.1,0.2\n", 3, "is there already, in line 2"),
        ("Lake,,a,0.1,0.2\n", 2, "explainer is empty"),
        ("Lake,M,a,0.1\n", 2, "not as many fields"),
        ("Lake,M,a,0.1,0.2,0.3\n", 2, "not as many fields"),
    ],
)
def test_a_bad_row_is_named_by_its_line(file: Path, rows: str, line: int, told: str) -> None:
    """The message has the line, the column and what is wrong; the hint says what is expected."""
    file.write_text(HEAD + rows)
    with pytest.raises(UsageError, match=told) as caught:
        read_cells(file)
    assert caught.value.where == f"{file}:{line}"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"environment,explainer\nLake,M\n", "no column category, prioritized, random"),
        (b"", "no column"),
        (HEAD.encode(), "no cells"),
        (b"\xff\xfe\x00", "no CSV table"),
    ],
)
def test_a_file_that_is_no_table_is_told(file: Path, content: bytes, told: str) -> None:
    """A missing column, an empty file and one that is something else are told apart."""
    file.write_bytes(content)
    with pytest.raises(UsageError, match=told) as caught:
        read_cells(file)
    assert str(file) in str(caught.value)


def test_a_missing_table_is_said_so(tmp_path: Path) -> None:
    """A file that does not exist is a user's mistake, not a traceback."""
    with pytest.raises(UsageError, match="cannot be read"):
        read_cells(tmp_path / "none.csv")


@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_any_text_is_a_table_or_a_mistake(file: Path, text: str) -> None:
    """Nothing but a UsageError comes out of a file, and every score that is read is in [0, 1]."""
    file.write_text(HEAD + text, encoding="utf-8", newline="")
    try:
        cells = read_cells(file)
    except UsageError:
        return
    assert all(0 <= cell.score <= 1 for cell in cells)
