"""Keys that a user has changed: they work, conflicts are said, and help and footer tell the truth."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tui_support import explorer, lake_app, text_of, until

from engine.appearance import Preferences
from tui.actions.registry import GROUPS, REGISTRY, WITHIN
from tui.appearance.keymap import read_keymap
from tui.screens.help import HelpScreen

BY_ID = {action.id: action for action in REGISTRY}


def test_ids_are_unique_and_begin_with_their_group() -> None:
    """The settings file can name every action, and help finds a widget's group from its bindings."""
    assert len(BY_ID) == len(REGISTRY)
    assert [action.id for action in REGISTRY if action.id.partition(".")[0] != action.group] == []
    assert {action.group for action in REGISTRY} <= set(GROUPS)
    assert set(WITHIN) | set(WITHIN.values()) <= set(GROUPS)


def test_no_two_actions_of_a_group_share_a_key() -> None:
    """Nor does one that works everywhere share a key with another such one."""
    for group in GROUPS:
        actions = [action for action in REGISTRY if action.group == group]
        shared = [
            (one.id, other.id)
            for one, other in combinations(actions, 2)
            if set(one.keys.split(",")) & set(other.keys.split(","))
        ]
        assert shared == []


def test_swallowed_keys_are_never_the_only_way() -> None:
    """Function, control and page keys, which terminals may keep, have another key beside them or the palette."""

    def can_be_swallowed(key: str) -> bool:
        return key.startswith(("ctrl+", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "page", "alt+"))

    lonely = [
        action.id
        for action in REGISTRY
        if all(can_be_swallowed(key) for key in action.keys.split(",")) and not action.palette
    ]
    # Pages are also moved through line by line; ? and q do what f1 and ^q do; a button does what its form's key does;
    # the palette has nothing behind it that has no key of its own.
    others = {"app.help_anywhere", "app.quit_anywhere", "app.palette", "tool.run", "form.send"}
    assert [name for name in lonely if ".page_" not in name and name not in others] == []


@pytest.mark.parametrize(
    ("written", "key"),
    [("?", "question_mark"), ("^x", "ctrl+x"), ("esc", "escape"), ("+", "plus"), ("ctrl++", "ctrl+plus"), ("é", "é"),
     ("F", "F"), ("shift+f5", "shift+f5"), ("-", "minus"), ("control+x", "ctrl+x"), ("space", "space")],
)  # fmt: skip
def test_keys_as_people_write_them(written: str, key: str) -> None:
    """Signs, carets and short names become the names that Textual has."""
    out_of_the_way = {"app.help": "f12", "explorer.clear": "f11"}
    assert read_keymap({"table.mark": written, **out_of_the_way}).changed["table.mark"] == key


@pytest.mark.parametrize("written", ["", "ctrl+banana", "hyperspace", "ctrl+", "x+y", "🍌"])
def test_what_is_no_key_is_said(written: str) -> None:
    """A name that no key has is left out, with an example of one that works."""
    found = read_keymap({"table.mark": written})
    assert (found.changed, len(found.problems)) == ({}, 1)


def test_conflicts_are_said_and_left_out() -> None:
    """A key of another action at the same place is refused; of one at another place it is not."""
    found = read_keymap({"explorer.ask": "c", "start.file": "c", "app.quit": "a", "table.down": "/"})
    assert found.changed == {"start.file": "c"}
    refused = {problem.split(":")[0] for problem in found.problems}
    assert refused == {"keys.explorer.ask", "keys.app.quit", "keys.table.down"}


def test_two_keys_can_be_swapped() -> None:
    """A key that its action gives up is free for another one."""
    swapped = {"explorer.ask": "c", "explorer.campaign": "a"}
    assert read_keymap(swapped).changed == swapped


def test_a_change_that_needed_a_refused_one_is_refused_too() -> None:
    """If an action keeps its key after all, nobody else gets it."""
    found = read_keymap({"explorer.ask": "c", "explorer.step": "a"})
    assert (found.changed, len(found.problems)) == ({}, 2)


def test_an_unknown_action_is_named_with_the_nearest_one() -> None:
    """A mistyped id leads to the right one."""
    assert "did you mean 'explorer.filter'" in read_keymap({"explorer.fliter": "x"}).problems[0]


@given(st.dictionaries(st.sampled_from(sorted(BY_ID)), st.text(max_size=8), max_size=6))
def test_a_keymap_never_has_conflicts(wanted: dict[str, str]) -> None:
    """Whatever is written, each change is taken or said, and no taken key belongs to another action of its group."""
    found = read_keymap(wanted)
    assert len(found.changed) + len(found.problems) == len(wanted)
    for name, keys in found.changed.items():
        action = BY_ID[name]
        for other in REGISTRY:
            if other.group == action.group and other.id != name:
                theirs = set(found.keys_of(other).split(",")) - set(action.keys.split(","))
                assert not theirs & set(keys.split(","))


async def test_a_changed_key_works_and_is_shown() -> None:
    """The new key opens help, the old one does not, and footer and help name the new one."""
    app = lake_app(preferences=Preferences(keys={"app.help": "K", "app.quit": "nonsense"}))
    async with app.run_test(size=(100, 200), notifications=True) as pilot:  # all of the help at once
        await explorer(pilot)
        await until(pilot, lambda: "K Help" in text_of(app))
        await pilot.press("question_mark")
        assert not isinstance(app.screen, HelpScreen)
        await pilot.press("K")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        assert "│  K                   Show all keys." in text_of(app)
        assert any("keys.app.quit" in problem for problem in app.left_out)


async def test_help_begins_where_the_focus_is() -> None:
    """In the state table its keys come first, in the actions panel those of the panel."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        heads = []
        for keys in (["question_mark"], ["escape", "l", "question_mark"]):
            await pilot.press(*keys)
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            await pilot.pause()
            shown = text_of(app)
            heads.append(min(("State table", "Actions panel"), key=lambda head: shown.find(head) % len(shown)))
        assert heads == ["State table", "Actions panel"]


async def test_help_opens_over_a_form() -> None:
    """From a button ? shows the keys, those of the form first; from a field, where it is a letter, f1 does."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        for focus, key in (("#form-send", "question_mark"), ("#objective-text", "f1")):
            await pilot.press("o")
            await until(pilot, lambda: bool(app.screen.query("#objective-text")))
            app.screen.query_one(focus).focus()
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            assert "Cancel what is running, else close the form." in text_of(app)
            await pilot.press("escape", "escape")
            await until(pilot, lambda: len(app.screen_stack) == 2)
