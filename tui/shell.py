"""The app around the screens: themes, keys, help, the palette, pictures of screens, signals, and every failure."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, SystemCommand
from textual.filter import Monochrome, NoColor
from textual.screen import ModalScreen
from textual.worker import Worker, WorkerState

from engine.appearance import Appearance, Preferences
from tui.actions.offered import offered
from tui.actions.registry import GROUPS, bindings, key_text
from tui.appearance.keymap import read_keymap, with_keys
from tui.appearance.themes import OWN_VARIABLES, first_theme, load_themes, uncoloured, without_colours
from tui.appearance.toasts import clear_hints, say_in_line, take_back
from tui.crash import keep_crash
from tui.explorer.dimming import ReadableDim
from tui.explorer.uncoloured import Uncoloured
from tui.screens.message import FailureScreen
from tui.screens.small import SmallScreen, too_small
from tui.signals import Signals
from tui.text import clean
from tui.widgets.key_footer import KeyFooter
from tui.workers import as_report

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import PurePath

    from textual import events
    from textual.binding import Binding, BindingType
    from textual.filter import LineFilter
    from textual.geometry import Size
    from textual.notifications import SeverityLevel
    from textual.screen import Screen

    from engine.errors import StormscopeError
    from tui.appearance.keymap import Keymap

HERE = Path(__file__).parent
DARK, LIGHT = "storm-dark", "storm-light"
LEFT_OUT = "Left out"
IN_SMALL = frozenset({"leave_app", "help_quit", "suspend_process"})
"""Actions that work in a terminal that is too small for the others."""


class ShellApp(App[None]):
    """An app that can be looked at, steered and left in the ways that the settings say; it knows no models.

    Parameters
    ----------
    theme
        The name of the first theme; the preferences' one, or one that the terminal can show, if None.
    theme_folders
        Folders with a user's own themes.
    preferences
        Looks and keys from the settings.
    """

    CSS_PATH: ClassVar[list[str | PurePath]] = [HERE / "app.tcss", HERE / "shell.tcss", HERE / "campaign.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app")]
    TITLE = "stormscope"
    ENABLE_COMMAND_PALETTE = True

    def __init__(
        self,
        *,
        theme: str | None = None,
        theme_folders: Sequence[Path] = (),
        preferences: Preferences | None = None,
    ) -> None:
        super().__init__()
        self.no_color = self.no_color or without_colours(os.environ)
        self._dim = ReadableDim()
        self._plain = Uncoloured()
        self._signals = Signals(lambda code: self.exit(return_code=code))
        self._theme_folders = tuple(theme_folders)
        self._wanted_theme = theme
        self._skipped: tuple[str, ...] = ()
        self._said: frozenset[str] = frozenset()
        self.preferences = preferences or Preferences()
        self.keymap: Keymap = read_keymap(self.preferences.keys)
        self.themes: tuple[str, ...] = ()
        self._take_themes()
        self.set_keymap(self.keymap.changed)

    def _take_themes(self) -> None:
        loaded, skipped = load_themes(self._theme_folders)
        for each in loaded.values():
            self.register_theme(uncoloured(each) if self.no_color else each)
        self.themes = tuple(sorted(loaded))
        wanted = self._wanted_theme or self.preferences.appearance.theme
        if wanted and wanted not in loaded:
            skipped.append(f"There is no theme named {wanted}; there are {', '.join(self.themes)}")
        self._skipped = tuple(skipped)
        self.theme = wanted if wanted in loaded else first_theme(os.environ)

    def take_preferences(self, preferences: Preferences) -> None:
        """Use other keys and folders from now on, and say what was left out of them unless that is known."""
        self.preferences = preferences
        self.keymap = read_keymap(preferences.keys)
        self.set_keymap(self.keymap.changed)
        self.say_left_out()

    @property
    def left_out(self) -> tuple[str, ...]:
        """What was left out of themes and settings, a sentence each."""
        return (*self._skipped, *self.preferences.problems, *self.keymap.problems)

    @property
    def appearance(self) -> Appearance:
        """What the settings say about the looks."""
        return self.preferences.appearance

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return the values of this app's own colour variables for themes without them."""
        return OWN_VARIABLES

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the base class's filters, without greys for colours, after one that keeps dim text readable."""
        found = super().get_line_filters()
        if self.no_color:
            found = [*(each for each in found if not isinstance(each, Monochrome | NoColor)), self._plain]
        return [self._dim, *found]

    async def on_mount(self) -> None:
        """Say what was left out of themes and settings, once there is something to look at."""
        self._signals.catch()
        self.screen_change_signal.subscribe(self, self._screen_changed)
        self.call_after_refresh(self.say_left_out)

    def say_left_out(self) -> None:
        """Say how much was left out of themes and settings, once; the settings have the list."""
        news, self._said = set(self.left_out) - self._said, frozenset(self.left_out)
        if news:
            number = len(self.left_out)
            text = (
                f"{number} {'entry' if number == 1 else 'entries'} of settings and themes; {{app.settings}} says which"
            )
            self.notify(with_keys(text, self.keymap), title=LEFT_OUT, severity="warning", markup=False, timeout=10)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Say something once: a hint in the status line, where it covers nothing; else in the corner."""
        take_back(self, message)
        if severity != "information" or not say_in_line(self, message, title, timeout or self.NOTIFICATION_TIMEOUT):
            super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    async def on_unmount(self) -> None:
        """Give the signals back."""
        self._signals.release()

    def _screen_changed(self, screen: Screen[object]) -> None:
        if not isinstance(screen, SmallScreen) and too_small(self.size):
            self.call_later(self.fit, self.size)
        if isinstance(screen, ModalScreen):
            clear_hints(self, kept=(LEFT_OUT,))

    async def on_resize(self, event: events.Resize) -> None:
        """Say so when the terminal is too small."""
        await self.fit(event.size)

    async def fit(self, size: Size) -> None:
        """Cover the screen while the terminal is too small for it, and whatever was opened over the cover meanwhile."""
        shown = isinstance(self.screen, SmallScreen)
        if too_small(size) and not shown:
            for below in [screen for screen in self._screen_stack if isinstance(screen, SmallScreen)]:
                self._screen_stack.remove(below)
                await self._replace_screen(below)
            await self.push_screen(SmallScreen())
        elif shown and not too_small(size):
            await self.pop_screen()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Refuse what would open something that nobody sees below the notice of a terminal that is too small."""
        if self._screen_stack and isinstance(self.screen, SmallScreen):
            return action in IN_SMALL
        return super().check_action(action, parameters)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Show every failure of background work, in the one place where they all end."""
        worker, error = event.worker, event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            self.show_failure(as_report(error, worker.name), worker.group, worker.name)

    def show_failure(self, report: StormscopeError, group: str, name: str) -> None:
        """Show why background work failed; `group` and `name` are the worker's."""
        del group
        self.push_screen(FailureScreen(report, title=f"Failed: {clean(name)}"))

    def _fatal_error(self) -> None:
        """End after a defect: one message instead of a traceback, whose local variables could hold a key."""
        self._exit_renderables.append(keep_crash(sys.exc_info()[1]))
        self._close_messages_no_wait()

    def get_key_display(self, binding: Binding) -> str:
        """Name a key in the footer as everywhere else."""
        return key_text(binding.key)

    def on_command_palette_opened(self) -> None:
        """Show the palette's own keys instead of those of the screen below it."""
        self.screen.mount(KeyFooter())

    def action_toggle_theme(self) -> None:
        """Switch between light and dark."""
        self.theme = LIGHT if self.current_theme.dark else DARK

    def action_help_quit(self) -> None:
        """Say how to leave: ^C copies in text fields."""
        text = "{app.quit} leaves stormscope; {app.quit_anywhere} does so from a text field too. esc cancels what runs."
        self.notify(with_keys(text, self.keymap), title="To leave", markup=False)

    def action_leave_app(self) -> None:
        """End the app."""
        self.exit()

    def action_help(self) -> None:
        """Show the keys, those of where the focus is first."""
        from tui.screens.help import HelpScreen  # noqa: PLC0415 - loads when it is opened

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen, self.keymap))

    def action_export(self) -> None:
        """Save what is shown, as it was before the form covers it."""
        from tui.exports.svg import portable  # noqa: PLC0415 - as above
        from tui.screens.export import ExportScreen  # noqa: PLC0415 - as above

        if not isinstance(self.screen, ExportScreen):
            picture = portable(self.export_screenshot(title="stormscope", simplify=True))
            self.push_screen(ExportScreen(picture, self.appearance.export_folder))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Yield the palette's commands from the registry: those of the screen, then those that work everywhere."""
        groups = getattr(screen, "HELP_GROUPS", ("app",))
        for action in offered(screen):
            if action.palette and action.group in groups:
                namespace = self if action.group == "app" else screen
                run = partial(self.run_action, action.action, namespace)
                yield SystemCommand(f"{GROUPS[action.group]}: {action.title}", action.help, run)
        for name in self.themes:
            yield SystemCommand(
                f"Theme: {name}", "Use this theme.", partial(setattr, self, "theme", name), discover=False
            )
