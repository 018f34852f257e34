"""UMB archives: what is kept, when their numbers are exact, and what is refused."""

from __future__ import annotations

import json
import struct
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from source_support import (
    as_rationals,
    exchange,
    opened,
    run,
    start,
    umb_of,
    unchanged,
)
from storm_support import HALF

from engine.errors import ModelError
from engine.oracle.numbers import Interval
from engine.oracle.request import Mode

if TYPE_CHECKING:
    from pathlib import Path


REWARDED = HALF + 'rewards "toll" [go] true : 1/3; x=1 : 2; endrewards\n'


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_rational_archives_are_exact_and_keep_everything(tmp_path: Path, mode: str) -> None:
    """V, Q, labels, rewards, variables and action names of a rational archive are those of the PRISM model."""
    path = exchange(umb_of(REWARDED, tmp_path), tmp_path / "m.umb", as_rationals, mode)
    checked = opened(path, objective='R{"toll"}max=? [F "unsafe" | "goal"]')
    assert checked.exact
    assert checked.facts is not None
    # go costs 1/3, then with 1/2 x=1 is left by go for 2 + 1/3
    assert start(checked) == Fraction(1, 3) + Fraction(1, 2) * (2 + Fraction(1, 3))
    assert checked.mdp.valuation(0) == {"x": 0}
    assert checked.mdp.action_names_of(0) == ("go", "jump")
    assert {"goal", "unsafe"} <= set(checked.mdp.labels)
    assert start(opened(path)) == Fraction(1, 2)


def test_archives_of_doubles_are_bounds_and_say_so(tmp_path: Path) -> None:
    """Doubles that may stand for 1/3 give bounds in auto mode with a note, and no exact mode."""
    path = exchange(umb_of(HALF, tmp_path), tmp_path / "m.umb", unchanged)
    checked = opened(path)
    value = start(checked)
    assert isinstance(value, Interval)
    assert value.lower <= 0.5 <= value.upper
    assert any("doubles" in note for note in checked.meta["notes"])
    shown = run("check", str(path))
    assert "rounded numbers" in shown.stdout.replace("\n", " ")
    with pytest.raises(ModelError, match="no exact values"):
        opened(path, mode=Mode.EXACT)


@pytest.fixture(scope="module")
def halves(_own_folders: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an archive of doubles whose probabilities are halves and quarters."""
    text = HALF.replace("1/3 : (x'=3) + 2/3", "1/4 : (x'=3) + 3/4")
    return umb_of(text, tmp_path_factory.mktemp("halves"))


def test_archives_of_binary_fractions_are_exact(tmp_path: Path, halves: Path) -> None:
    """Halves and quarters are what they are in doubles too."""
    path = exchange(halves, tmp_path / "m.umb", unchanged)
    checked = opened(path, mode=Mode.EXACT)
    assert start(checked) == Fraction(1, 2)
    assert checked.facts is not None
    assert [checked.facts.q.at(choice) for choice in checked.mdp.choices_of(0)] == [Fraction(1, 2), Fraction(1, 4)]
    assert not checked.meta["notes"]


def _first_probability(value: float) -> Any:
    def edit(name: str, data: bytes) -> bytes:
        return struct.pack("<d", value) + data[8:] if name == "branch-to-probability.bin" else data

    return edit


def _first_fraction(name: str, data: bytes) -> bytes:
    data = as_rationals(name, data)
    return struct.pack("<qQ", 2, 5) + data[16:] if name == "branch-to-probability.bin" else data


def _system(**fields: Any) -> Any:
    def edit(name: str, data: bytes) -> bytes:
        if name != "index.json":
            return data
        index = json.loads(data)
        index["transition-system"] |= {key.replace("n_", "#"): value for key, value in fields.items()}
        return json.dumps(index).encode()

    return edit


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (_first_probability(0.25), "sum to 0.75 instead of 1"),  # Storm would scale this row to sum to 1, exactly
        (_first_probability(0.4), "sum to 0.9 instead of 1"),
        (_first_fraction, "sum to 9/10 instead of 1"),
        (_first_probability(float("nan")), "sum to nan"),
        (_system(n_players=2), "several players"),
        (_system(**{"branch-probability-type": {"type": "double-interval", "size": 128}}), "intervals"),
        (lambda name, data: data[:-8] if name == "choice-to-branches.bin" else data, "do not fit together"),
        (lambda name, data: data[:-3] if name == "branch-to-probability.bin" else data, "no whole UMB archive"),
        (lambda name, data: b"[]" if name == "index.json" else data, "no whole UMB archive"),
        (lambda name, data: b"{}" if name == "index.json" else data, "no whole UMB archive"),
    ],
)
def test_wrong_archives_are_refused(tmp_path: Path, halves: Path, edit: Any, says: str) -> None:
    """Rows that do not sum to 1, games, intervals and arrays that do not fit are found."""
    path = exchange(halves, tmp_path / "m.umb", edit)
    with pytest.raises(ModelError) as caught:
        opened(path)
    assert says in str(caught.value)


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_truncated_archives_are_one_message(tmp_path: Path, cache: Path, mode: str) -> None:
    """An archive that is cut off anywhere ends in one message, and the cache keeps nothing of it."""
    whole = exchange(umb_of(HALF, tmp_path), tmp_path / "m.umb", unchanged, mode).read_bytes()
    kept = sorted(cache.iterdir())
    # an uncompressed archive ends in padding
    for share in (0, 0.3, 0.7) if mode != "w" else (0, 0.1, 0.3):
        (tmp_path / "m.umb").write_bytes(whole[: int(len(whole) * share)])
        result = run("check", str(tmp_path / "m.umb"))
        assert result.exit_code == 3, result.stderr
        assert result.stderr.startswith("error: ")
        assert "m.umb" in result.stderr
        assert "Traceback" not in result.stderr
    assert sorted(cache.iterdir()) == kept
