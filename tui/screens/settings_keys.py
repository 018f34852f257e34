"""The page of the keys: every action with its keys, which can be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from engine.settings_file import keys_change
from tui.actions.registry import GROUPS, REGISTRY, key_text, of_group
from tui.appearance.keymap import DEFAULT, Keymap, read_keymap, with_keys
from tui.screens.settings_page import SettingsPage
from tui.text import clean
from tui.widgets.settings_list import SettingsList

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

KEYS_WIDTH = 20
HINT = (
    "On an action {list.choose} changes its keys, {settings.remove} gives those back that it comes with. "
    "Several keys: with commas."
)


class KeysPage(SettingsPage):
    """Actions by place."""

    TITLE = "Keys"

    def __init__(self) -> None:
        super().__init__(id="page-keys")
        self._action = ""

    def compose(self) -> ComposeResult:
        """Create list and field."""
        yield SettingsList(id="keys-list")
        yield Input(compact=True, id="keys-input", select_on_focus=False, placeholder="e.g. x, ctrl+x, f6")
        yield Static("", id="keys-about", classes="page-about", markup=False)
        yield Static(Content(with_keys(HINT, self._keymap)), classes="page-hint", markup=False)

    @property
    def _keymap(self) -> Keymap:
        found = getattr(self.app, "keymap", DEFAULT)
        return found if isinstance(found, Keymap) else DEFAULT

    def show(self) -> None:
        """Show all actions."""
        self.query_one(SettingsList).show_lines(self._lines())
        self.query_one(Input).display = False

    def begin(self) -> None:
        """Go to the list."""
        self.query_one(SettingsList).focus()

    def _lines(self) -> Iterator[tuple[str, Content]]:
        keymap = self._keymap
        for group, title in GROUPS.items():
            actions = list(of_group(group))
            if actions:
                yield "", Content.styled(title, "bold $primary")
            for action in actions:
                changed = ("*" if action.id in keymap.changed else " ", "bold $accent")
                keys = (f"{clean(key_text(keymap.keys_of(action))):<{KEYS_WIDTH}} ", "bold")
                yield action.id, Content.assemble(changed, " ", keys, clean(action.help))

    @on(OptionList.OptionHighlighted)
    def _looked(self, event: OptionList.OptionHighlighted) -> None:
        """Show the whole of the line, and what the settings file calls the action."""
        event.stop()
        action = next((action for action in REGISTRY if action.id == event.option_id), None)
        if action is not None:
            keys = clean(key_text(self._keymap.keys_of(action)))
            text = f'{keys}: {action.help} In the settings file: "{action.id}"'
            self.query_one("#keys-about", Static).update(Content(text))

    @on(OptionList.OptionSelected)
    def _edit(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        action = next((action for action in REGISTRY if action.id == event.option_id), None)
        if action is None:
            return
        self._action = action.id
        field = self.query_one(Input)
        field.display = True
        field.value = self._keymap.keys_of(action)
        field.cursor_position = len(field.value)
        field.border_title = f"keys of {action.id}"
        field.focus()

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        keymap = read_keymap({**self._keymap.changed, self._action: text})
        if keymap.problems:
            self.post_message(self.Said(keymap.problems[0], error=True))
            return
        self._write(text)

    def _write(self, keys: str | None) -> None:
        done = f"{self._action} has the keys that it comes with" if keys is None else f"{self._action} is on {keys}"
        self.post_message(self.Wanted(keys_change(self._action, keys), done))
        self.query_one(Input).display = False
        self.query_one(SettingsList).focus()

    def action_remove(self) -> None:
        """Give an action the keys that it comes with."""
        chosen = self.query_one(SettingsList).chosen
        if chosen and self.query_one(SettingsList).has_focus and chosen in self._keymap.changed:
            self._action = chosen
            self._write(None)

    def leave(self) -> bool:
        """Close the field; return whether it was open."""
        field = self.query_one(Input)
        was_open, field.display = field.display, False
        if was_open and field.has_focus:
            self.begin()
        return was_open
