"""Choose what is asked: every category of the taxonomy, those that cannot be asked here greyed, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from engine.queries.category import Scope
from tui.actions.action import Wording
from tui.actions.registry import bindings
from tui.appearance.keymap import keymap_of, with_keys
from tui.screens.dialog import Dialog
from tui.text import clean
from tui.widgets.picker_list import PickerList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tui.asking.asking_services import CategoryOffer

NAME_WIDTH = 24
ABOUT = {Scope.STATE: "one state", Scope.PAIR: "a pair", Scope.SUBSET: "a subset"}


class PlacedList(PickerList):
    """A list that tells where its cursor is."""

    def move_to(self, line: int) -> None:
        """Move the cursor, and let the screen say more about the line."""
        super().move_to(line)
        if self.is_attached and isinstance(self.screen, CategoriesScreen):
            self.screen.look(self.cursor)


class CategoriesScreen(Dialog[str | None]):
    """A list; it is left with a category's name, or with None.

    Parameters
    ----------
    offers
        All categories.
    chosen
        The one that is chosen now.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("tool")]
    HELP_GROUPS = ("list", "tool", "app")
    RUN: ClassVar[Wording] = Wording("Choose", "Choose what is under the cursor.")

    def __init__(self, offers: Sequence[CategoryOffer], chosen: str) -> None:
        super().__init__()
        self.offers = offers
        self._chosen = chosen
        self._list = PlacedList()
        self._note = Static("", id="tool-note", markup=False)

    def compose(self) -> ComposeResult:
        """Create the box."""
        box = Vertical(classes="form tool")
        box.border_title = "What is asked"
        box.border_subtitle = Content(with_keys("{list.choose} chooses   {tool.close} closes", keymap_of(self.app)))
        with box:
            yield self._list
            yield self._note

    def on_mount(self) -> None:
        """Begin at what is chosen now."""
        names = [offer.name for offer in self.offers]
        self._list.show_list([self._line(offer) for offer in self.offers], 0)
        self._list.move_to(names.index(self._chosen) if self._chosen in names else 0)
        self._list.focus()

    @staticmethod
    def _line(offer: CategoryOffer) -> Content:
        about = f"{ABOUT[offer.scope]:<10}"
        if offer.reason:
            return Content.styled(f"{offer.name:<{NAME_WIDTH}} {about} - {clean(offer.reason)}", "dim")
        states = ", ".join(f"s{state}" for state in offer.states)
        return Content.assemble((f"{offer.name:<{NAME_WIDTH}} ", "bold"), about, (f" {states}", "dim"))

    def look(self, index: int) -> None:
        """Say what the category under the cursor asks, or why it cannot be asked."""
        offer = self.offers[index]
        text = f"Not here: {offer.reason}" if offer.reason else offer.summary
        self._note.update(Content(clean(text)))
        self._note.set_class(bool(offer.reason), "-error")

    @on(PickerList.Chosen)
    def _take(self, event: PickerList.Chosen) -> None:
        event.stop()
        offer = self.offers[event.index]
        if not offer.reason:
            self.dismiss(offer.name)

    def action_leave(self) -> None:
        """Close without a choice."""
        self.dismiss(None)

    def action_run(self) -> None:
        """Choose what is under the cursor."""
        self._list.action_select()
