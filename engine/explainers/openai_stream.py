"""A chat completion that arrives as server-sent events.

Only what chat completions use of the format is read, line by line: a library for it (httpx-sse) needs httpx.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from engine.explainers.failure import RequestFailed
from engine.explainers.http import read_lines
from engine.explainers.response import check_no_error, completion_reply, holds_answer, text_of
from engine.explainers.streaming import Piece, ThinkingSplitter

if TYPE_CHECKING:
    import aiohttp

    from engine.explainers.base import Reply
    from engine.explainers.streaming import OnPiece

_DATA: Final = b"data:"
_END: Final = b"[DONE]"
_REASONING: Final = ("reasoning_content", "reasoning")


@dataclass(slots=True)
class _Collected:
    """A message in the making; its fields are those of a completion's."""

    content: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    finish: Any = None
    usage: Any = None

    def add(self, chunk: dict[str, Any]) -> tuple[str, str]:
        """Take in a chunk; returns the content and the reasoning that it adds."""
        self.usage = chunk.get("usage") or self.usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return "", ""
        self.finish = choice.get("finish_reason") or self.finish
        delta = choice.get("delta") or choice.get("message")
        if not isinstance(delta, dict):
            return "", ""
        content = text_of(delta.get("content"))
        reasoning = next((text for name in _REASONING if (text := text_of(delta.get(name)))), "")
        self.content.append(content)
        self.reasoning.append(reasoning)
        self.refusal.append(text_of(delta.get("refusal")))
        self.arguments.append(_arguments(delta.get("tool_calls")))
        return content, reasoning

    def reply(self) -> Reply:
        """Return the whole of it."""
        message = {
            "content": "".join(self.content),
            "reasoning": "".join(self.reasoning),
            "refusal": "".join(self.refusal),
            "tool_calls": [{"function": {"arguments": "".join(self.arguments)}}],
        }
        return completion_reply(message, self.finish, self.usage)


async def read_events(response: aiohttp.ClientResponse, on_piece: OnPiece | None) -> Reply:
    """Return the reply of a streamed completion; raises RequestFailed if there is none.

    A stream that ends without a finish reason gives what has come, and `Reply.details` says so. Without its end mark
    too it was cut off on the way, and is only a reply if the answer stands in it whole.
    """
    collected, splitter = _Collected(), ThinkingSplitter()
    ended = chunks = False
    async for line in read_lines(response):
        data = _data_in(line)
        if data == _END:
            ended = True
            break
        if not data:
            continue
        content, reasoning = collected.add(_chunk(data))
        chunks = True
        if on_piece is not None and (content or reasoning):
            sorted_content = splitter.feed(content)
            on_piece(Piece(sorted_content.text, reasoning + sorted_content.reasoning))
    if not chunks:
        raise RequestFailed("the stream ended before anything came", transient=True)
    last = splitter.end()
    if on_piece is not None and last != Piece():
        on_piece(last)
    reply = collected.reply()
    if not reply.finish:
        if not ended and not holds_answer(reply.text):
            raise RequestFailed("the stream broke off before the answer was whole", transient=True)
        stream = "ended without a finish reason" if ended else "broke off without a finish reason"
        reply = replace(reply, details={**reply.details, "stream": stream})
    return reply


def _data_in(line: bytes) -> bytes:
    """Return an event's data; empty for a comment that keeps the connection open, an event's name, a blank line.

    Some gateways write their error as bare JSON between the events.
    """
    if line.startswith(b"{"):
        _chunk(line.strip())
    return line.removeprefix(_DATA).strip() if line.startswith(_DATA) else b""


def _chunk(data: bytes) -> dict[str, Any]:
    try:
        chunk = json.loads(data)
    except (ValueError, RecursionError):
        raise RequestFailed("a piece of the answer is no valid JSON", transient=True) from None
    if not isinstance(chunk, dict):
        raise RequestFailed("the answer is a stream, but of no chat completion")
    check_no_error(chunk)
    return chunk


def _arguments(calls: Any) -> str:
    """Return the piece of the first tool call's arguments."""
    first = calls[0] if isinstance(calls, list) and calls else None
    if not isinstance(first, dict) or first.get("index", 0) != 0:
        return ""
    function = first.get("function")
    return text_of(function.get("arguments")) if isinstance(function, dict) else ""
