"""The categories that ``--category`` names, one by one or as a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def read_categories(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of categories in the taxonomy's order; those of the paper if none is named.

    Parameters
    ----------
    texts
        Names of categories, ``paper``, ``extensions`` or ``all``.

    Raises
    ------
    UsageError
        If there is no such category.
    """
    from engine.queries.registry import PAPER, all_categories, category_named  # noqa: PLC0415  # commands load what they need

    known = all_categories()
    groups = {"paper": set(PAPER), "extensions": set(known) - set(PAPER), "all": set(known)}
    wanted: set[str] = set()
    for text in texts or ("paper",):
        wanted |= groups[text] if text in groups else {category_named(text).name}
    return tuple(name for name in known if name in wanted)
