"""The categories that exist: every module in `engine.queries.categories`, found by itself."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import engine.queries.categories
from engine.errors import UsageError
from engine.queries.category import Category, Object, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping


PAPER: Final = (
    "satisfy",
    "is-bottleneck",
    "best-action",
    "worst-action",
    "action-ranking",
    "subset-has-bottleneck",
    "subset-has-dead-end",
    "more-promising",
    "safer",
    "which-is-bottleneck",
)
"""The ten categories of the paper (methods.md 1.2); the others extend it."""


@cache
def all_categories() -> Mapping[str, Category]:
    """Return every category by name: the paper's first, each time those about one state, pairs and subsets."""
    package = engine.queries.categories
    found: list[Category] = []
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        category = importlib.import_module(module.name).CATEGORY
        if not isinstance(category, Category):
            raise TypeError(f"{module.name}.CATEGORY is no Category")
        found.append(category)
    scopes, objects = list(Scope), list(Object)
    found.sort(
        key=lambda category: (
            category.name not in PAPER,
            scopes.index(category.scope),
            objects.index(category.object),
            category.name,
        )
    )
    return MappingProxyType({category.name: category for category in found})


def category_named(name: str) -> Category:
    """Return one category; raises UsageError that lists what exists."""
    categories = all_categories()
    if name in categories:
        return categories[name]
    close = difflib.get_close_matches(name, categories, n=1)
    guess = f"did you mean {close[0]}? " if close else ""
    raise UsageError(f"there is no category {name!r}", hint=f"{guess}there are: {', '.join(categories)}")
