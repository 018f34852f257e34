"""What a terminal shows, as far as a measurement needs it: characters in cells, and what each column cost to draw."""

from __future__ import annotations

import codecs
import re

_TOKEN = re.compile(
    r"\x1b\[(?P<mark>[?<>=]?)(?P<numbers>[\d;:]*)[ -/]*(?P<final>[@-~])"  # a control sequence
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\|\x1b[()][A-Z0-9]|\x1b[=>78cDEHM]"  # without effect here
    r"|(?P<text>[^\x00-\x1f\x7f]+)|(?P<control>[\x00-\x1a\x1c-\x1f\x7f])"
)


class Glass:
    """A screen of cells that follows a terminal's output; every character is taken to be one column wide.

    Attributes
    ----------
    edge
        The first column of the right part.
    left, right
        Bytes that drew the left and the right part so far; a sequence counts for the text that follows it.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.edge = width
        self.left = self.right = 0
        self._cells = [[" "] * width for _ in range(height)]
        self._column = self._row = 0
        self._pending = 0
        self._rest = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def lines(self) -> list[str]:
        """``(height,)`` rows as text."""
        return ["".join(row) for row in self._cells]

    @property
    def text(self) -> str:
        """All rows."""
        return "\n".join(self.lines)

    def feed(self, data: bytes) -> None:
        """Take output; what ends within a sequence or a character is kept for the next time."""
        text = self._rest + self._decoder.decode(data)
        position = 0
        while found := _TOKEN.match(text, position):
            position = found.end()
            if found["text"] is not None:
                self._write(found["text"])
                continue
            self._pending += len(found[0].encode())
            if found["control"] is not None:
                self._control(found["control"])
            elif found["final"] is not None and not found["mark"]:
                self._sequence(found["final"], [int(part or 0) for part in re.split("[;:]", found["numbers"])])
        self._rest = text[position:]

    def _write(self, text: str) -> None:
        for character in text:
            size = len(character.encode()) + self._pending
            self._pending = 0
            if self._column < self.edge:
                self.left += size
            else:
                self.right += size
            if self._row < self.height and self._column < self.width:
                self._cells[self._row][self._column] = character
            self._column += 1

    def _control(self, character: str) -> None:
        if character == "\r":
            self._column = 0
        elif character == "\n":
            self._column, self._row = 0, self._row + 1  # the terminal's output processing adds the return
        elif character == "\b":
            self._column = max(self._column - 1, 0)

    def _sequence(self, final: str, numbers: list[int]) -> None:
        first, second = (*numbers, 0)[:2]
        if final in "Hf":
            self._row, self._column = max(first, 1) - 1, max(second, 1) - 1
        elif final == "A":
            self._row = max(self._row - max(first, 1), 0)
        elif final == "B":
            self._row += max(first, 1)
        elif final == "C":
            self._column += max(first, 1)
        elif final == "D":
            self._column = max(self._column - max(first, 1), 0)
        elif final == "G":
            self._column = max(first, 1) - 1
        elif final == "J" and first in {2, 3}:
            self._cells = [[" "] * self.width for _ in range(self.height)]
        elif final == "K" and self._row < self.height:
            self._cells[self._row][self._column :] = [" "] * (self.width - self._column)
