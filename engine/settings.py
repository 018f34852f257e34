"""Settings from the settings file and from environment variables, and the folders that the program uses."""

from __future__ import annotations

import difflib
import os
import tomllib
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SecretStr, ValidationError
from pydantic_settings import BaseSettings, InitSettingsSource, SettingsConfigDict, SettingsError

from engine.errors import UsageError
from engine.folders import config_dir

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic_settings import PydanticBaseSettingsSource

OPENAI_URL = "https://api.openai.com/v1"


def settings_file() -> Path:
    """Return where the settings file is, or would be."""
    return config_dir() / "settings.toml"


class Endpoint(BaseModel):
    """How to reach a language model's server, and how to ask it.

    Attributes
    ----------
    base_url
        With or without a trailing slash; ``/v1`` is added where the URL has no path.
    api_key
        Never from the settings file, so that no key is stored; None sends none.
    timeout
        Seconds that a connection may stay silent.
    deadline
        Seconds for one question, all its attempts and the waits between them together.
    attempts
        Requests for one question at most, failures that may pass (429, 5xx, cut connections) being asked again.
    concurrency
        Requests in flight at once.
    max_tokens
        Length of a reply; reasoning counts where the server counts it.
    temperature
        0 is greedy decoding.
    structured
        Where the ladder of answer formats starts that a server may refuse (``auto`` is ``json_schema``).
    extra
        Request fields that this server wants beside the standard ones.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str = OPENAI_URL
    api_key: SecretStr | None = None
    timeout: float = Field(default=120.0, gt=0)
    deadline: float = Field(default=300.0, gt=0)
    attempts: int = Field(default=5, ge=1)
    concurrency: int = Field(default=8, ge=1)
    max_tokens: int = Field(default=2048, ge=1)
    temperature: float = Field(default=0.0, ge=0)
    structured: Literal["auto", "json_schema", "json_object", "none"] = "auto"
    extra: dict[str, JsonValue] = Field(default_factory=dict)


class Local(BaseModel):
    """The embedded language model (design.md).

    Attributes
    ----------
    context
        Tokens of prompt and reply together.
    start_timeout
        Seconds that loading the model may take.
    threads
        Threads of inference; 0 takes half of the processor's cores.
    max_tokens
        As in `Endpoint`.
    timeout, deadline
        As in `Endpoint`; questions queue inside the server, which answers one at a time.
    extra
        Request fields beside the standard ones, such as a ``grammar``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    context: int = Field(default=4096, ge=256)
    start_timeout: float = Field(default=120.0, gt=0)
    threads: int = Field(default=0, ge=0)
    max_tokens: int = Field(default=384, ge=1)
    timeout: float = Field(default=300.0, gt=0)
    deadline: float = Field(default=600.0, gt=0)
    extra: dict[str, JsonValue] = Field(default_factory=dict)


class Settings(BaseSettings):
    """Everything a user can set.

    Later wins: defaults, the settings file, ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``, variables such as
    ``STORMSCOPE_OPENAI__TIMEOUT``, arguments.

    Attributes
    ----------
    explanation_length
        Characters that the explanation in a reply may have; a small model talks on until something stops it.
    """

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", env_prefix="STORMSCOPE_", env_nested_delimiter="__", env_ignore_empty=True
    )

    openai: Endpoint = Field(default_factory=Endpoint)
    local: Local = Field(default_factory=Local)
    explanation_length: int = Field(default=200, ge=1)

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
    try:
        return Settings()
    except SettingsError as error:
        raise UsageError(f"an environment variable is not valid: {error}", where="STORMSCOPE_…") from None
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        path = [str(part) for part in first["loc"]]
        hint = _nearest_key(path) if first["type"] == "extra_forbidden" else ""
        message = "there is no such setting" if first["type"] == "extra_forbidden" else first["msg"]
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
    table = data.get("openai")
    if isinstance(table, dict) and "api_key" in table:
        raise UsageError(
            "openai.api_key: keys are not kept in the settings file",
            where=str(file),
            hint="remove the line and set the environment variable OPENAI_API_KEY",
        )
    return data


def _nearest_key(path: list[str]) -> str:
    tables: dict[str, type[BaseModel]] = {"openai": Endpoint, "local": Local}
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
