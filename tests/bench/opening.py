"""Opening a model of 1.26 million states, against Storm's own build and check in the same run."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from engine.oracle.client import check_model
from engine.oracle.derivation.bottlenecks import strict_bottlenecks
from engine.oracle.request import Mode, Request

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.client import CheckedModel

from models import DISAGREE, consensus

STORM = """
import resource, sys, time
import stormpy
started = time.perf_counter()
program = stormpy.parse_prism_program(sys.argv[1])
properties = stormpy.parse_properties(sys.argv[2], program)
program, properties = stormpy.instantiate_constants(program, {"K": 2}, properties)
model = stormpy.build_model(program, properties)
stormpy.model_checking(model, properties[0])
print(time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def measure(folder: Path) -> list[tuple[str, str, str]]:
    """Return rows of what was measured, the figure, and the target."""
    path = folder / "consensus6.prism"
    path.write_text(consensus(6), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", STORM, str(path), DISAGREE], capture_output=True, text=True, check=True
    )
    storm, storm_memory = (float(word) for word in done.stdout.split())
    request = Request(path=path, constants={"K": "2"}, objective=DISAGREE, mode=Mode.SOUND)
    first, checked = _timed(request)
    second, _ = _timed(request)
    facts = checked.facts
    assert facts is not None
    graph, phi, target = checked.mdp.graph, np.asarray(facts.phi), np.asarray(facts.target)
    started = time.perf_counter()
    strict_bottlenecks(graph, checked.mdp.initial, phi, target)
    sweep = time.perf_counter() - started
    return [
        ("Storm's own build and check", f"{storm:.1f} s, {storm_memory:,.0f} MB", "the reference"),
        (f"first opening, {checked.mdp.states:,} states", f"{first:.1f} s = {first / storm:.2f} × Storm", "1.5 ×"),
        ("second opening", f"{second:.3f} s", "1 s"),
        ("strict bottlenecks of all states", f"{sweep:.2f} s", "1 s"),
    ]


def _timed(request: Request) -> tuple[float, CheckedModel]:
    started = time.perf_counter()
    checked = check_model(request)
    return time.perf_counter() - started, checked
