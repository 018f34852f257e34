"""In the app nobody is told to give an option to a command."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from engine.errors import UsageError
from tui.told import told

ROOT = Path(__file__).resolve().parents[1]
OPTION = re.compile(r"(?<![\w-])--[a-z]")
COMMAND = re.compile(r"`[^`]*`|stormscope [^\n]*")


def _hints() -> list[str]:
    """Return the texts of the engine that name an option and that an error may say, placeholders as dots."""
    found = []
    for path in (ROOT / "engine").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg in {"hint", "where"}:
                parts = node.value.values if isinstance(node.value, ast.JoinedStr) else [node.value]
                text = "".join(part.value if isinstance(part, ast.Constant) else "…" for part in parts)
                if isinstance(text, str) and OPTION.search(text):
                    found.append(text)
    return sorted(set(found))


def test_the_engine_has_such_hints() -> None:
    """The test below is about something."""
    assert len(_hints()) > 10


@pytest.mark.parametrize("text", _hints())
def test_no_option_reaches_the_app(text: str) -> None:
    """Whatever hint or place names an option, the app says it without, or leaves it out."""
    said = told(UsageError("it did not work", where=text if text.startswith("--") else "", hint=text))
    assert not OPTION.search(COMMAND.sub("", said.where))
    assert not OPTION.search(COMMAND.sub("", said.hint))


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        ("give one with --objective", "choose an objective, or write one"),
        (
            'give one with --objective; the model\'s labels: "a"',
            'choose an objective, or write one; the model\'s labels: "a"',
        ),
        ("raise --max-states, or choose smaller constants", "choose smaller constants"),
        ("give them with --const K=…", "give them values: K=…"),
        ("check the constants (--const); else mend the model", "check the constants; else mend the model"),
        ("use Pmax; show others with --property", "use Pmax"),
        ("--mode exact gives exact values", ""),
        ("check the path", "check the path"),
        ("`stormscope run --out FILE` writes one", "`stormscope run --out FILE` writes one"),
    ],
)
def test_hints_say_what_can_be_done_here(hint: str, said: str) -> None:
    """What the app has words for is said in them; the rest of the hint stays; whole commands are quoted as they are."""
    assert told(UsageError("it did not work", hint=hint)).hint == said
