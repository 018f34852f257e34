"""What the command palette offers beside the actions: environments, recent models and explainers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import SystemCommand
from textual.command import CommandPalette
from textual.widgets import Input

from engine.errors import StormscopeError
from tui.services.entries import Kind, all_entries
from tui.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.app import App

    from engine.recent import RecentModel
    from tui.services.services import Services


async def look_for_explainers(app: App[Any], services: Services) -> None:
    """Let endpoints list their models unless they have; then the open palette searches again."""
    if services.asking.known is not None:
        return
    try:
        await services.asking.models()
    except StormscopeError:
        return  # as in `explainer_commands`
    if CommandPalette.is_open(app):
        field = app.screen.query_one(Input)
        field.post_message(Input.Changed(field, field.value))


def model_commands(open_model: Callable[[RecentModel], None]) -> Iterator[SystemCommand]:
    """Yield one command for each model that the start screen lists."""
    for entry in all_entries():
        if entry.kind is not Kind.CAMPAIGN:
            about = f"Open this model ({entry.kind.value.lower()})."
            yield SystemCommand(f"Open: {clean(entry.name)}", about, partial(open_model, entry.model), discover=False)


def explainer_commands(services: Services, take: Callable[[str], None]) -> Iterator[SystemCommand]:
    """Yield one command for each explainer, with the models that endpoints have listed.

    There are none if the settings cannot be read, which asking then says.
    """
    try:
        names = dict.fromkeys([*services.explainers(), *(services.asking.known or ())])
    except StormscopeError:
        return
    for name in names:
        yield SystemCommand(
            f"Explainer: {clean(name)}", "Ask this one from now on.", partial(take, name), discover=False
        )
