"""What Storm says when it refuses, taken apart."""

from __future__ import annotations

import re

_SYNTAX = re.compile(
    r"Parsing error at (\d+):(\d+):\s*(?P<what>.*?)(?:, here:\n\t(?P<line>[^\n]*)\n\t(?P<blank> *)\^.*)?$", re.DOTALL
)


class StormError(Exception):
    """Storm refused.

    Attributes
    ----------
    message
        The sentence, without the exception's name.
    position
        Line and column of a syntax error in a file, from 1.
    snippet
        The text that Storm quotes with a syntax error, and the column in it, from 1.
    """

    def __init__(self, message: str) -> None:
        text = re.sub(r"^\w+(?:Exception|Error):\s*", "", message.strip())
        found = _SYNTAX.search(text)
        self.position = (int(found[1]), int(found[2])) if found else None
        self.snippet = (found["line"], len(found["blank"]) + 1) if found and found["line"] is not None else None
        self.message = (f"syntax error, {found['what'].strip()}" if found else text).rstrip(". \n")
        super().__init__(self.message)

    def column_in(self, text: str) -> int | None:
        """Return the column of a syntax error in a property's text: Storm counts from what it could not read."""
        if self.snippet is None or self.snippet[0] not in text:
            return None
        return text.index(self.snippet[0]) + self.snippet[1]
