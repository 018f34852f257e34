"""Reading a chat-completion response: what the server said, or what went wrong, in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from engine.explainers.base import Reply
from engine.explainers.failure import NoList, RequestFailed
from engine.explainers.retry import parse_retry_after
from engine.prompts.reading_thinking import split_reasoning

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN = 300
"""Characters of a server's message that are shown."""
_LOOKED_AT = 50
"""Opening braces, from the end, at which an object is looked for."""
_PASSING = frozenset({408, 409, 425, 429})
_PASSING_KINDS = frozenset(
    {
        *("rate_limit_error", "rate_limit_exceeded", "too_many_requests", "resource_exhausted", "overloaded"),
        *("overloaded_error", "server_error", "internal_error", "internal_server_error", "internalservererror"),
        *("api_error", "service_unavailable", "unavailable", "timeout", "timeout_error", "bad_gateway"),
    }
)
"""How servers call an error that may pass, where they give no status."""


def parse_completion(body: bytes, content_type: str) -> Reply:
    """Return the reply in a successful response; raises RequestFailed if there is none.

    Latency and attempts are left to the caller.
    """
    data = parsed_json(body, content_type)
    if not isinstance(data, dict):
        raise RequestFailed("the answer is JSON but no chat completion", transient=True)
    check_no_error(data)
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise RequestFailed("the answer holds no choices, so it is no chat completion")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise RequestFailed("the answer's first choice holds no message")
    return completion_reply(message, choices[0].get("finish_reason"), data.get("usage"))


def completion_reply(message: Mapping[str, Any], finish_reason: Any, usage: Any) -> Reply:
    """Return the reply in a completion's message.

    A message without content is an empty text, which the reader takes as blank; a message that only calls a tool
    gives the call's arguments, a refusal its own text, and thinking that is nothing but the JSON that was asked for
    counts as the content. `Reply.details` says where the text comes from if it is not the content, and whether thinking
    had to be taken out of it.
    """
    text, finish = text_of(message.get("content")), text_of(finish_reason)
    reasoning = text_of(message.get("reasoning_content")) or text_of(message.get("reasoning"))
    details: dict[str, Any] = {}
    if not text.strip():
        if refusal := text_of(message.get("refusal")):
            text, finish = refusal, "refusal"
        elif arguments := _tool_arguments(message.get("tool_calls")):
            text, details["content_from"] = arguments, "tool_calls"
        elif is_answer(reasoning):
            text, reasoning, details["content_from"] = reasoning, "", "reasoning"
    text, reasoning, tagged = apart(text, reasoning)
    usage = usage if isinstance(usage, dict) else {}
    nested = usage.get("completion_tokens_details")
    return Reply(
        text=text,
        reasoning=reasoning,
        finish=finish,
        tokens_in=count_of(usage.get("prompt_tokens")),
        tokens_out=count_of(usage.get("completion_tokens")),
        tokens_reasoning=count_of(nested.get("reasoning_tokens")) if isinstance(nested, dict) else None,
        details={**details, **tagged},
    )


def apart(text: str, reasoning: str) -> tuple[str, str, dict[str, str]]:
    """Return a content without the thinking in its tags, all thinking, and what is worth keeping about that."""
    visible, thoughts = split_reasoning(text)
    if visible == text:
        return text, reasoning, {}
    return visible.strip(), "\n".join(filter(None, (reasoning, thoughts))), {"thinking": "tags"}


def is_answer(text: str) -> bool:
    """Whether a text is, as a whole, one JSON object with an ``answer``."""
    if not text.lstrip().startswith("{"):
        return False
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "answer" in data


def holds_answer(text: str) -> bool:
    """Whether a whole JSON object with an ``answer`` stands somewhere in a text: amid words, thinking, a fence."""
    decoder = json.JSONDecoder()
    starts = [place for place, character in enumerate(text) if character == "{"]
    for start in starts[-_LOOKED_AT:]:
        try:
            data, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict) and "answer" in data:
            return True
    return False


def failure_of(status: int, headers: Mapping[str, str], body: bytes) -> RequestFailed:
    """Return the failure that a response with an error status stands for; 401, 403 and 404 are the caller's."""
    said = server_message(body)
    message = f"the server answered {status}{f': {said}' if said else ''}"
    if status == 402 or "insufficient_quota" in said or b"insufficient_quota" in body:  # noqa: PLR2004 - payment required
        return RequestFailed(f"{message} (no credit is left)", fatal=True)
    if 300 <= status < 400:  # noqa: PLR2004 - a redirection
        return RequestFailed(f"{message}, a redirection to '{printable(headers.get('location', ''))}'", fatal=True)
    transient = status in _PASSING or status >= 500  # noqa: PLR2004 - a server's own error
    return RequestFailed(message, transient=transient, retry_after=parse_retry_after(headers.get("retry-after", "")))


def server_message(body: bytes) -> str:
    """Return what a server says in an error's body, as one printable line; empty for a page of HTML."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        text = body[: 4 * _SHOWN].decode("utf-8", "replace")
        return "" if text.lstrip().startswith("<") else printable(text)
    while isinstance(data, dict):
        data = next((data[key] for key in ("error", "message", "detail") if data.get(key)), "")
    return printable(data if isinstance(data, str) else json.dumps(data))


def model_ids(body: bytes) -> list[str]:
    """Return the models that ``GET models`` lists; raises NoList if it is no list of models.

    Beside OpenAI's ``{"data": [{"id": …}]}``, servers send the list alone, call it ``models``, or list bare names.
    """
    data = parsed_json(body, "application/json")
    if isinstance(data, dict):
        data = next((data[name] for name in ("data", "models") if isinstance(data.get(name), list)), None)
    if not isinstance(data, list):
        raise NoList("the server gives no list of models")
    return sorted({printable(name) for model in data if (name := _name_of(model))})


def _name_of(model: Any) -> str:
    if isinstance(model, dict):
        model = next((model[name] for name in ("id", "name", "model") if isinstance(model.get(name), str)), "")
    return model if isinstance(model, str) else ""


def printable(text: str) -> str:
    """Return text from a server on one line without control characters, shortened."""
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


def parsed_json(body: bytes, content_type: str) -> Any:
    """Return the JSON of a successful response; raises RequestFailed that says what came instead."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        pass
    if "html" in content_type.lower() or body.lstrip()[:1] == b"<":
        raise RequestFailed("the server answered with a web page; is this the URL of an API?")
    kind = printable(content_type) or "no content type"
    # Without a length in its head, an answer that was cut off looks like this: it may be whole the next time.
    raise RequestFailed(f"the answer is no valid JSON ({len(body)} bytes, {kind})", transient=True)


def check_no_error(data: Mapping[str, Any]) -> None:
    """Raise RequestFailed if a response, or a piece of a streamed one, with status 200 reports an error.

    Gateways put it beside the choices, into a choice, or into its message; some only say so as the finish reason.
    """
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    inside = [part for name in ("message", "delta") if isinstance(part := choice.get(name), dict)]
    error = next((part["error"] for part in (data, choice, *inside) if part.get("error")), None)
    if error is not None:
        raise _error_inside(error)
    if data.get("object") == "error":
        raise _error_inside(data)
    if choice.get("finish_reason") == "error":
        raise RequestFailed("the server ended the answer with an error that it does not explain", transient=True)


def _error_inside(error: Any) -> RequestFailed:
    """Return the failure of a gateway that reports an error with status 200; its code decides as a status would."""
    said = server_message(json.dumps({"error": error}).encode())
    named = error if isinstance(error, dict) else {}
    codes = [_status_of(named.get(name)) for name in ("code", "status", "status_code", "http_status")]
    code = next((code for code in codes if code is not None), None)
    kinds = {str(named.get(name, "")).lower() for name in ("type", "code", "status")}
    message = f"the server answered with an error{'' if code is None else f' {code}'}: {said}"
    if code is None:
        return RequestFailed(message, transient=bool(kinds & _PASSING_KINDS))
    return RequestFailed(message, transient=code in _PASSING or code >= 500)  # noqa: PLR2004 - a server's own error


def _status_of(value: Any) -> int | None:
    """Return an HTTP status that is given as a number or as its digits; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:4])
    return value if isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600 else None  # noqa: PLR2004 - as HTTP has them


def text_of(value: Any) -> str:
    """Return a message's content, which may come as parts; other types give an empty text."""
    if isinstance(value, list):
        return "".join(text_of(part.get("text")) for part in value if isinstance(part, dict))
    # A lone surrogate is valid in JSON but cannot be stored or printed.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _tool_arguments(calls: Any) -> str:
    first = calls[0] if isinstance(calls, list) and calls else None
    function = first.get("function") if isinstance(first, dict) else None
    return text_of(function.get("arguments")) if isinstance(function, dict) else ""


def count_of(value: Any) -> int | None:
    """Return a count of tokens; None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
