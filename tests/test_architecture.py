"""The rules of the house that imports can break: the engine is headless, Storm stays in the child, start is light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CODE = [path for folder in ("engine", "tui", "environments", "themes") for path in (ROOT / folder).rglob("*.py")]


def _loaded_by(code: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter holds after running the code."""
    program = f"{code}\nimport sys\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


def test_the_engine_never_loads_textual() -> None:
    """Importing every module of the engine but the oracle child's loads no Textual, no tui and no stormpy."""
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in CODE
        if path.is_relative_to(ROOT / "engine") and path.name != "__main__.py"
    ]
    outside = [name for name in names if not name.startswith("engine.oracle.worker")]
    loaded = _loaded_by("\n".join(f"import {name}" for name in outside))
    assert not loaded & {"textual", "textual_fastdatatable", "tui", "stormpy"}


def test_stormpy_is_imported_in_exactly_one_module() -> None:
    """One file names stormpy in an import."""
    found = [
        path.relative_to(ROOT).as_posix()
        for path in CODE
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "stormpy" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "stormpy")
    ]
    assert set(found) == {"engine/oracle/worker/storm.py"}


@pytest.mark.parametrize("module", ["tui.main", "engine.cli.app"])
def test_the_command_line_starts_without_heavy_libraries(module: str) -> None:
    """Reading the options loads no arrays, no network, no screen: that is what keeps --help quick."""
    heavy = {"numpy", "scipy", "textual", "pyarrow", "aiohttp", "httpx", "pydantic", "jinja2", "sqlite3", "stormpy"}
    assert not _loaded_by(f"import {module}") & heavy


def test_no_file_is_longer_than_one_room() -> None:
    """No module has more than 300 lines."""
    long = {path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines()) for path in CODE}
    assert {name: lines for name, lines in long.items() if lines > 300} == {}
