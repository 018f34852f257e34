"""Themes from TOML files. A broken file is reported and skipped, never fatal."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from textual.color import Color, ColorParseError
from textual.theme import Theme

import themes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

OWN_VARIABLES = {"pass": "#2e9e6b", "fail": "#d9534f", "invalid": "#c98a1b"}
"""Colour variables of this app's own style sheet, with values for themes that come from elsewhere."""

_FROM = {"pass": "success", "fail": "error", "invalid": "warning"}


class ThemeFile(BaseModel):
    """One theme. Every colour is ``#rrggbb``, a CSS name, or one of the terminal's own such as ``ansi_blue``.

    Attributes
    ----------
    dark
        Whether text is lighter than its background.
    ansi
        Whether the colours are the terminal's own sixteen, and its background is left alone.
    primary, secondary, accent
        Colours of headings and of the focus.
    foreground, background, surface, panel, boost
        Text, and the layers behind it.
    success, warning, error
        Colours of verdicts and messages.
    variables
        Any other colour variable of Textual or of `OWN_VARIABLES`; the latter follow success, error and warning.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dark: bool
    ansi: bool = False
    primary: str
    secondary: str | None = None
    accent: str | None = None
    foreground: str | None = None
    background: str | None = None
    surface: str | None = None
    panel: str | None = None
    boost: str | None = None
    success: str | None = None
    warning: str | None = None
    error: str | None = None
    variables: dict[str, str] = Field(default_factory=dict)

    @field_validator(
        "primary",
        "secondary",
        "accent",
        "foreground",
        "background",
        "surface",
        "panel",
        "boost",
        "success",
        "warning",
        "error",
    )
    @classmethod
    def _is_colour(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                Color.parse(value)
            except ColorParseError:
                raise ValueError(f"{value!r} is no colour") from None
        return value


def load_theme(file: Path) -> Theme:
    """Read one theme file; raises ValueError with a message that names the file and the field."""
    try:
        data = ThemeFile.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{file.name}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{file.name}: {field}: {first['msg'].removeprefix('Value error, ')}") from None
    fields = data.model_dump()
    own = {name: fields[source] for name, source in _FROM.items() if fields[source] is not None}
    fields["variables"] = {**own, **data.variables}
    return Theme(name=file.stem, **fields)


def load_themes(folders: Iterable[Path] = ()) -> tuple[dict[str, Theme], list[str]]:
    """Read the packaged themes and those in the folders; a later one of the same name wins.

    Returns
    -------
    The themes by name, and one message for each file that was skipped.
    """
    files = [*themes.packaged().values()]
    for folder in folders:
        files.extend(sorted(folder.glob("*.toml")))
    loaded: dict[str, Theme] = {}
    skipped: list[str] = []
    for file in files:
        try:
            loaded[file.stem] = load_theme(file)
        except ValueError as error:
            skipped.append(f"Theme skipped: {error}")
    return loaded, skipped


FIRST, FEW_COLOURS = "storm-dark", "sixteen"


def uncoloured(theme: Theme) -> Theme:
    """Return a theme of this name in the terminal's own colours, which can be left out without losing what they mark.

    A theme of other colours would leave greys, and reverse video everywhere: each of its cells has a background.
    """
    return replace(load_theme(themes.packaged()[FEW_COLOURS]), name=theme.name)


def without_colours(variables: Mapping[str, str]) -> bool:
    """Return whether a terminal takes no colours at all, from the environment variables that describe it."""
    # A browser has all colours whatever the server's terminal is.
    return variables.get("TERM", "").lower() in {"dumb", "unknown"} and variables.get("TERM_PROGRAM") != "textual"


def first_theme(variables: Mapping[str, str]) -> str:
    """Return the packaged theme that a terminal can show, from the environment variables that describe it.

    Where colours are unwanted (``NO_COLOR``), or are sixteen at most (``TERM`` names no 256 colours and ``COLORTERM``
    no true colour), that is the theme of the terminal's own colours.
    """
    term = variables.get("TERM", "").lower()
    many = variables.get("COLORTERM", "").lower() in {"truecolor", "24bit"} or any(
        sign in term for sign in ("256color", "direct", "kitty", "ghostty", "alacritty", "wezterm", "foot")
    )
    if variables.get("TERM_PROGRAM") == "textual" and "NO_COLOR" not in variables:
        return FIRST  # a browser
    plain = "NO_COLOR" in variables
    # Where TERM says nothing, as on Windows, colours are the rule.
    return FEW_COLOURS if plain or (term and not many) else FIRST
