"""Every format that a model can come in: what is kept, what is exact, what is refused and how."""

from __future__ import annotations

import json
import struct
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from source_support import (
    CHAIN,
    EVERY_RUN_ENDS,
    HALF,
    PLAIN_DRN,
    REFUSED,
    as_rationals,
    exchange,
    jani,
    umb_of,
    unchanged,
)
from typer.testing import CliRunner

from engine.cli.app import app
from engine.errors import ModelError, UsageError
from engine.mdp.sources import find_model, parse_constants
from engine.oracle.client import CheckedModel, check_model
from engine.oracle.facts import Kind
from engine.oracle.numbers import Interval
from engine.oracle.request import Mode
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def _run(*args: str) -> Result:
    return CliRunner().invoke(app, args)


def _open(path: Path, **options: Any) -> CheckedModel:
    constants = options.pop("constants", None)
    return check_model(find_model(str(path)).request(constants, **options))


def _start(checked: CheckedModel) -> Any:
    assert checked.facts is not None
    return checked.facts.value.at(int(checked.mdp.initial[0]))


REWARDED = HALF + 'rewards "toll" [go] true : 1/3; x=1 : 2; endrewards\n'
THIRDS = "1/2 : (x'=1) + 1/2", "1/4 : (x'=1) + 3/4"


# UMB


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_rational_archives_are_exact_and_keep_everything(tmp_path: Path, mode: str) -> None:
    """V, Q, labels, rewards, variables and action names of a rational archive are those of the PRISM model."""
    path = exchange(umb_of(REWARDED, tmp_path), tmp_path / "m.umb", as_rationals, mode)
    checked = _open(path, objective='R{"toll"}max=? [F "unsafe" | "goal"]')
    assert checked.exact
    assert checked.facts is not None
    # go costs 1/3, then with 1/2 x=1 is left by go for 2 + 1/3
    assert _start(checked) == Fraction(1, 3) + Fraction(1, 2) * (2 + Fraction(1, 3))
    assert checked.mdp.valuation(0) == {"x": 0}
    assert checked.mdp.action_names_of(0) == ("go", "jump")
    assert {"goal", "unsafe"} <= set(checked.mdp.labels)
    assert _start(_open(path)) == Fraction(1, 2)


def test_archives_of_doubles_are_bounds_and_say_so(tmp_path: Path) -> None:
    """Doubles that may stand for 1/3 give bounds in auto mode with a note, and no exact mode."""
    path = exchange(umb_of(HALF, tmp_path), tmp_path / "m.umb", unchanged)
    checked = _open(path)
    value = _start(checked)
    assert isinstance(value, Interval)
    assert value.lower <= 0.5 <= value.upper
    assert any("doubles" in note for note in checked.meta["notes"])
    shown = _run("check", str(path))
    assert "rounded numbers" in shown.stdout.replace("\n", " ")
    with pytest.raises(ModelError, match="no exact values"):
        _open(path, mode=Mode.EXACT)


def test_archives_of_binary_fractions_are_exact(tmp_path: Path) -> None:
    """Halves and quarters are what they are in doubles too."""
    halves = HALF.replace("1/3 : (x'=3) + 2/3", "1/4 : (x'=3) + 3/4")
    path = exchange(umb_of(halves, tmp_path), tmp_path / "m.umb", unchanged)
    checked = _open(path, mode=Mode.EXACT)
    assert _start(checked) == Fraction(1, 2)
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
@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.EXACT])
def test_wrong_archives_are_refused(tmp_path: Path, edit: Any, says: str, mode: Mode) -> None:
    """Rows that do not sum to 1, games, intervals and arrays that do not fit are found in every mode."""
    halves = HALF.replace("1/3 : (x'=3) + 2/3", "1/4 : (x'=3) + 3/4")
    path = exchange(umb_of(halves, tmp_path), tmp_path / "m.umb", edit)
    with pytest.raises(ModelError) as caught:
        _open(path, mode=mode)
    assert says in str(caught.value)


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_truncated_archives_are_one_message(tmp_path: Path, cache: Path, mode: str) -> None:
    """An archive that is cut off anywhere ends in one message, and the cache keeps nothing of it."""
    whole = exchange(umb_of(HALF, tmp_path), tmp_path / "m.umb", unchanged, mode).read_bytes()
    kept = sorted(cache.iterdir())
    for share in (0, 0.3, 0.7):
        (tmp_path / "m.umb").write_bytes(whole[: int(len(whole) * share)])
        result = _run("check", str(tmp_path / "m.umb"))
        assert result.exit_code == 3, result.stderr
        assert result.stderr.startswith("error: ")
        assert "m.umb" in result.stderr
        assert "Traceback" not in result.stderr
    assert sorted(cache.iterdir()) == kept


# JANI


def test_janis_own_properties_are_objectives_by_name(tmp_path: Path) -> None:
    """The first own property that is an objective is the default; others are taken by name, also for display."""
    path = tmp_path / "m.jani"
    path.write_text(json.dumps(jani()))
    default = _open(path, properties=("never",))
    assert _start(default) == Fraction(1, 3)
    assert default.meta["objective_name"] == "arrive"
    assert default.facts is not None
    assert default.facts.objective.text.startswith("Pmax=? [F")
    assert default.meta["properties"][0]["value"] == "4/5"  # by try, which misses x=2 more often
    worst = _open(path, objective="worst")
    assert _start(worst) == Fraction(1, 5)
    assert worst.facts is not None
    assert worst.facts.objective.kind is Kind.PMIN
    assert "the objective is the property arrive" in _run("check", str(path)).stdout
    for option, code in (("nix", 2), ("never", 2)):
        result = _run("check", str(path), "--objective", option)
        assert result.exit_code == code, result.stderr
    assert "arrive" in _run("check", str(path), "--objective", "nix").stderr


@pytest.mark.parametrize(
    ("change", "says"),
    [({"type": "ctmc"}, "CTMC"), ({"type": "ma"}, "Markov automaton"), ({"type": "pta"}, "clocks")],
)
def test_other_jani_models_are_refused(tmp_path: Path, change: dict[str, str], says: str) -> None:
    """A JANI model with continuous time is refused with the reason."""
    path = tmp_path / "m.jani"
    model = jani() | change
    if change["type"] != "pta":
        for edge in model["automata"][0]["edges"]:
            edge["rate"] = {"exp": 1}
    path.write_text(json.dumps(model))
    result = _run("check", str(path))
    assert result.exit_code == 3, result.stderr
    assert says in result.stderr


def test_truncated_jani_is_one_message(tmp_path: Path, cache: Path) -> None:
    """A JANI file that is cut off anywhere is one message that names the file."""
    text = json.dumps(jani(), indent=1)
    path = tmp_path / "m.jani"
    for share in (0, 0.2, 0.9):
        path.write_text(text[: int(len(text) * share)])
        result = _run("check", str(path))
        assert result.exit_code == 3, result.stderr
        assert result.stderr.startswith("error: ")
        assert "m.jani" in result.stderr
    assert not list(cache.iterdir())


# DTMC


@pytest.mark.parametrize("property_", ['P=? [F "goal"]', 'Pmax=? [F "goal"]', 'Pmin=? [F "goal"]'])
def test_a_chain_is_an_mdp_with_one_action(tmp_path: Path, property_: str) -> None:
    """Every fact of a DTMC is defined as for an MDP: one action, best and worst at once, V = Q."""
    path = tmp_path / "m.pm"
    path.write_text(CHAIN)
    checked = _open(path, constants={"N": "3"}, objective=property_)
    assert _start(checked) == Fraction(1, 4)
    mdp, facts = checked.mdp, checked.facts
    assert facts is not None
    assert facts.objective.kind is (Kind.PMIN if "min" in property_ else Kind.PMAX)
    assert np.diff(mdp.choice_start).tolist() == [1] * mdp.states
    assert mdp.action_names == ("action 0",)
    for state in np.flatnonzero(~facts.target):
        assert facts.q.at(int(state)) == facts.value.at(int(state))
        assert facts.best[state] == facts.worst[state] == Tri.YES
    assert facts.dead_end.tolist().count(Tri.YES) == 1  # x=2


def test_rewards_and_bounds_of_chains(tmp_path: Path) -> None:
    """``R=?`` and ``P=?`` with a bound, which may be a constant, are objectives of a DTMC in both modes."""
    path = tmp_path / "m.pm"
    path.write_text(EVERY_RUN_ENDS)
    for mode in (Mode.EXACT, Mode.SOUND):
        steps = _start(_open(path, constants={"N": "3"}, objective='R=? [F "goal"]', mode=mode))
        assert steps == 3 if mode is Mode.EXACT else steps.lower <= 3 <= steps.upper
    # two steps lead to x=3 by way of x=1 with 1/6 and by way of x=2 with 1/2
    for bound in ("2", "N-1"):
        checked = _open(path, constants={"N": "3"}, objective=f'P=? [F<={bound} "goal"]')
        assert _start(checked) == Fraction(2, 3)
        assert checked.facts is not None
        assert checked.facts.objective.bound == 2


def test_open_optimum_is_refused_for_an_mdp(tmp_path: Path) -> None:
    """``P=?`` says nothing where there are choices: one message that names Pmax and Pmin."""
    path = tmp_path / "m.prism"
    path.write_text(HALF)
    for objective in ('P=? [F "goal"]', 'P=? [F<=2 "goal"]'):
        result = _run("check", str(path), "--objective", objective)
        assert result.exit_code == 2, result.stderr
        assert "write Pmax or Pmin" in result.stderr


@pytest.mark.parametrize("name", REFUSED)
def test_other_models_are_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    """CTMC, Markov automata, POMDP, games and timed automata end with exit code 3 and say why."""
    reasons = {
        "ctmc": "rates",
        "ma": "rates",
        "pomdp": "does not see",
        "smg": "players",
        "pta": "clocks",
        "popta": "clocks",
    }
    (tmp_path / name).write_text(REFUSED[name])
    result = _run("check", str(tmp_path / name), "--objective", "Pmax=? [F true]")
    assert result.exit_code == 3, result.stderr
    assert reasons[name.partition(".")[0]] in result.stderr
    assert "MDPs and DTMCs only" in result.stderr


# explicit text files

TRA = "3 4 6\n0 0 1 0.5 go\n0 0 2 1/2 go\n0 1 0 1/3 wait\n0 1 1 2/3 wait\n1 0 2 1 go\n2 0 2 1 stay\n"
LAB = '0="init" 1="deadlock" 2="goal"\n0: 0\n2: 2\n'


def _explicit(folder: Path, **files: str) -> Path:
    for ending, text in {"tra": TRA, "lab": LAB, **files}.items():
        (folder / f"m{ending if ending[0].isdigit() else ''}").with_suffix(
            "." + ending.lstrip("0123456789")
        ).write_text(text)
    return folder / "m.tra"


def test_rewards_beside_transitions(tmp_path: Path) -> None:
    """State and transition rewards in PRISM's and in Storm's form are exact and add up in Q."""
    path = _explicit(
        tmp_path,
        srew='# Reward structure "time"\n# State rewards\n3 2\n0 1\n1 0.1\n',
        trew='# Reward structure: "time"\n# Transition rewards\n3 4 2\n0 0 1 3\n0 1 1 1/2\n',
    )
    checked = _open(path, objective='R{"time"}min=? [F "goal"]')
    assert checked.facts is not None
    q = {checked.mdp.action_name(choice): checked.facts.q.at(choice) for choice in checked.mdp.choices_of(0)}
    # V(1) = 1/10; go: 1 + 1/2 (3 + 1/10); wait: 1 + 1/3 V(0) + 2/3 (1/2 + 1/10)
    go = 1 + Fraction(1, 2) * (3 + Fraction(1, 10))
    start = min(go, Fraction(3, 2) * (1 + Fraction(2, 3) * (Fraction(1, 2) + Fraction(1, 10))))
    assert _start(checked) == start
    assert q == {"go": go, "wait": start}


def test_numbered_reward_files_are_models_of_their_own(tmp_path: Path) -> None:
    """Several reward structures come in numbered files, named by their header or by their number."""
    path = _explicit(tmp_path, **{"1srew": '# Reward structure "time"\n3 1\n0 7\n', "2srew": "0 5\n1 5\n"})
    checked = _open(path, objective='R{"rewards2"}max=? [F "goal"]', properties=('R{"time"}max=? [F "goal"]',))
    # wait for ever costs for ever, but leaves 0 with 2/3: 5 + 1/3 v + 2/3 · 5 = v
    assert _start(checked) == Fraction(25, 2)
    assert checked.meta["properties"][0]["value"] == "21/2"


def test_valuations_beside_transitions(tmp_path: Path) -> None:
    """PRISM's states file gives the variables of an explicit model, integers and truth values."""
    path = _explicit(tmp_path, sta="(x,done)\n0:(-3,false)\n1:(4,false)\n2:(5,true)\n")
    checked = _open(path)
    assert [checked.mdp.valuation(state) for state in range(3)] == [
        {"x": -3, "done": False},
        {"x": 4, "done": False},
        {"x": 5, "done": True},
    ]
    assert _run("check", str(path), "--where", "x>0 & !done", "--json").exit_code == 0


def test_explicit_chains_are_chains(tmp_path: Path) -> None:
    """A transitions file without choices is a DTMC, so that ``P=?`` is an objective."""
    path = _explicit(tmp_path, tra="3 4\n0 1 1/2\n0 2 1/2\n1 1 1\n2 2 1\n", trew="3 1\n0 2 4\n")
    checked = _open(path, objective='P=? [F "goal"]')
    assert _start(checked) == Fraction(1, 2)
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
    result = _run("check", str(_explicit(tmp_path, **files)))
    assert result.exit_code == 3, result.stderr
    assert says in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("state 1 goal", "state 2 goal"), "m.drn:14"),
        (("@nr_states\n2", "@nr_states\n3"), "no initial state"),
        (("\t\t1 : 1\nstate 1", "\t\t5 : 1\nstate 1"), "m.drn:13"),
        (("state 0 init", "state 0"), "no initial state"),
        (("@type: MDP\n@parameters\n", "@type: MDP\n@parameters\np\n"), "m.drn"),
        (("\taction a\n\t\t1 : 1\nstate 1", "state 1"), "m.drn"),
    ],
)
def test_wrong_drn_files_are_one_message(tmp_path: Path, cache: Path, change: tuple[str, str], says: str) -> None:
    """A missing state, a successor beyond the last, no initial state: the file, its line, and nothing kept."""
    (tmp_path / "m.drn").write_text(PLAIN_DRN.replace(*change, 1))
    result = _run("check", str(tmp_path / "m.drn"))
    assert result.exit_code == 3, result.stderr
    assert says in result.stderr
    assert not list(cache.iterdir())


def test_explicit_models_take_no_constants(tmp_path: Path) -> None:
    """A constant for a model that has none is not silently dropped."""
    (tmp_path / "m.drn").write_text(PLAIN_DRN)
    result = _run("check", str(tmp_path / "m.drn"), "--const", "N=3")
    assert result.exit_code == 2
    assert "no constant N" in result.stderr


def test_constants_are_split_first_and_judged_by_the_model() -> None:
    """Words are values only where the source takes them; twice and without a value is a mistake anywhere."""
    assert parse_constants(["N=3,p=1/3", "map=4x4"]) == {"N": "3", "p": "1/3", "map": "4x4"}
    with pytest.raises(UsageError, match="'4x4' is no value for map"):
        find_model("frozen_lake").request({"map": "4x4"})
    for wrong in (["N=3", "N=4"], ["N"], ["=3"]):
        with pytest.raises(UsageError):
            parse_constants(wrong)
