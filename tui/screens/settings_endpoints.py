"""The page of the endpoints: who can be asked, whether they answer, and the models that they offer."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static

from engine.errors import StormscopeError
from tui.appearance.keymap import keymap_of, with_keys
from tui.screens.settings_page import SettingsPage
from tui.text import clean, shorten
from tui.widgets.settings_list import SettingsList
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

    from engine.explainers.offers import Status
    from engine.settings import Settings

NAME, URL = 14, 34
HINT = (
    "On an endpoint {list.choose} changes it, on a model it takes that; {settings.remove} removes an endpoint. "
    "API keys come from variables or commands: none is stored here."
)
BUILT_IN = ("local", "openai", "ollama")


class EndpointsPage(SettingsPage):
    """Endpoints above, what the last test found below."""

    TITLE = "Endpoints"

    class Loaded(Message):
        """The settings were read."""

        def __init__(self, settings: Settings) -> None:
            super().__init__()
            self.settings = settings

    class Tested(Message):
        """An endpoint was asked for its models."""

        def __init__(self, name: str, status: Status) -> None:
            super().__init__()
            self.name = name
            self.status = status

    class EditWanted(Message):
        """An endpoint shall be changed, or a new one made if it has no name."""

        def __init__(self, name: str, settings: Settings) -> None:
            super().__init__()
            self.name = name
            self.settings = settings

    class ExplainerWanted(Message):
        """A model shall be asked from now on."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self) -> None:
        super().__init__(id="page-endpoints")
        self._settings: Settings | None = None
        self._states: dict[str, Status] = {}
        self._testing = ""
        self._shown = ""

    def compose(self) -> ComposeResult:
        """Create both lists."""
        yield SettingsList(id="endpoints-list")
        yield Static("", id="endpoints-about", classes="page-about", markup=False)
        models = SettingsList(id="endpoints-models")
        models.border_title = "Models"
        yield models
        yield Static(Content(with_keys(HINT, keymap_of(self.app))), classes="page-hint", markup=False)

    def show(self) -> None:
        """Read the settings in a thread; they load pydantic and may be on a slow disk."""
        start_thread(self.app, self._load, group="settings", name="reading the settings")

    def _load(self) -> None:
        from engine.settings import load_settings  # noqa: PLC0415 - loads with this page

        try:
            self.post_message(self.Loaded(load_settings()))
        except StormscopeError as error:
            self.fail(error)

    def on_endpoints_page_loaded(self, event: Loaded) -> None:
        """Show the endpoints."""
        self._settings = event.settings
        self._show_list()
        self._show_models(self._shown)

    def begin(self) -> None:
        """Go to the endpoints."""
        self.query_one("#endpoints-list", SettingsList).focus()

    def _show_list(self) -> None:
        self.query_one("#endpoints-list", SettingsList).show_lines(self._lines())

    def _lines(self) -> Iterator[tuple[str, Content]]:
        if self._settings is None:
            return
        for name in (*BUILT_IN, *self._settings.endpoints):
            where, model = _place(name, self._settings)
            status = self._states.get(name)
            sign = "…" if name == self._testing else " " if status is None else "✓" if status.ready else "✗"
            style = "bold" if status is None else "bold $pass" if status.ready else "bold $fail"
            yield (
                name,
                Content.assemble(
                    (f"{sign} ", style),
                    (f"{shorten(clean(name), NAME):<{NAME}} ", "bold"),
                    f"{shorten(clean(where), URL):<{URL}} ",
                    (clean(model), "dim"),
                ),
            )

    @on(OptionList.OptionHighlighted, "#endpoints-list")
    def _looked(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        name = event.option_id or ""
        if self._settings is not None and name:
            about = f"{name}: {', '.join(_place(name, self._settings))}"
            self.query_one("#endpoints-about", Static).update(Content(clean(about)))
        self._show_models(name)

    def _show_models(self, name: str) -> None:
        self._shown = name
        models = self.query_one("#endpoints-models", SettingsList)
        status = self._states.get(name)
        if name == "local":
            models.border_title = "Models"
            ready = "" if status is None else clean(status.status if status.ready else status.hint or status.status)
            models.show_lines([("local", Content("  the packaged model")), *([("", Content(ready))] if ready else [])])
            return
        if status is None:
            models.border_title = "Models"
            said = "asking for the models …" if name == self._testing and name else "T asks the endpoint for its models"
            models.show_lines([("", Content.styled(said, "dim"))])
            return
        models.border_title = f"Models of {clean(name)}: {clean(status.status)}"
        offered = status.endpoint.models if status.endpoint is not None else None
        if offered:
            lines = [(model, Content(f"  {clean(model)}")) for model in dict.fromkeys(offered) if model]
            models.show_lines([("", Content.styled("Enter takes a model", "dim")), *lines])
        else:
            models.show_lines([("", Content(clean(status.hint or "it can be asked")))])

    @on(OptionList.OptionSelected, "#endpoints-list")
    def _edit(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self._settings is None or event.option_id is None:
            return
        if event.option_id == "local":
            self.post_message(self.Said("local has no server; the settings file's table [local] is about it"))
        else:
            self.post_message(self.EditWanted(event.option_id, self._settings))

    @on(OptionList.OptionSelected, "#endpoints-models")
    def _take_model(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        model = event.option_id
        if not model:
            return
        if self._shown == "local":
            self.post_message(self.ExplainerWanted("local"))
        elif self._shown in BUILT_IN:
            self.post_message(self.ExplainerWanted(f"{self._shown}:{model}"))
        else:
            self.post_message(self.Wanted({("endpoints", self._shown, "model"): model}, f"{self._shown} asks {model}"))

    def action_new(self) -> None:
        """Make an endpoint."""
        if self._settings is not None:
            self.post_message(self.EditWanted("", self._settings))

    def action_remove(self) -> None:
        """Remove an endpoint from the settings."""
        name = self.query_one("#endpoints-list", SettingsList).chosen
        if name and self._settings is not None and name in self._settings.endpoints:
            self.post_message(self.Wanted({("endpoints", name): None}, f"{name} is removed"))
        elif name:
            self.post_message(self.Said(f"{name} comes with stormscope and stays", error=True))

    def action_test(self) -> None:
        """Ask the endpoint under the cursor for its models."""
        name = self.query_one("#endpoints-list", SettingsList).chosen
        if not name or self._settings is None:
            return
        self._testing = name
        self._states.pop(name, None)
        self._show_list()
        self._show_models(name)
        start_thread(self.app, partial(self._test, name, self._settings), group="testing", name=f"testing {name}")

    def _test(self, name: str, settings: Settings) -> None:
        from engine.explainers.offers import status_of  # noqa: PLC0415 - loads the network libraries
        from engine.explainers.registry import known_explainers  # noqa: PLC0415 - as above

        info = next(each for each in known_explainers(settings) if each.spec.partition(":")[0] == name)
        self.post_message(self.Tested(name, asyncio.run(status_of(info, settings))))

    def on_endpoints_page_tested(self, event: Tested) -> None:
        """Show what was found."""
        self._states[event.name] = event.status
        if self._testing == event.name:
            self._testing = ""
        self._show_list()
        if self._shown == event.name:
            self._show_models(event.name)


def _place(name: str, settings: Settings) -> tuple[str, str]:
    """Return where an endpoint is and the model that it asks."""
    if name == "local":
        return "in a child process", "the packaged model"
    endpoint = {"openai": settings.openai, "ollama": settings.ollama}.get(name) or settings.endpoints[name]
    return endpoint.base_url, endpoint.model or "MODEL is named when asked"
