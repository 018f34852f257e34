"""What can be set about language models: endpoints that are reached over HTTP, and the embedded model."""

from __future__ import annotations

import ipaddress
import os
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SecretStr, model_validator

if TYPE_CHECKING:
    from collections.abc import Mapping

OPENAI_URL: Final = "https://api.openai.com/v1"
RESERVED_NAMES: Final = frozenset({"random", "first", "half", "oracle", "local", "openai", "ollama"})
"""Names of explainers that no endpoint can have."""
ENDPOINT_NAME: Final = r"[A-Za-z0-9][\w.-]*"
"""Regular expression of the names that an endpoint of the settings can have."""
NAMES: Final = "begin with a letter (a-z) or a digit; letters, digits, dots, - and _ may follow"
"""The same in words."""

_OLLAMA_PORT: Final = 11434
_SCHEME_PORTS: Final = {"http": 80, "https": 443}
_ANY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what a server listens on, not a client
_MOST_PORT: Final = 65535
_INSTEAD: Final = {
    "model": "set model, or name it on the command line",
    "messages": "the prompt is the question's; change its words with templates (docs/prompts.md)",
    "prompt": "the prompt is the question's; change its words with templates (docs/prompts.md)",
    "stream": "answers are streamed where they are shown while they grow",
    "stream_options": "answers are streamed where they are shown while they grow",
    "response_format": "set structured",
    "format": "set structured",
    "max_tokens": "set max_tokens",
    "max_completion_tokens": "set max_tokens",
    "num_predict": "set max_tokens",
    "num_ctx": "set num_ctx",
    "think": "set think",
    "temperature": "set temperature",
    "seed": "set seed",
}
"""Request fields that the settings or the question decide, and what to use instead of overriding them."""
_OTHERS_OWN: Final = {
    "openai": frozenset({"think", "num_ctx", "num_predict", "prompt"}),
    "ollama": frozenset(),
}
"""Fields of these names that mean something else, or nothing, to servers of a kind."""


def refuse_protected(extra: Mapping[str, Any], kind: str) -> None:
    """Raise ValueError if further request fields would replace what the program itself sends."""
    options = extra.get("options") if kind == "ollama" else None
    fields = [("extra", extra)] + ([("extra.options", options)] if isinstance(options, dict) else [])
    for place, held in fields:
        for name in held:
            if name in _INSTEAD and name not in _OTHERS_OWN[kind]:
                raise ValueError(f"{place}.{name} would replace what is sent for every question: {_INSTEAD[name]}")


class Endpoint(BaseModel):
    """How to reach a language model's server, and how to ask it.

    Attributes
    ----------
    kind
        The protocol: OpenAI's chat completions, or Ollama's own ``/api/chat``.
    base_url
        With or without a trailing slash; for ``openai``, ``/v1`` is added where the URL has no path. By default
        OpenAI's server, or ``OLLAMA_HOST``.
    model
        The model that is asked where the command line names only the endpoint.
    api_key
        Never from the settings file, so that no key is stored; None sends none.
    api_key_env
        The environment variable that holds the key.
    api_key_command
        A command that prints the key, such as ``pass show openai``, run without a shell when the endpoint is first
        used.
    key_header
        The header that carries the key; by default ``Authorization``, as a bearer token.
    headers
        Further headers.
    timeout
        Seconds that a connection may stay silent.
    deadline
        Seconds for one question, all its attempts and the waits between them together.
    attempts
        Requests for one question at most, failures that may pass (429, 5xx, cut connections) being asked again.
    concurrency
        Requests in flight at once.
    requests_per_minute
        Requests that are begun in a minute at most, evenly spread; None sets no limit.
    max_tokens
        Length of a reply; reasoning counts where the server counts it.
    temperature
        0 is greedy decoding.
    seed
        Sent instead of the campaign's seed; a sample's number is added to either.
    structured
        Where the ladder of answer formats starts that a server may refuse (``auto`` is ``json_schema``).
    think
        Ollama only: whether, or how hard, a model that can think does so; None leaves it to the server.
    num_ctx
        Ollama only: tokens of prompt and reply together; the server cuts longer prompts without a word.
    price_in, price_out
        Price of a million tokens of prompts and of replies, in `currency`.
    extra
        Request fields that this server wants beside the standard ones; for Ollama, those under ``options`` are added
        to the options. Fields that the settings or the question decide are refused.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["openai", "ollama"] = "openai"
    base_url: str = ""
    model: str = ""
    api_key: SecretStr | None = None
    api_key_env: str = ""
    api_key_command: str | list[str] = ""
    key_header: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    timeout: float = Field(default=120.0, gt=0)
    deadline: float = Field(default=300.0, gt=0)
    attempts: int = Field(default=5, ge=1)
    concurrency: int = Field(default=8, ge=1)
    requests_per_minute: float | None = Field(default=None, gt=0)
    max_tokens: int = Field(default=2048, ge=1)
    temperature: float = Field(default=0.0, ge=0)
    seed: int | None = None
    structured: Literal["auto", "json_schema", "json_object", "none"] = "auto"
    think: bool | Literal["low", "medium", "high"] | None = None
    num_ctx: int | None = Field(default=None, ge=256)
    price_in: Decimal | None = Field(default=None, ge=0, allow_inf_nan=False)
    price_out: Decimal | None = Field(default=None, ge=0, allow_inf_nan=False)
    currency: str = "USD"
    extra: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _with_default_url(cls, data: Any) -> Any:
        """Fill in the URL that a kind of endpoint has where none is given."""
        if not isinstance(data, dict) or "base_url" in data:
            return data
        ollama = data.get("kind", cls.model_fields["kind"].default) == "ollama"
        return {**data, "base_url": ollama_url(os.environ.get("OLLAMA_HOST", "")) if ollama else OPENAI_URL}

    @model_validator(mode="after")
    def _check_keys(self) -> Endpoint:
        if self.api_key_env and self.api_key_command:
            raise ValueError("give the key either by api_key_env or by api_key_command")
        if self.kind != "ollama" and (self.think is not None or self.num_ctx is not None):
            raise ValueError('think and num_ctx are for kind = "ollama"; other servers take such fields under extra')
        refuse_protected(self.extra, self.kind)
        return self


class OllamaEndpoint(Endpoint):
    """The Ollama server behind ``ollama:MODEL``."""

    kind: Literal["ollama"] = "ollama"


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

    @model_validator(mode="after")
    def _check_extra(self) -> Local:
        refuse_protected(self.extra, "openai")
        return self


def ollama_url(host: str) -> str:
    """Return the URL of an Ollama server from ``OLLAMA_HOST`` in any of its forms.

    They are a host, a host with a port, and both with a scheme, in quotes or not; what is left out is Ollama's own
    default. An address that a server listens on everywhere becomes this machine's. A port that is none is ignored, as
    Ollama does.
    """
    text = host.strip().strip("\"'").strip()
    scheme, found, rest = text.partition("://")
    if not found:
        scheme, rest = "http", text
    default = _SCHEME_PORTS.get(scheme, _OLLAMA_PORT) if found else _OLLAMA_PORT
    place, slash, path = rest.partition("/")
    name, port = _split_port(place)
    name = _ANY_ADDRESS.get(name, name) or "127.0.0.1"
    number = int(port) if port.isascii() and port.isdigit() and int(port) <= _MOST_PORT else default
    shown = f"[{name}]" if ":" in name else name
    return f"{scheme}://{shown}:{number}{slash}{path}".rstrip("/")


def _split_port(place: str) -> tuple[str, str]:
    """Return the host without brackets, and the port's text; an IPv6 address may come without brackets."""
    try:
        return str(ipaddress.ip_address(place.strip("[]"))), ""
    except ValueError:
        pass
    try:
        name = urlsplit(f"//{place}").hostname or ""
    except ValueError:
        name = place
    return name, place.rpartition(":")[2] if ":" in place else ""
