"""Cases of models that Storm has checked: losses, kept centrality, and what each packaged environment can be asked."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from reference import frozen_lake_4x4
from reference_solver import reachability
from small_mdps import plain_model
from storm_support import HALF

from engine.mdp.sources import find_model
from engine.oracle.client import open_oracle
from engine.oracle.facts import Kind
from engine.oracle.request import Request
from engine.queries import centrality as module
from engine.queries.centrality import centrality
from engine.queries.generation import generate
from engine.queries.losses import loss_of
from engine.queries.registry import all_categories
from environments import packaged

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.facts import Oracle

BOTTLENECKS = {"is-bottleneck", "which-is-bottleneck", "subset-has-bottleneck", "bottlenecks-of-subset"}


def test_losses_are_those_of_leaving_a_state_out(lake: Oracle) -> None:
    """Each tile's loss is 1 - V without the tile / V, by solving the lake without it."""
    reference = frozen_lake_4x4()
    model, targets = plain_model(reference), {15}
    whole = reachability(model, targets, Kind.PMAX)[0]
    assert whole == Fraction(14, 17)
    found = loss_of(lake, np.arange(16))
    for state in range(16):
        tile = lake.mdp.valuation(state)["pos"]
        if tile in {0, 15}:
            continue
        without = reachability(model, targets, Kind.PMAX, set(range(16)) - {tile})[0]
        assert found[state] == pytest.approx(float(1 - without / whole), abs=1e-12), tile


def test_refined_cases_rank_by_loss(lake: Oracle) -> None:
    """With the refined formulas the hardest "no" is the tile whose loss is largest, and outputs name the formulas."""
    found = generate(lake, ["is-bottleneck"], difficulty="refined")
    assert found.difficulty == "refined"
    no = [case for case in found.cases if case.accepted == ("no",)]
    assert no[0].difficulty == max(case.parts["loss"] for case in no)
    assert [case.difficulty for case in no] == sorted((case.parts["loss"] for case in no), reverse=True)


@pytest.fixture
def small(cache: Path, tmp_path: Path) -> Oracle:
    """Return a small checked model in a cache folder of its own."""
    del cache
    path = tmp_path / "half.prism"
    path.write_text(HALF)
    module.forget()
    return open_oracle(Request(path=path, objective='Pmax=? [F "goal"]'))


def test_centrality_is_kept_beside_the_oracles_folder(
    small: Oracle, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second program reads what the first has computed, and the sealed folder still opens as it is."""
    first = centrality(small)
    assert [path.name for path in cache.glob("*.npz")] == [f"{small.identity}.centrality-{module.VERSION}.npz"]
    module.forget()
    monkeypatch.setattr(module, "exact_betweenness", None)  # a second computation would fail
    assert centrality(small).tolist() == first.tolist()
    assert small.request is not None
    assert open_oracle(small.request).identity == small.identity
    assert sorted(path.suffix for path in cache.iterdir()) == ["", ".npz"]


@pytest.mark.parametrize("damage", [b"", b"no archive", None])
def test_damaged_centrality_is_computed_anew(small: Oracle, cache: Path, damage: bytes | None) -> None:
    """A file that is empty, no archive, or flipped in one byte is replaced, never believed."""
    first = centrality(small).copy()
    (path,) = cache.glob("*.npz")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content) if damage is None else damage)
    module.forget()
    assert centrality(small).tolist() == first.tolist()
    module.forget()
    assert centrality(small).tolist() == first.tolist()


def test_centrality_needs_no_room_on_disk(small: Oracle, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it cannot be written it is still returned, and nothing half-written stays."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    assert len(centrality(small)) == small.mdp.states
    assert not list(cache.glob("*.npz*"))


def test_every_category_has_cases_wherever_its_facts_vary() -> None:
    """Ten environments: the bottleneck categories in at least three of them, all others in each; both difficulties."""
    have: Counter[str] = Counter()
    for name in packaged():
        source = find_model(name)
        oracle = open_oracle(source.request(), source.environment)
        found = generate(oracle, list(all_categories()), budget=4)
        have.update({case.category for case in found.cases})
        assert all(case.difficulty is not None and 0 <= case.difficulty <= 1 for case in found.cases)
        assert set(found.omitted) <= BOTTLENECKS, (name, found.omitted)
        assert set(found.omitted) in ({*BOTTLENECKS}, set())
    assert len(packaged()) == 10
    assert {name for name, count in have.items() if count < 10} <= BOTTLENECKS
    assert min(have[name] for name in BOTTLENECKS) >= 3
