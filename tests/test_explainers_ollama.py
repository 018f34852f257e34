"""The Ollama explainer against a server on loopback that behaves as Ollama does, well and badly."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from typing import Any

import fake_server as fake
import pytest
from explainer_support import ACTIONS, a_question, answer_of, ollama, pieces_of
from fake_server import FakeServer

from engine.endpoints import ollama_url
from engine.explainers.streaming import Piece
from engine.prompts.reading import read_answer
from engine.verdicts.verdict import InvalidKind


async def test_good_answer_is_kept_with_its_figures() -> None:
    """A streamed answer becomes a reply with text, thinking, finish reason and token counts."""
    text = '{"explanation": "x", "answer": "left"}'
    parts = [{"thinking": "right? "}, {"thinking": "no"}, {"content": text[:5]}, {"content": text[5:]}]
    with FakeServer(fake.ollama(*parts)) as server:
        reply = await answer_of(ollama(server.root))
    assert (reply.error, reply.text, reply.reasoning) == ("", text, "right? no")
    assert (reply.finish, reply.tokens_in, reply.tokens_out, reply.attempts) == ("stop", 11, 7, 1)
    assert read_answer(reply.text, reply.finish, ACTIONS, {}).answer == "left"


async def test_request_is_what_the_api_wants() -> None:
    """The request goes to /api/chat with the schema as format, and with the settings where Ollama looks for them."""
    extra = {"keep_alive": "5m", "options": {"top_k": 3}}
    with FakeServer(fake.ollama_answer("left")) as server:
        reply = await answer_of(ollama(server.root, think="low", num_ctx=8192, max_tokens=99, seed=5, extra=extra))
    (request,) = server.requests
    assert request.path == "/api/chat"
    assert "authorization" not in request.headers
    body = request.body
    assert body["messages"][1] == {"role": "user", "content": "Which action?"}
    assert list(body["format"]["properties"]) == ["explanation", "answer"]
    assert body["options"] == {"temperature": 0.0, "seed": 5, "num_predict": 99, "num_ctx": 8192, "top_k": 3}
    assert (body["model"], body["stream"], body["think"], body["keep_alive"]) == ("tiny", True, "low", "5m")
    assert (reply.details["think"], reply.details["num_ctx"]) == ("low", 8192)


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/", "/api"])
async def test_base_url_may_be_written_in_several_ways(suffix: str) -> None:
    """The URL of the server, of its own API and of its OpenAI-compatible one all lead to /api/chat."""
    with FakeServer(fake.ollama_answer("left")) as server:
        reply = await answer_of(ollama(server.root + suffix))
    assert reply.error == ""
    assert server.requests[0].path == "/api/chat"


async def test_unset_thinking_is_left_to_the_server() -> None:
    """Without settings neither think nor num_ctx is sent."""
    with FakeServer(fake.ollama_answer("left")) as server:
        await answer_of(ollama(server.root))
    assert "think" not in server.questions[0]
    assert "num_ctx" not in server.questions[0]["options"]


async def test_thinking_that_uses_up_the_tokens_is_a_cut_off_answer_with_a_hint() -> None:
    """A blank answer after thinking to the limit is invalid as cut off, and it is said what to raise, once."""
    events: list[str] = []
    with FakeServer(then=fake.ollama({"thinking": "hm " * 9}, done_reason="length")) as server:
        explainer = ollama(server.root, max_tokens=30, on_event=events.append)
        replies = [await explainer.ask(a_question()) for _ in range(2)]
        await explainer.close()
    for reply in replies:
        assert read_answer(reply.text, reply.finish, ACTIONS, {}).invalid is InvalidKind.CUT_OFF
        assert "raise max_tokens" in reply.details["note"]
    assert len(events) == 1
    assert "all 30 tokens" in events[0]


@pytest.mark.parametrize(("think", "told"), [(False, False), (None, True), ("low", True)])
async def test_switching_thinking_off_is_only_advised_where_it_is_on(think: Any, told: bool) -> None:
    """With think = false set already, the hint about used-up tokens names only max_tokens."""
    with FakeServer(then=fake.ollama({"thinking": "hm"}, done_reason="length")) as server:
        reply = await answer_of(ollama(server.root, think=think))
    note = str(reply.details["note"])
    assert "raise max_tokens" in note
    assert ("set think = false" in note) == told
    assert ("although think = false is set" in note) == (not told)


async def test_schema_that_think_false_makes_ineffective_is_noted() -> None:
    """Prose in answer to a schema, with think = false, is kept and noted; with the schema honoured nothing is noted."""
    with FakeServer(fake.ollama({"content": "I would go left."}), fake.ollama_answer("left")) as server:
        explainer = ollama(server.root, think=False)
        prose, json_text = [await explainer.ask(a_question()) for _ in range(2)]
        await explainer.close()
    assert "leave think out" in prose.details["note"]
    assert read_answer(prose.text, prose.finish, ACTIONS, {}).answer == "left"
    assert "note" not in json_text.details


async def test_json_that_arrives_as_thinking_is_used_and_flagged() -> None:
    """With no content, thinking that is the JSON as a whole is the answer; other thinking never is."""
    with FakeServer(
        fake.ollama({"thinking": '{"explanation": "x", "answer": "left"}'}), fake.ollama({"thinking": "I say left."})
    ) as server:
        explainer = ollama(server.root)
        whole, words = [await explainer.ask(a_question()) for _ in range(2)]
        await explainer.close()
    assert json.loads(whole.text)["answer"] == "left"
    assert whole.details["content_from"] == "reasoning"
    assert (words.text, words.reasoning) == ("", "I say left.")
    assert read_answer(words.text, words.finish, ACTIONS, {}).invalid is InvalidKind.BLANK


@pytest.mark.parametrize("complaint", ['"tiny" does not support thinking', 'think value "low" is not supported'])
async def test_model_that_cannot_think_is_asked_without(complaint: str) -> None:
    """A refused think is left out from then on, and the schema stays."""

    def behave(exchange: fake.Exchange) -> None:
        refused = "think" in exchange.request_body
        (fake.error(400, complaint) if refused else fake.ollama_answer("left"))(exchange)

    with FakeServer(then=behave) as server:
        explainer = ollama(server.root, think="low")
        replies = [await explainer.ask(a_question()) for _ in range(2)]
        await explainer.close()
    assert [reply.error for reply in replies] == ["", ""]
    assert len(server.requests) == 3
    assert "format" in server.questions[-1]


async def test_refused_schema_falls_back() -> None:
    """A server that refuses the schema is asked for JSON, then for nothing."""

    def behave(exchange: fake.Exchange) -> None:
        refused = "format" in exchange.request_body
        (fake.error(400, "invalid JSON schema in format") if refused else fake.ollama_answer("left"))(exchange)

    with FakeServer(then=behave) as server:
        reply = await answer_of(ollama(server.root))
    assert reply.error == ""
    assert [type(body.get("format")).__name__ for body in server.questions] == ["dict", "str", "NoneType"]


@pytest.mark.parametrize(
    ("models", "message"),
    [(["large", "tinny"], "no model 'tiny'; it has tinny"), ([], "ollama pull tiny"), (None, "OLLAMA_HOST")],
)
async def test_unknown_model_says_what_there_is(models: list[str] | None, message: str) -> None:
    """A 404 lists the models of /api/tags, or says how to get one, or that this is no Ollama."""
    with FakeServer(fake.error(404, "model 'tiny' not found"), models=models) as server:
        reply = await answer_of(ollama(server.root))
    assert reply.fatal
    assert message in reply.error


async def test_server_that_is_down_says_how_to_start_it() -> None:
    """Where nothing listens, the error names the URL and the command that starts Ollama."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        root = f"http://127.0.0.1:{unused.getsockname()[1]}"
        reply = await answer_of(ollama(root))
    assert reply.fatal
    assert f"{root}: connecting failed" in reply.error
    assert "ollama serve" in reply.error


@pytest.mark.parametrize(
    "failing",
    [
        fake.ollama({"content": "x"}, {"error": "model runner has unexpectedly stopped"}, done=False),
        fake.ollama({"content": "x"}, done=False),
        fake.ollama({"content": "x"}, done=False, end=False),
        fake.error(500, "out of memory"),
        fake.error(503, "server busy"),
    ],
    ids=["error in the stream", "no last object", "cut", "500", "503"],
)
async def test_passing_failures_are_asked_again(failing: fake.Behaviour) -> None:
    """An answer that breaks off, in whatever way, is asked again and its pieces are void."""
    with FakeServer(failing, fake.ollama_answer("left")) as server:
        reply, pieces = await pieces_of(ollama(server.root))
    assert (reply.error, reply.attempts) == ("", 2)
    after = pieces[pieces.index(Piece(again=True)) + 1 :]
    assert "".join(piece.text for piece in after) == reply.text


async def test_another_server_is_told_apart() -> None:
    """What answers with something else than Ollama's objects is a clear error, not an answer."""
    with FakeServer(fake.answer("left")) as server:
        reply = await answer_of(ollama(server.root))
    assert "not Ollama's" in reply.error
    assert reply.text == ""


async def test_cancellation_closes_the_connection() -> None:
    """A cancelled question ends at once and the server sees the connection close, which frees the model."""
    with FakeServer(fake.trickle()) as server:
        explainer = ollama(server.root)
        task = asyncio.create_task(explainer.ask(a_question()))
        assert await asyncio.to_thread(server.asked.wait, 5)
        begin = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begin < 1
        assert await asyncio.to_thread(server.client_left.wait, 5)
        await explainer.close()


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("box", "http://box:11434"),
        ("10.0.0.7:8080", "http://10.0.0.7:8080"),
        ("http://box", "http://box:80"),
        ("https://box", "https://box:443"),
        ("https://box:1234/", "https://box:1234"),
        ("https://box/ollama/", "https://box:443/ollama"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104 - what a server is told to listen on
        ("0.0.0.0:99", "http://127.0.0.1:99"),
        ("::1", "http://[::1]:11434"),
        ("[::1]:99", "http://[::1]:99"),
        ("http://[::]:99", "http://[::1]:99"),
        (' "box:99" ', "http://box:99"),
        ("box:99999", "http://box:11434"),
        ("box:port", "http://box:11434"),
    ],
)
def test_ollama_host_in_all_its_forms(host: str, url: str) -> None:
    """OLLAMA_HOST is read as Ollama's own client reads it: default port by scheme, a bad port ignored."""
    assert ollama_url(host) == url


@pytest.mark.parametrize(
    ("text", "kept"), [('{"explanation": "x", "answer": "left"}', True), ('{"explanation": "x", "ans', False)]
)
@pytest.mark.parametrize("streaming", [True, False])
async def test_a_reply_that_was_cut_off_counts_only_if_its_answer_is_whole(
    text: str, kept: bool, streaming: bool
) -> None:
    """A stream that stops without its last object is repeated, unless the object with the answer has arrived."""
    with FakeServer(then=fake.ollama({"content": text}, done=False)) as server:
        explainer = ollama(server.root)
        reply = (await pieces_of(explainer))[0] if streaming else await answer_of(explainer)
        await explainer.close()
    assert (reply.text, reply.attempts) == ((text, 1) if kept else ("", 4))
    assert ("broke off" in reply.error) is not kept
