"""Filters of properties: which states they name and how values are combined."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from source_support import (
    opened,
    run,
)
from storm_support import HALF

from engine.oracle.request import Mode

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("property_", "value"),
    [
        ('filter(min, Pmax=? [F "goal"], x<2)', "1/2"),
        ('filter(max, Pmax=? [F "goal"], x<2)', "1"),
        ('filter(sum, Pmax=? [F "goal"], x<=N)', "5/2"),
        ('filter(avg, Pmax=? [F "goal"], true)', "5/8"),
        ('filter(values, Pmax=? [F "goal"], x=2 | "unsafe")', "0"),
        ('filter(values, Pmax=? [F "goal"], true)', None),
        ('filter(count, P>=0.3 [F "goal"], true)', "3"),
        ('filter(forall, P>=0.3 [F "goal"], !"unsafe")', True),
        ('filter(forall, P>=0.3 [F "goal"], true)', False),
        ('filter(exists, P>0 [F "goal"], "unsafe")', False),
    ],
)
def test_filters_combine_the_values_of_their_states(tmp_path: Path, property_: str, value: str | bool | None) -> None:
    """Pmax is 1/2, 1, 0, 1 at x = 0, 1, 2, 3, Pmin 1/3 at x = 0: a filter combines the states that it names."""
    path = tmp_path / "m.prism"
    path.write_text(HALF.replace("module", "const int N;\nmodule", 1))
    found = opened(path, constants={"N": "3"}, properties=(property_,)).meta["properties"][0]
    assert found["value"] == value
    if value in {"1/2", "5/8"}:
        bounds = opened(path, constants={"N": "3"}, properties=(property_,), mode=Mode.SOUND).meta["properties"][0]
        assert bounds["value"]["lower"] <= Fraction(str(value)) <= bounds["value"]["upper"]


@pytest.mark.parametrize(
    ("property_", "says"),
    [
        ('filter(argmin, Pmax=? [F "goal"], true)', "filter argmin"),
        ('filter(count, Pmax=? [F "goal"], true)', "filter count"),
        ('filter(min, P>=0.5 [F "goal"], true)', "filter min"),
        ('filter(min, Pmax=? [F "goal"], x=1 & x=2)', "no state satisfies"),
        ('filter(min, Pmax=? [F "goal"], "nix")', "nix"),
    ],
)
def test_filters_that_do_not_fit(tmp_path: Path, property_: str, says: str) -> None:
    """A filter without states, or for values of the other type, is one message and never ignored."""
    (tmp_path / "m.prism").write_text(HALF)
    result = run("check", str(tmp_path / "m.prism"), "--property", property_)
    assert result.exit_code == 2, result.stderr
    assert says in result.stderr
