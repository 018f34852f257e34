"""Actions of the explorer and of its panels."""

from __future__ import annotations

from tui.action import Action

EXPLORER: tuple[Action, ...] = (
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
)
