"""Answers that arrive in pieces, for a front end that shows them while they are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from engine.prompts.reading_thinking import TAG, kind_of, torn_at

if TYPE_CHECKING:
    from engine.explainers.base import Explainer, Question, Reply


@dataclass(frozen=True, slots=True)
class Piece:
    """Some more of an answer.

    Attributes
    ----------
    text
        More of the answer itself.
    reasoning
        More of the thinking before it, from a channel of its own or from tags such as ``<think>``.
    again
        What has come so far is void: the connection broke, and the request is sent again.
    """

    text: str = ""
    reasoning: str = ""
    again: bool = False


OnPiece: TypeAlias = Callable[[Piece], None]
"""Called on the event loop's thread; it must return at once and not raise."""


@runtime_checkable
class Streams(Protocol):
    """An explainer whose answers can be watched while they are written."""

    async def ask_in_pieces(self, question: Question, on_piece: OnPiece) -> Reply:
        """Answer as ``ask`` does and give each piece to `on_piece`; the reply is the same and has all of it."""
        ...


async def ask_in_pieces(explainer: Explainer, question: Question, on_piece: OnPiece) -> Reply:
    """Ask any explainer, in pieces if it can; else its whole answer is the one piece."""
    if isinstance(explainer, Streams):
        return await explainer.ask_in_pieces(question, on_piece)
    reply = await explainer.ask(question)
    if reply.text or reply.reasoning:
        on_piece(Piece(reply.text, reply.reasoning))
    return reply


class ThinkingSplitter:
    """Sorts streamed content into answer and thinking by tags such as ``<think>``, which may arrive torn into pieces.

    Only the pieces that are shown are sorted; the reply is sorted as a whole. What stands before a closing tag
    that was never opened cannot be known for thinking in time, and is shown as text.
    """

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False

    def feed(self, content: str) -> Piece:
        """Return what is certain by now."""
        self._held += content
        cut = torn_at(self._held)
        ready, self._held = self._held[:cut], self._held[cut:]
        return self._sorted(ready)

    def end(self) -> Piece:
        """Return what was held back in case a tag would follow."""
        ready, self._held = self._held, ""
        return self._sorted(ready)

    def _sorted(self, ready: str) -> Piece:
        kinds: tuple[list[str], list[str]] = ([], [])
        start = 0
        for tag in TAG.finditer(ready):
            kinds[self._thinking].append(ready[start : tag.start()])
            self._thinking = kind_of(tag.group()) == "opens"
            start = tag.end()
        kinds[self._thinking].append(ready[start:])
        return Piece("".join(kinds[0]), "".join(kinds[1]))
