"""The settings: endpoints, theme, keys and folders, each on a page; what is changed is written at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import ContentSwitcher, OptionList, Static

from engine.appearance import Preferences, load_preferences
from engine.errors import StormscopeError
from tui.actions.registry import bindings
from tui.screens.endpoint import EndpointScreen
from tui.screens.settings_endpoints import EndpointsPage
from tui.screens.settings_folders import FoldersPage
from tui.screens.settings_keys import KeysPage
from tui.screens.settings_left_out import LeftOutPage
from tui.screens.settings_page import SettingsPage, in_one_line
from tui.screens.settings_theme import ThemePage
from tui.text import clean
from tui.widgets.key_footer import KeyFooter
from tui.widgets.settings_list import SettingsList
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.settings_file import Place


class SettingsScreen(Screen[None]):
    """Pages at the left, the chosen one at the right, and a line that says what was done."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("settings")]
    HELP_GROUPS = ("settings", "list", "app")

    class Written(Message):
        """The settings file was changed, or why it was not."""

        def __init__(self, done: str, preferences: Preferences, error: StormscopeError | None = None) -> None:
            super().__init__()
            self.done = done
            self.preferences = preferences
            self.error = error

    class Changed(Message):
        """The settings are others now."""

        def __init__(self, preferences: Preferences) -> None:
            super().__init__()
            self.preferences = preferences

    class ExplainerChosen(Message):
        """Another explainer is asked from now on."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self) -> None:
        super().__init__()
        self._pages: tuple[SettingsPage, ...] = (EndpointsPage(), ThemePage(), KeysPage(), LeftOutPage(), FoldersPage())

    def compose(self) -> ComposeResult:
        """Create the pages."""
        yield Static(Content.assemble((" stormscope", "bold $primary"), "  settings"), id="settings-head")
        with Horizontal(id="settings"):
            yield SettingsList(id="settings-nav")
            with ContentSwitcher(id="settings-pages", initial=self._pages[0].id):
                yield from self._pages
        yield Static("", id="settings-note", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin at the first page."""
        self._refresh()
        self.query_one("#settings-nav", SettingsList).focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what the page that is shown can do."""
        del parameters
        return action not in {"test", "new"} or not self.is_mounted or isinstance(self.page, EndpointsPage)

    @property
    def page(self) -> SettingsPage:
        """The page that is shown."""
        shown = self.query_one(ContentSwitcher).current
        return next(page for page in self._pages if page.id == shown)

    @on(OptionList.OptionHighlighted, "#settings-nav")
    def _turned(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_id:
            self._show(event.option_id)

    def _show(self, page: str) -> None:
        if page != self.page.id:
            self.page.leave()
            self.query_one(ContentSwitcher).current = page
            self._say("")
            self.refresh_bindings()

    @on(OptionList.OptionSelected, "#settings-nav")
    def _entered(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.page.begin()

    @on(SettingsPage.Said)
    def _said(self, event: SettingsPage.Said) -> None:
        self._say(event.text, error=event.error)

    @on(SettingsPage.Wanted)
    def _wanted(self, event: SettingsPage.Wanted) -> None:
        self._write(event.changes, event.done)

    @on(EndpointsPage.EditWanted)
    def _edit(self, event: EndpointsPage.EditWanted) -> None:
        self.app.push_screen(EndpointScreen(event.name, event.settings))

    @on(EndpointsPage.ExplainerWanted)
    def _explainer(self, event: EndpointsPage.ExplainerWanted) -> None:
        self.post_message(self.ExplainerChosen(event.name))

    def write_endpoint(self, event: EndpointScreen.Submitted) -> None:
        """Write what the form of an endpoint says."""
        self._write(event.changes, f"{event.name} is kept")

    def _write(self, changes: Mapping[Place, Any], done: str) -> None:
        work = partial(self._change, dict(changes), done)
        start_thread(self.app, work, group="settings-file", name="writing the settings")

    def _change(self, changes: Mapping[Place, Any], done: str) -> None:
        from engine.settings_file import change_settings  # noqa: PLC0415 - loads with the first change

        try:
            change_settings(changes)
        except StormscopeError as error:
            self.post_message(self.Written(done, load_preferences(), error))
        else:
            self.post_message(self.Written(done, load_preferences()))

    def on_settings_screen_written(self, event: Written) -> None:
        """Say what came of it, in the form if one is open."""
        form = self.app.screen if isinstance(self.app.screen, EndpointScreen) else None
        if event.error is not None:
            if form is not None:
                form.show_error(event.error)
            else:
                self._say(in_one_line(event.error), error=True)
            return
        if form is not None:
            form.dismiss()
        self.post_message(self.Changed(event.preferences))
        self._say(event.done)
        self.call_later(self._refresh)

    def _refresh(self) -> None:
        self.query_one("#settings-nav", SettingsList).show_lines(
            (page.id or "", Content(f" {page.TITLE}")) for page in self._offered
        )
        for page in self._pages:
            page.show()

    @property
    def _offered(self) -> tuple[SettingsPage, ...]:
        """The pages that have something to show, and the one that is shown."""
        return tuple(page for page in self._pages if page.offered or page is self.page)

    def _say(self, text: str, *, error: bool = False) -> None:
        note = self.query_one("#settings-note", Static)
        note.update(Content(clean(text)))
        note.set_class(error, "-error")

    def action_test(self) -> None:
        """Try what is under the cursor."""
        self.page.action_test()

    def action_new(self) -> None:
        """Add something."""
        self.page.action_new()

    def action_remove(self) -> None:
        """Remove what is under the cursor."""
        self.page.action_remove()

    def action_next(self) -> None:
        """Turn to the next page."""
        self._turn(1)

    def action_before(self) -> None:
        """Turn to the page before."""
        self._turn(-1)

    def _turn(self, by: int) -> None:
        nav = self.query_one("#settings-nav", SettingsList)
        place = ((nav.highlighted or 0) + by) % len(self._offered)
        nav.highlighted = place
        self._show(self._offered[place].id or "")
        self.page.begin()

    def action_leave(self) -> None:
        """Take back what was only tried; go back where there is nothing of that."""
        if not self.page.leave():
            self.dismiss()
