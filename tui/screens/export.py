"""Save what is on the screen as an SVG picture."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from tui.screens.save import SaveScreen

if TYPE_CHECKING:
    from collections.abc import Callable


class ExportScreen(SaveScreen):
    """One field for the file.

    Parameters
    ----------
    picture
        The SVG text.
    folder
        As of `SaveScreen`.
    """

    def __init__(self, picture: str, folder: str) -> None:
        name = f"stormscope-{datetime.now().astimezone():%Y%m%d-%H%M%S}.svg"
        super().__init__("Save this screen as an SVG picture", name, folder)
        self._picture = picture

    def content(self, name: str) -> Callable[[], str]:
        """Return the picture, whatever the name is."""
        del name
        return lambda: self._picture
