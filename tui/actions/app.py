"""Actions that work everywhere, and those of the forms, the start screen, the settings and the tour."""

from __future__ import annotations

from tui.actions.action import Action

APP: tuple[Action, ...] = (
    Action("app.help", "question_mark", "help", "Help", "Show all keys.", "app", footer=True),
    Action(
        "app.help_anywhere",
        "f1",
        "help",
        "Help",
        "Show all keys, also from a field and over a message.",
        "app",
        footer=True,
        palette=False,
        priority=True,
    ),
    Action("app.theme", "t", "toggle_theme", "Light/dark", "Switch between the light and the dark theme.", "app"),
    Action("app.open", "f2,ctrl+o", "open_start", "Open", "Open another model or campaign.", "app"),
    Action("app.settings", "f3,comma", "settings", "Settings", "Endpoints, theme, keys and folders.", "app"),
    Action("app.export", "f9,ctrl+g", "export", "Picture", "Save what is on the screen as an SVG picture.", "app"),
    Action("app.tour", "f4", "tour", "Tour", "Be shown around; escape leaves the tour.", "app"),
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
    Action("form.send", "ctrl+r,f5", "send", "Send", "Do what the form says.", "form", footer=True),
    Action(
        "form.leave", "escape", "leave", "Cancel", "Cancel what is running, else close the form.", "form", footer=True
    ),
    Action("start.file", "slash,o", "file", "File", "Type the path of a model file.", "start", footer=True),
    Action("start.forget", "delete,x", "forget", "Forget", "Take a recent file or campaign off the list.", "start"),
    Action("start.leave", "escape", "leave", "Back", "Stop what runs, leave the field, or go back.", "start"),
    Action("path.complete", "tab", "complete", "Complete", "Complete the path.", "path", footer=True, palette=False),
    Action("settings.test", "T", "test", "Test", "Ask the endpoint for its models.", "settings", footer=True),
    Action("settings.new", "n", "new", "New", "Add an endpoint.", "settings", footer=True),
    Action("settings.remove", "delete,x", "remove", "Remove", "Remove an endpoint, or a key's change.", "settings"),
    Action("settings.next", "right_square_bracket,L", "next", "Next page", "Go to the next page.", "settings"),
    Action("settings.before", "left_square_bracket,H", "before", "Page before", "Go to the page before.", "settings"),
    Action("settings.leave", "escape", "leave", "Back", "Go back.", "settings", footer=True),
    Action("tour.next", "enter,space,right", "next", "Next", "Go on.", "tour", footer=True, palette=False),
    Action("tour.leave", "escape", "leave", "Leave", "Leave the tour.", "tour", footer=True, palette=False),
)
