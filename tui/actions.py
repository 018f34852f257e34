"""The one registry of actions: keys, footer, command palette and help are all made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Action:
    """Something a user can do.

    Attributes
    ----------
    id
        Stable name: a settings file can give it other keys.
    keys
        Textual key names, comma-separated; the first is the one that is shown.
    action
        The Textual action; its method is on the group's screen, widget or app.
    title
        One or two words for the footer.
    help
        One sentence for help and palette.
    group
        Where it works: a key of `GROUPS`.
    footer
        Whether the footer shows it.
    palette
        Whether the command palette offers it.
    """

    id: str
    keys: str
    action: str
    title: str
    help: str
    group: str
    footer: bool = False
    palette: bool = True
    priority: bool = False


GROUPS = {
    "app": "Everywhere",
    "explorer": "Explorer",
    "table": "State table",
    "actions": "Actions panel",
    "state": "State panel",
    "ask": "Ask",
    "campaign": "Campaign",
    "form": "Forms",
}

REGISTRY: tuple[Action, ...] = (
    Action("app.help", "question_mark,f1", "help", "Help", "Show all keys.", "app", footer=True),
    Action("app.theme", "t", "toggle_theme", "Light/dark", "Switch between the light and the dark theme.", "app"),
    Action("app.suspend", "ctrl+z", "suspend_process", "Suspend", "Go to the shell; fg there comes back.", "app"),
    Action(
        "app.quit_anywhere",
        "ctrl+q",
        "leave_app",
        "Quit",
        "Leave stormscope, also from a field where q is a letter.",
        "app",
        palette=False,
        priority=True,
    ),
    Action("app.palette", "ctrl+p", "command_palette", "Commands", "Search every command.", "app", palette=False),
    Action(
        "app.quit", "q", "leave_app", "Quit", "Leave stormscope; answers that arrived are kept.", "app", footer=True
    ),
    Action(
        "explorer.filter",
        "slash",
        "filter",
        "Filter",
        "Show only the states that satisfy a PRISM expression.",
        "explorer",
        footer=True,
    ),
    Action(
        "explorer.ask", "a", "ask", "Ask", "Ask a language model about the selected state.", "explorer", footer=True
    ),
    Action(
        "explorer.campaign",
        "c",
        "campaign",
        "Campaign",
        "Ask many questions in the background; see the verdict table.",
        "explorer",
        footer=True,
    ),
    Action(
        "explorer.back",
        "backspace,b,left_square_bracket",
        "back",
        "Back",
        "Return to the state before.",
        "explorer",
        footer=True,
    ),
    Action("explorer.forward", "right_square_bracket", "forward", "Forward", "Undo going back.", "explorer"),
    Action(
        "explorer.initial",
        "i",
        "initial",
        "Initial state",
        "Select the initial state; again: the next one.",
        "explorer",
    ),
    Action(
        "explorer.objective",
        "o",
        "objective",
        "Objective",
        "Choose what is optimised, and check the model again.",
        "explorer",
        footer=True,
    ),
    Action(
        "explorer.constants",
        "m",
        "constants",
        "Constants",
        "Change the model's constants, and check it again.",
        "explorer",
    ),
    Action(
        "explorer.words",
        "e",
        "words",
        "Edit words",
        "Say what the model is about, and save it as an environment of your own.",
        "explorer",
    ),
    Action("explorer.clear", "escape", "clear", "Clear filter", "Show all states again.", "explorer"),
    Action("explorer.table", "s", "focus_table", "States", "Go to the state table.", "explorer"),
    Action("explorer.actions", "l", "focus_actions", "Actions", "Go to the selected state's actions.", "explorer"),
    Action("table.down", "down,j", "cursor_down", "Down", "Select the next state.", "table", palette=False),
    Action("table.up", "up,k", "cursor_up", "Up", "Select the state before.", "table", palette=False),
    Action(
        "table.page_down", "pagedown,ctrl+f", "page_down", "Page down", "Move down by a page.", "table", palette=False
    ),
    Action("table.page_up", "pageup,ctrl+b", "page_up", "Page up", "Move up by a page.", "table", palette=False),
    Action("table.first", "home,g", "cursor_table_start", "First", "Select the first state.", "table", palette=False),
    Action("table.last", "end,G", "cursor_table_end", "Last", "Select the last state.", "table", palette=False),
    Action("table.left", "left", "scroll_left", "Left", "Show the columns to the left.", "table", palette=False),
    Action("table.right", "right", "scroll_right", "Right", "Show the columns to the right.", "table", palette=False),
    Action(
        "table.walk", "enter", "open", "Actions", "Go to the actions of the selected state.", "table", palette=False
    ),
    Action(
        "actions.walk", "enter", "select", "Walk", "Walk into the successor under the cursor.", "actions", palette=False
    ),
    Action("actions.down", "down,j", "cursor_down", "Down", "Next action or successor.", "actions", palette=False),
    Action("actions.up", "up,k", "cursor_up", "Up", "Action or successor before.", "actions", palette=False),
    Action("actions.page_down", "pagedown", "page_down", "Page down", "Down by a page.", "actions", palette=False),
    Action("actions.page_up", "pageup", "page_up", "Page up", "Up by a page.", "actions", palette=False),
    Action("actions.first", "home,g", "first", "First", "First action.", "actions", palette=False),
    Action("actions.last", "end,G", "last", "Last", "Last successor.", "actions", palette=False),
    Action("state.down", "down,j", "cursor_down", "Down", "Scroll down.", "state", palette=False),
    Action("state.up", "up,k", "cursor_up", "Up", "Scroll up.", "state", palette=False),
    Action("ask.send", "ctrl+r,f5", "send", "Ask", "Send the question.", "ask", footer=True),
    Action(
        "ask.cancel", "escape", "leave", "Cancel/back", "Cancel a running question, else go back.", "ask", footer=True
    ),
    Action("campaign.start", "ctrl+r,f5", "start", "Start", "Start or continue the campaign.", "campaign", footer=True),
    Action(
        "campaign.stop",
        "ctrl+s,f8",
        "stop",
        "Stop",
        "Stop the campaign; every answer that arrived is kept.",
        "campaign",
        footer=True,
    ),
    Action(
        "campaign.leave", "escape", "leave", "Back", "Go back; the campaign keeps running.", "campaign", footer=True
    ),
    Action("form.send", "ctrl+r,f5", "send", "Send", "Do what the form says.", "form"),
    Action("form.leave", "escape", "leave", "Cancel", "Cancel what is running, else close the form.", "form"),
)


def of_group(group: str) -> Iterator[Action]:
    """Yield the actions of one group, in the order of the registry."""
    return (action for action in REGISTRY if action.group == group)


def bindings(group: str) -> list[Binding]:
    """Return a group's key bindings, with stable ids."""
    return [
        Binding(
            action.keys,
            action.action,
            action.title,
            show=action.footer,
            tooltip=action.help,
            id=action.id,
            priority=action.priority,
        )
        for action in of_group(group)
    ]


_KEY_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "pagedown": "page down",
    "pageup": "page up",
    "escape": "esc",
}


def key_text(keys: str) -> str:
    """Return key names as people read them: ``backspace, b, [``."""
    return ", ".join(_KEY_NAMES.get(key, key).replace("ctrl+", "^") for key in keys.split(","))
