"""The form of one endpoint."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from textual import on
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label, Select, Static

from engine.endpoints import ENDPOINT_NAME, NAMES
from engine.errors import UsageError
from tui.screens.form import FormScreen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textual.widget import Widget

    from engine.settings import Settings
    from engine.settings_file import Place

FIELDS = {
    "kind": ("protocol", ""),
    "base_url": ("URL", "http://localhost:8000/v1"),
    "model": ("model, if one is always asked", "llama-3.1-8b-instruct"),
    "api_key_env": ("environment variable that holds the key", "OPENAI_API_KEY"),
    "structured": ("answer format", ""),
    "concurrency": ("questions at once", "8"),
    "max_tokens": ("longest reply in tokens, reasoning included", "2048"),
}
NUMBERS = frozenset({"concurrency", "max_tokens"})
CHOICES = {"kind": ("openai", "ollama"), "structured": ("auto", "json_schema", "json_object", "none")}
"""Fields that are chosen from a list."""
MORE = "The settings file takes more, such as headers, timeouts, prices and a seed: docs/endpoints.md has all."


class EndpointScreen(FormScreen):
    """The fields that are set most often; the settings file takes more.

    Parameters
    ----------
    name
        Which endpoint; empty makes a new one.
    """

    SEND = "Save"
    AUTO_FOCUS = ""  # it would scroll to the first field, away from what stands above it

    class Submitted(Message):
        """These values shall be written."""

        def __init__(self, name: str, changes: Mapping[Place, Any]) -> None:
            super().__init__()
            self.name = name
            self.changes = changes

    def __init__(self, name: str, settings: Settings) -> None:
        super().__init__(f"Endpoint {name}" if name else "New endpoint")
        self._endpoint = name
        self._settings = settings
        self._before = self._values()

    def _values(self) -> dict[str, str]:
        endpoint = {"openai": self._settings.openai, "ollama": self._settings.ollama}.get(
            self._endpoint, self._settings.endpoints.get(self._endpoint)
        )
        if endpoint is None:
            return {field: choices[0] for field, choices in CHOICES.items()}
        return {field: str(getattr(endpoint, field)) for field in FIELDS}

    def fields(self) -> Iterable[Widget]:
        """Return the fields; a key itself is never one of them."""
        yield Static(Content(MORE), classes="form-label", markup=False)
        if not self._endpoint:
            yield Label("name, by which it is chosen", classes="form-label")
            yield Input(placeholder="e.g. lab", compact=True, id="endpoint-name", select_on_focus=False)
        for field, (label, example) in FIELDS.items():
            if field == "kind" and self._endpoint in {"openai", "ollama"}:
                continue
            yield Label(label, classes="form-label")
            value = self._before.get(field, "")
            if field in CHOICES:
                options = [(choice, choice) for choice in CHOICES[field]]
                yield Select(options, value=value, allow_blank=False, compact=True, id=f"endpoint-{field}")
            else:
                yield Input(
                    value, placeholder=f"e.g. {example}", compact=True, id=f"endpoint-{field}", select_on_focus=False
                )

    def on_mount(self) -> None:
        """Begin at the first field."""
        super().on_mount()
        self.query(Input).first().focus(scroll_visible=False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_send()

    def _value(self, field: str) -> str:
        found = self.query(f"#endpoint-{field}")
        if not found:
            return self._before.get(field, "")
        widget = found.first()
        return str(widget.value).strip() if isinstance(widget, Input | Select) else ""

    def _refuse(self, field: str, what: str, hint: str) -> None:
        """Say what is wrong with a field, and go there."""
        self.show_error(UsageError(what, hint=hint))
        self.query_one(f"#endpoint-{field}", Input).focus()

    def submit(self) -> None:
        """Ask for what was changed to be written."""
        name = self._endpoint
        if not name:
            name = self.query_one("#endpoint-name", Input).value.strip()
            if not name:
                self._refuse("name", "the endpoint has no name", NAMES)
                return
            if name in self._settings.endpoints:
                self._refuse("name", f"there is an endpoint named {name}", "choose another name")
                return
            if not re.fullmatch(ENDPOINT_NAME, name):
                self._refuse("name", f"'{name}' is no name of an endpoint", NAMES)
                return
        table: tuple[str, ...] = (name,) if name in {"openai", "ollama"} else ("endpoints", name)
        changes: dict[Place, Any] = {}
        for field in FIELDS:
            text = self._value(field)
            if text == self._before.get(field, "") and (self._endpoint or field == "structured"):
                continue
            if field in NUMBERS and text and not (text.isascii() and text.isdecimal()):
                self._refuse(field, f"{FIELDS[field][0]}: {text} is no whole number", f"for example {FIELDS[field][1]}")
                return
            if field == "base_url" and text and not is_web_address(text):
                self._refuse(field, f"'{text}' is not the URL of a server", f"for example {FIELDS[field][1]}")
                return
            if text or self._endpoint:
                changes[*table, field] = (int(text[:9]) if field in NUMBERS else text) if text else None
        self.start()
        self.post_message(self.Submitted(name, changes))


def is_web_address(text: str) -> bool:
    """Return whether a text begins with http:// or https:// and names a host."""
    try:
        found = urlsplit(text)
        return found.scheme in {"http", "https"} and bool(found.hostname) and not re.search(r"\s", text)
    except ValueError:  # brackets without a pair
        return False
