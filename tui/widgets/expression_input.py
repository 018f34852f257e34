"""A field for a PRISM expression, which completes names."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.widgets import Input

from tui.actions.action import Wording
from tui.actions.registry import bindings, is_sign
from tui.explorer.completion import NameSuggester, taken

if TYPE_CHECKING:
    from textual.binding import BindingType


class ExpressionInput(Input):
    """Tab takes the completion of the word before the cursor; an empty field it leaves.

    Parameters
    ----------
    text
        What the field begins with.
    hint
        What it shows while it is empty.
    names
        What an expression may name.
    leaves
        Whether tab moves on where there is nothing to complete: in a form, whose buttons come next.
    sends
        What enter does, where it does not filter the states.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("filter")]

    def __init__(
        self,
        text: str,
        hint: str,
        names: tuple[str, ...],
        *,
        id: str,  # noqa: A002 - Textual's
        select: bool = False,
        leaves: bool = False,
        sends: Wording = Wording(),  # noqa: B008 - frozen
    ) -> None:
        super().__init__(
            text, placeholder=hint, suggester=NameSuggester(names), compact=True, id=id, select_on_focus=select
        )
        self._names = names
        self._leaves = leaves
        self._sends = sends

    def complete_with(self, names: tuple[str, ...]) -> None:
        """Complete these names from now on."""
        self._names = names
        self.suggester = NameSuggester(names)

    def wording(self, name: str) -> Wording:
        """Return what an action is called here."""
        return self._sends if name == "filter.send" else Wording()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Signs are letters here, too: the footer does not offer what they do elsewhere."""
        return super().check_consume_key(key, character) or is_sign(key)

    def action_complete(self) -> None:
        """Take the completion; without one stay where letters are typed, unless there are none yet."""
        before, after = self.value[: self.cursor_position], self.value[self.cursor_position :]
        found = taken(before, self._names)
        if found is None:
            if not self.value or self._leaves:
                self.screen.focus_next()
            return
        self.value = found + after
        self.cursor_position = len(found)
