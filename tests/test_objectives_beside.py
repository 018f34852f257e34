"""Objectives that model files bring along: what is read of property files and of JANI models."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from engine.mdp.objectives_beside import objectives_beside, objectives_in, properties_file

if TYPE_CHECKING:
    from pathlib import Path


def test_optima_are_objectives_and_nothing_else() -> None:
    """Over several lines, and without a semicolon at the end; bounds, comments and filters are left out."""
    text = """
    // "old": Pmax=? [ F "gone" ];
    "c1": P>=1 [ F "finished" ];
    "c2": Pmin=? [ F "finished"
                   & "all" ];  // the least
    "steps": R{"steps"}max=? [ F "finished" ];
    filter(max, Pmax=? [ F "inside" ], "init");
    Pmax =? [ (a[0]=1) U x=2 ]
    """
    assert objectives_in(text) == {
        "c2": 'Pmin=? [ F "finished" & "all" ]',
        "steps": 'R{"steps"}max=? [ F "finished" ]',
        "property 3": "Pmax =? [ (a[0]=1) U x=2 ]",
    }


@pytest.mark.parametrize("text", ["", "Pmax=? [ F x=1", "]]]]", '"', "Pmax=?"])
def test_what_is_no_property_brings_nothing(text: str) -> None:
    """A text that ends too early or is none has no objectives, and fails nowhere."""
    assert objectives_in(text) == {}


def test_a_family_shares_its_file(tmp_path: Path) -> None:
    """The file of the same name goes first, then that of the name before the last dot; none is no failure."""
    model = tmp_path / "consensus.2.prism"
    assert properties_file(model) is None
    assert objectives_beside(model) == {}
    shared = tmp_path / "consensus.props"
    shared.write_text('"a": Pmax=? [ F "x" ];')
    assert properties_file(model) == shared
    own = tmp_path / "consensus.2.props"
    own.write_text('"b": Pmax=? [ F "y" ];')
    assert properties_file(model) == own
    assert objectives_beside(model) == {"b": 'Pmax=? [ F "y" ]'}


def test_properties_of_a_jani_model_are_offered_by_name(tmp_path: Path) -> None:
    """Optima, bare or for the initial states, by the name that the oracle knows them by; a bound is none."""
    optimum = {"op": "Pmax", "exp": {"op": "F", "exp": True}}
    model = tmp_path / "m.jani"
    properties = [
        {"name": "goal", "expression": {"op": "filter", "fun": "min", "values": optimum, "states": {"op": "initial"}}},
        {"name": "bare", "expression": optimum},
        {"name": "bound", "expression": {"op": "≥", "left": optimum, "right": 1}},
    ]
    model.write_text(json.dumps({"properties": properties}))
    assert objectives_beside(model) == {"goal": "goal", "bare": "bare"}
    model.write_text("{")
    assert objectives_beside(model) == {}
