"""The retry policy's waits, and learning what a server accepts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engine.explainers.failure import RequestFailed
from engine.explainers.request import Form, simpler_form, without_limits
from engine.explainers.retry import RetryPolicy, duration, parse_retry_after
from engine.prompts.schema import reply_schema
from engine.queries.spaces import OneOf, Probability

NOW = datetime(2030, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("Tue, 01 Jan 2030 12:00:30 GMT", 30.0),
        ("Tue, 01 Jan 2030 11:59:00 GMT", 0.0),
        ("Tue, 01 Jan 2030 14:00:10 +0200", 10.0),
        ("soon", None),
        ("", None),
        ("-5", None),
        ("nan", None),
        ("inf", None),
        ("٣", None),
        (".", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(header: str, seconds: float | None) -> None:
    """Both forms of RFC 9110 are read, a moment in the past is no wait, anything else is ignored."""
    assert parse_retry_after(header, now=NOW) == seconds


async def failing_run(policy: RetryPolicy, failure: RequestFailed) -> tuple[int, list[tuple[float, str, int]]]:
    """Run a policy on something that always fails; return how often it was tried and the waits that were told."""
    tried = 0
    told: list[tuple[float, str, int]] = []

    async def send() -> None:
        nonlocal tried
        tried += 1
        raise failure

    with pytest.raises(RequestFailed) as caught:
        await policy.run(send, lambda *wait: told.append(wait))
    assert caught.value is failure
    return tried, told


async def test_attempts_are_counted_and_waits_told() -> None:
    """A transient failure is tried as often as the policy says, with one message before each wait."""
    policy = RetryPolicy(attempts=3, deadline=5, wait_initial=0.01, wait_max=0.01)
    tried, told = await failing_run(policy, RequestFailed("busy", transient=True))
    assert tried == 3
    assert [(reason, attempt) for _, reason, attempt in told] == [("busy", 2), ("busy", 3)]
    assert all(0.005 <= seconds <= 0.01 for seconds, _, _ in told)


async def test_final_failures_are_not_tried_again() -> None:
    """A failure that is not transient is raised at once."""
    assert await failing_run(RetryPolicy(), RequestFailed("no")) == (1, [])


async def test_retry_after_is_capped() -> None:
    """A server cannot ask for a longer wait than the policy's cap; what it asked for is told."""
    policy = RetryPolicy(attempts=2, deadline=5, retry_after_max=0.02)
    _, told = await failing_run(policy, RequestFailed("busy", transient=True, retry_after=4.0))
    assert told == [(0.02, "busy; it asks to wait 4 s", 2)]


async def test_a_wait_beyond_the_deadline_is_in_the_failure() -> None:
    """A server that asks for a day is not waited for: the failure says for how long it asked and what the limit is."""
    failure = RequestFailed("busy", transient=True, retry_after=86_400.0)
    tried, told = await failing_run(RetryPolicy(attempts=5, deadline=5, retry_after_max=120), failure)
    assert (tried, told) == (1, [])
    assert failure.message == "busy; it asks to wait 24 h; another attempt would pass the deadline of 5 s"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.25, "0.25 s"), (7.0, "7 s"), (119.0, "119 s"), (120.0, "2 min"), (5400.0, "90 min"), (100_000.0, "27.8 h")],
)
def test_times_are_told_in_the_unit_that_fits(seconds: float, text: str) -> None:
    """Seconds up to two minutes, minutes up to two hours, then hours."""
    assert duration(seconds) == text


async def test_errors_of_our_own_are_not_swallowed() -> None:
    """A mistake in the program is neither retried nor turned into a failed request."""

    async def send() -> None:
        raise KeyError("mistake")

    with pytest.raises(KeyError):
        await RetryPolicy().run(send, lambda *_: None)


@pytest.mark.parametrize("space", [OneOf(("minimum", "b")), Probability()])
def test_limits_are_removed_from_keywords_only(space: OneOf | Probability) -> None:
    """Dropping limits keeps the structure of the schema, and options that are named like a keyword."""
    schema = without_limits(reply_schema(space))
    assert "maxLength" not in str(schema)
    assert schema["required"] == ["explanation", "answer"]
    assert list(schema["properties"]) == ["explanation", "answer"]
    assert schema["properties"]["answer"] in ({"type": "string", "enum": ["minimum", "b"]}, {"type": "number"})


def test_simplifying_ends() -> None:
    """Whatever a server complains about, there are only finitely many forms to try."""
    complaint = "temperature seed max_completion_tokens maxLength response_format"
    form: Form | None = Form()
    steps = 0
    while form is not None and steps < 100:
        form = simpler_form(form, complaint)
        steps += 1
    assert steps == 7  # one new name, two fields left out, three steps down from the schema, and the end


def test_schema_is_tried_at_most_once_more() -> None:
    """Going up from json_object to the schema happens once: refused there as well, no form is asked for."""
    first = Form("json_object")
    up = simpler_form(first, "response_format must be json_schema")
    assert up is not None
    assert up.structured == "json_schema"
    down = simpler_form(up, "json_schema is not supported, only json_object")
    assert down is not None
    assert down.structured == "none"


def test_unrelated_complaint_changes_nothing() -> None:
    """A refusal about the prompt is no reason to ask more simply."""
    assert simpler_form(Form(), "the prompt is longer than the context") is None
