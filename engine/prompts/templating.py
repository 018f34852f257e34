"""Prompt templates: a sandbox, where templates are found, and errors that name the file and the line."""

from __future__ import annotations

import traceback
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from jinja2 import (
    ChoiceLoader,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
)

from engine.errors import UsageError
from engine.prompts.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PACKAGED = Path(__file__).parent / "templates"
ORIGINAL = "original"
"""``original/NAME.j2`` is the file that a file of the same name in the first folder hides."""

Stamp: TypeAlias = tuple[tuple[str, int, int], ...]
"""Name, time of change in nanoseconds and size in bytes of each file in a folder of templates."""


@lru_cache(maxsize=32)
def _sandbox(folders: tuple[Path, ...], stamp: Stamp) -> Sandbox:
    del stamp  # an environment keeps what it has read, imported files too: changed ones need another environment
    return Sandbox(
        loader=ChoiceLoader([FileSystemLoader(folders), PrefixLoader({ORIGINAL: FileSystemLoader(folders[1:])})]),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        auto_reload=False,
    )


class Template:
    """One template file, with the macros that it defines.

    Parameters
    ----------
    name
        File name.
    folders
        Where it and what it imports are looked for, in order, before the packaged templates.
    stamp
        What changes when a file in `folders` does; files are read again only then.

    Raises
    ------
    UsageError
        If the file does not exist or does not parse; it names the file and the line.
    """

    def __init__(self, name: str, folders: tuple[Path, ...] = (), stamp: Stamp = ()) -> None:
        self._name = name
        try:
            self._sandbox = sandbox = _sandbox((*folders, PACKAGED), stamp)
            self._caller = sandbox.get_template("call.j2")
            self._template = sandbox.get_template(name)
        except Exception as error:  # noqa: BLE001 - a user's template is a border: whatever it raises is shown
            raise self._failure(error, folders) from None

    @property
    def file(self) -> str:
        """The path of the file."""
        return self._template.filename or self._name

    def render(self, values: Mapping[str, object]) -> str:
        """Return the template's text; raises UsageError that names the file and the line."""
        self._sandbox.begin()
        try:
            return self._template.render(values)
        except Exception as error:  # noqa: BLE001 - a user's template is a border: whatever it raises is shown
            raise self._failure(error) from None

    def defines(self, macro: str) -> bool:
        """Return whether the template has a macro of that name; raises UsageError if it fails."""
        self._sandbox.begin()
        try:
            return hasattr(self._template.module, macro)
        except Exception as error:  # noqa: BLE001 - a user's template is a border: whatever it raises is shown
            raise self._failure(error) from None

    def call(self, macro: str, *arguments: object) -> str:
        """Return the text of one of the template's macros; raises UsageError that names the file and the line."""
        self._sandbox.begin()
        try:
            function = getattr(self._template.module, macro, None)
            text = None if function is None else self._text(function, macro, arguments)
        except Exception as error:  # noqa: BLE001 - a user's template is a border: whatever it raises is shown
            raise self._failure(error) from None
        if text is None:
            raise UsageError(
                f"the template has no macro {macro!r}", where=self.file, hint=f"define it as {_USAGE[macro]}"
            )
        return text.strip()

    def _text(self, function: Callable[..., object], macro: str, arguments: tuple[object, ...]) -> str:
        try:
            return str(function(*arguments))
        except Exception:  # noqa: BLE001 - as above; only from within a template do jinja2's errors know file and line
            self._sandbox.begin()
            return self._caller.render(file=self._name, macro=macro, arguments=arguments)

    def _failure(self, error: Exception, folders: tuple[Path, ...] = ()) -> UsageError:
        if isinstance(error, TemplateSyntaxError):
            return UsageError(f"{error.message}", where=f"{error.filename or error.name or self._name}:{error.lineno}")
        # jinja2 rewrites tracebacks, so that a template's frames carry its own path and line
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(".j2")]
        frames = [frame for frame in frames if Path(frame.filename) != PACKAGED / "call.j2"]
        known = getattr(self, "_template", None)
        place = ", ".join(map(str, folders)) if known is None else self.file
        where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else place or self._name
        if isinstance(error, TemplateNotFound):
            return UsageError(f"there is no prompt template {error.name}", where=where)
        kind = "" if isinstance(error, TemplateError) else f"{type(error).__name__}: "
        return UsageError(f"the prompt template failed: {kind}{error}", where=where)


_USAGE = {
    "world": "{% macro world(constants) %}",
    "goal": "{% macro goal(constants) %}",
    "state": "{% macro state(values, constants) %}",
}
