"""What the start screen says about the entry under the cursor."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content
from textual.geometry import Size
from textual.style import Style
from textual.widgets import Static

from engine.figures import counted
from tui.explorer.colours import scale
from tui.explorer.tile_text import tile_text, within_tile
from tui.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.verdicts.overview import Overview
    from tui.services.preview import Preview, Square

LABEL = 11
TILE = 5
ROOMY, HIGH = Size(9, 3), 36
"""The size of a tile where the terminal is that high."""


class PreviewPanel(Static):
    """Words, picture and numbers of a model, or how far a campaign is."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id, markup=False)

    def show_preview(self, preview: Preview, note: str = "") -> None:
        """Show a model; `note` says what is being done about it."""
        self.update(Content("\n").join(self._lines(preview, note or preview.note)))

    def show_overview(self, overview: Overview) -> None:
        """Show a campaign."""
        self.update(Content("\n").join(_campaign(overview)))

    def show_text(self, text: str) -> None:
        """Show a sentence."""
        self.update(Content.styled(text, "dim"))

    def _lines(self, preview: Preview, note: str) -> Iterator[Content]:
        yield Content.styled(preview.title, "bold")
        yield Content(preview.summary)
        yield Content("")
        if preview.drawing:
            yield from (Content(line) for line in preview.drawing)
            yield Content("")
        elif preview.squares:
            columns, rows = len(preview.squares[0]), len(preview.squares)
            width = max(2, min(TILE, max(self.size.width, 1) // columns))
            roomy = (
                width == TILE
                and self.screen.size.height >= HIGH
                and rows * ROOMY.height <= self.screen.size.height // 2
            )
            plain = self.app.native_ansi_color or self.app.no_color
            size = Size(min(ROOMY.width, self.size.width // columns), ROOMY.height) if roomy else Size(width, 1)
            for row in preview.squares:
                yield from _row(row, size, plain=plain)
            yield Content("")
        yield from (_fact(label, text) for label, text in preview.facts)
        if note:
            yield Content.styled(f"\n{note}", "dim")


def _row(squares: Sequence[Square], size: Size, *, plain: bool) -> Iterator[Content]:
    for line in range(size.height):
        parts: list[Content] = []
        for square in squares:
            text = tile_of(square, size.width) if line == size.height // 2 else ""
            tile = Content(f"{text:^{size.width}}")
            if square.share is not None and not plain:
                background, foreground = scale(square.share)
                tile = tile.stylize(Style(background=background, foreground=foreground))
            parts.append(tile)
        yield Content("").join(parts)


def tile_of(square: Square, width: int) -> str:
    """Return what a tile says, as in the explorer: its mark, else its value where that has room."""
    if square.mark or square.value is None:
        return square.mark[:width]
    text = within_tile(partial(tile_text, square.value), width)
    return text if len(text) <= width else ""


def _fact(label: str, text: str) -> Content:
    return Content.assemble((f"{label:<{LABEL}}", "dim"), text)


def progress_of(overview: Overview) -> str:
    """Return in a word or two how far a campaign is."""
    if overview.only_kept:
        return f"{overview.kept:,} kept"
    return "done" if overview.finished else f"{overview.done:,}/{overview.total:,}"


def _campaign(overview: Overview) -> Iterator[Content]:
    yield Content.styled(clean(overview.path.name), "bold")
    if overview.only_kept:
        yield Content(f"{counted(overview.kept, 'answer')} kept by hand; no campaign has run")
    else:
        state = "finished" if overview.finished else "unfinished: enter, then ^r goes on"
        yield Content(f"{overview.done:,} of {overview.total:,} answered, {state}")
        if overview.kept:
            yield Content(f"and {overview.kept:,} kept by hand, in no rate")
    yield Content("")
    for model in overview.models:
        yield _fact("model", clean(f"{model.title} ({model.states:,} states)"))
        yield _fact("objective", clean(model.objective))
    yield _fact("explainers", clean(", ".join(overview.explainers)))
    if not overview.only_kept:
        yield _fact("categories", clean(", ".join(str(name) for name in overview.plan.get("categories", ()))))
        yield _fact("begun", clean(overview.started[:16].replace("T", " ")) + " UTC")
    yield _fact("file", clean(str(overview.path)))
