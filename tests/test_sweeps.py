"""``check --sweep``: grids, numbers that are cut and never rounded up, rows that an interrupt leaves."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest
from cli_support import json_of, run_cli

from engine.cli.opening import Opening

if TYPE_CHECKING:
    from pathlib import Path


def test_several_sweeps_are_a_grid() -> None:
    """Each combination is one row with all constants: two maps by two slips; a constant is swept once only."""
    args = ["check", "frozen_lake", "--sweep", "slip=0:1/3:1/3", "--sweep", "map=4:4:8"]
    found = json_of(*args)
    assert found["constants"] == ["slip", "map"]
    assert [row["constants"] for row in found["rows"]] == [
        {"slip": slip, "map": size} for slip in ("0", "1/3") for size in ("4", "8")
    ]
    assert [row["initial"] for row in found["rows"]] == [["1"], ["1"], ["14/17"], ["1"]]
    table = list(csv.reader(io.StringIO(run_cli(*args, "--csv").stdout)))
    assert [row[:3] for row in table] == [
        ["slip", "map", "states"], ["0", "4", "16"], ["0", "8", "64"], ["1/3", "4", "16"], ["1/3", "8", "64"],
    ]  # fmt: skip
    assert run_cli(*args).stdout.count("14/17") == 1
    for extra, says in (("slip=0:1:1", "slip is swept twice"), ("top=1..5000", "combinations are too many")):
        refused = run_cli(*args, "--sweep", extra)
        assert refused.exit_code == 2
        assert says in refused.stderr


@pytest.mark.parametrize(
    ("extra", "named"),
    [
        (["--where", "pos=0"], "--where"),
        (["--limit", "20"], "--limit"),
        (["--policy", "p.json"], "--policy"),
        (["--export-policy", "p.json"], "--export-policy"),
        (["--export-chain", "c.drn"], "--export-chain"),
        (["--export-neighbourhood", "n.drn", "--depth", "1"], "--export-neighbourhood, --depth"),
        (["--verify", "--reproduce"], "--verify, --reproduce"),
        (["--bottleneck-threshold", "0.5"], "--bottleneck-threshold"),
        (["--property", 'Pmin=? [F "goal"]'], "--property"),
        (["--danger", 'Pmax=? [F "unsafe"]'], "--danger"),
    ],
)
def test_options_that_a_sweep_ignores_are_refused(extra: list[str], named: str) -> None:
    """A sweep shows V at the initial states: each option that would do nothing beside it is named."""
    refused = run_cli("check", "frozen_lake", "--sweep", "slip=0:1/3:1/3", *extra)
    assert refused.exit_code == 2
    assert f"{named} would do nothing" in refused.stderr


@pytest.mark.parametrize(
    "given",
    [["frozen_lake", "--const", "slip=1/3"], ["frozen_lake", "--const", "map=4,slip=0"], ["frozen_lake:slip=0"]],
)
def test_a_swept_constant_is_not_given_twice(given: list[str]) -> None:
    """A value that the sweep would replace is refused; one of another constant holds in every row."""
    asked = ["check", "frozen_lake", "--sweep", "slip=0:1/3:1/3"]
    refused = run_cli("check", *given, "--sweep", "slip=0:1/3:1/3")
    assert refused.exit_code == 2
    assert "slip is given by --const" in refused.stderr
    assert [row["states"] for row in json_of(*asked, "--const", "map=4")["rows"]] == [16, 16]


NEARLY = """mdp
const int k;
const double p = 1/1125899906842625;
module m
  s : [0..2] init 0;
  [a] s=0 -> pow(p,k) : (s'=2) + 1-pow(p,k) : (s'=1);
  [b] s>0 -> true;
endmodule
label "goal" = s=1;
rewards "r" s=0 : pow(10,40*k)+1/3; endrewards
"""
"""V is below 1 by 1/p and 1/p², which the nearest doubles do not all tell; the reward has 40 digits and more."""


def test_a_sweep_rounds_nothing_up(tmp_path: Path) -> None:
    """In the table and the CSV what is below 1 is below 1, and long fractions are told by their length."""
    path = tmp_path / "m.prism"
    path.write_text(NEARLY)
    args = ["check", str(path), "--sweep", "k=1..2"]
    rows = list(csv.DictReader(io.StringIO(run_cli(*args, "--csv").stdout)))
    size = 1125899906842625
    assert [row["value"] for row in rows] == [f"{size - 1}/{size}", f"{size**2 - 1}/{size**2}"]
    assert all(float(row["float"]) < 1 for row in rows)
    assert rows[0]["float"] == repr((size - 1) / size)
    shown = run_cli(*args).stdout
    assert shown.count("0.999999…") == 2
    assert "a fraction of 63 characters" in shown
    assert str(size**2) not in shown


COIN = """mdp
const double p;
module m
  s : [0..2] init 0;
  [a] s=0 -> p : (s'=1) + 1-p : (s'=2);
  [b] s>0 -> true;
endmodule
label "goal" = s=1;
"""


def test_short_numbers_stay_short(tmp_path: Path) -> None:
    """A tenth is 0.1 in the column of doubles, with none of the digits that a double has beyond that."""
    path = tmp_path / "m.prism"
    path.write_text(COIN)
    rows = csv.DictReader(io.StringIO(run_cli("check", str(path), "--sweep", "p=1/10:1/10:3/10", "--csv").stdout))
    assert [(row["value"], row["float"]) for row in rows] == [("1/10", "0.1"), ("1/5", "0.2"), ("3/10", "0.3")]


def test_an_interrupted_sweep_keeps_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was checked before Ctrl-C is printed, and the exit code is that of an interrupt; without rows it is too."""
    real, asked = Opening.check, []

    def check(self: Opening) -> object:
        asked.append(self)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return real(self)

    monkeypatch.setattr(Opening, "check", check)
    args = ["check", "frozen_lake", "--sweep", "slip=1/3:1/3:1", "--csv"]
    result = run_cli(*args)
    assert result.exit_code == 130
    assert [row["value"] for row in csv.DictReader(io.StringIO(result.stdout))] == ["14/17"]
    assert "interrupted: 1 of 3 rows" in result.stderr
    del asked[1:]
    nothing = run_cli(*args)
    assert (nothing.exit_code, nothing.stdout) == (130, "")
