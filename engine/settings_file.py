"""Changing the settings file: what a user wrote stays as it is, comments and order included."""

from __future__ import annotations

import os
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tomlkit import dumps, nl, parse, table
from tomlkit.exceptions import TOMLKitError

from engine.errors import UsageError
from engine.settings import check_contents, settings_file

if TYPE_CHECKING:
    from collections.abc import Mapping

Place: TypeAlias = tuple[str, ...]
"""Tables and key, as in ``("endpoints", "lab", "base_url")``."""


def change_settings(changes: Mapping[Place, Any]) -> None:
    """Write values into the settings file; None removes a key, or a table with all that is in it.

    The file is replaced in one step, and only if what it then says can be read as settings.

    Raises
    ------
    UsageError
        If the file is no TOML, the new contents are no valid settings, or it cannot be written; it is unchanged then.
    """
    file = settings_file()
    try:
        before = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        before = ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the settings cannot be read: {error}", where=str(file)) from None
    after = changed_text(before, changes, file)
    check_contents(tomllib.loads(after))
    if after != before:
        _replace(file, after)


def keys_change(action: str, keys: str | None) -> dict[Place, Any]:
    """Return the change that gives an action other keys, or its own back; it may have been written with a dotted name.

    An id has one dot: ``app.quit``.
    """
    group, _, name = action.partition(".")
    return {("keys", group, name): None, ("keys", action): keys}


def changed_text(text: str, changes: Mapping[Place, Any], file: Path) -> str:
    """Return a settings file's text with changes in it; raises UsageError that names the file if it is no TOML."""
    try:
        document = parse(text)
        for place, value in changes.items():
            _change(document, place, value)
        return dumps(document)
    except TOMLKitError as error:
        raise UsageError(
            f"not a valid TOML file: {error}", where=str(file), hint="mend it in an editor; nothing was written"
        ) from None


def _change(document: Any, place: Place, value: Any) -> None:
    *tables, key = place
    found = document
    for depth, name in enumerate(tables):
        if name not in found:
            if value is None:
                return
            if depth == 0 and len(document):
                document.add(nl())
            # A table that only holds tables needs no heading of its own.
            found[name] = table(is_super_table=depth + 1 < len(tables))
        found = found[name]
        if not hasattr(found, "keys"):
            raise UsageError(f"{'.'.join(tables[: depth + 1])} is no table", where=str(settings_file()))
    if value is not None:
        found[key] = value
    elif key in found:
        del found[key]


def _replace(file: Path, text: str) -> None:
    """Write a file in one step; a link stays a link, and the file's rights stay as they were."""
    target = Path(os.path.realpath(file))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        new = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            if target.exists():
                new.chmod(target.stat().st_mode & 0o777)
            new.replace(target)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"the settings cannot be written: {error.strerror or error}",
            where=str(file),
            hint="check the rights of the file and its folder",
        ) from None
