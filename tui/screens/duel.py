"""Two explainers side by side: how often each passes where the other one does not, and these cases."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from engine.reports.words import probability
from tui.actions.registry import bindings
from tui.asking.case_rows import STYLES, answer_text, right_text, states_text
from tui.screens.case import CaseScreen
from tui.text import clean, shorten
from tui.widgets.key_footer import KeyFooter
from tui.widgets.picker_list import PickerList
from tui.workers import start_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.oracle.facts import Oracle
    from engine.verdicts.browse import Asked, Duel, Pair
    from engine.verdicts.records import ModelRecord
    from tui.asking.case_rows import CellName

    Column: TypeAlias = tuple[str, int, Callable[[Asked], str]]

STATES, MODEL, CATEGORY, VERDICT = 12, 16, 21, 5


class DuelScreen(Screen[None]):
    """The questions that both have answered, and those in which one passes and the other one does not.

    Parameters
    ----------
    file
        The campaign.
    explainers
        All of its explainers, at least two.
    cell
        Who is compared first, and in what.
    oracle
        The open model: cases about it show their witnesses.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("duel")]
    HELP_GROUPS = ("duel", "list", "app")

    class Read(Message):
        """Two explainers were compared."""

        def __init__(self, names: tuple[str, str], duel: Duel, models: Mapping[str, ModelRecord]) -> None:
            super().__init__()
            self.names = names
            self.duel = duel
            self.models = models

    def __init__(
        self,
        file: Path,
        explainers: Sequence[str],
        cell: CellName,
        oracle: Oracle | None,
    ) -> None:
        super().__init__()
        self._file = file
        self._explainers = tuple(explainers)
        begin = cell.explainer if cell.explainer in self._explainers else self._explainers[0]
        self._names = begin, next(name for name in self._explainers if name != begin)
        self._category, self._model = cell.category, cell.model
        self._oracle = oracle
        self._duel: Duel | None = None
        self._models: Mapping[str, ModelRecord] = {}
        self._list = PickerList(id="duel-list")

    def compose(self) -> ComposeResult:
        """Create the figures and the list."""
        yield Static("", id="duel-title", markup=False)
        yield Static("", id="duel-figures", markup=False)
        yield Static("", id="duel-heading", markup=False)
        yield self._list
        yield KeyFooter()

    def on_mount(self) -> None:
        """Compare."""
        self._list.focus()
        self._compare()

    def _compare(self) -> None:
        first, second = self._names
        where = ", ".join([self._category or "all categories", *([self._model] if self._model else [])])
        title = Content.assemble(
            (f" {clean(first)}", "bold $primary"), " against ", (clean(second), "bold $accent"), f"   {clean(where)}"
        )
        self.query_one("#duel-title", Static).update(title)
        start_thread(self.app, partial(self._read, self._names), group="duel", name="comparing explainers")

    def _read(self, names: tuple[str, str]) -> None:
        from engine.verdicts.browse import duel, models_of  # noqa: PLC0415 - the store loads with the first list
        from engine.verdicts.store import Store  # noqa: PLC0415 - as above

        with Store(self._file, write=False) as store, store.snapshot():
            found = duel(store, *names, category=self._category, model=self._model)
            self.post_message(self.Read(names, found, models_of(store)))

    def on_duel_screen_read(self, event: Read) -> None:
        """Show it, unless others are compared now."""
        if event.names == self._names:
            self._duel, self._models = event.duel, event.models
            self._show()

    def on_resize(self, event: events.Resize) -> None:
        """Let the columns have the room that there is."""
        del event
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        found = self._duel
        if found is None:
            return
        first, second = (clean(name) for name in self._names)
        common = found.both + found.only_first + found.only_second + found.neither
        lines = [
            f" {common} questions that both answered",
            f" both pass {found.both}, only {first} {found.only_first}, only {second} {found.only_second}",
            f" neither passes {found.neither}",
        ]
        if found.p is not None:
            lines.append(f" McNemar's exact test: p = {probability(found.p)}")
        if found.left_out:
            lines.append(f" {found.left_out} questions without a verdict that counts from both are left out")
        if not found.pairs:
            lines.append(" They do not differ in any question." if common else " There is no question in common.")
        self.query_one("#duel-figures", Static).update(Content("\n".join(lines)))
        about = self._about(found)
        room = max((self._list.size.width - sum(width + 1 for _, width, _ in about) - 4) // 3, VERDICT + 4)
        heads = [*((title, width) for title, width, _ in about), (first, room), (second, room), ("right", room)]
        titles = "".join(f" {shorten(text, width):<{width}}" for text, width in heads)
        self.query_one("#duel-heading", Static).update(Content.styled(titles if found.pairs else "", "$text-muted"))
        self._list.show_list([_line(pair, about, room) for pair in found.pairs], self._list.cursor)

    def _about(self, found: Duel) -> list[Column]:
        """Return the columns that say which question it is: those that the title does not say for all of them."""
        models = {pair.first.stored.model for pair in found.pairs}
        widest = min(max((len(clean(name)) for name in models), default=0), MODEL)
        return [
            *([("model", max(widest, len("model")), lambda each: each.stored.model)] if len(models) > 1 else []),
            ("states", STATES, states_text),
            *([("category", CATEGORY, lambda each: each.stored.case.category)] if self._category is None else []),
        ]

    def action_first(self) -> None:
        """Take the next explainer as the first one."""
        self._names = self._after(self._names[0], self._names[1]), self._names[1]
        self._compare()

    def action_second(self) -> None:
        """Take the next explainer as the second one."""
        self._names = self._names[0], self._after(self._names[1], self._names[0])
        self._compare()

    def _after(self, name: str, other: str) -> str:
        rest = [each for each in self._explainers if each != other]
        return rest[(rest.index(name) + 1) % len(rest)]

    def on_line_list_chosen(self, event: PickerList.Chosen) -> None:
        """Open a case; x changes between the two answers."""
        event.stop()
        if self._duel is not None:
            pages = [(pair.first, pair.second) for pair in self._duel.pairs]
            screen = CaseScreen(self._file, pages, event.index, self._models, self._oracle)
            self.app.push_screen(screen, self._returned)

    def _returned(self, place: int | None) -> None:
        if place is not None:
            self._list.move_to(place)

    def action_leave(self) -> None:
        """Go back."""
        self.dismiss()


def _line(pair: Pair, about: Sequence[Column], room: int) -> Content:
    first = pair.first
    return Content.assemble(
        *((f" {shorten(clean(text(first)), width):<{width}}", "bold") for _, width, text in about),
        *_side(first, room),
        *_side(pair.second, room),
        (f" {shorten(clean(right_text(first)), room)}", "dim"),
    )


def _side(asked: Asked, room: int) -> tuple[tuple[str, str], str]:
    """Return one explainer's verdict and answer."""
    outcome = asked.record.outcome
    answer = shorten(clean(answer_text(asked)), room - VERDICT - 1)
    return (f" {shorten(outcome.value, VERDICT):<{VERDICT}}", STYLES[outcome]), f" {answer:<{room - VERDICT - 1}}"
