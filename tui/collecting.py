"""When Python looks for garbage: seldom, and not among what stays loaded, so that no key waits for it."""

from __future__ import annotations

import gc
from typing import Final

YOUNG: Final = 10_000
"""New objects before Python looks for garbage; with its own 700, the explorer takes a sixth longer to load."""

_kept: list[bool] = []


def collect_seldom() -> None:
    """Look for garbage less often than Python would."""
    gc.set_threshold(YOUNG, 20, 20)


def keep_what_is_loaded() -> None:
    """Leave modules and classes out of every later search, which takes 0.1 s otherwise; what is open comes later.

    Only the first call does it: what is kept in a later one might be a model that is to be forgotten.
    """
    if not _kept:
        _kept.append(True)
        gc.freeze()
