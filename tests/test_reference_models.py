"""Published benchmarks with exact expected values, where the reference folder is beside the checkout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.cli.app import app

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "qvbs"


def _cases() -> list[Any]:
    if not FOLDER.is_dir():
        return [pytest.param({}, {}, marks=pytest.mark.skip(reason="the reference models are not here"))]
    return [
        pytest.param(model, result, id=f"{model['benchmark']}-{result['property']}")
        for model in json.loads((FOLDER / "expected.json").read_text())
        for result in model["results"]
    ]


@pytest.mark.parametrize(("model", "result"), _cases())
def test_the_published_value_is_reproduced_exactly(model: dict[str, Any], result: dict[str, Any]) -> None:
    """``check --json`` gives the published value as that exact number."""
    args = ["check", str(FOLDER / model["model"]), "--json", "--limit", "0", "--property", result["property"]]
    if model["properties_file"]:
        args += ["--properties", str(FOLDER / model["properties_file"])]
    for name, value in model["constants"].items():
        args += ["--const", f"{name}={str(value).lower()}"]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    expected = result["value"] if isinstance(result["value"], bool) else str(result["value"])
    assert found["mode"] == "exact"
    assert found["properties"][0]["value"] == expected
