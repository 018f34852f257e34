"""Actions of the explorer's tools: how states are looked at, walked, compared, and what is computed about them."""

from __future__ import annotations

from tui.actions.action import Action

LOOKING: tuple[Action, ...] = (
    Action(
        "explorer.columns", "v", "columns", "Columns", "Sort the states by a column; hide and show columns.", "explorer"
    ),
    Action("explorer.sort_next", "greater_than_sign", "sort_next", "Sort →", "Sort by the next column.", "explorer"),
    Action("explorer.sort_before", "less_than_sign", "sort_before", "Sort ←", "Sort by the column before.", "explorer"),
    Action("explorer.reverse", "r", "reverse", "Reverse", "Turn the order of the states round.", "explorer"),
    Action("explorer.decimals", "d", "decimals", "Decimals", "Write numbers as decimals or as fractions.", "explorer"),
    Action("explorer.filters", "f", "filters", "Saved filters", "Save the filter, or use a saved one.", "explorer"),
    Action(
        "explorer.jump", "colon", "jump", "Go to state", "Go to a state by its number or by an expression.", "explorer"
    ),
    Action("explorer.bookmark", "B", "bookmark", "Bookmark", "Remember the selected state, or forget it.", "explorer"),
    Action("explorer.bookmarks", "apostrophe", "bookmarks", "Bookmarks", "Go to a state with a bookmark.", "explorer"),
    Action(
        "explorer.copy", "y", "copy", "Copy", "Copy a cell, a row, or the states as CSV; or write a file.", "explorer"
    ),
    Action("explorer.unmark", "u", "unmark", "Unmark all", "Forget all marks.", "explorer"),
    Action("explorer.picture", "p", "picture", "Picture", "Draw V, danger, loss, or the optimal actions.", "explorer"),
    Action("explorer.definitions", "h", "definitions", "Definitions", "Say what each fact means.", "explorer"),
    Action("table.mark", "space", "mark", "Mark", "Mark the selected state, to ask about or compare.", "table"),
)
WORKING: tuple[Action, ...] = (
    Action("explorer.step", "n", "step", "Step", "Take an optimal action; chance draws the successor.", "explorer"),
    Action(
        "explorer.runs", "R", "runs", "Sample runs", "Sample runs from here and compare their share with V.", "explorer"
    ),
    Action(
        "explorer.compare", "equals_sign", "compare", "Compare", "Set two states side by side: marked ones.", "explorer"
    ),
    Action(
        "explorer.what_if", "w", "what_if", "What if", "Block the state or forbid an action; see V change.", "explorer"
    ),
    Action("explorer.plots", "P", "plots", "Plots", "Plot V, the gaps, or V against a constant.", "explorer"),
    Action(
        "explorer.reproduce",
        "x",
        "reproduce",
        "Reproduce",
        "Show the storm commands for the state's values.",
        "explorer",
    ),
    Action("explorer.policy", "D", "policy", "Policy diff", "Load a policy; list where it is not optimal.", "explorer"),
    Action(
        "explorer.losses",
        "L",
        "losses",
        "Losses",
        "Compute what blocking each state would cost, as a column.",
        "explorer",
    ),
)
FILTER: tuple[Action, ...] = (
    Action(
        "filter.send",
        "enter",
        "submit",
        "Filter",
        "Show the states that satisfy the expression.",
        "filter",
        footer=True,
        palette=False,
    ),
    Action(
        "filter.complete",
        "tab",
        "complete",
        "Complete",
        "Take the completion; an empty field is left.",
        "filter",
        footer=True,
        palette=False,
    ),
)
LISTS: tuple[Action, ...] = (
    Action("list.choose", "enter", "select", "Choose", "Choose what is under the cursor.", "list", palette=False),
    Action("list.down", "down,j", "cursor_down", "Down", "Next line.", "list", palette=False),
    Action("list.up", "up,k", "cursor_up", "Up", "Line before.", "list", palette=False),
    Action("list.page_down", "pagedown", "page_down", "Page down", "Down by a page.", "list", palette=False),
    Action("list.page_up", "pageup", "page_up", "Page up", "Up by a page.", "list", palette=False),
    Action("list.first", "home,g", "first", "First", "First line.", "list", palette=False),
    Action("list.last", "end,G", "last", "Last", "Last line.", "list", palette=False),
    Action(
        "tool.close",
        "escape",
        "leave",
        "Close",
        "Cancel what is computed, else close.",
        "tool",
        footer=True,
        palette=False,
    ),
    Action("tool.run", "ctrl+r,f5", "run", "Run", "Compute it.", "tool", footer=True, palette=False),
    Action(
        "tool.switch",
        "space",
        "switch",
        "Switch",
        "Switch what is under the cursor on or off.",
        "tool",
        footer=True,
        palette=False,
    ),
    Action(
        "tool.remove",
        "delete,x",
        "remove",
        "Remove",
        "Remove what is under the cursor.",
        "tool",
        footer=True,
        palette=False,
    ),
    Action("tool.write", "w", "write", "Write", "Write it to a file instead.", "tool", footer=True, palette=False),
    Action("tool.copy", "y", "copy", "Copy", "Copy what is shown.", "tool", footer=True, palette=False),
    Action(
        "tool.next",
        "right_square_bracket,pagedown",
        "next",
        "Next",
        "Show the next plot.",
        "tool",
        footer=True,
        palette=False,
    ),
    Action(
        "tool.before",
        "left_square_bracket,pageup",
        "before",
        "Before",
        "Show the plot before.",
        "tool",
        footer=True,
        palette=False,
    ),
)
