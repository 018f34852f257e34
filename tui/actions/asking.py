"""Actions of the ask screen."""

from __future__ import annotations

from tui.actions.action import Action

ASKING: tuple[Action, ...] = (
    Action("ask.send", "ctrl+r,f5", "send", "Ask", "Send the question.", "ask", footer=True),
    Action("ask.cancel", "escape", "leave", "Back", "Cancel a running question, else go back.", "ask", footer=True),
    Action("ask.prompt", "p", "prompt", "Prompt", "See the prompt; change it before it is sent.", "ask", footer=True),
    Action("ask.keep", "k", "keep", "Keep", "Keep the answers in the model's campaign file.", "ask", footer=True),
    Action("ask.next", "right_square_bracket", "next", "Next answer", "Show the next answer.", "ask"),
    Action("ask.before", "left_square_bracket", "before", "Answer before", "Show the answer before.", "ask"),
    Action(
        "card.witness",
        "w",
        "witness",
        "Witness",
        "Walk in the explorer along the path that shows why an answer is right or wrong.",
        "card",
        footer=True,
    ),
    Action(
        "card.export",
        "e",
        "export",
        "Save",
        "Save the verdict card as Markdown, HTML or SVG.",
        "card",
        footer=True,
    ),
    Action(
        "explorer.verdict",
        "A",
        "app.last_verdict",
        "Last verdict",
        "Go back to the last question and its verdicts.",
        "explorer",
    ),
)
