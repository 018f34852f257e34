"""``stormscope report``: formats, files, tables of cells, comparisons, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_support import json_of, run_cli
from report_support import Said, right, write, wrong

from engine.cli.schemas import OUTPUTS

PUBLISHED = str(Path(__file__).with_name("data") / "published_cells.csv")


@pytest.fixture
def campaign(tmp_path: Path) -> str:
    """Return a campaign of four answers, three of them right."""
    return str(write(tmp_path / "c.sqlite", [Said(state, right(state) if state else wrong(0)) for state in range(4)]))


@pytest.fixture
def earlier(tmp_path: Path) -> str:
    """Return one of the same cases, none of them right."""
    return str(write(tmp_path / "earlier.sqlite", [Said(state, wrong(state)) for state in range(4)]))


def test_the_published_cells_give_the_published_figures() -> None:
    """75 lower, 61 higher, 84 tied; p = 0.0347 on doubles and 0.0372 exactly, both printed (methods.md 1.5)."""
    found = run_cli("report", "--cells", PUBLISHED)
    assert found.exit_code == 0, found.stderr
    row = next(line.split() for line in found.stdout.splitlines() if line.startswith("all "))
    assert (row[1:5], row[6:]) == (["220", "75", "61", "84"], ["0.0372", "0.0347"])
    assert "zero method wilcox" in found.stdout
    data = json_of("report", "--cells", PUBLISHED)
    assert data["kind"] == "cells"
    OUTPUTS["report"].validate_json(json.dumps(data), strict=True)


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("text", "c.sqlite"),
        ("json", "{"),
        ("csv", "file,"),
        ("markdown", "# "),
        ("html", "<!DOCTYPE"),
        ("junit", "<?xml"),
    ],
)
def test_every_format_is_printed_or_written(campaign: str, tmp_path: Path, form: str, begins: str) -> None:
    """The file that --out names holds what is printed without it."""
    printed = run_cli("report", campaign, "--format", form)
    assert printed.exit_code == 0, printed.stderr
    assert printed.stdout.startswith(begins)
    out = tmp_path / "out"
    written = run_cli("report", campaign, "--format", form, "--out", str(out))
    assert (written.exit_code, written.stdout) == (0, "")
    assert str(out) in written.stderr
    assert out.read_text(encoding="utf-8") == printed.stdout
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".out")]


def test_a_comparison_is_in_text_and_json(campaign: str, earlier: str) -> None:
    """Three of four cases got better: p = 2/8, and each is listed by its id."""
    data = json_of("report", campaign, "--compare", earlier)
    OUTPUTS["report"].validate_json(json.dumps(data), strict=True)
    total = data["comparison"]["rows"][0]
    assert (total["better"], total["worse"], total["p"]) == (3, 0, 0.25)
    text = run_cli("report", campaign, "--compare", earlier).stdout
    assert "Compared with earlier.sqlite" in text
    for state in (1, 2, 3):
        assert f"lake/best-action/{state}" in "".join(text.split())


def test_the_grader_is_named(campaign: str) -> None:
    """The option chooses it and the output says it."""
    assert json_of("report", campaign, "--grader", "score")["grader"] == "score"


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([], "nothing to report"),
        (["--cells", PUBLISHED, "--compare", "x"], "reported alone"),
        (["FILE", "--cells", PUBLISHED], "reported alone"),
        (["FILE", "--format", "pdf"], "there is no format 'pdf'"),
        (["FILE", "--grader", "mood"], "there is no grader 'mood'"),
        (["FILE", "--format", "junit", "--grader", "score"], "junit"),
        (["FILE", "--format", "csv", "--compare", "FILE"], "csv has no place for a comparison"),
        (["--cells", PUBLISHED, "--format", "junit"], "junit needs a campaign"),
        (["FILE", "--out", "FILE"], "would overwrite"),
        (["FILE", "--out", "no/such/folder/r.html"], "cannot be written"),
        (["FILE", "--compare", "none.sqlite"], "no such campaign file"),
        (["--cells", "none.csv"], "cannot be read"),
    ],
)
def test_mistakes_are_one_message(campaign: str, args: list[str], says: str) -> None:
    """Each ends with exit code 2, a message and no traceback, and leaves the campaign as it was."""
    before = Path(campaign).read_bytes()
    found = run_cli("report", *(campaign if each == "FILE" else each for each in args))
    assert (found.exit_code, found.stdout) == (2, "")
    assert says in found.stderr
    assert "Traceback" not in found.stderr
    assert Path(campaign).read_bytes() == before
