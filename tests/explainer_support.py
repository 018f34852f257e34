"""What the tests of explainers share: a question, and explainers with quick retries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from engine.endpoints import Endpoint
from engine.explainers.base import Question
from engine.explainers.ollama import Ollama
from engine.explainers.openai import OpenAI
from engine.explainers.retry import RetryPolicy
from engine.prompts.schema import reply_schema
from engine.queries.case import Case
from engine.queries.spaces import OneOf

if TYPE_CHECKING:
    from engine.explainers.base import Reply
    from engine.explainers.endpoint import HttpExplainer
    from engine.explainers.streaming import Piece
    from engine.queries.spaces import AnswerSpace

KEY = "sk-secret-0123456789"
ACTIONS = OneOf(("left", "right"))
QUICK = RetryPolicy(attempts=4, deadline=5.0, wait_initial=0.01, wait_max=0.02)


def a_question(space: AnswerSpace = ACTIONS, *, sample: int = 0) -> Question:
    """Return a question over a space."""
    case = Case("c1", "best-action", (0,), space, (space.first(),), {}, None, {}, "manual")
    return Question(case, "You explain.", "Which action?", reply_schema(space), "plain", sample=sample, seed=7)


def openai(url: str, *, on_event: Any = None, policy: RetryPolicy = QUICK, **fields: Any) -> OpenAI:
    """Return an OpenAI-compatible explainer for a server, with a key."""
    endpoint = Endpoint(base_url=url, api_key=SecretStr(KEY), **fields)
    return OpenAI("tiny", endpoint=endpoint, policy=policy, on_event=on_event)


def ollama(root: str, *, on_event: Any = None, policy: RetryPolicy = QUICK, **fields: Any) -> Ollama:
    """Return an Ollama explainer for a server."""
    return Ollama("tiny", endpoint=Endpoint(kind="ollama", base_url=root, **fields), policy=policy, on_event=on_event)


async def answer_of(explainer: HttpExplainer) -> Reply:
    """Ask one question and close."""
    try:
        return await explainer.ask(a_question())
    finally:
        await explainer.close()


async def pieces_of(explainer: HttpExplainer) -> tuple[Reply, list[Piece]]:
    """Ask one question in pieces and close."""
    pieces: list[Piece] = []
    try:
        return await explainer.ask_in_pieces(a_question(), pieces.append), pieces
    finally:
        await explainer.close()
