"""Answers that stream: the pieces make up the reply, thinking stays apart, and broken streams are no answers."""

from __future__ import annotations

import json

import fake_server as fake
import pytest
from explainer_support import ACTIONS, a_question, openai, pieces_of
from fake_server import FakeServer
from hypothesis import given
from hypothesis import strategies as st

from engine.explainers.baselines import BASELINES
from engine.explainers.streaming import Piece, ThinkingSplitter, ask_in_pieces
from engine.prompts.reading import read_answer

TEXT = '{"explanation": "because", "answer": "left"}'
USAGE = {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}}


def said(pieces: list[Piece]) -> tuple[str, str]:
    """Return what the pieces add up to, forgetting what a repetition makes void."""
    text = reasoning = ""
    for piece in pieces:
        if piece.again:
            text = reasoning = ""
        text, reasoning = text + piece.text, reasoning + piece.reasoning
    return text, reasoning


async def test_pieces_make_up_the_reply() -> None:
    """Content and usage from several events become one reply, and the request asks for a stream with usage."""
    chunks = [fake.delta(role="assistant", content=""), *(fake.delta(content=TEXT[i : i + 7]) for i in range(0, 44, 7))]
    with FakeServer(fake.events(*chunks, fake.delta("stop"), USAGE)) as server:
        reply, pieces = await pieces_of(openai(server.url))
    assert (reply.text, reply.finish, reply.tokens_in, reply.tokens_out) == (TEXT, "stop", 11, 7)
    assert len(pieces) == 7
    assert said(pieces) == (TEXT, "")
    (body,) = server.questions
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_streams_apart(field: str) -> None:
    """Thinking in a field of its own arrives as reasoning, before the answer."""
    chunks = [fake.delta(**{field: "right? "}), fake.delta(**{field: "no"}), fake.delta(content=TEXT)]
    with FakeServer(fake.events(*chunks, fake.delta("stop"))) as server:
        reply, pieces = await pieces_of(openai(server.url))
    assert (reply.text, reply.reasoning) == (TEXT, "right? no")
    assert pieces == [Piece(reasoning="right? "), Piece(reasoning="no"), Piece(text=TEXT)]


async def test_torn_think_tags_are_sorted() -> None:
    """Tags that arrive in pieces do not show; the reply has the thinking apart from the text."""
    content = f"<think>right?</think>{TEXT}"
    chunks = [fake.delta(content=content[i : i + 3]) for i in range(0, len(content), 3)]
    with FakeServer(fake.events(*chunks, fake.delta("stop"))) as server:
        reply, pieces = await pieces_of(openai(server.url))
    assert (reply.text, reply.reasoning) == (TEXT, "right?")
    assert said(pieces) == (TEXT, "right?")


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "<", "</", "a<b", "left ", ">", "<thinking>"]), max_size=8),
    st.data(),
)
def test_splitter_loses_nothing_but_tags(parts: list[str], data: st.DataObject) -> None:
    """However the content is torn, the pieces hold what they hold when it comes at once."""
    content = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=6)))
    torn = [content[a:b] for a, b in zip([0, *cuts], [*cuts, len(content)], strict=True)]

    def sorted_by(pieces: list[str]) -> tuple[str, str]:
        splitter = ThinkingSplitter()
        return said([*(splitter.feed(piece) for piece in pieces), splitter.end()])

    assert sorted_by(torn) == sorted_by([content])


async def test_comments_and_other_fields_are_passed_over() -> None:
    """Lines that keep a connection open, event names and carriage returns are no content."""
    raw = b": OPENROUTER PROCESSING\r\n\r\nevent: message\r\nid: 3\r\n"
    one = b"data:" + json.dumps(fake.delta(content=TEXT)).encode() + b"\r\n\r\n"
    with FakeServer(fake.events(raw, one, b"\n", fake.delta("stop"))) as server:
        reply, _ = await pieces_of(openai(server.url))
    assert (reply.error, reply.text) == ("", TEXT)


@pytest.mark.parametrize(("done", "words"), [(True, "ended"), (False, "broke off")])
async def test_stream_without_finish_reason_is_kept_and_flagged(done: bool, words: str) -> None:
    """What came before the end counts, and the details say that the server gave no reason for ending."""
    with FakeServer(fake.events(fake.delta(content=TEXT), done=done)) as server:
        reply, _ = await pieces_of(openai(server.url))
    assert (reply.error, reply.finish) == ("", "")
    assert words in reply.details["stream"]
    assert read_answer(reply.text, reply.finish, ACTIONS, {}).answer == "left"


@pytest.mark.parametrize("text", ["", TEXT[:-9], "<think>is it left?</think>", "The answer is", '{"answer": "left'])
@pytest.mark.parametrize("streaming", [True, False])
async def test_a_stream_that_was_cut_off_is_a_failure_of_the_connection(text: str, streaming: bool) -> None:
    """Without finish reason and end mark, what holds no whole answer is repeated; in the end it is an error."""
    with FakeServer(then=fake.events(fake.delta(content=text), done=False)) as server:
        explainer = openai(server.url)
        reply = (await pieces_of(explainer))[0] if streaming else await explainer.ask(a_question())
        await explainer.close()
    assert "broke off" in reply.error
    assert (reply.text, reply.attempts) == ("", 4)


@pytest.mark.parametrize("text", [TEXT, f"<think>{{</think>{TEXT}", f"```json\n{TEXT}\n```", f"So: {TEXT} I think"])
async def test_a_whole_answer_is_kept_although_the_stream_was_cut_off(text: str) -> None:
    """Amid thinking, a code fence or words, the object with the answer is whole: nothing is asked twice."""
    with FakeServer(then=fake.events(fake.delta(content=text), done=False)) as server:
        reply, _ = await pieces_of(openai(server.url))
    assert (reply.error, reply.text, reply.attempts) == ("", text.rpartition("</think>")[2], 1)
    assert "broke off" in reply.details["stream"]


async def test_broken_stream_is_asked_again_and_the_pieces_say_so() -> None:
    """A connection that breaks amid the answer voids the pieces before it."""
    broken = fake.events(fake.delta(content="rubbish"), done=False, end=False)
    with FakeServer(broken, fake.events(fake.delta(content=TEXT), fake.delta("stop"))) as server:
        reply, pieces = await pieces_of(openai(server.url))
    assert (reply.error, reply.text, reply.attempts) == ("", TEXT, 2)
    assert Piece(again=True) in pieces
    assert said(pieces) == (TEXT, "")


@pytest.mark.parametrize(
    ("behaviour", "message", "attempts"),
    [
        (fake.events({"error": {"message": "no provider", "code": 502}}), "no provider", 4),
        (fake.events({"error": {"message": "bad words", "code": 400}}), "bad words", 1),
        (fake.events(b"data: {half\n\n"), "no valid JSON", 4),
        (fake.events(b"data: [1]\n\n"), "no chat completion", 1),
        (fake.events(), "before anything came", 4),
        (fake.events(b": only comments\n\n", done=False), "before anything came", 4),
    ],
    ids=["error that may pass", "error for good", "half", "list", "nothing", "comments"],
)
async def test_streams_that_are_no_answers_are_clear_errors(
    behaviour: fake.Behaviour, message: str, attempts: int
) -> None:
    """An error amid the stream, and what is no completion, become one sentence; only what may pass is repeated."""
    with FakeServer(behaviour) as server:
        reply, _ = await pieces_of(openai(server.url))
    assert message in reply.error
    assert (reply.text, reply.attempts) == ("", attempts)


async def test_server_that_does_not_stream_gives_one_piece() -> None:
    """A whole completion in answer to a streaming request is the one piece."""
    with FakeServer(fake.answer("left")) as server:
        reply, pieces = await pieces_of(openai(server.url))
    assert pieces == [Piece(text=reply.text)]


async def test_server_that_streams_unasked_is_read() -> None:
    """Events in answer to an ordinary request are read as the stream that they are."""
    with FakeServer(fake.events(fake.delta(content=TEXT), fake.delta("stop"))) as server:
        explainer = openai(server.url)
        reply = await explainer.ask(a_question())
        await explainer.close()
    assert (reply.error, reply.text) == ("", TEXT)


@pytest.mark.parametrize("field", ["stream_options", "stream"])
async def test_refused_streaming_fields_are_left_out(field: str) -> None:
    """A server that refuses a streaming field is asked without it, from then on at once."""

    def behave(exchange: fake.Exchange) -> None:
        if exchange.request_body.get(field):
            fake.error(400, f"Unknown field: {field}")(exchange)
        else:
            fake.answer("left")(exchange)

    with FakeServer(then=behave) as server:
        reply, _ = await pieces_of(openai(server.url))
    assert reply.error == ""
    assert field not in server.questions[-1]
    assert reply.details["left_out"] == [field]


async def test_streamed_tool_call_is_used() -> None:
    """The arguments of a tool call that come in pieces are the text, and the details say so."""
    halves = [{"tool_calls": [{"index": 0, "function": {"arguments": part}}]} for part in (TEXT[:20], TEXT[20:])]
    with FakeServer(fake.events(*(fake.delta(**half) for half in halves), fake.delta("tool_calls"))) as server:
        reply, _ = await pieces_of(openai(server.url))
    assert (reply.text, reply.details["content_from"]) == (TEXT, "tool_calls")


async def test_baselines_answer_in_one_piece() -> None:
    """What cannot stream gives its whole answer as one piece."""
    pieces: list[Piece] = []
    reply = await ask_in_pieces(BASELINES[1], a_question(), pieces.append)
    assert pieces == [Piece(text=reply.text)]
