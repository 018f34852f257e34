"""Model files that are broken, empty or something else: one message that says what, where and what to do."""

from __future__ import annotations

import gzip
import json
import tarfile
from typing import TYPE_CHECKING

import pytest
from cli_support import run_cli
from source_support import PLAIN_DRN, exchange, jani, umb_of, unchanged
from storm_support import HALF

from engine.errors import ModelError
from engine.oracle.worker.drn_source import require_whole
from engine.oracle.worker.text_source import require_kind, require_shallow
from engine.oracle.worker.umb_source import inexact_reason

if TYPE_CHECKING:
    from pathlib import Path

JANI = json.dumps(jani())
DEEP = HALF.replace("x=0", "(" * 5_000 + "x=0" + ")" * 5_000, 1)
NEGATIVE = HALF.replace("mdp", "mdp\nconst double p;").replace("1/3 :", "x-p :").replace("2/3", "p+1")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a whole UMB archive, uncompressed."""
    return umb_of(HALF, tmp_path_factory.mktemp("umb"))


@pytest.mark.parametrize(
    ("name", "content", "says", "hint"),
    [
        ("m.jani", JANI[: len(JANI) // 2], "m.jani:1:", "mend the model file"),
        ("m.jani", JANI.replace('"automata"', '"automats"'), "m.jani: ", "mend the model file"),
        ("m.jani", HALF, "this looks like a PRISM model", "the ending .prism"),
        ("m.prism", JANI, "this looks like JANI", "the ending .jani"),
        ("m.nm", "// a comment\n" + PLAIN_DRN, "this looks like DRN", "the ending .drn"),
        ("m.prism", "model x", "m.prism:1:1: syntax error", "begins with its type: mdp or dtmc"),
        ("m.prism", "\ufeff" + HALF, "a byte order mark", "without one"),
        ("m.prism", HALF.replace("walk", "wa\0lk"), "zero bytes", "UTF-8"),
        ("m.prism", "", "the file is empty", "written to the end"),
        ("m.jani", " \n" * 200_000, "nothing but white space", "written to the end"),
        ("m.prism", DEEP, "m.prism:4: more than 1,000 brackets", "formulas"),
        ("m.prism", HALF.replace("init 0", "init 9"), "initial state", "check the constants (--const)"),
        ("m.prism", HALF.replace("(x'=2)", "(x'=9)"), "out-of-bounds value", "check the constants (--const)"),
        ("m.prism", NEGATIVE, "negative", "check the constants (--const)"),
        ("m.drn", PLAIN_DRN.replace("@type: MDP", "@type: ZZZ"), "no model type 'ZZZ'", "mend the model file"),
        ("m.drn", PLAIN_DRN.replace("1 : 1", "1 : one", 1), "'one' is no number", "mend the model file"),
        ("m.drn", PLAIN_DRN.replace("@model", "@modell"), "the line @model is missing", "begins with @type"),
        ("m.drn", "nonsense", "the line @type is missing", "begins with @type"),
        ("m.umb", HALF, "this looks like a PRISM model", "the ending .prism"),
        ("m.umb", "nonsense", "neither a tar file nor a compressed one", "write the archive again"),
    ],
    ids=lambda text: text[:20],
)
def test_a_broken_model_file_is_one_message(tmp_path: Path, name: str, content: str, says: str, hint: str) -> None:
    """The exit code is that of a model that cannot be checked, nothing is printed, and there is something to do."""
    path = tmp_path / name
    path.write_text(content)
    constants = ["--const", "p=1/2"] if "double p" in content else []
    result = run_cli("check", str(path), "--objective", "Pmax=? [F true]", *constants)
    assert result.exit_code == 3, result.stderr
    what, _, said = result.stderr.partition("\n  → ")
    assert says in what
    assert hint in said
    assert result.stdout == ""
    assert len(what) < 600
    assert not any(word in result.stderr for word in ("Traceback", "json.exception", "ReadError", "please report"))


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("compressed", [False, True])
def test_a_truncated_archive_is_cut_off(archive: Path, tmp_path: Path, share: float, *, compressed: bool) -> None:
    """However much is missing, compressed or not, the message is about the archive and names no reader's innards."""
    with tarfile.open(archive) as tar:
        end = max(member.offset_data + member.size for member in tar)  # what follows is padding
    data = gzip.compress(archive.read_bytes()) if compressed else archive.read_bytes()[:end]
    path = tmp_path / "cut.umb"
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(ModelError, match="no whole UMB archive") as caught:
        inexact_reason(path)
    assert caught.value.what.endswith(("it is cut off", "neither a tar file nor a compressed one", "no index.json"))
    assert caught.value.hint == "write the archive again"


def test_an_index_that_is_no_json(archive: Path, tmp_path: Path) -> None:
    """A damaged member is told from a damaged archive."""
    path = exchange(archive, tmp_path / "m.umb", lambda name, data: b"{" if name == "index.json" else data)
    with pytest.raises(ModelError, match="its index is no JSON"):
        inexact_reason(path)


@pytest.mark.parametrize("ending", [".prism", ".nm", ".PM", ".sm"])
def test_what_is_as_its_ending_says_passes(archive: Path, tmp_path: Path, ending: str) -> None:
    """Every format is recognised as itself: PRISM programs with comments first, and compressed archives too."""
    path = tmp_path / f"m{ending}"
    path.write_text("// mdp\n\n" + HALF)
    require_kind(path)
    for name, content in (
        ("m.jani", JANI),
        ("m.drn", PLAIN_DRN),
        ("m.tra", "mdp\n0 0 0 1\n"),
        ("n.tra", "1 1 1\n0 0 0 1\n"),
    ):
        (tmp_path / name).write_text(content)
        require_kind(tmp_path / name)
    require_kind(archive)
    require_kind(exchange(archive, tmp_path / "packed.umb", unchanged, "w:gz"))
    require_whole(tmp_path / "m.drn")


def test_brackets_are_counted_by_their_depth_alone(tmp_path: Path) -> None:
    """A long file with many brackets side by side is as shallow as each of them."""
    path = tmp_path / "m.prism"
    path.write_text("(x)\n" * 50_000 + "(" * 1_000 + ")" * 1_000)
    require_shallow(path)
    path.write_text("(x)\n" * 50_000 + "(" * 1_001 + ")" * 1_001)
    with pytest.raises(ModelError) as caught:
        require_shallow(path)
    assert caught.value.where.endswith(":50001")
