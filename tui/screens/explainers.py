"""Choose who is asked: one or several, from a list that endpoints fill with their models, or by typing a name."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Input, Static

from engine.errors import StormscopeError
from tui.actions.registry import bindings
from tui.appearance.keymap import keymap_of, with_keys
from tui.screens.dialog import Dialog
from tui.text import clean
from tui.told import told
from tui.widgets.checklist import Checklist
from tui.workers import start_async

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tui.asking.asking_services import ExplainerOffer
    from tui.services.services import Services

HINT = (
    "A name in the field adds another: openai:MODEL, ollama:MODEL, local:FILE.gguf, NAME or NAME:MODEL of the settings."
)


class ExplainersScreen(Dialog[tuple[str, ...] | None]):
    """A list and a field; it is left with the chosen names, at least one, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("form")]
    HELP_GROUPS = ("form", "app")
    SEND = "Take"

    class Offered(Message):
        """The endpoints have said which models they have, or why not."""

        def __init__(self, offers: Sequence[ExplainerOffer]) -> None:
            super().__init__()
            self.offers = offers

    class Checked(Message):
        """A typed name can be asked, or why it cannot."""

        def __init__(self, name: str, error: StormscopeError | None) -> None:
            super().__init__()
            self.name = name
            self.error = error

    def __init__(self, services: Services, chosen: Sequence[str]) -> None:
        super().__init__()
        self._services = services
        names = dict.fromkeys([*chosen, *services.explainers()])
        self._list = Checklist(names, chosen, taking=True, id="explainers-list")
        self._note = Static(HINT, id="form-note", markup=False)

    def compose(self) -> ComposeResult:
        """Create the box."""
        box = Vertical(classes="form")
        box.border_title = "Who is asked"
        box.border_subtitle = Content(
            with_keys("{choices.switch} chooses   enter takes them   {form.leave} closes", keymap_of(self.app))
        )
        with box:
            yield self._list
            yield Static("looking for models …", id="explainers-models", markup=False)
            yield Input(placeholder="openai:MODEL", compact=True, id="explainer-name", select_on_focus=False)
            yield self._note
            with Horizontal(classes="form-buttons"):
                yield Button(self.SEND, compact=True, id="form-send")
                yield Button(self.LEAVE, compact=True, id="form-cancel")

    def on_mount(self) -> None:
        """Ask the endpoints for their models, while others can be chosen."""
        self._list.focus()
        self._list.highlighted = 0
        start_async(self.app, self._look(), group="models", name="looking for models")

    async def _look(self) -> None:
        self.post_message(self.Offered(await self._services.asking.models()))

    def on_explainers_screen_offered(self, event: Offered) -> None:
        """Add the models to the list, and say what others lack."""
        for offer in event.offers:
            if offer.ready:
                self._list.offer(offer.name)
        lacking = [f"{clean(offer.name)}: {clean(offer.note)}" for offer in event.offers if not offer.ready]
        models = self.query_one("#explainers-models", Static)
        models.update(Content("\n".join(lacking)))
        models.display = bool(lacking)

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        if name := event.value.strip():
            start_async(self.app, self._check(name), group="named", name="looking for an explainer")
        else:
            self.action_send()

    async def _check(self, name: str) -> None:
        try:
            await asyncio.to_thread(self._services.check_explainer, name)
        except StormscopeError as error:
            self.post_message(self.Checked(name, error))
        else:
            self.post_message(self.Checked(name, None))

    def on_explainers_screen_checked(self, event: Checked) -> None:
        """Add the name to the list, or say what is wrong with it."""
        if event.error is None:
            self._list.add(event.name)
            # The field keeps the focus: who goes on typing another name presses none of the list's keys.
            self.query_one(Input).value = ""
            self._say(HINT)
        else:
            said = told(event.error)
            hint = f"\n→ {clean(said.hint, lines=True)}" if said.hint else ""
            self._say(clean(said.what, lines=True) + hint, error=True)

    def _say(self, text: str, *, error: bool = False) -> None:
        self._note.update(Content(text))
        self._note.set_class(error, "-error")

    @on(Checklist.Taken)
    @on(Button.Pressed, "#form-send")
    def action_send(self) -> None:
        """Take what is chosen."""
        if self._list.chosen:
            self.dismiss(self._list.chosen)
        else:
            self._say("Choose at least one.", error=True)

    @on(Button.Pressed, "#form-cancel")
    def action_leave(self) -> None:
        """Close without a choice."""
        self.dismiss(None)
