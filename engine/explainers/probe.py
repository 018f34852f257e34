"""Asking an endpoint what it really does, which is not always what it accepts."""

from __future__ import annotations

import re
import statistics
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from engine.errors import UsageError
from engine.explainers.probe_questions import (
    LONG_WORDS,
    SECRET,
    follows_schema,
    form_question,
    is_object,
    long_question,
    object_question,
    repeated_question,
)
from engine.explainers.probe_result import ProbeResult, tuned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.endpoints import Endpoint
    from engine.explainers.base import Explainer, Reply
    from engine.explainers.endpoint import HttpExplainer
    from engine.explainers.probe_result import Context, Obeyed, Thinking
    from engine.explainers.streaming import Piece

__all__ = ["ProbeResult", "probe", "tune", "tuned"]

REPEATS: Final = 5
_STRUCTURES: Final = {"json_schema": ("json_schema", "json_schema without limits"), "json_object": ("json_object",)}
_TOO_LONG: Final = re.compile(r"context|too long|too large|exceed|token", re.IGNORECASE)


@runtime_checkable
class Probable(Protocol):
    """An explainer that can be asked in other ways than its settings say."""

    async def variant(self, **settings: Any) -> HttpExplainer:
        """Return an explainer of the same model with other settings of `Endpoint`; the caller closes it."""
        ...


async def probe(
    explainer: Explainer, *, on_step: Callable[[str], None] | None = None, words: int = LONG_WORDS
) -> ProbeResult:
    """Ask an endpoint some ten short questions and a long one; the explainer is started, and left open.

    Parameters
    ----------
    explainer
        A language model.
    on_step
        Called with what is found out next.
    words
        Length of the long prompt.

    Raises
    ------
    UsageError
        If no language model is behind the explainer.
    EndpointError
        If it cannot be started.
    """
    if not isinstance(explainer, Probable):
        raise UsageError(f"{explainer.name} is no language model: there is nothing to probe", where="probe")
    return await _Probe(explainer, on_step or (lambda _: None), words).run(explainer)


def tune(explainer: Explainer, result: ProbeResult) -> None:
    """Let an explainer ask by what a probe found from now on (`tuned`); the embedded model needs none of it."""
    from engine.explainers.endpoint import HttpExplainer  # noqa: PLC0415 - loads the network libraries

    if isinstance(explainer, HttpExplainer):
        explainer.use(tuned(explainer.endpoint, result))


class _Probe:
    """One probe; `_seen` keeps all replies that came."""

    def __init__(self, explainer: Probable, on_step: Callable[[str], None], words: int) -> None:
        self._explainer = explainer
        self._step = on_step
        self._words = words
        self._seen: list[Reply] = []
        self._asked: Endpoint | None = None

    async def run(self, explainer: Explainer) -> ProbeResult:
        await explainer.start()
        result = ProbeResult(explainer.name, "", context_words=self._words)
        self._step("whether the schema is honoured")
        form, model, think = await self._form()
        result = replace(result, model=model)
        if form.error:
            return replace(result, error=form.error)
        schema = _obeyed(form, "json_schema", follows=follows_schema(form.text))
        result = replace(result, json_schema=schema)
        if think is False and schema == "ignored":
            without, _, _ = await self._form(think=None)
            result = replace(
                result, schema_without_think=_obeyed(without, "json_schema", follows=follows_schema(without.text))
            )
        self._step("whether a JSON object comes")
        plain = await self._ask(object_question(), structured="json_object")
        result = replace(result, json_object=_obeyed(plain, "json_object", follows=is_object(plain.text)))
        self._step(f"whether {REPEATS} answers are the same")
        result = await self._repeat(result)
        self._step("whether the answer streams")
        result = replace(result, streams=await self._streams())
        self._step("whether a long prompt is read whole")
        long = await self._ask(long_question(self._words))
        result = replace(result, context=_context(long, self._words), context_tokens=long.tokens_in)
        result = replace(
            result,
            thinking=_thinking(self._seen),
            usage=all(reply.tokens_out is not None and reply.tokens_in is not None for reply in self._seen),
            usage_reasoning=any(reply.tokens_reasoning is not None for reply in self._seen),
        )
        return replace(result, notes=tuple(_notes(result, self._seen, self._asked)))

    async def _form(self, **settings: Any) -> tuple[Reply, str, Any]:
        """Ask with the schema; returns the reply, the model's name and whether thinking is switched off."""
        asked = await self._explainer.variant(structured="json_schema", attempts=2, **settings)
        self._asked = asked.endpoint
        try:
            return self._kept(await asked.ask(form_question())), asked.model, asked.endpoint.think
        finally:
            await asked.close()

    async def _ask(self, question: Any, **settings: Any) -> Reply:
        asked = await self._explainer.variant(attempts=2, **settings)
        try:
            return self._kept(await asked.ask(question))
        finally:
            await asked.close()

    async def _repeat(self, result: ProbeResult) -> ProbeResult:
        asked = await self._explainer.variant(attempts=2, temperature=0.0)
        try:
            replies = [self._kept(await asked.ask(repeated_question())) for _ in range(REPEATS)]
        finally:
            await asked.close()
        good = [reply for reply in replies if not reply.error]
        if not good:
            return result
        different = len({(reply.text, reply.reasoning) for reply in good})
        latency = statistics.median(reply.seconds for reply in good)
        return replace(result, repeats=len(good), different=different, latency=latency)

    async def _streams(self) -> bool:
        pieces: list[Piece] = []
        asked = await self._explainer.variant(attempts=2)
        try:
            self._kept(await asked.ask_in_pieces(form_question(), pieces.append))
        finally:
            await asked.close()
        return len(pieces) > 1

    def _kept(self, reply: Reply) -> Reply:
        if not reply.error:
            self._seen.append(reply)
        return reply


def _obeyed(reply: Reply, structure: str, *, follows: bool) -> Obeyed:
    """Return what became of a form; an answer that was cut off does not tell."""
    if reply.error:
        return "unknown"
    if reply.details.get("structured") not in _STRUCTURES[structure]:
        return "refused"
    if follows:
        return "honoured"
    return "unknown" if reply.finish == "length" else "ignored"


def _context(reply: Reply, words: int) -> Context:
    """Return what became of the long prompt.

    Every word is a token at least, so fewer tokens than words are a cut prompt for certain, and as many a whole one.
    """
    if reply.error:
        return "refused" if _TOO_LONG.search(reply.error) else "unknown"
    if reply.tokens_in is not None:
        return "whole" if reply.tokens_in >= words else "cut"
    return "whole" if SECRET in reply.text else "unknown"


def _thinking(replies: Sequence[Reply]) -> Thinking:
    if any(reply.details.get("content_from") == "reasoning" for reply in replies):
        return "content"
    if any(reply.details.get("thinking") == "tags" for reply in replies):
        return "tags"
    return "field" if any(reply.reasoning for reply in replies) else "none"


def _notes(result: ProbeResult, replies: Sequence[Reply], asked: Endpoint | None) -> list[str]:
    notes = list(dict.fromkeys(str(reply.details["note"]) for reply in replies if reply.details.get("note")))
    notes += _cut_off(replies, asked)
    if result.json_schema in {"ignored", "refused"} and result.schema_without_think != "honoured":
        instead = (
            "a JSON object without one is asked for instead, so that some answers may lack the asked form"
            if result.json_object == "honoured"
            else "answers are read from free text, so more of them may be invalid"
        )
        notes.append(f"the schema is {result.json_schema}: {instead}")
    if result.schema_without_think == "honoured":
        notes.append("think = false makes the schema ineffective here; without it the schema is honoured")
    if result.context == "cut":
        context = "num_ctx" if asked is not None and asked.kind == "ollama" else "the server's context"
        notes.append(
            f"a prompt of {result.context_words} words was cut without a word "
            f"({result.context_tokens} tokens were read): "
            f"raise {context}"
        )
    if result.different > 1:
        notes.append(f"{result.repeats} times the same question gave {result.different} different answers")
    if not result.usage:
        notes.append("tokens are not reported: a campaign knows neither their number nor their price")
    return notes


def _cut_off(replies: Sequence[Reply], asked: Endpoint | None) -> list[str]:
    """Return what to do about replies that reached their limit of tokens before there was an answer."""
    empty = [reply for reply in replies if reply.finish == "length" and not reply.text.strip()]
    if not empty or any(reply.details.get("note") for reply in empty):
        return []  # the explainer itself has said more about it
    limit = "" if asked is None else f" (now {asked.max_tokens})"
    if len(empty) == len(replies):
        return [f"no answer arrived, every reply was cut off: raise max_tokens{limit}"]
    return [f"{len(empty)} of {len(replies)} replies were cut off before an answer: raise max_tokens{limit}"]
