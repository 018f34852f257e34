"""The picture: the model's tiles as a heat map of one of its layers, with the selected state marked."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tui.explorer.colours import scale
from tui.explorer.tile_text import within_tile
from tui.text import clean, shorten
from tui.workers import LatestOnly

if TYPE_CHECKING:
    from engine.errors import StormscopeError
    from engine.oracle.numbers import IntArray
    from tui.explorer.layers import Layer
    from tui.explorer.tiles import Tiles

MAX_TILE = Size(9, 4)
TALL, WIDE = 3, 6
"""From this tile size on, the selected tile gets a frame instead of two pointers."""

NO_PICTURE = "No picture for this model: an environment.toml with a [layout] draws its states."
EMPTY = ("No picture for this model.",)
SHARED = ", the rest nearest to this state"
"""Where several states share a tile: it shows the one whose other variables are nearest to the selected state's."""
PART = ", a part of the grid"
SHADES = " ░▒▓█"
"""The colour scale where there are too few colours."""
FEW_COLOURS = "standard"
"""What Rich calls a terminal of sixteen colours."""


class Picture(Widget):
    """A grid of tiles. One state's tile is framed or pointed at, which also shows without colour."""

    tiles: reactive[Tiles | None] = reactive(None, init=False)
    state: reactive[int] = reactive(0, repaint=False, init=False)
    notice: reactive[tuple[str, ...]] = reactive(("Drawing …",), init=False)

    class Valued(Message):
        """Which states stand for the tiles while a state is selected."""

        def __init__(self, state: int, states: IntArray | StormscopeError) -> None:
            super().__init__()
            self.state = state
            self.states = states

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._layer: Layer | None = None
        self._states: IntArray = np.empty(0, dtype=np.int64)
        self._latest: LatestOnly[IntArray] | None = None

    def show_tiles(self, tiles: Tiles | None) -> None:
        """Show a grid, or say that the model has none."""
        self.notice = EMPTY
        if tiles is not None:
            self._states = tiles.shown(self.state)
            if tiles.nearest is not None:
                self._latest = LatestOnly(
                    self.app,
                    tiles.shown,
                    lambda state, states: self.post_message(self.Valued(state, states)),
                    name="valuing the tiles",
                )
        self.tiles = tiles
        self._retitle()

    def show_layer(self, layer: Layer) -> None:
        """Show something else about the states."""
        self._layer = layer
        self._retitle()
        self.refresh()

    def _retitle(self) -> None:
        shared = self.tiles is not None and self.tiles.nearest is not None
        title = (self._layer.title if self._layer is not None else "") + (SHARED if shared else "")
        self.border_title = title + (PART if self._is_part else "")

    @property
    def _is_part(self) -> bool:
        """Whether the grid has more tiles than there is room for; those around the selected state are drawn."""
        if self.tiles is None or self.size.width == 0:
            return False
        _, _, rows, columns = self._window(self.state)
        return (rows, columns) != (self.tiles.rows, self.tiles.columns)

    def on_resize(self) -> None:
        """Say whether all of the grid has room."""
        self._retitle()

    def on_picture_valued(self, event: Valued) -> None:
        """Repaint the tiles whose state changed, unless another state was selected meanwhile."""
        if event.state != self.state or not isinstance(event.states, np.ndarray):
            return
        different = np.flatnonzero(event.states != self._states)
        self._states = event.states
        regions = [region for tile in different if (region := self._region(int(tile))) is not None]
        if regions:
            self.refresh(*regions)

    def watch_state(self, old: int, new: int) -> None:
        """Repaint the two tiles that changed, or all when the window moves."""
        if self.tiles is None:
            return
        if self._latest is not None:
            self._latest.want(new)
        if self._window(old) != self._window(new):
            self.refresh()
            return
        regions = [region for state in (old, new) if (region := self._region(int(self.tiles.tile[state]))) is not None]
        if regions:
            self.refresh(*regions)

    @property
    def _tile_size(self) -> Size:
        tiles = self.tiles
        if tiles is None:
            return Size(1, 1)
        width = max(3, min(MAX_TILE.width, self.size.width // tiles.columns))
        height = max(1, min(MAX_TILE.height, (self.size.height - 1) // tiles.rows))
        return Size(width, min(height, max(1, width // 2)))

    def _window(self, state: int) -> tuple[int, int, int, int]:
        """Return the first shown row and column and the shown numbers of both, around a state."""
        tiles = self.tiles
        if tiles is None:
            return 0, 0, 0, 0
        size = self._tile_size
        shown_rows = max(1, min(tiles.rows, (self.size.height - 1) // size.height))
        shown_columns = max(1, min(tiles.columns, self.size.width // size.width))
        row, column = divmod(max(int(tiles.tile[state]), 0), tiles.columns)
        first_row = min(max(row - shown_rows // 2, 0), tiles.rows - shown_rows)
        first_column = min(max(column - shown_columns // 2, 0), tiles.columns - shown_columns)
        return first_row, first_column, shown_rows, shown_columns

    def _left(self, shown_columns: int) -> int:
        return max(0, (self.size.width - shown_columns * self._tile_size.width) // 2)

    def _region(self, tile: int) -> Region | None:
        """Return where a tile is drawn; None if it is not."""
        if self.tiles is None or tile < 0:
            return None
        row, column = divmod(tile, self.tiles.columns)
        first_row, first_column, shown_rows, shown_columns = self._window(self.state)
        row, column = row - first_row, column - first_column
        if not (0 <= row < shown_rows and 0 <= column < shown_columns):
            return None
        width, height = self._tile_size
        return Region(self._left(shown_columns) + column * width, row * height, width, height)

    @property
    def _shaded(self) -> bool:
        """Whether characters stand for colours: the terminal has too few, or its user wants none."""
        few = self.app.console.color_system == FEW_COLOURS and not self.app.is_headless
        return few or self.app.no_color or self.app.native_ansi_color

    def render_line(self, y: int) -> Strip:
        """Return one line: of tiles, of the legend, or of the notice."""
        base = self.rich_style
        tiles, layer = self.tiles, self._layer
        if tiles is None or layer is None:
            start = max(0, (self.size.height - len(self.notice)) // 2)
            text = self.notice[y - start] if 0 <= y - start < len(self.notice) else ""
            return Strip([Segment(text.center(self.size.width), base + Style(dim=True))]).crop(0, self.size.width)
        first_row, first_column, shown_rows, shown_columns = self._window(self.state)
        height = self._tile_size.height
        if y < shown_rows * height:
            row = first_row + y // height
            segments = [Segment(" " * self._left(shown_columns), base)]
            for column in range(first_column, first_column + shown_columns):
                segments.extend(self._tile_line(tiles, layer, row * tiles.columns + column, y % height))
            strip = Strip(segments)
        elif y == shown_rows * height:
            strip = self._legend(tiles, layer, base)
        else:
            strip = Strip([])
        return strip.adjust_cell_length(self.size.width, base)

    def _tile_line(self, tiles: Tiles, layer: Layer, index: int, line: int) -> list[Segment]:
        width, height = self._tile_size
        state = int(self._states[index])
        if state < 0:
            return [Segment(" " * width, self.rich_style)]
        share = layer.share(state)
        mark = tiles.marks.get(index, "")
        text = _tile_content(mark, within_tile(partial(layer.text, state), width), line, height)
        if self._shaded:
            style = self.rich_style
            margin = " " * bool(text and len(text) + 2 <= width)
            text = f"{margin}{text}{margin}".center(width, shade(share))
        else:
            background, foreground = scale(share)
            style = Style(color=foreground.rich_color, bgcolor=background.rich_color)
            text = text.center(width)
        if index != int(tiles.tile[self.state]):
            return [Segment(text, style)]
        if width < WIDE and not (text[0].isspace() and text[-1].isspace()) and text.strip(SHADES):
            return [Segment(text, style + Style(bold=True, reverse=True))]  # no room for pointers beside the text
        return [Segment(_selected(text, line, Size(width, height)), style + Style(bold=True))]

    def _legend(self, tiles: Tiles, layer: Layer, base: Style) -> Strip:
        ramp = max(4, min(16, self.size.width // 8))
        dim = base + Style(dim=True)
        segments = [Segment(f"{layer.low:g} ", dim)]
        shares = [step / (ramp - 1) for step in range(ramp)]
        if self._shaded:
            segments.append(Segment("".join(map(shade, shares)), base))
        else:
            segments += [Segment(" ", Style(bgcolor=scale(share)[0].rich_color)) for share in shares]
        segments.append(Segment(f" {layer.high:g}", dim))
        room = self.size.width - Strip(segments).cell_length
        for mark, label in tiles.legend:
            text = f"  {clean(mark)} {shorten(clean(label), 10)}"
            if len(text) > room:
                # An entry that does not fit must not be missed in silence.
                segments.append(Segment(" …"[:room], dim))
                break
            segments.append(Segment(text, dim))
            room -= len(text)
        left = (self.size.width - Strip(segments).cell_length) // 2
        return Strip([Segment(" " * max(left, 0), base), *segments])


def shade(share: float) -> str:
    """Return the character for a share of the scale; only shares of 0 and next to it are blank."""
    return SHADES[min(int(min(max(share, 0.0), 1.0) * len(SHADES)), len(SHADES) - 1)]


def _tile_content(mark: str, value: str, line: int, height: int) -> str:
    """Return what one line of a tile says: mark and value where there is room, else the mark, else the value."""
    if height == 1:
        return clean(mark) or value
    middle = height // 2
    if line == middle:
        return value
    return clean(mark) if line == middle - 1 else ""


def _selected(text: str, line: int, size: Size) -> str:
    """Draw the sign of selection around one line of a tile."""
    width, height = size
    if height >= TALL and width >= WIDE:
        if line == 0:
            return "┏" + _framed(text[1:-1]) + "┓"
        if line == height - 1:
            return "┗" + _framed(text[1:-1]) + "┛"
        return "┃" + text[1:-1] + "┃"
    if height > 1 and line != height // 2:
        return text
    return "▸" + text[1:-1] + "◂"


def _framed(text: str) -> str:
    return "".join("━" if each in SHADES else each for each in text)
