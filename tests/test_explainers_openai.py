"""The OpenAI-compatible explainer against a real server on loopback that behaves well and badly."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import time
from typing import TYPE_CHECKING, Any

import fake_server as fake
import pytest
from fake_server import FakeServer
from pydantic import SecretStr

from engine.errors import EndpointError, UsageError
from engine.explainers.base import Question, Reply
from engine.explainers.openai import OpenAI
from engine.explainers.retry import RetryPolicy
from engine.prompts.reading import read_answer
from engine.prompts.schema import reply_schema
from engine.queries.case import Case
from engine.queries.spaces import OneOf, Probability
from engine.settings import Endpoint
from engine.verdicts.verdict import InvalidKind

if TYPE_CHECKING:
    from engine.queries.spaces import AnswerSpace

KEY = "sk-secret-0123456789"
ACTIONS = OneOf(("left", "right"))
QUICK = RetryPolicy(attempts=4, deadline=5.0, wait_initial=0.01, wait_max=0.02)


def a_question(space: AnswerSpace = ACTIONS, *, sample: int = 0) -> Question:
    """Return a question over a space."""
    case = Case("c1", "best-action", (0,), space, (space.first(),), {}, None, {}, "manual")
    return Question(case, "You explain.", "Which action?", reply_schema(space), "plain", sample=sample, seed=7)


def an_explainer(url: str, *, policy: RetryPolicy = QUICK, on_event: Any = None, **fields: Any) -> OpenAI:
    """Return an explainer for a server, with a key."""
    endpoint = Endpoint(base_url=url, api_key=SecretStr(KEY), **fields)
    return OpenAI("tiny", endpoint=endpoint, policy=policy, on_event=on_event)


async def ask_once(server: FakeServer, **options: Any) -> Reply:
    """Ask one question and close."""
    explainer = an_explainer(server.url, **options)
    try:
        return await explainer.ask(a_question())
    finally:
        await explainer.close()


async def test_good_answer_is_kept_with_its_figures() -> None:
    """A good completion becomes a reply with text, finish reason, tokens, latency and one attempt."""
    with FakeServer(fake.answer("left")) as server:
        reply = await ask_once(server)
    assert json.loads(reply.text) == {"explanation": "because", "answer": "left"}
    assert (reply.finish, reply.tokens_in, reply.tokens_out, reply.attempts) == ("stop", 11, 7, 1)
    assert reply.error == ""
    assert 0 < reply.seconds < 5


async def test_request_is_what_the_protocol_wants() -> None:
    """The request names the model, the two messages, the strict schema, temperature 0, a seed and the key."""
    with FakeServer(fake.answer("left")) as server:
        await ask_once(server, max_tokens=99, extra={"cache_prompt": False})
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    body = request.body
    assert body["messages"] == [
        {"role": "system", "content": "You explain."},
        {"role": "user", "content": "Which action?"},
    ]
    assert (body["model"], body["temperature"], body["max_tokens"], body["seed"]) == ("tiny", 0, 99, 7)
    assert body["cache_prompt"] is False
    schema = body["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert list(schema["schema"]["properties"]) == ["explanation", "answer"]


async def test_samples_have_seeds_of_their_own() -> None:
    """Two samples of one question are sent with different seeds."""
    with FakeServer(then=fake.answer("left")) as server:
        explainer = an_explainer(server.url)
        await explainer.ask(a_question(sample=0))
        await explainer.ask(a_question(sample=1))
        await explainer.close()
    first, second = server.questions
    assert first["seed"] != second["seed"]


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
async def test_base_url_may_be_written_in_several_ways(suffix: str) -> None:
    """A base URL works with and without /v1 and a trailing slash."""
    with FakeServer(fake.answer("left")) as server:
        explainer = an_explainer(server.url.removesuffix("/v1") + suffix)
        reply = await explainer.ask(a_question())
        await explainer.close()
    assert reply.error == ""
    assert server.requests[0].path == "/v1/chat/completions"


@pytest.mark.parametrize(
    "url", ["localhost:8000", "", "ftp://host/v1", "http://", "http://user:pw@host/v1", "http://["]
)
def test_url_that_is_none_is_a_users_mistake(url: str) -> None:
    """A base URL that cannot be one is refused at once, naming the variable."""
    with pytest.raises(UsageError, match="OPENAI_BASE_URL"):
        an_explainer(url)


@pytest.mark.parametrize(
    "failing",
    [
        fake.error(500),
        fake.error(503),
        fake.error(429),
        fake.error(429, headers={"Retry-After": "0"}),
        fake.cut(),
        fake.hang_up(),
        fake.body(b'{"choices": [{"mess'),
    ],
    ids=["500", "503", "429", "429 with Retry-After", "cut", "hang up", "half a JSON"],
)
async def test_passing_failures_are_asked_again(failing: fake.Behaviour) -> None:
    """A failure that may pass is asked again, told to the callback, and ends in the answer."""
    events: list[str] = []
    with FakeServer(failing, fake.answer("left")) as server:
        reply = await ask_once(server, on_event=events.append)
    assert reply.error == ""
    assert reply.attempts == 2
    assert len(events) == 1
    assert events[0].startswith("openai:tiny: ")


async def test_retry_after_is_waited_for() -> None:
    """The next request comes no earlier than the server's Retry-After says."""
    with FakeServer(fake.error(429, headers={"Retry-After": "0.3"}), fake.answer("left")) as server:
        begin = time.monotonic()
        reply = await ask_once(server)
    assert reply.error == ""
    assert time.monotonic() - begin >= 0.3


async def test_wait_beyond_the_deadline_is_not_begun() -> None:
    """A Retry-After that passes the deadline ends the question at once, with the server's reason."""
    with FakeServer(fake.error(429, "slow down", {"Retry-After": "3600"})) as server:
        reply = await ask_once(server)
    assert "429: slow down" in reply.error
    assert reply.seconds < 2
    assert not reply.fatal


async def test_endless_500_becomes_an_error() -> None:
    """A server that always fails is asked as often as the policy says, then the reply carries the error."""
    with FakeServer(fake.error(500, "out of order")) as server:
        reply = await ask_once(server)
    assert (reply.text, reply.attempts, len(server.requests)) == ("", 4, 4)
    assert server.url in reply.error
    assert "500: out of order" in reply.error
    assert not reply.fatal


@pytest.mark.parametrize("status", [401, 403])
async def test_refused_key_is_fatal_and_stays_secret(status: int) -> None:
    """A refused key is fatal, says what to check, never shows the key, and nothing is sent any more."""
    with FakeServer(fake.error(status, f"bad key {KEY}")) as server:
        explainer = an_explainer(server.url)
        replies = [await explainer.ask(a_question()) for _ in range(2)]
        await explainer.close()
    assert all(reply.fatal and "OPENAI_API_KEY" in reply.error for reply in replies)
    assert KEY not in replies[0].error
    assert len(server.requests) == 1


async def test_unknown_model_lists_what_there_is() -> None:
    """A 404 is fatal and lists the models that the endpoint has."""
    with FakeServer(fake.error(404, "no such model"), models=["large", "tinny"]) as server:
        reply = await ask_once(server)
    assert reply.fatal
    assert "no model 'tiny'; it has tinny" in reply.error


async def test_wrong_path_says_to_check_the_url() -> None:
    """A 404 from a server that lists no models points at the base URL."""
    with FakeServer(fake.error(404), models=None) as server:
        reply = await ask_once(server)
    assert reply.fatal
    assert "OPENAI_BASE_URL" in reply.error


async def test_used_up_credit_is_fatal() -> None:
    """OpenAI's 429 for an empty account is not waited out."""
    with FakeServer(fake.error(429, "insufficient_quota: check your plan")) as server:
        reply = await ask_once(server)
    assert reply.fatal
    assert len(server.requests) == 1


async def test_endpoint_that_is_down_is_named() -> None:
    """Where nothing listens, the error names the URL and what to do, and the endpoint is given up."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        explainer = an_explainer(url)
        reply = await explainer.ask(a_question())
        again = await explainer.ask(a_question())
        await explainer.close()
    assert reply.fatal
    assert reply.attempts == 4
    assert url in reply.error
    assert "connecting failed" in reply.error
    assert "OPENAI_BASE_URL" in reply.error
    assert again.attempts == 0


@pytest.mark.parametrize(
    ("refused", "left"),
    [
        (("json_schema",), {"type": "json_object"}),
        (("json_schema", "json_object"), None),
    ],
)
async def test_refused_response_format_falls_back_and_is_remembered(refused: tuple[str, ...], left: Any) -> None:
    """A server that refuses a response format is asked in the next simpler one, and from then on only so."""
    with FakeServer(then=fake.refuse_fields(*refused)) as server:
        explainer = an_explainer(server.url)
        first = await explainer.ask(a_question())
        sent = len(server.requests)
        second = await explainer.ask(a_question())
        await explainer.close()
    assert (first.error, second.error) == ("", "")
    assert sent == len(refused) + 1
    assert len(server.requests) == sent + 1
    assert server.questions[-1].get("response_format") == left


async def test_limits_in_a_schema_are_dropped_before_the_schema() -> None:
    """A server that knows schemas but not maxLength still gets the schema, without the limit."""
    with FakeServer(then=fake.refuse_fields("maxLength")) as server:
        reply = await ask_once(server)
    assert reply.error == ""
    schema = server.questions[-1]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["explanation"] == {"type": "string"}
    assert schema["properties"]["answer"]["enum"] == ["left", "right"]


async def test_newer_field_names_and_fixed_temperatures_are_learned() -> None:
    """Servers that refuse temperature and seed get requests without them."""
    with FakeServer(then=fake.refuse_fields("temperature", "seed")) as server:
        reply = await ask_once(server)
    assert reply.error == ""
    assert not {"temperature", "seed"} & set(server.questions[-1])


async def test_renamed_limit_is_learned() -> None:
    """A server that wants max_completion_tokens gets it."""
    hint = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    with FakeServer(fake.error(400, hint), fake.answer("left")) as server:
        reply = await ask_once(server, max_tokens=50)
    assert reply.error == ""
    assert server.questions[-1]["max_completion_tokens"] == 50
    assert "max_tokens" not in server.questions[-1]


async def test_other_bad_requests_are_errors_at_once() -> None:
    """A 400 about something else is not repeated, and its reason is shown."""
    with FakeServer(fake.error(400, "the prompt exceeds the context size")) as server:
        reply = await ask_once(server)
    assert "exceeds the context size" in reply.error
    assert len(server.requests) == 1
    assert not reply.fatal


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (fake.body(b"<html><body>Welcome</body></html>", "text/html"), "web page"),
        (fake.body(b"not json at all"), "no valid JSON"),
        (fake.body(b"[1, 2]"), "no chat completion"),
        (fake.body(b"{}"), "no choices"),
        (fake.body(b'{"choices": []}'), "no choices"),
        (fake.body(b'{"choices": [{"finish_reason": "stop"}]}'), "no message"),
        (fake.body(b'{"choices": null, "error": {"message": "overloaded\\u001b[2J", "code": 400}}'), "overloaded"),
        (fake.body(b"[" * 100_000), "no valid JSON"),
        (fake.error(302, headers={"Location": "https://elsewhere.example/"}), "redirection"),
        (fake.endless(), "larger than"),
    ],
    ids=["html", "text", "list", "empty", "no choices", "no message", "error in 200", "deep", "redirect", "endless"],
)
async def test_answers_that_are_no_completions_are_clear_errors(behaviour: fake.Behaviour, message: str) -> None:
    """What is no chat completion becomes one printable sentence that names the endpoint."""
    with FakeServer(behaviour) as server:
        reply = await ask_once(server)
    assert message in reply.error
    assert server.url in reply.error
    assert reply.error.isprintable()
    assert reply.text == ""


@pytest.mark.parametrize(
    ("behaviour", "text", "finish"),
    [
        (fake.says(None), "", "stop"),
        (fake.says(None, finish="length"), "", "length"),
        (fake.says("left", finish=None), "left", ""),
        (fake.says([{"type": "text", "text": "le"}, {"type": "text", "text": "ft"}]), "left", "stop"),
        (fake.says(None, refusal="I can't help with that."), "I can't help with that.", "refusal"),
        (fake.says(None, tool_calls=[{"function": {"name": "f", "arguments": '{"answer": "left"}'}}]),
         '{"answer": "left"}', "stop"),
        (fake.says(None, tool_calls="nonsense"), "", "stop"),
        (fake.says(42), "", "stop"),
        (fake.says("\ud800left"), "?left", "stop"),
    ],
    ids=["null", "null cut off", "no finish", "parts", "refusal", "tool call", "bad tool call", "number", "surrogate"],
)  # fmt: skip
async def test_unusual_messages_never_crash(behaviour: fake.Behaviour, text: str, finish: str) -> None:
    """Odd but valid completions give a text that the reader can judge and that can be stored."""
    with FakeServer(behaviour) as server:
        reply = await ask_once(server)
    assert (reply.error, reply.text, reply.finish) == ("", text, finish)
    reply.text.encode()


async def test_usage_may_be_missing() -> None:
    """Without usage the token counts are unknown, not zero."""
    with FakeServer(fake.says("left", usage=False)) as server:
        reply = await ask_once(server)
    assert (reply.tokens_in, reply.tokens_out) == (None, None)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_beside_the_content_is_kept_apart(field: str) -> None:
    """Reasoning fields arrive in Reply.reasoning and are no part of the text."""
    with FakeServer(fake.says('{"answer": "left"}', **{field: "right? no, left"})) as server:
        reply = await ask_once(server)
    assert reply.reasoning == "right? no, left"
    assert reply.text == '{"answer": "left"}'


async def test_think_tags_are_not_the_answer() -> None:
    """A reply with <think> tags is read as what follows them."""
    with FakeServer(fake.says('<think>maybe right</think>{"explanation": "x", "answer": "left"}')) as server:
        reply = await ask_once(server)
    assert (reply.text, reply.reasoning) == ('{"explanation": "x", "answer": "left"}', "maybe right")
    assert read_answer(reply.text, reply.finish, ACTIONS, {}).answer == "left"


async def test_blank_and_cut_off_replies_are_invalid() -> None:
    """Null content is a blank answer, null content with finish reason length a cut-off one."""
    kinds = []
    for finish in ("stop", "length"):
        with FakeServer(fake.says(None, finish=finish)) as server:
            reply = await ask_once(server)
        kinds.append(read_answer(reply.text, reply.finish, ACTIONS, {}).invalid)
    assert kinds == [InvalidKind.BLANK, InvalidKind.CUT_OFF]


@pytest.mark.parametrize("behaviour", [fake.silent(), fake.trickle()], ids=["silent", "trickle"])
async def test_deadline_ends_a_slow_answer(behaviour: fake.Behaviour) -> None:
    """A server that stays silent or sends a byte now and then cannot hold a question longer than its deadline."""
    with FakeServer(behaviour) as server:
        reply = await ask_once(server, policy=RetryPolicy(attempts=3, deadline=0.4))
        assert await asyncio.to_thread(server.client_left.wait, 5)
    assert "no complete answer within 0.4 s" in reply.error
    assert reply.seconds < 3


async def test_silence_is_a_timeout_that_may_pass() -> None:
    """A connection that stays silent longer than the timeout is asked again."""
    with FakeServer(fake.silent(), fake.answer("left")) as server:
        reply = await ask_once(server, timeout=0.3)
    assert (reply.error, reply.attempts) == ("", 2)


@pytest.mark.parametrize("behaviour", [fake.silent(), fake.trickle()], ids=["before the head", "in the body"])
async def test_cancellation_propagates_and_closes_the_connection(behaviour: fake.Behaviour) -> None:
    """A cancelled question raises CancelledError at once, and the server sees the connection close."""
    with FakeServer(behaviour) as server:
        explainer = an_explainer(server.url)
        task = asyncio.create_task(explainer.ask(a_question()))
        assert await asyncio.to_thread(server.asked.wait, 5)
        begin = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begin < 1
        assert await asyncio.to_thread(server.client_left.wait, 5)
        await explainer.close()


async def test_cancellation_ends_a_wait() -> None:
    """A question that waits for its next attempt can be cancelled at once."""
    waiting = asyncio.Event()
    with FakeServer(fake.error(429, headers={"Retry-After": "4"})) as server:
        explainer = an_explainer(server.url, on_event=lambda _: waiting.set())
        task = asyncio.create_task(explainer.ask(a_question()))
        await waiting.wait()
        begin = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await explainer.close()
    assert time.monotonic() - begin < 1


async def test_concurrency_is_limited_per_endpoint() -> None:
    """No more questions than the endpoint's limit are in flight at once, and all are answered."""
    running, peak = 0, 0

    def slow(exchange: fake.Exchange) -> None:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        time.sleep(0.03)
        running -= 1
        fake.answer("left")(exchange)

    with FakeServer(then=slow) as server:
        explainer = an_explainer(server.url, concurrency=3)
        replies = await asyncio.gather(*(explainer.ask(a_question()) for _ in range(12)))
        await explainer.close()
    assert not any(reply.error for reply in replies)
    assert 2 <= peak <= 3


async def test_nothing_is_printed_or_logged_with_the_key(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Retries and failures write nothing to the terminal, and no log record or repr holds the key."""
    with caplog.at_level(logging.DEBUG), FakeServer(fake.error(500, KEY)) as server:
        explainer = an_explainer(server.url)
        reply = await explainer.ask(a_question())
        shown = repr(explainer) + repr(vars(explainer)) + reply.error
        await explainer.close()
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    assert KEY not in caplog.text + shown
    assert "***" in reply.error


def test_key_that_cannot_be_sent_is_a_users_mistake() -> None:
    """A key with a line end or letters outside ASCII is refused before it reaches a header."""
    for key in ("sk-\nx", "sk-ключ"):
        with pytest.raises(UsageError, match="OPENAI_API_KEY"):
            OpenAI("tiny", endpoint=Endpoint(api_key=SecretStr(key)))


async def test_models_are_listed_or_the_failure_is_told() -> None:
    """models() returns the endpoint's names, and raises EndpointError where there is no such list."""
    with FakeServer(models=["b", "a"]) as server:
        explainer = an_explainer(server.url)
        names = await explainer.models()
        server.models = None
        with pytest.raises(EndpointError, match="404"):
            await explainer.models()
        await explainer.close()
    assert names == ["a", "b"]


async def test_probability_schema_is_sent_with_its_limits() -> None:
    """A probability is asked for as a number in [0, 1], and a JSON number is read exactly."""
    with FakeServer(fake.answer(0.1)) as server:
        explainer = an_explainer(server.url)
        reply = await explainer.ask(a_question(Probability()))
        await explainer.close()
    schema = server.questions[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["answer"] == {"type": "number", "minimum": 0, "maximum": 1}
    assert read_answer(reply.text, reply.finish, Probability(), {}).answer == "1/10"


async def test_a_new_start_gives_a_failed_endpoint_another_chance() -> None:
    """After a refused key nothing is sent, until the explainer is started again: then a mended server answers."""
    with FakeServer(fake.error(401), then=fake.answer("down")) as server:
        explainer = OpenAI("m", endpoint=Endpoint(base_url=server.url))
        await explainer.start()
        try:
            assert (await explainer.ask(a_question())).fatal
            assert (await explainer.ask(a_question())).attempts == 0
            await explainer.start()
            assert not (await explainer.ask(a_question())).error
        finally:
            await explainer.close()


@pytest.mark.parametrize(
    ("content", "fields", "answer", "source"),
    [
        ('```json\n{"explanation": "x", "answer": "left"}\n```', {}, "left", None),
        ('Here you are: {"explanation": "x", "answer": "left"} Good luck!', {}, "left", None),
        ('maybe right</think>{"explanation": "x", "answer": "left"}', {}, "left", None),
        (None, {"reasoning": '{"explanation": "x", "answer": "left"}'}, "left", "reasoning"),
        ("", {"reasoning_content": ' {"explanation": "x", "answer": "left"}\n'}, "left", "reasoning"),
        (None, {"reasoning": "The answer is left."}, None, None),
        (None, {"reasoning": '{"explanation": "x"}'}, None, None),
        (None, {"reasoning": 'So: {"explanation": "x", "answer": "left"}'}, None, None),
        ('{"explanation": "x", "answer": "right"}', {"reasoning": '{"answer": "left"}'}, "right", None),
        (None, {"tool_calls": [{"function": {"arguments": '{"answer": "left"}'}}]}, "left", "tool_calls"),
    ],
    ids=["fence", "text around", "closing tag only", "null and JSON as reasoning", "blank and JSON as reasoning",
         "null and prose as reasoning", "JSON without an answer", "JSON amid reasoning", "content first", "tool call"],
)  # fmt: skip
async def test_answers_in_odd_places(content: Any, fields: dict[str, Any], answer: str | None, source: Any) -> None:
    """An answer is read where it stands; reasoning only if it is nothing but the JSON and there is no content."""
    with FakeServer(fake.says(content, **fields)) as server:
        reply = await ask_once(server)
    assert read_answer(reply.text, reply.finish, ACTIONS, {}).answer == answer
    assert reply.details.get("content_from") == source


async def test_object_refused_and_schema_accepted_goes_up_to_the_schema() -> None:
    """A server that knows only schemas, and says so, is asked with one although the settings begin lower."""

    def behave(exchange: fake.Exchange) -> None:
        kind = exchange.request_body.get("response_format", {}).get("type")
        refused = fake.error(400, "'response_format.type' must be 'json_schema' or 'text'")
        (fake.answer("left") if kind == "json_schema" else refused)(exchange)

    with FakeServer(then=behave) as server:
        explainer = an_explainer(server.url, structured="json_object")
        replies = [await explainer.ask(a_question()) for _ in range(2)]
        await explainer.close()
    assert [reply.error for reply in replies] == ["", ""]
    assert len(server.requests) == 3
    assert replies[1].details["structured"] == "json_schema"


async def test_wrong_content_type_is_read_all_the_same() -> None:
    """A completion that is labelled as plain text is a completion."""
    with FakeServer(fake.body(json.dumps(fake.completion("left")).encode(), "text/plain")) as server:
        assert (await ask_once(server)).text == "left"


async def test_nothing_is_sent_after_a_refused_key_even_by_those_who_wait() -> None:
    """Questions that wait for a slot when the key is refused end with the same error, unsent."""
    with FakeServer(then=fake.error(401)) as server:
        explainer = an_explainer(server.url, concurrency=1)
        replies = await asyncio.gather(*(explainer.ask(a_question()) for _ in range(5)))
        await explainer.close()
    assert all(reply.fatal for reply in replies)
    assert len(server.requests) == 1
