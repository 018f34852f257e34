"""Telling the thinking that a model wrote into its reply from the answer, by the tags around it (methods.md 1.4)."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from engine.prompts.reading_json import whole_array, whole_object

Tag: TypeAlias = Literal["opens", "closes", "ends", "final"]
"""What a tag does: ``ends`` closes thinking only if there is some, ``final`` begins the answer."""

_NAMES: Final = ("think", "thinking", "thought", "thoughts", "reasoning", "analysis", "scratchpad")
_BRACKETS: Final = (("<", ">"), ("[", "]"), ("◁", "▷"))
_BRACKETED: Final = ("think", "thinking")
"""The names that square and triangular brackets are known to hold; ``[analysis]`` may be plain text."""
_CHANNEL: Final = "<|channel|>{}<|message|>"
_TAGS: Final[dict[str, Tag]] = {
    **{
        f"{left}{slash}{name}{right}": ("closes" if slash else "opens")
        for left, right in _BRACKETS
        for name in (_NAMES if left == "<" else _BRACKETED)
        for slash in ("", "/")
    },
    **{_CHANNEL.format(name): "opens" for name in ("analysis", "commentary")},
    _CHANNEL.format("final"): "final",
    "<|start|>assistant": "ends",
    "<|end|>": "ends",
    "<|return|>": "ends",
}
TAG: Final = re.compile("|".join(map(re.escape, sorted(_TAGS, key=len, reverse=True))), re.IGNORECASE)
"""A whole tag, in any case."""
_LONGEST: Final = max(map(len, _TAGS))
_BEGINNINGS: Final = frozenset(tag[:length] for tag in _TAGS for length in range(1, len(tag)))


def kind_of(tag: str) -> Tag:
    """Return what a tag that `TAG` has found does."""
    return _TAGS[tag.lower()]


def torn_at(text: str) -> int:
    """Return where a tag that has not arrived whole may begin at the text's end; the text's length if there is none."""
    first = max(0, len(text) - _LONGEST + 1)
    return next((place for place in range(first, len(text)) if text[place:].lower() in _BEGINNINGS), len(text))


def split_reasoning(text: str) -> tuple[str, str]:
    """Return the text without its thinking, and the thinking.

    Thinking is what stands between tags, before a closing tag that was never opened, and after an opening tag that is
    never closed; what stands between two blocks of it is not. A text that is one JSON object or list is all answer,
    whatever its strings hold.
    """
    if whole_object(text) or whole_array(text) is not None:
        return text, ""
    visible: list[str] = []
    thoughts: list[str] = []
    begin, thinking = 0, False
    for tag in TAG.finditer(text):
        piece, begin = text[begin : tag.start()], tag.end()
        does = kind_of(tag.group())
        if does == "closes" and not thinking:
            thoughts += [*visible, piece]
            visible.clear()
            continue
        if does == "opens" and not thinking and piece.strip() and thoughts:
            thoughts.append("\n")
        (thoughts if thinking else visible).append(piece)
        thinking = does == "opens"
    (thoughts if thinking else visible).append(text[begin:])
    # A line end between the pieces, lest they make a tag when put together.
    return "\n".join(filter(None, visible)), "".join(thoughts).strip()
