"""Answers that came from elsewhere (a person, a batch API): a JSONL file, one answer a line.

A line is ``{"case": ID, "answer": …}`` or ``{"case": ID, "text": "the whole reply"}``, with any of ``explainer``,
``variant``, ``sample``, ``finish``, ``reasoning``, ``seconds``, ``tokens_in``, ``tokens_out``, ``tokens_reasoning`` and
``cost`` beside them; or a line of the output of OpenAI's batch API, whose ``custom_id`` is the case's id.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator

from engine.errors import UsageError
from engine.explainers.base import Reply
from engine.explainers.failure import RequestFailed
from engine.explainers.response import parse_completion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

LONGEST = 8_000_000
"""Bytes of a line: no answer comes near, and one endless line must not fill the memory."""
ELSEWHERE = "elsewhere"
"""The wording of a question that was put in words we do not know."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer of a file, not yet judged.

    Attributes
    ----------
    line
        Its number, from 1.
    case
        The id of the case that it answers.
    explainer
        Who answered; empty if the line does not say.
    variant, sample
        The question's wording and number of the sample.
    reply
        The answer as a reply.
    """

    line: int
    case: str
    explainer: str
    variant: str
    sample: int
    reply: Reply


@dataclass(frozen=True, slots=True)
class LineError:
    """A line that could not be used."""

    line: int
    message: str


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    case: str
    answer: JsonValue = None
    text: str | None = None
    explainer: str = ""
    variant: str = ELSEWHERE
    sample: int = Field(default=0, ge=0)
    finish: str = ""
    reasoning: str = ""
    seconds: float = Field(default=0.0, ge=0)
    tokens_in: int | None = Field(default=None, ge=0)
    tokens_out: int | None = Field(default=None, ge=0)
    tokens_reasoning: int | None = Field(default=None, ge=0)
    cost: str | None = None

    @model_validator(mode="after")
    def _one_answer(self) -> _Line:
        if (self.text is None) == ("answer" not in self.model_fields_set):
            raise ValueError("give either answer or text")
        return self

    @field_validator("cost")
    @classmethod
    def _is_number(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                Fraction(value)
            except (ValueError, ZeroDivisionError):
                raise ValueError("the cost is no number") from None
        return value

    def given(self, line: int) -> GivenAnswer:
        # An answer that is a text is read as a reply is: "down", or the JSON object of a whole reply.
        text = self.text if self.text is not None else _as_reply(self.answer)
        reply = Reply(
            text=text,
            reasoning=self.reasoning,
            finish=self.finish,
            seconds=self.seconds,
            attempts=0,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            tokens_reasoning=self.tokens_reasoning,
            cost=self.cost,
            details={"from": ELSEWHERE},
        )
        return GivenAnswer(line, self.case, self.explainer, self.variant, self.sample, reply)


def read_answer_file(path: Path) -> Iterator[GivenAnswer | LineError]:
    """Yield the answers of a file in order, and what is wrong with lines that hold none; raises UsageError."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST + 1):
                number += 1
                if len(line) > LONGEST:
                    raise UsageError(f"line {number} is longer than {LONGEST // 1_000_000} MB", where=str(path))
                if line.strip():
                    yield _read_line(number, line)
    except OSError as error:
        raise UsageError(f"the answers cannot be read: {error.strerror}", where=str(path)) from None


def _read_line(number: int, line: bytes) -> GivenAnswer | LineError:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        return LineError(number, f"this is not JSON: {error}")
    if not isinstance(data, dict):
        return LineError(number, 'this is no object such as {"case": "…", "answer": "…"}')
    try:
        return _batch(number, data) if "custom_id" in data else _Line.model_validate(data).given(number)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        said = first["msg"].removeprefix("Value error, ")
        return LineError(number, f"{place}: {said}" if place else said)
    except RequestFailed as failure:
        return LineError(number, failure.message)


def _batch(number: int, data: Mapping[str, Any]) -> GivenAnswer | LineError:
    """Read a line of a batch API's output."""
    response = data.get("response")
    body = response.get("body") if isinstance(response, dict) else None
    if not isinstance(data["custom_id"], str) or not isinstance(body, dict):
        return LineError(number, f"the request has no response: {json.dumps(data.get('error'))[:200]}")
    reply = parse_completion(json.dumps(body).encode(), "application/json")
    model = body.get("model")
    return GivenAnswer(number, data["custom_id"], model if isinstance(model, str) else "", ELSEWHERE, 0, reply)


def _as_reply(answer: JsonValue) -> str:
    return json.dumps({"answer": answer}, ensure_ascii=False)
