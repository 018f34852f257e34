"""Explicit models in text files: rewards, variables, chains, and mistakes by file and line."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from source_support import (
    PLAIN_DRN,
    opened,
    run,
    start,
)

if TYPE_CHECKING:
    from pathlib import Path


TRA = "3 4 6\n0 0 1 0.5 go\n0 0 2 1/2 go\n0 1 0 1/3 wait\n0 1 1 2/3 wait\n1 0 2 1 go\n2 0 2 1 stay\n"
LAB = '0="init" 1="deadlock" 2="goal"\n0: 0\n2: 2\n'


def _explicit(folder: Path, **files: str) -> Path:
    """Write ``m.tra`` and the files beside it, by their endings; ``srew2`` is ``m2.srew``."""
    for name, text in {"tra": TRA, "lab": LAB, **files}.items():
        ending = name.rstrip("0123456789")
        (folder / f"m{name[len(ending) :]}.{ending}").write_text(text)
    return folder / "m.tra"


def test_rewards_beside_transitions(tmp_path: Path) -> None:
    """State and transition rewards in PRISM's and in Storm's form are exact and add up in Q."""
    path = _explicit(
        tmp_path,
        srew='# Reward structure "time"\n# State rewards\n3 2\n0 1\n1 0.1\n',
        trew='# Reward structure: "time"\n# Transition rewards\n3 4 2\n0 0 1 3\n0 1 1 1/2\n',
    )
    checked = opened(path, objective='R{"time"}min=? [F "goal"]')
    assert checked.facts is not None
    q = {checked.mdp.action_name(choice): checked.facts.q.at(choice) for choice in checked.mdp.choices_of(0)}
    # V(1) = 1/10; go: 1 + 1/2 (3 + 1/10); wait: 1 + 1/3 V(0) + 2/3 (1/2 + 1/10)
    go = 1 + Fraction(1, 2) * (3 + Fraction(1, 10))
    least = min(go, Fraction(3, 2) * (1 + Fraction(2, 3) * (Fraction(1, 2) + Fraction(1, 10))))
    assert start(checked) == least
    assert q == {"go": go, "wait": least}


def test_numbered_reward_files_are_models_of_their_own(tmp_path: Path) -> None:
    """Several reward structures come in numbered files, named by their header or by their number."""
    path = _explicit(tmp_path, srew1='# Reward structure "time"\n3 1\n0 7\n', srew2="0 5\n1 5\n")
    checked = opened(path, objective='R{"rewards2"}max=? [F "goal"]', properties=('R{"time"}max=? [F "goal"]',))
    # wait for ever costs for ever, but leaves 0 with 2/3: 5 + 1/3 v + 2/3 · 5 = v
    assert start(checked) == Fraction(25, 2)
    assert checked.meta["properties"][0]["value"] == "21/2"


def test_valuations_beside_transitions(tmp_path: Path) -> None:
    """PRISM's states file gives the variables of an explicit model, integers and truth values."""
    path = _explicit(tmp_path, sta="(x,done)\n0:(-3,false)\n1:(4,false)\n2:(5,true)\n")
    checked = opened(path)
    assert [checked.mdp.valuation(state) for state in range(3)] == [
        {"x": -3, "done": False},
        {"x": 4, "done": False},
        {"x": 5, "done": True},
    ]
    assert run("check", str(path), "--where", "x>0 & !done", "--json").exit_code == 0


def test_explicit_chains_are_chains(tmp_path: Path) -> None:
    """A transitions file without choices is a DTMC, so that ``P=?`` is an objective."""
    path = _explicit(tmp_path, tra="3 4\n0 1 1/2\n0 2 1/2\n1 1 1\n2 2 1\n", trew="3 1\n0 2 4\n")
    checked = opened(path, objective='P=? [F "goal"]')
    assert start(checked) == Fraction(1, 2)
    assert checked.meta["kind"] == "DTMC"
    assert checked.mdp.rewards["rewards"].tolist() == [2, 0, 0]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"srew": "3 1\n0 x\n"}, "m.srew:2"),
        ({"srew": "3 1\n7 1\n"}, "states 0 to 2 only"),
        ({"srew": "0 1\n0 2\n"}, "two rewards"),
        ({"trew": "3 4 1\n0 0 0 1\n"}, "no transition from 0 to 0 there"),
        ({"trew": "0 0 1\n"}, "m.trew:1"),
        ({"sta": "(x)\n0:(1)\n1:(2)\n"}, "state 2 has no values"),
        ({"sta": "(x,y)\n0:(1)\n"}, "m.sta:2"),
        ({"sta": "(x)\n0:(1)\n1:(2)\n2:(red)\n"}, "values of x"),
        ({"sta": "x y\n"}, "(x,y)"),
        ({"sta": ""}, "(x,y)"),
        ({"sta": "(x)\n0:(1)\n1:(2)\n2:(99999999999999999999)\n"}, "values of x"),
        ({"tra": TRA.replace("2 0 2 1 stay\n", "")}, "state 2 has no transition"),
        ({"tra": TRA.replace("0.5", "0.4")}, "sum to 9/10"),
        ({"tra": TRA.replace("0 0 1 0.5", "0 0 5 0.5")}, "m.tra:2"),
    ],
)
def test_wrong_explicit_files_are_one_message(tmp_path: Path, files: dict[str, str], says: str) -> None:
    """Each mistake in a file of an explicit model names the file and the line or the state."""
    result = run("check", str(_explicit(tmp_path, **files)))
    assert result.exit_code == 3, result.stderr
    assert says in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("state 1 goal", "state 2 goal"), "m.drn:14"),
        (("@nr_states\n2", "@nr_states\n3"), "declares 3 states and has 2"),
        (("\t\t1 : 1\nstate 1", "\t\t5 : 1\nstate 1"), "m.drn:13"),
        (("state 0 init", "state 0"), "no initial state"),
        (("@type: MDP\n@parameters\n", "@type: MDP\n@parameters\np\n"), "m.drn"),
        (("\taction a\n\t\t1 : 1\nstate 1", "state 1"), "m.drn"),
    ],
)
def test_wrong_drn_files_are_one_message(tmp_path: Path, cache: Path, change: tuple[str, str], says: str) -> None:
    """A missing state, a successor beyond the last, no initial state: the file, its line, and nothing kept."""
    (tmp_path / "m.drn").write_text(PLAIN_DRN.replace(*change, 1))
    result = run("check", str(tmp_path / "m.drn"))
    assert result.exit_code == 3, result.stderr
    assert says in result.stderr
    assert not list(cache.iterdir())


def test_explicit_models_take_no_constants(tmp_path: Path) -> None:
    """A constant for a model that has none is not silently dropped."""
    (tmp_path / "m.drn").write_text(PLAIN_DRN)
    result = run("check", str(tmp_path / "m.drn"), "--const", "N=3")
    assert result.exit_code == 2
    assert "no constant N" in result.stderr
