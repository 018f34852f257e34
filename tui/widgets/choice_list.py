"""A list of which any number can be chosen; its marks can be told apart without colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.message import Message

from tui.actions.registry import bindings
from tui.campaigns.campaign_services import Offer
from tui.text import clean
from tui.widgets.line_panel import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType


class ChoiceList(LineList):
    """Names with ``[x]`` or ``[ ]``; space or enter changes one.

    Parameters
    ----------
    more
        An entry at the end for what is not in the list; empty for none.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list"), *bindings("choices")]

    class Changed(Message):
        """Other names are chosen."""

    class MoreWanted(Message):
        """The entry for what is not in the list was chosen."""

    def __init__(self, title: str, *, more: str = "", id: str) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.border_title = title
        self._more = more
        self._offers: tuple[Offer, ...] = ()
        self._chosen: set[str] = set()

    def show_offers(self, offers: Sequence[Offer]) -> None:
        """Show what there is to choose from, chosen as the offers say."""
        self._offers = tuple(offers)
        self._chosen = {offer.name for offer in offers if offer.chosen}
        self.show_list(self._all(), 0)

    def add(self, offer: Offer) -> None:
        """Add a name, chosen, and go to it."""
        if all(each.name != offer.name for each in self._offers):
            self._offers = (*self._offers, offer)
        self._chosen.add(offer.name)
        self.show_list(self._all(), [each.name for each in self._offers].index(offer.name))
        self.post_message(self.Changed())

    def offer(self, name: str) -> None:
        """Add a name at the end without choosing it; the cursor stays."""
        if all(each.name != name for each in self._offers):
            at_more = bool(self._offers) and self.cursor >= len(self._offers)
            self._offers = (*self._offers, Offer(name))
            self.show_list(self._all(), self.cursor + at_more)

    @property
    def offers(self) -> tuple[Offer, ...]:
        """What there is to choose from."""
        return self._offers

    @property
    def chosen(self) -> tuple[str, ...]:
        """The chosen names, in the order of the list."""
        return tuple(offer.name for offer in self._offers if offer.name in self._chosen)

    def choose(self, names: Sequence[str]) -> None:
        """Choose these names and no others."""
        self._chosen = {offer.name for offer in self._offers} & set(names)
        self._show()

    def _all(self) -> list[Content]:
        lines = [self._line(offer) for offer in self._offers]
        return [*lines, Content.styled(f"    {self._more}", "$text-muted")] if self._more else lines

    def _line(self, offer: Offer) -> Content:
        mark = ("[x] ", "bold") if offer.name in self._chosen else ("[ ] ", "dim")
        note = (f"  {clean(offer.note)}", "dim") if offer.note else ""
        return Content.assemble(
            mark, (clean(offer.name), "dim" if offer.note and offer.name not in self._chosen else ""), note
        )

    def _show(self) -> None:
        self.replace_lines(self._all())
        self.move_to(self.cursor)
        self.post_message(self.Changed())

    def action_select(self) -> None:
        """Choose what is under the cursor, or leave it."""
        if self.cursor >= len(self._offers):
            if self._more:
                self.post_message(self.MoreWanted())
            return
        self._chosen ^= {self._offers[self.cursor].name}
        self._show()

    def action_switch_all(self) -> None:
        """Choose all that can be asked for, or none if all are."""
        every = {offer.name for offer in self._offers}
        self._chosen = set() if self._chosen == every else every
        self._show()
