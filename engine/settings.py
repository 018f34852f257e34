"""Settings from the settings file and from environment variables, and the folders that the program uses."""

from __future__ import annotations

import difflib
import os
import tomllib
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, Field, StringConstraints, ValidationError, field_validator
from pydantic_settings import BaseSettings, InitSettingsSource, SettingsConfigDict, SettingsError

from engine.appearance import Appearance, flat_keys
from engine.endpoints import ENDPOINT_NAME, NAMES, RESERVED_NAMES, Endpoint, Local, OllamaEndpoint
from engine.errors import UsageError
from engine.folders import config_dir

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic_settings import PydanticBaseSettingsSource

__all__ = ["Endpoint", "Local", "Settings", "load_settings", "settings_file"]

_KEY_HEADERS: Final = frozenset({"authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie"})
"""Headers that carry secrets, which the settings file must not hold."""


def settings_file() -> Path:
    """Return where the settings file is, or would be."""
    return config_dir() / "settings.toml"


class Settings(BaseSettings):
    """Everything a user can set.

    Later wins: defaults, the settings file, ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``, variables such as
    ``STORMSCOPE_OPENAI__TIMEOUT``, arguments.

    Attributes
    ----------
    openai, ollama, local
        What ``openai:MODEL``, ``ollama:MODEL`` and ``local`` are.
    endpoints
        Further servers by the names that the command line calls them.
    explanation_length
        Characters that the explanation in a reply may have; a small model talks on until something stops it.
    tui
        How the explorer looks.
    keys
        Action id → keys of the explorer, comma-separated.
    """

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", env_prefix="STORMSCOPE_", env_nested_delimiter="__", env_ignore_empty=True
    )

    openai: Endpoint = Field(default_factory=Endpoint)
    ollama: OllamaEndpoint = Field(default_factory=OllamaEndpoint)
    local: Local = Field(default_factory=Local)
    endpoints: dict[Annotated[str, StringConstraints(pattern=f"^{ENDPOINT_NAME}$")], Endpoint] = Field(
        default_factory=dict
    )
    explanation_length: int = Field(default=200, ge=1)
    tui: Appearance = Field(default_factory=Appearance)
    keys: dict[str, str] = Field(default_factory=dict)

    @field_validator("keys", mode="before")
    @classmethod
    def _check_keys(cls, keys: Any) -> Any:
        flat = flat_keys(keys)
        if flat is None:
            raise ValueError('write lines such as "app.quit" = "Q"')
        return flat

    @field_validator("endpoints")
    @classmethod
    def _check_names(cls, endpoints: dict[str, Endpoint]) -> dict[str, Endpoint]:
        taken = sorted(RESERVED_NAMES & set(endpoints))
        if taken:
            raise ValueError(f"'{taken[0]}' is the name of an explainer already; choose another one")
        return endpoints

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic-settings passes all by name
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - as above
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources, the first being the strongest."""
        return (
            init_settings,
            env_settings,
            InitSettingsSource(settings_cls, _openai_variables()),
            InitSettingsSource(settings_cls, _file_contents()),
        )


def load_settings() -> Settings:
    """Read the settings; raises UsageError that names the file or variable, the key, and the nearest known key."""
    return _settings({})


def check_contents(data: dict[str, Any]) -> None:
    """Raise UsageError if these would be no valid contents of the settings file."""
    _refuse_keys(data, settings_file())
    _settings(data)


def _settings(data: dict[str, Any]) -> Settings:
    try:
        return Settings(**data)
    except SettingsError as error:
        raise UsageError(f"an environment variable is not valid: {error}", where="STORMSCOPE_…") from None
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        path = _setting(first["loc"])
        unknown = first["type"] == "extra_forbidden"
        message = "there is no such setting" if unknown else first["msg"].removeprefix("Value error, ")
        hint = _nearest_key(path) if unknown else ""
        if first["type"] == "string_pattern_mismatch":  # only the names of endpoints have a pattern
            path, message, hint = path[:2], "no name of an endpoint", NAMES
        raise UsageError(f"{'.'.join(path)}: {message}", where=_place(path), hint=hint) from None


def _openai_variables() -> dict[str, Any]:
    found = {"base_url": os.environ.get("OPENAI_BASE_URL", ""), "api_key": os.environ.get("OPENAI_API_KEY", "")}
    values = {name: value.strip() for name, value in found.items() if value.strip()}
    return {"openai": values} if values else {}


def _file_contents() -> dict[str, Any]:
    file = settings_file()
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"not a valid TOML file: {error}", where=str(file)) from None
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(file)) from None
    _refuse_keys(data, file)
    return data


def _refuse_keys(data: dict[str, Any], file: Path) -> None:
    """Refuse a settings file that holds a key; raises UsageError that does not show it."""
    named = data.get("endpoints")
    tables = {"openai": data.get("openai"), "ollama": data.get("ollama")}
    tables |= {f"endpoints.{name}": table for name, table in named.items()} if isinstance(named, dict) else {}
    for name, table in tables.items():
        if not isinstance(table, dict):
            continue
        headers = table.get("headers")
        held = [f"headers.{key}" for key in headers if key.lower() in _KEY_HEADERS] if isinstance(headers, dict) else []
        held += ["api_key"] if "api_key" in table else []
        if held:
            variable = "set the environment variable OPENAI_API_KEY, or " if name == "openai" else ""
            raise UsageError(
                f"{name}.{held[0]}: keys are not kept in the settings file",
                where=str(file),
                hint=f"remove the line; {variable}name a variable with api_key_env or a command with api_key_command",
            )


def _setting(loc: tuple[int | str, ...]) -> list[str]:
    """Return a setting's path without what pydantic adds: the member of a union, the key that failed."""
    parts = [str(part) for part in loc]
    return parts[: 3 if parts[0] == "endpoints" else 2]


def _nearest_key(path: list[str]) -> str:
    tables: dict[str, type[BaseModel]] = {"openai": Endpoint, "ollama": Endpoint, "endpoints": Endpoint, "local": Local}
    tables["tui"] = Appearance
    known = tables[path[0]].model_fields if len(path) > 1 and path[0] in tables else Settings.model_fields
    near = difflib.get_close_matches(path[-1], known, n=1)
    return f"did you mean '{near[0]}'?" if near else f"known here: {', '.join(sorted(known))}"


def _place(path: list[str]) -> str:
    """Return the variable that set a value, else the settings file."""
    variable = f"STORMSCOPE_{'__'.join(path)}".upper()
    if variable in os.environ:
        return variable
    if len(path) > 1 and f"OPENAI_{path[1]}".upper() in os.environ and path[0] == "openai":
        return f"OPENAI_{path[1]}".upper()
    return str(settings_file())
