"""Requests and responses of Ollama's ``/api/chat``: newline-delimited JSON, one object a token or so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine.explainers.base import Reply
from engine.explainers.failure import RequestFailed
from engine.explainers.http import read_lines
from engine.explainers.request import messages_of, seed_of, without_limits
from engine.explainers.response import apart, count_of, holds_answer, is_answer, parsed_json, printable, text_of
from engine.explainers.streaming import Piece, ThinkingSplitter

if TYPE_CHECKING:
    import aiohttp

    from engine.endpoints import Endpoint
    from engine.explainers.base import Question
    from engine.explainers.request import Form
    from engine.explainers.streaming import OnPiece


_NOT_THE_MODEL: Final = {"load": "has only loaded", "unload": "has unloaded"}
"""Ends of an empty answer that are the server's doing."""


def chat_request(question: Question, model: str, endpoint: Endpoint, form: Form) -> dict[str, Any]:
    """Return the request for one question."""
    options: dict[str, Any] = {
        "temperature": endpoint.temperature,
        "seed": seed_of(question, endpoint),
        "num_predict": endpoint.max_tokens,
    }
    if endpoint.num_ctx is not None:
        options["num_ctx"] = endpoint.num_ctx
    extra = dict(endpoint.extra)
    further = extra.pop("options", None)
    options |= further if isinstance(further, dict) else {}
    body: dict[str, Any] = {"model": model, "messages": messages_of(question), "stream": True, "options": options}
    if endpoint.think is not None and "think" not in form.left_out:
        body["think"] = endpoint.think
    match form.structured:
        case "json_schema":
            body["format"] = dict(question.schema)
        case "json_schema without limits":
            body["format"] = without_limits(question.schema)
        case "json_object":
            body["format"] = "json"
        case "none":
            pass
    return body | extra


async def read_chat(response: aiohttp.ClientResponse, on_piece: OnPiece | None) -> Reply:
    """Return the reply of a response; raises RequestFailed if there is none, or if it breaks off amid the answer."""
    texts: list[str] = []
    thoughts: list[str] = []
    splitter, last = ThinkingSplitter(), None
    kind = response.headers.get("content-type", "")
    async for line in read_lines(response):
        if not line.strip():
            continue
        part = _part(line, kind)
        message = part["message"] if isinstance(part.get("message"), dict) else {}
        text, thought = text_of(message.get("content")), text_of(message.get("thinking"))
        texts.append(text)
        thoughts.append(thought)
        if on_piece is not None and (text or thought):
            piece = splitter.feed(text)
            on_piece(Piece(piece.text, thought + piece.reasoning))
        if part.get("done") is True:
            last = part
            break
    if last is None and not holds_answer("".join(texts)):
        raise RequestFailed("the answer broke off before its end", transient=True)
    rest = splitter.end()
    if on_piece is not None and rest != Piece():
        on_piece(rest)
    return _reply("".join(texts), "".join(thoughts), last)


def _reply(text: str, reasoning: str, last: dict[str, Any] | None) -> Reply:
    details: dict[str, Any] = {}
    if last is None:
        last, details["stream"] = {}, "broke off after the answer"
    finish = text_of(last.get("done_reason"))
    if finish in _NOT_THE_MODEL and not text.strip() and not reasoning.strip():
        raise RequestFailed(f"the server {_NOT_THE_MODEL[finish]} the model and asked it nothing", transient=True)
    if not text.strip() and is_answer(reasoning):
        text, reasoning, details["content_from"] = reasoning, "", "reasoning"
    text, reasoning, tagged = apart(text, reasoning)
    return Reply(
        text=text,
        reasoning=reasoning,
        finish=finish,
        tokens_in=count_of(last.get("prompt_eval_count")),
        tokens_out=count_of(last.get("eval_count")),
        details={**details, **tagged},
    )


def _part(line: bytes, kind: str) -> dict[str, Any]:
    part = parsed_json(line, kind)
    if not isinstance(part, dict):
        raise RequestFailed("the answer is JSON, but not Ollama's", transient=True)
    if "error" in part:
        # An error amid a stream is the model's process failing, which Ollama starts again.
        raise RequestFailed(f"the server failed: {printable(text_of(part['error']))}", transient=True)
    if "message" not in part and "done" not in part:
        raise RequestFailed("the answer is JSON, but not Ollama's; is this another server?")
    return part


def model_names(body: bytes) -> list[str]:
    """Return the models that ``GET api/tags`` lists; raises RequestFailed if it is no such list."""
    data = parsed_json(body, "application/json")
    models = data.get("models") if isinstance(data, dict) else None
    if not isinstance(models, list):
        raise RequestFailed("the server gives no list of models; is it Ollama?")  # its API always has one
    return sorted(
        printable(each["name"]) for each in models if isinstance(each, dict) and isinstance(each.get("name"), str)
    )
