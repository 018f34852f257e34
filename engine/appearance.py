"""What can be set about the explorer's looks and keys."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.folders import config_dir

if TYPE_CHECKING:
    from collections.abc import Mapping


class Appearance(BaseModel):
    """The table ``[tui]`` of the settings file.

    Attributes
    ----------
    theme
        Name of a theme; empty chooses one that the terminal can show.
    export_folder
        Where pictures of screens are saved; empty is the folder that the program was started in.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    theme: str = ""
    export_folder: str = ""


@dataclass(frozen=True)
class Preferences:
    """What the explorer needs before its first frame.

    Attributes
    ----------
    keys
        Action id → keys, comma-separated, as the table ``[keys]`` has them.
    problems
        One sentence for each table that was left out.
    """

    appearance: Appearance = field(default_factory=Appearance)
    keys: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def load_preferences() -> Preferences:
    """Read looks and keys alone; never fails, so that a mistake elsewhere in the file does not keep the app closed.

    ``STORMSCOPE_TUI__THEME`` and ``STORMSCOPE_TUI__EXPORT_FOLDER`` win over the file, as with every setting.
    """
    file = config_dir() / "settings.toml"
    try:
        data: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        data = {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return Preferences(_appearance({})[0], {}, (f"The settings cannot be read: {file}: {error}",))
    appearance, problems = _appearance(data.get("tui", {}))
    keys = flat_keys(data.get("keys", {}))
    if keys is None:
        problems = (*problems, f'keys in {file}: write lines such as "app.quit" = "Q" under [keys]')
    return Preferences(appearance, keys or {}, problems)


def flat_keys(table: object) -> dict[str, str] | None:
    """Return action id → keys; None if the table is something else.

    TOML reads ``app.quit`` without quotes as a table ``app`` with a key ``quit``: both ways of writing are taken.
    """
    if not isinstance(table, dict):
        return None
    found: dict[str, str] = {}
    for name, value in table.items():
        inner = {"": value} if isinstance(value, str) else value
        if not isinstance(inner, dict) or not all(isinstance(keys, str) for keys in inner.values()):
            return None
        found |= {f"{name}.{key}" if key else name: keys for key, keys in inner.items()}
    return found


def _appearance(table: object) -> tuple[Appearance, tuple[str, ...]]:
    found = dict(table) if isinstance(table, dict) else {}
    for name in Appearance.model_fields:
        if value := os.environ.get(f"STORMSCOPE_TUI__{name.upper()}"):
            found[name] = value
    try:
        return Appearance.model_validate(found), ()
    except ValidationError as error:
        first = error.errors()[0]
        return Appearance(), (f"tui.{'.'.join(str(part) for part in first['loc'])} in the settings: {first['msg']}",)
