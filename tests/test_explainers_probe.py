"""Probing: what a server really does is found out, put in words, and sets the `auto` modes."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import fake_server as fake
import pytest
from cli_support import json_of, run_cli
from explainer_support import ollama, openai
from fake_server import FakeServer

from engine.endpoints import Endpoint
from engine.errors import UsageError
from engine.explainers.baselines import BASELINES
from engine.explainers.local import LocalModel
from engine.explainers.probe import probe, tune
from engine.explainers.probe_questions import CODES, LONG_WORDS, SECRET, long_question
from engine.explainers.probe_result import ProbeResult, tuned
from engine.settings import Local

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GOOD = json.dumps({"explanation": "x", "answer": CODES[0]})


def server_that(
    *,
    schema: bool = True,
    json_object: bool = True,
    most_words: int | None = None,
    counts: bool = True,
    sampled: bool = False,
    **message: Any,
) -> fake.Behaviour:
    """Return a server that keeps or breaks what a probe asks about."""
    number = itertools.count()

    def behave(exchange: fake.Exchange) -> None:
        body = exchange.request_body
        kind = (body.get("response_format") or {}).get("type")
        words = sum(len(each["content"].split()) for each in body["messages"])
        read = min(words, most_words or words)
        text = "It is water."
        if kind == "json_schema" and schema:
            text = json.dumps({"explanation": str(next(number) if sampled else 0), "answer": CODES[0]})
        elif kind == "json_object" and json_object:
            text = '{"answer": "water"}'
        usage = {"prompt_tokens": read + 9, "completion_tokens": 7} if counts else {}
        if body["stream"]:
            chunks = [fake.delta(content=text[:5]), fake.delta(content=text[5:]), fake.delta("stop")]
            fake.events(*chunks, {"choices": [], "usage": usage})(exchange)
            return
        whole = {**fake.completion(text, **message), "usage": usage}
        fake.body(json.dumps(whole).encode())(exchange)

    return behave


async def found(behaviour: fake.Behaviour, **settings: Any) -> ProbeResult:
    """Probe a server with a short long prompt."""
    with FakeServer(then=behaviour) as server:
        explainer = openai(server.url, **settings)
        result = await probe(explainer, words=200)
        await explainer.close()
    return result


async def test_a_server_that_keeps_everything() -> None:
    """Schema, object, context, determinism, usage and streaming are all found, with nothing to remark."""
    steps: list[str] = []
    with FakeServer(then=server_that()) as server:
        explainer = openai(server.url)
        result = await probe(explainer, on_step=steps.append)
        await explainer.close()
    assert (result.json_schema, result.json_object, result.context) == ("honoured", "honoured", "whole")
    assert (result.repeats, result.different, result.usage, result.streams) == (5, 1, True, True)
    assert (result.thinking, result.notes, result.error) == ("none", (), "")
    assert result.latency is not None
    assert len(steps) == 5
    assert result.context_tokens is not None
    assert result.context_tokens > LONG_WORDS


@pytest.mark.parametrize(
    ("behaviour", "expected", "note"),
    [
        (server_that(schema=False), {"json_schema": "ignored", "json_object": "honoured"}, "schema is ignored"),
        (server_that(json_object=False), {"json_object": "ignored"}, ""),
        (server_that(most_words=100), {"context": "cut", "context_tokens": 109}, "cut without a word"),
        (server_that(counts=False), {"usage": False, "context": "unknown"}, "tokens are not reported"),
        (server_that(sampled=True), {"different": 5}, "5 different answers"),
        (server_that(reasoning_content="hm"), {"thinking": "field"}, ""),
    ],
    ids=["schema ignored", "object ignored", "cut", "no usage", "sampled", "thinking"],
)
async def test_what_a_server_breaks_is_found(behaviour: fake.Behaviour, expected: dict[str, Any], note: str) -> None:
    """Each broken promise is found by itself, with a remark where there is something to do."""
    result = await found(behaviour)
    assert {name: getattr(result, name) for name in expected} == expected
    assert note in " ".join(result.notes)


async def test_refused_forms_are_told_from_ignored_ones() -> None:
    """A server that answers 400 to a response format refuses it."""

    def behave(exchange: fake.Exchange) -> None:
        refused = "response_format" in exchange.request_body
        (fake.error(400, "response_format is not supported") if refused else fake.says("Water."))(exchange)

    result = await found(behave)
    assert (result.json_schema, result.json_object) == ("refused", "refused")


@pytest.mark.parametrize(
    ("behaviour", "where"),
    [
        (fake.says(f"<think>hm</think>{GOOD}"), "tags"),
        (fake.says(None, reasoning=GOOD), "content"),
        (fake.says(GOOD, reasoning="hm"), "field"),
    ],
)
async def test_thinking_is_found_where_it_arrives(behaviour: fake.Behaviour, where: str) -> None:
    """Tags in the content, a field beside it, and an answer that arrives as thinking are told apart."""
    assert (await found(behaviour)).thinking == where


async def test_long_prompt_that_is_refused() -> None:
    """An error about the context is a refusal, which is better than a cut without a word."""

    def behave(exchange: fake.Exchange) -> None:
        long = SECRET in json.dumps(exchange.request_body)
        (fake.error(400, "the request exceeds the available context size") if long else server_that())(exchange)

    assert (await found(behave)).context == "refused"


def test_the_long_prompt_is_as_long_as_it_says() -> None:
    """The prompt has its words, the one to remember at the beginning and nowhere else."""
    filler, _, asked = long_question(500).user.partition("\n\n")
    assert len(filler.split()) == 500
    assert filler.index(SECRET) < 40
    assert long_question(500).user.count(SECRET) == 1
    assert SECRET not in asked


async def test_think_false_that_breaks_the_schema_is_found_and_mended() -> None:
    """Where the schema works without think = false only, that is said, and tuning leaves think out."""

    def behave(exchange: fake.Exchange) -> None:
        text = "It is water." if exchange.request_body.get("think") is False else GOOD
        fake.ollama({"content": text[:9]}, {"content": text[9:]})(exchange)

    with FakeServer(then=behave) as server:
        explainer = ollama(server.root, think=False)
        result = await probe(explainer, words=50)
        tune(explainer, result)
        await explainer.close()
    assert (result.json_schema, result.schema_without_think) == ("ignored", "honoured")
    assert "without it the schema is honoured" in " ".join(result.notes)
    assert (explainer.endpoint.think, explainer.endpoint.structured) == (None, "json_schema")


@pytest.mark.parametrize(
    ("schema", "json_object", "structured"),
    [
        ("honoured", "honoured", "json_schema"),
        ("ignored", "honoured", "json_object"),
        ("refused", "ignored", "none"),
        ("unknown", "unknown", "auto"),
    ],
)
def test_auto_is_set_to_what_works(schema: Any, json_object: Any, structured: str) -> None:
    """`auto` becomes the strictest form that the server honours; what the user chose stays."""
    result = ProbeResult("e", "m", json_schema=schema, json_object=json_object)
    assert tuned(Endpoint(), result).structured == structured
    assert tuned(Endpoint(structured="json_object"), result).structured == "json_object"


def test_failed_probe_changes_nothing() -> None:
    """An endpoint that could not be asked keeps its settings."""
    assert tuned(Endpoint(), ProbeResult("e", "m", error="down")) == Endpoint()


async def test_unreachable_endpoint_is_a_result_with_an_error() -> None:
    """A server that refuses the key gives a result that says so after one request."""
    with FakeServer(fake.error(401)) as server:
        explainer = openai(server.url)
        result = await probe(explainer)
        await explainer.close()
    assert "OPENAI_API_KEY" in result.error
    assert len(server.requests) == 1


async def test_baselines_cannot_be_probed() -> None:
    """A baseline has no server, and it is said so."""
    with pytest.raises(UsageError, match="no language model"):
        await probe(BASELINES[0])


@pytest.mark.model
async def test_embedded_model_is_probed() -> None:
    """The embedded model honours the schema, repeats itself, streams, reports tokens, and refuses what is too long."""
    explainer = LocalModel(Local())
    try:
        result = await probe(explainer)
    finally:
        await explainer.close()
    assert (result.json_schema, result.json_object, result.context) == ("honoured", "honoured", "refused")
    assert (result.repeats, result.different, result.usage, result.streams) == (5, 1, True, True)


# The commands


def test_probe_prints_words_and_a_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command shows what was found in words, and the same as one object of the contract."""
    with FakeServer(then=server_that(schema=False)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        text = run_cli("probe", "openai:m")
        found = json_of("probe", "openai:m")
    assert text.exit_code == 0, text.stderr
    assert "JSON schema" in text.stdout
    assert "the schema is ignored" in " ".join(text.stdout.split())
    assert (found["schema"], found["json_schema"], found["model"]) == (1, "ignored", "m")


def test_probe_of_a_server_that_is_down_exits_4(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing listens: one message, exit code 4, nothing on standard output."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    result = run_cli("probe", "openai:m")
    assert (result.exit_code, result.stdout) == (4, "")
    assert "Connection refused" in result.stderr


@pytest.fixture
def doctor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Return a call of doctor with folders of its own: its exit code, and its checks by name."""
    for name in ("CACHE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))

    def call() -> tuple[int, dict[str, Any]]:
        result = run_cli("doctor", "--json")
        found = json.loads(result.stdout)
        assert found["schema"] == 1
        assert found["healthy"] is (result.exit_code == 0)
        return result.exit_code, {check["name"]: check for check in found["checks"]}

    return call


def test_doctor_finds_a_healthy_machine(doctor: Callable[..., tuple[int, dict[str, Any]]]) -> None:
    """Storm and the folders are fine; what nobody has set up is a note, and the exit code is 0."""
    code, checks = doctor()
    assert code == 0
    assert {checks[name]["level"] for name in ("Storm", "cache", "data", "settings folder", "settings")} == {"fine"}
    assert checks["openai:MODEL"]["level"] == "note"
    assert checks["terminal"]["hint"] == "run it in a terminal"


def test_doctor_names_what_needs_the_user(
    doctor: Callable[..., tuple[int, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file in a folder's place, a mistake in the settings, an endpoint that is down: exit code 2, and what to do."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    (tmp_path / "cache").write_text("")
    code, checks = doctor()
    assert code == 2
    assert checks["cache"]["level"] == "problem"
    assert "XDG_CACHE_HOME" in checks["cache"]["hint"]
    assert checks["openai:MODEL"]["level"] == "problem"
    assert "Connection refused" in checks["openai:MODEL"]["found"]
    (tmp_path / "config" / "stormscope").mkdir(parents=True)
    (tmp_path / "config" / "stormscope" / "settings.toml").write_text("[openai]\ntimout = 3\n")
    code, checks = doctor()
    assert code == 2
    assert "did you mean 'timeout'?" in checks["settings"]["hint"]


async def test_an_endpoint_whose_every_reply_is_cut_off_says_what_to_raise() -> None:
    """Nothing but empty replies with the finish reason length: no answer arrived, and max_tokens is to be raised."""
    result = await found(fake.says("", finish="length"), max_tokens=77)
    assert "no answer arrived, every reply was cut off: raise max_tokens (now 77)" in result.notes
    assert (result.json_schema, result.json_object) == ("unknown", "unknown")
    fine = await found(server_that())
    assert not any("cut off" in note for note in fine.notes)


async def test_a_schema_refused_where_an_object_comes_is_no_free_text() -> None:
    """An endpoint for JSON objects only is asked for one, and no note says that its answers are free text."""
    refusing = fake.refuse_fields("json_schema")
    honouring = server_that(schema=False)

    def behave(exchange: fake.Exchange) -> None:
        kind = (exchange.request_body.get("response_format") or {}).get("type")
        (refusing if kind == "json_schema" else honouring)(exchange)

    result = await found(behave)
    assert (result.json_schema, result.json_object) == ("refused", "honoured")
    (note,) = [note for note in result.notes if "schema" in note]
    assert note.startswith("the schema is refused: a JSON object without one is asked for instead")
    assert tuned(Endpoint(), result).structured == "json_object"


async def test_only_ollama_is_told_of_num_ctx() -> None:
    """A prompt that is cut without a word: num_ctx is a setting of Ollama's endpoints alone."""
    cut = await found(server_that(most_words=100))
    (note,) = [note for note in cut.notes if "was cut" in note]
    assert note.endswith("raise the server's context")
    answered = fake.ollama({"content": GOOD}, prompt_eval_count=100, eval_count=9)
    with FakeServer(then=answered) as server:
        explainer = ollama(server.root)
        result = await probe(explainer, words=200)
        await explainer.close()
    (note,) = [note for note in result.notes if "was cut" in note]
    assert note.endswith("raise num_ctx")
