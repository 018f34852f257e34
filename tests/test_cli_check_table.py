"""The table of ``check`` fits its terminal and keeps every name whole."""

from __future__ import annotations

import re

import pytest
from cli_support import json_of, run_cli


@pytest.mark.parametrize("environment", ["dam", "wolf_goat_cabbage", "resource_gathering"])
@pytest.mark.parametrize("width", [80, 120])
def test_every_action_and_flag_of_a_row_is_readable(
    environment: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No line is wider than the terminal, and each listed action and label stands in the table uncut."""
    monkeypatch.setenv("COLUMNS", str(width))
    text = run_cli("check", environment, "--limit", "5").stdout
    table = text[text.index("\nstate ") :]
    assert max(map(len, table.splitlines())) <= width
    assert not re.search(r"[^\W\d]…", table)  # only digits are cut
    words = set(re.findall(r"[\w]+", table))
    for state in json_of("check", environment, "--limit", "5")["states_listed"]:
        assert set(state["labels"]) <= words
        for action in state["actions"]:
            if action["best"] is True or action["worst"] is True:
                assert set(action["action"].split()) <= words


def test_constants_stand_behind_the_models_name_as_in_run() -> None:
    """``frozen_lake:map=8`` is the 64 tiles of the large map, on every command; a constant is given once only."""
    assert json_of("check", "frozen_lake:map=8,slip=0", "--limit", "0")["states"] == 64
    assert run_cli("cases", "frozen_lake:map=8", "--category", "satisfy", "--budget", "1").exit_code == 0
    twice = run_cli("check", "frozen_lake:map=8", "--const", "map=4")
    assert twice.exit_code == 2
    assert "map is given twice" in twice.stderr
