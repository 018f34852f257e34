"""Changing the settings file: comments stay, nothing invalid is written, nothing is half written."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.appearance import flat_keys, load_preferences
from engine.errors import UsageError
from engine.settings import load_settings, settings_file
from engine.settings_file import change_settings, changed_text, keys_change

WRITTEN = """\
# what I like
explanation_length = 300  # longer than usual

[openai]
# the server is slow
timeout = 20.0

[keys]
app.quit = "Q"
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the settings file of this test's own, with contents."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    found = settings_file()
    found.parent.mkdir(parents=True)
    found.write_text(WRITTEN)
    return found


def test_comments_and_order_stay(file: Path) -> None:
    """A change touches its own value and adds what is new at the end; every line with a comment is still there."""
    change_settings({("openai", "timeout"): 30.0, ("tui", "theme"): "storm-light", ("endpoints", "lab", "model"): "m"})
    lines = file.read_text().splitlines()
    assert [line for line in lines if "#" in line] == [line for line in WRITTEN.splitlines() if "#" in line]
    assert lines.index("timeout = 30.0") == WRITTEN.splitlines().index("timeout = 20.0")
    settings = load_settings()
    assert (settings.openai.timeout, settings.tui.theme, settings.endpoints["lab"].model) == (30.0, "storm-light", "m")


def test_none_removes_a_key_and_a_table(file: Path) -> None:
    """What is removed is gone, and removing it again changes nothing."""
    change_settings({("endpoints", "lab", "model"): "m", ("endpoints", "other", "model"): "n"})
    change_settings({("endpoints", "lab"): None, ("openai", "timeout"): None})
    once = file.read_text()
    change_settings({("endpoints", "lab"): None, ("openai", "timeout"): None, ("nothing", "here"): None})
    assert file.read_text() == once
    settings = load_settings()
    assert (list(settings.endpoints), settings.openai.timeout) == (["other"], 120.0)


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("openai", "timeout"), -1, "greater than 0"),
        (("openai", "timeot"), 1, "there is no such setting"),
        (("openai", "api_key"), "sk-secret", "keys are not kept"),
        (("endpoints", "local", "model"), "m", "name of an explainer already"),
        (("explanation_length", "x"), 1, "is no table"),
    ],
)
def test_nothing_invalid_is_written(file: Path, place: tuple[str, ...], value: object, said: str) -> None:
    """A value that the settings refuse is explained, and the file stays as it was."""
    with pytest.raises(UsageError, match=said):
        change_settings({place: value})
    assert file.read_text() == WRITTEN
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_broken_file_is_left_alone(file: Path) -> None:
    """A file that is no TOML is named in the error and never overwritten."""
    file.write_text("theme = ")
    with pytest.raises(UsageError, match="not a valid TOML file") as caught:
        change_settings({("tui", "theme"): "sixteen"})
    assert (caught.value.where, file.read_text()) == (str(file), "theme = ")


def test_a_link_stays_a_link_and_rights_stay(file: Path, tmp_path: Path) -> None:
    """A settings file that is a link into a folder of dot files is written through, with its rights kept."""
    real = tmp_path / "dotfiles.toml"
    file.rename(real)
    real.chmod(0o600)
    file.symlink_to(real)
    change_settings({("tui", "theme"): "sixteen"})
    assert file.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert load_preferences().appearance.theme == "sixteen"


def test_a_new_file_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are no settings yet, folder and file are made."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "new"))
    change_settings({("tui", "theme"): "sixteen"})
    assert tomllib.loads(settings_file().read_text()) == {"tui": {"theme": "sixteen"}}


def test_keys_are_changed_however_they_were_written(file: Path) -> None:
    """A key that was written with a dotted name is replaced, not doubled, and can be given back."""
    change_settings(keys_change("app.quit", "ctrl+x"))
    assert load_preferences().keys == {"app.quit": "ctrl+x"}
    change_settings(keys_change("app.quit", None))
    assert load_preferences().keys == {}
    assert "# what I like" in file.read_text()


def test_preferences_survive_mistakes_elsewhere(file: Path) -> None:
    """An endpoint that is wrong does not keep the theme from being used; a wrong theme table is said and left out."""
    file.write_text('[tui]\ntheme = "sixteen"\n[openai]\ntimeout = "soon"\n')
    assert load_preferences().appearance.theme == "sixteen"
    file.write_text('[tui]\ntheem = "sixteen"\n[keys]\n"app.quit" = 3\n')
    found = load_preferences()
    assert (found.appearance.theme, found.keys) == ("", {})
    assert len(found.problems) == 2
    file.write_text("[tui\n")
    assert "cannot be read" in load_preferences().problems[0]


@pytest.mark.usefixtures("file")
def test_the_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable sets the theme whatever the file says, in the preferences as in the settings."""
    change_settings({("tui", "theme"): "sixteen"})
    monkeypatch.setenv("STORMSCOPE_TUI__THEME", "presentation")
    assert load_preferences().appearance.theme == load_settings().tui.theme == "presentation"


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=12)


@given(name=NAMES.filter(bool), value=NAMES)
def test_every_text_reads_back(name: str, value: str) -> None:
    """Whatever the name of an endpoint and its model are, TOML reads back what was written, and the rest as before."""
    after = tomllib.loads(changed_text(WRITTEN, {("endpoints", name, "model"): value}, Path("settings.toml")))
    assert after.pop("endpoints") == {name: {"model": value}}
    assert after == tomllib.loads(WRITTEN)


@pytest.mark.parametrize("table", [3, {"a": 3}, {"a": {"b": {"c": "x"}}}, ["x"]])
def test_keys_that_are_no_texts_are_refused(table: object) -> None:
    """Anything but texts by action is no table of keys."""
    assert flat_keys(table) is None
