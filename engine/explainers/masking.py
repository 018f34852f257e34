"""Keys in what servers say: some quote the key that they refuse, whole or in part."""

from __future__ import annotations

import re
from typing import Final

HIDDEN: Final = "***"
_SHARED: Final = 6
"""Characters of a key that a word must hold to be a part of it."""
_END: Final = 4
"""Characters of a key's end that servers quote alone."""
_WORD: Final = re.compile(r"[A-Za-z0-9_\-*.•…]{4,}")
_LIKE_A_KEY: Final = re.compile(
    r"(?:sk|pk|rk|gsk|hf|xai|key|api|token|ghp|glpat|AIza)[-_][A-Za-z0-9_\-*.•…]{4,}|AIza\w{10,}"
    r"|\w{2,8}(?:\*{2,}|•{2,}|…)[\w*•]*",
    re.ASCII,
)
"""How keys begin, and how servers shorten them: ``sk-ab***wxyz``."""


def masked(text: str, secret: str) -> str:
    """Return a text without a key, be it quoted whole, in part, or not the one that was sent.

    Parameters
    ----------
    text
        What a server says.
    secret
        The key that was sent; empty if there was none.
    """
    if secret:
        # A very short key is also a part of ordinary words.
        whole = re.escape(secret) if len(secret) > _END else rf"(?<!\w){re.escape(secret)}(?!\w)"
        text = re.sub(whole, HIDDEN, text)
    return _WORD.sub(lambda word: HIDDEN if _is_part(word[0].rstrip("."), secret) else word[0], text)


def _is_part(word: str, secret: str) -> bool:
    if _LIKE_A_KEY.fullmatch(word) and re.search(r"[\d*•…]|\.\.\.", word):
        return True
    if len(secret) < 2 * _SHARED:
        return False
    parts = {secret[place : place + _SHARED] for place in range(len(secret) - _SHARED + 1)}
    return word == secret[-_END:] or any(word[place : place + _SHARED] in parts for place in range(len(word)))
