"""Saved filters and bookmarks: choose one, keep another, remove one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.content import Content

from engine.errors import StoreError
from tui.explorer.bookshelf import Shelf, state_at, write_shelf
from tui.explorer.numerals import Figures
from tui.screens.tool import ToolScreen
from tui.text import clean
from tui.widgets.picker_list import PickerList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.widget import Widget

    from engine.oracle.facts import Oracle
    from tui.explorer.bookshelf import Place

VALUE = Figures(10)


class ShelfScreen(ToolScreen):
    """What two lists have in common: lines, a choice, a removal that is kept at once."""

    EMPTY: ClassVar[str] = ""

    def __init__(self, model: str, shelf: Shelf, kept: Callable[[Shelf], None]) -> None:
        super().__init__()
        self._model = model
        self._shelf = shelf
        self._kept = kept
        self._list = PickerList()

    def contents(self) -> Iterable[Widget]:
        """Return the list."""
        yield self._list

    def on_mount(self) -> None:
        """Show what there is."""
        super().on_mount()
        self._show(0)
        self._list.focus()

    def lines(self) -> list[Content]:
        """Return a line for each thing on the shelf."""
        raise NotImplementedError

    def choose(self, index: int) -> None:
        """Use a thing."""
        raise NotImplementedError

    def _show(self, cursor: int) -> None:
        self._list.show_list(self.lines() or [Content.styled(self.EMPTY, "dim")], cursor)

    def keep(self, shelf: Shelf) -> None:
        """Keep another shelf."""
        try:
            write_shelf(self._model, shelf)
        except StoreError as error:
            self.say_error(error)
            return
        self._shelf = shelf
        self._kept(shelf)
        self._show(self._list.cursor)

    @on(PickerList.Chosen)
    def _chosen(self, event: PickerList.Chosen) -> None:
        event.stop()
        if event.index < len(self.lines()):
            self.choose(event.index)


class FiltersScreen(ShelfScreen):
    """Saved filters; the first line saves the one that is shown."""

    TITLE_TEXT = "Saved filters"
    HINT: ClassVar[str] = "{list.choose} uses   {tool.remove} removes   {tool.close} closes"
    EMPTY: ClassVar[str] = "None yet. Filter the states, then save the filter here."

    def __init__(
        self, model: str, shelf: Shelf, kept: Callable[[Shelf], None], present: str, used: Callable[[str], None]
    ) -> None:
        super().__init__(model, shelf, kept)
        self._present = present
        self._used = used

    @property
    def _new(self) -> bool:
        return bool(self._present) and self._present not in self._shelf.filters

    def lines(self) -> list[Content]:
        """Return the saved filters after an offer to save the present one."""
        saved = [Content(clean(text)) for text in self._shelf.filters]
        return [Content.assemble(("+ save  ", "bold $accent"), clean(self._present)), *saved] if self._new else saved

    def choose(self, index: int) -> None:
        """Save the present filter, or use a saved one."""
        if self._new and index == 0:
            self.keep(self._shelf.with_filter(self._present))
            return
        self._used(self._shelf.filters[index - self._new])
        self.dismiss(None)

    def action_remove(self) -> None:
        """Remove the filter under the cursor."""
        index = self._list.cursor - self._new
        if 0 <= index < len(self._shelf.filters):
            self.keep(self._shelf.without_filter(self._shelf.filters[index]))


class BookmarksScreen(ShelfScreen):
    """Bookmarks of a model, by valuation: they stay with other constants. It closes with the state to go to."""

    TITLE_TEXT = "Bookmarks"
    HINT: ClassVar[str] = "{list.choose} goes there   {tool.remove} removes   {tool.close} closes"
    EMPTY: ClassVar[str] = "None yet. B puts one on the selected state."

    def __init__(self, oracle: Oracle, shelf: Shelf, kept: Callable[[Shelf], None]) -> None:
        super().__init__(oracle.environment.name, shelf, kept)
        self._oracle = oracle

    def lines(self) -> list[Content]:
        """Return each bookmark with its state and V."""
        return [self._line(place) for place in self._shelf.bookmarks]

    def _line(self, place: Place) -> Content:
        state = state_at(self._oracle.mdp, place)
        where = "" if isinstance(place, int) else "  ".join(f"{clean(name)}={value}" for name, value in place)
        if state is None:
            return Content.styled(f"{where or place}  (not in this model)", "dim")
        value = VALUE.text(self._oracle.facts.value.at(state))
        return Content.assemble((f"s{state:<8} ", "bold"), (f"V {value:<10} ", "dim"), where)

    def choose(self, index: int) -> None:
        """Go there, if it is in this model."""
        state = state_at(self._oracle.mdp, self._shelf.bookmarks[index])
        if state is None:
            self.say("This state is not in the model with these constants.", error=True)
        else:
            self.dismiss(state)

    def action_remove(self) -> None:
        """Remove the bookmark under the cursor."""
        if self._list.cursor < len(self._shelf.bookmarks):
            self.keep(self._shelf.toggled(self._shelf.bookmarks[self._list.cursor]))
