"""A field for the path of a model file, which completes it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input

from tui.actions.registry import bindings, is_sign
from tui.services.paths import common_start, completions

if TYPE_CHECKING:
    from textual.binding import BindingType


class PathSuggester(Suggester):
    """Suggests the first file or folder; a slow disk delays the suggestion, never a key."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """Return the first completion, or None."""
        if not value:
            return None
        found = await asyncio.to_thread(completions, value)
        return found[0] if found and found[0] != value else None


class PathInput(Input):
    """Tab completes as far as all candidates agree, and shows them; where there is nothing to complete it moves on."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("path")]

    class Candidates(Message):
        """There are several ways to go on, or none."""

        def __init__(self, paths: tuple[str, ...]) -> None:
            super().__init__()
            self.paths = paths

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(
            placeholder="path of a model file, NAME:constant=value, or gym:ID",
            compact=True,
            id=id,
            select_on_focus=False,
            suggester=PathSuggester(),
        )

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Signs are letters here, too: the footer does not offer what they do elsewhere."""
        return super().check_consume_key(key, character) or is_sign(key)

    async def action_complete(self) -> None:
        """Complete the path, or go to the next field."""
        typed = self.value
        if not typed:
            self.screen.focus_next()
            return
        found = await asyncio.to_thread(completions, typed)
        if self.value != typed:
            return
        longer = common_start(found)
        if len(longer) > len(typed):
            self.value = longer
            self.cursor_position = len(longer)
            if len(found) == 1 and longer.endswith("/"):
                found = await asyncio.to_thread(completions, longer)
        elif found in ((), (typed,)):
            self.screen.focus_next()
        self.post_message(self.Candidates(found if len(found) > 1 else ()))
