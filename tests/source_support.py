"""Models in every format that is read, and UMB archives with parts exchanged."""

from __future__ import annotations

import io
import json
import struct
import tarfile
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from typer.testing import CliRunner

from engine.cli.app import app
from engine.mdp.sources import find_model
from engine.oracle.client import CheckedModel, check_model
from engine.oracle.request import Request

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from typer.testing import Result

CHAIN = """dtmc
const int N;
module walk
  x : [0..3] init 0;
  [] x=0 -> 1/2 : (x'=1) + 1/2 : (x'=2);
  [] x=1 -> 1/3 : (x'=3) + 2/3 : (x'=0);
  [] x=2 -> true;
  [] x=3 -> true;
endmodule
label "goal" = x=N;
rewards "steps" true : 1; endrewards
"""
"""From x=0 the goal x=3 has probability v = 1/2 (1/3 + 2/3 v), so v = 1/4."""

EVERY_RUN_ENDS = CHAIN.replace("x=2 -> true", "x=2 -> (x'=3)")
"""Steps to x=3 from x=0: e = 1 + 1/2 (1 + 2/3 e) + 1/2 · 1, so e = 3."""

REFUSED = {
    "ctmc.sm": "ctmc\nmodule m\n x:[0..1] init 0;\n [] x=0 -> 2:(x'=1);\n [] x=1 -> 1:true;\nendmodule\n",
    "ma.prism": "ma\nmodule m\n x:[0..1] init 0;\n <> x=0 -> 3:(x'=1);\n [] x=1 -> true;\nendmodule\n",
    "pomdp.prism": "pomdp\nobservables x endobservables\nmodule m\n x:[0..1] init 0;\n y:[0..1] init 0;\n"
    " [a] x=0 -> 1/2:(x'=1)+1/2:(y'=1);\n [b] x=1 -> true;\nendmodule\n",
    "smg.prism": "smg\nplayer p [a] endplayer\nmodule m\n x:[0..1] init 0;\n [a] true -> (x'=1);\nendmodule\n",
    "pta.prism": "pta\nmodule m\n x:[0..1] init 0;\n c:clock;\n [a] x=0&c>=1 -> (x'=1);\nendmodule\n",
    "popta.prism": "// clocks, unobserved\npopta\nmodule m\n x:[0..1] init 0;\n [a] x=0 -> (x'=1);\nendmodule\n",
}

_DRN = "@type: {kind}\n@parameters\n\n@reward_models\n\n@nr_states\n2\n@nr_choices\n2\n@model\n{body}"
REFUSED |= {
    "ctmc.drn": _DRN.format(
        kind="CTMC", body="state 0 !2 init\n\taction 0\n\t\t1 : 1\nstate 1 !1\n\taction 0\n\t\t1 : 1\n"
    ),
    "ma.drn": _DRN.format(
        kind="Markov Automaton", body="state 0 !2 init\n\taction 0\n\t\t1 : 1\nstate 1 !0\n\taction 0\n\t\t1 : 1\n"
    ),
    "pomdp.drn": _DRN.format(
        kind="POMDP", body="state 0 {0} init\n\taction 0\n\t\t1 : 1\nstate 1 {1}\n\taction 0\n\t\t1 : 1\n"
    ),
}

PLAIN_DRN = _DRN.format(kind="MDP", body="state 0 init\n\taction a\n\t\t1 : 1\nstate 1 goal\n\taction a\n\t\t1 : 1\n")


INTEGER = {"kind": "bounded", "base": "int"}


def _leads(target: int, numerator: int, denominator: int) -> dict[str, Any]:
    return {
        "location": "l",
        "probability": {"exp": {"op": "/", "left": numerator, "right": denominator}},
        "assignments": [{"ref": "x", "value": target}],
    }


def _reach(target: int, optimum: str) -> dict[str, Any]:
    path = {"op": "F", "exp": {"op": "=", "left": "x", "right": target}}
    return {
        "op": "filter",
        "fun": "values",
        "states": {"op": "initial"},
        "values": {"op": optimum, "exp": path},
    }


def jani() -> dict[str, Any]:
    """Return a model in JANI: from x=0, ``go`` reaches x=2 with 1/3, ``try`` with 1/5, else x=1; both absorb."""
    start = {"exp": {"op": "=", "left": "x", "right": 0}}
    end = {"exp": {"op": ">", "left": "x", "right": 0}}
    edges = [
        {"location": "l", "action": "go", "guard": start, "destinations": [_leads(2, 1, 3), _leads(1, 2, 3)]},
        {"location": "l", "action": "try", "guard": start, "destinations": [_leads(2, 1, 5), _leads(1, 4, 5)]},
        {"location": "l", "action": "stay", "guard": end, "destinations": [{"location": "l"}]},
    ]
    everywhere = {"op": "filter", "fun": "values", "states": {"op": "initial"}}
    always = {"op": "Pmax", "exp": {"op": "G", "exp": {"op": "<", "left": "x", "right": 2}}}
    return {
        "jani-version": 1,
        "name": "small",
        "type": "mdp",
        "actions": [{"name": "go"}, {"name": "try"}, {"name": "stay"}],
        "variables": [
            {"name": "x", "type": {**INTEGER, "lower-bound": 0, "upper-bound": 2}, "initial-value": 0}
        ],
        "properties": [
            {"name": "never", "expression": {**everywhere, "values": always}},
            {"name": "arrive", "expression": _reach(2, "Pmax")},
            {"name": "worst", "expression": _reach(2, "Pmin")},
        ],
        "automata": [
            {"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}
        ],
        "system": {"elements": [{"automaton": "a"}], "syncs": [
            {"synchronise": [name], "result": name} for name in ("go", "try", "stay")
        ]},
    }  # fmt: skip


def umb_of(text: str, folder: Path) -> Path:
    """Return the UMB archive, in doubles, that Storm writes of a PRISM model."""
    path = folder / "origin.prism"
    path.write_text(text)
    return check_model(Request(path=path)).folder / "model.umb"


def exchange(source: Path, result: Path, edit: Callable[[str, bytes], bytes], mode: str = "w") -> Path:
    """Copy an archive with its members edited, compressed by the tar mode."""
    with tarfile.open(source) as old, tarfile.open(result, mode) as new:  # type: ignore[call-overload]  # any tar mode
        for member in old:
            file = old.extractfile(member)
            data = edit(member.name, b"" if file is None else file.read())
            info = tarfile.TarInfo(member.name)
            info.size, info.type, info.mode = len(data), member.type, member.mode
            new.addfile(info, io.BytesIO(data))
    return result


def as_rationals(name: str, data: bytes) -> bytes:
    """Turn the doubles of an archive into the fractions that they stand for, with denominators up to 100."""
    if name == "index.json":
        index = json.loads(data)
        rational = {"type": "rational", "size": 128}
        index["transition-system"]["branch-probability-type"] = rational
        for entry in index["annotations"].get("rewards", {}).values():
            entry["type"] = rational
        return json.dumps(index).encode()
    if name == "branch-to-probability.bin" or (name.startswith("annotations/rewards/") and name.endswith("values.bin")):
        doubles = struct.unpack(f"<{len(data) // 8}d", data)
        fractions = [Fraction(value).limit_denominator(100) for value in doubles]
        return b"".join(struct.pack("<qQ", number.numerator, number.denominator) for number in fractions)
    return data


def unchanged(_name: str, data: bytes) -> bytes:
    """Leave a member as it is."""
    return data


def run(*args: str) -> Result:
    """Run a command of the command line."""
    return CliRunner().invoke(app, args)


def opened(path: Path, **options: Any) -> CheckedModel:
    """Check a model file with the options of a request."""
    constants = options.pop("constants", None)
    return check_model(find_model(str(path)).request(constants, **options))


def start(checked: CheckedModel) -> Any:
    """Return V in the first initial state."""
    assert checked.facts is not None
    return checked.facts.value.at(int(checked.mdp.initial[0]))
