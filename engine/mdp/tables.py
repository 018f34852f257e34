"""Lines of words: what PRISM's and Storm's explicit text files consist of."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from engine.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def read_text(path: Path) -> str:
    """Return a file's text; raises ModelError if it cannot be read or is no UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ModelError("this is no text in UTF-8", where=str(path), hint="write the file again") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelError(f"the file cannot be read: {reason}", where=str(path), hint="check the file") from None


def lines_of(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers (from 1) and words of the lines that hold something; ``//`` starts a comment line."""
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        words = line.split()
        if words and not words[0].startswith("//"):
            yield number, words


def numbers_of(words: list[str], integers: int, expected: str, where: str) -> tuple[list[int], Fraction]:
    """Return so many leading integers and the exact number behind them; raises ModelError."""
    try:
        *leading, last = words
        numbers = [int(word) for word in leading], _fraction(last)
    except (ValueError, ZeroDivisionError):
        numbers = [], Fraction(0)
    if len(numbers[0]) != integers:
        raise ModelError(f"expected {expected!r}, found {' '.join(words)!r}", where=where, hint="mend this line")
    return numbers


@lru_cache(maxsize=4096)
def _fraction(text: str) -> Fraction:
    """Read a number; files repeat few of them very often."""
    return Fraction(text)
