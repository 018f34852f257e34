"""What servers send instead of an answer, or beside one: errors with status 200, lists in other shapes, thinking."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import fake_server as fake
import pytest
from explainer_support import answer_of, ollama, openai, pieces_of
from fake_server import FakeServer

from engine.errors import UsageError
from engine.explainers.offers import all_statuses, status_of
from engine.explainers.probe import probe
from engine.explainers.registry import ExplainerInfo, make_explainer
from engine.explainers.response import model_ids
from engine.settings import Settings, load_settings

if TYPE_CHECKING:
    from pathlib import Path

TEXT = '{"explanation": "because", "answer": "left"}'
LIMITED: dict[str, Any] = {"code": 429, "message": "upstream is busy"}


@pytest.fixture(autouse=True)
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Give each test a settings file of its own and no variables."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("engine.settings.config_dir", lambda: tmp_path)
    return tmp_path / "settings.toml"


def settings_of(file: Path, text: str) -> Settings:
    """Return the settings of a file with this text."""
    file.write_text(text)
    return load_settings()


def failing(place: str, error: Any) -> dict[str, Any]:
    """Return a response with status 200 that holds an error somewhere."""
    whole = fake.completion("", finish="error")
    choice = whole["choices"][0]
    match place:
        case "top":
            whole["error"] = error
        case "top, no choices":
            return {"error": error}
        case "choice":
            choice["error"] = error
        case "message":
            choice["message"]["error"] = error
        case "object":
            return {"object": "error", **error}
    return whole


PLACES = ["top", "top, no choices", "choice", "message", "object"]


def streamed(place: str, error: Any) -> fake.Behaviour:
    """Return the stream that breaks off with the same error."""
    chunk = failing(place, error)
    if chunk.get("choices"):
        chunk["choices"][0]["delta"] = chunk["choices"][0].pop("message")
    return fake.events(fake.delta(content=TEXT[:9]), chunk)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("error", "again"),
    [
        (LIMITED, True),
        ({"code": "503", "message": "upstream is busy"}, True),
        ({"code": 502, "message": "upstream is busy"}, True),
        ({"type": "rate_limit_error", "message": "upstream is busy"}, True),
        ({"code": 400, "message": "upstream is busy"}, False),
        ({"code": "403", "message": "upstream is busy"}, False),
        ({"type": "invalid_request_error", "message": "upstream is busy"}, False),
    ],
)
async def test_an_error_with_status_200_is_no_answer(place: str, error: Any, again: bool, stream: bool) -> None:
    """Wherever a gateway puts an error, it is one, and is asked again as its code would be as a status."""
    bad = streamed(place, error) if stream else fake.body(json.dumps(failing(place, error)).encode())
    good = fake.events(fake.delta("stop", content=TEXT)) if stream else fake.says(TEXT)
    with FakeServer(bad, good) as server:
        explainer = openai(server.url)
        reply = (await pieces_of(explainer))[0] if stream else await answer_of(explainer)
    if again:
        assert (reply.error, reply.text, reply.attempts) == ("", TEXT, 2)
    else:
        assert (reply.text, reply.attempts) == ("", 1)
        assert "upstream is busy" in reply.error


async def test_an_unexplained_error_as_finish_reason_is_asked_again() -> None:
    """A choice that only says ``error`` is the server's failure, not a blank reply of the model."""
    with FakeServer(fake.says("", finish="error"), fake.says(TEXT)) as server:
        reply = await answer_of(openai(server.url))
    assert (reply.error, reply.text, reply.attempts) == ("", TEXT, 2)


async def test_bare_error_amid_a_stream_is_an_error() -> None:
    """JSON that is no event, between events, is read if it is an error."""
    bare = json.dumps({"error": {"code": 400, "message": "no such route"}}).encode() + b"\n\n"
    with FakeServer(fake.events(bare)) as server:
        reply, _ = await pieces_of(openai(server.url))
    assert "no such route" in reply.error


async def test_a_probe_does_not_take_an_error_for_an_ignored_schema() -> None:
    """A server that only reports errors inside its choices could not be asked, and nothing is known of its schema."""
    with FakeServer(
        then=fake.body(json.dumps(failing("choice", {"code": 400, "message": "no route"})).encode())
    ) as server:
        explainer = openai(server.url)
        result = await probe(explainer, words=50)
        await explainer.close()
    assert "no route" in result.error
    assert (result.json_schema, result.notes) == ("unknown", ())


@pytest.mark.parametrize("reason", ["load", "unload"])
async def test_an_empty_answer_of_a_model_that_is_only_loaded_is_asked_again(reason: str) -> None:
    """Ollama loading or unloading the model is no blank reply of the model."""
    with FakeServer(fake.ollama(done_reason=reason), fake.ollama_answer("left")) as server:
        reply = await answer_of(ollama(server.root))
    assert (reply.error, json.loads(reply.text)["answer"], reply.attempts) == ("", "left", 2)
    with FakeServer(then=fake.ollama(done_reason=reason)) as server:
        reply = await answer_of(ollama(server.root))
    assert reply.text == ""
    assert "the model and asked it nothing" in reply.error


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        (f"<think>right? no</think>\n{TEXT}", TEXT, "right? no"),
        (f"right? no</think>{TEXT}", TEXT, "right? no"),
        ("<think>right? no", "", "right? no"),
        (TEXT, TEXT, ""),
        (
            '{"explanation": "a <think> tag", "answer": "left"}',
            '{"explanation": "a <think> tag", "answer": "left"}',
            "",
        ),
        ('<think>{"answer": "left"}</think>', "", '{"answer": "left"}'),
    ],
)
@pytest.mark.parametrize("kind", ["openai", "ollama", "stream"])
async def test_thinking_in_tags_is_kept_apart(kind: str, content: str, text: str, reasoning: str) -> None:
    """Every protocol gives the content without its thinking, and the thinking as reasoning."""
    if kind == "openai":
        with FakeServer(fake.says(content)) as server:
            reply = await answer_of(openai(server.url))
    elif kind == "stream":
        with FakeServer(
            fake.events(fake.delta(content=content[:8]), fake.delta("stop", content=content[8:]))
        ) as server:
            reply, _ = await pieces_of(openai(server.url))
    else:
        with FakeServer(fake.ollama({"content": content[:8]}, {"content": content[8:]})) as server:
            reply = await answer_of(ollama(server.root))
    assert (reply.text, reply.reasoning) == (text, reasoning)
    assert reply.details.get("thinking") == ("tags" if reasoning else None)


async def test_thinking_in_tags_joins_that_of_its_own_channel() -> None:
    """Thinking in a field and in tags are both kept, the field's first."""
    with FakeServer(fake.says(f"<think>two</think>{TEXT}", reasoning="one")) as server:
        reply = await answer_of(openai(server.url))
    assert (reply.text, reply.reasoning) == (TEXT, "one\ntwo")


@pytest.mark.parametrize(
    "listed",
    [
        {"object": "list", "data": [{"id": "b"}, {"id": "a"}]},
        [{"id": "b"}, {"id": "a"}],
        {"models": [{"name": "b"}, {"model": "a"}]},
        {"data": ["b", "a"]},
        ["b", "a", "a", 3, None, {}],
    ],
)
def test_lists_of_models_come_in_several_shapes(listed: Any) -> None:
    """A list alone, under another name, or of bare names gives the same models."""
    assert model_ids(json.dumps(listed).encode()) == ["a", "b"]


@pytest.mark.parametrize("answer", [(404, b"{}"), (405, b""), (200, b'{"ok": true}'), (200, b'"models"')])
async def test_an_endpoint_without_a_list_of_models_can_be_asked(
    config: Path, monkeypatch: pytest.MonkeyPatch, answer: tuple[int, bytes]
) -> None:
    """The status says what is known, the endpoint counts as ready, and asking it works."""
    with FakeServer(then=fake.says(TEXT)) as server:
        monkeypatch.setattr(server, "models_answer", lambda _path: answer)
        settings = settings_of(config, f'[endpoints.box]\nbase_url = "{server.url}"\nmodel = "m"\n')
        statuses = {info.spec: status for info, status in await all_statuses(settings)}
        explainer = make_explainer("box", settings)
        reply = await answer_of(explainer)  # type: ignore[arg-type] # it is an endpoint's
    status = statuses["box"]
    assert (status.ready, status.status) == (True, "no list of models; asked anyway")
    assert "base_url" in status.hint
    assert status.endpoint is not None
    assert status.endpoint.models is None
    assert (reply.error, reply.text) == ("", TEXT)


async def test_an_empty_list_of_models_lacks_nothing(config: Path) -> None:
    """A server whose list is empty is not said to lack the model."""
    with FakeServer(models=()) as server:
        settings = settings_of(config, f'[endpoints.box]\nbase_url = "{server.url}"\nmodel = "m"\n')
        status = await status_of(ExplainerInfo("box", "", baseline=False), settings)
    assert (status.ready, status.status) == (True, "the list of models is empty; asked anyway")


async def test_another_server_is_not_taken_for_ollama(config: Path) -> None:
    """Ollama always lists its models, so that a server without a list is another one."""
    with FakeServer(models=None) as server:
        box = f'[endpoints.box]\nkind = "ollama"\nbase_url = "{server.root}"\nmodel = "m"\n'
        status = await status_of(ExplainerInfo("box", "", baseline=False), settings_of(config, box))
    assert not status.ready
    assert "404" in status.status


async def test_each_refused_form_says_what_is_asked_for_next() -> None:
    """The ladder of forms is told step by step: never the same sentence twice."""
    events: list[str] = []
    refused = fake.error(400, "response_format is not supported")
    with FakeServer(refused, refused, fake.says(TEXT)) as server:
        await answer_of(openai(server.url, on_event=events.append))
    assert [event.rpartition("; ")[2] for event in events] == [
        "asking for json_object instead",
        "asking without response_format, so that the answer is read from free text",
    ]


async def test_other_refusals_say_what_is_left_out() -> None:
    """A refused field is named, and so is the one that replaces it."""
    events: list[str] = []
    seed, limit = fake.error(400, "'seed' is unknown"), fake.error(400, "use 'max_completion_tokens'")
    with FakeServer(seed, limit, fake.says(TEXT)) as server:
        await answer_of(openai(server.url, on_event=events.append))
    said = [event.rpartition("; ")[2] for event in events]
    assert said == ["asking without seed", "asking with max_completion_tokens instead"]


@pytest.mark.parametrize(
    ("text", "field", "instead"),
    [
        ("[endpoints.box]\nextra = { messages = [] }\n", "extra.messages", "templates"),
        ("[endpoints.box]\nextra = { model = 'm' }\n", "extra.model", "set model"),
        ("[endpoints.box]\nextra = { stream = true }\n", "extra.stream", "streamed"),
        ("[endpoints.box]\nextra = { response_format = {} }\n", "extra.response_format", "set structured"),
        ("[endpoints.box]\nextra = { max_tokens = 5 }\n", "extra.max_tokens", "set max_tokens"),
        ("[openai]\nextra = { temperature = 1 }\n", "extra.temperature", "set temperature"),
        ("[endpoints.box]\nkind = 'ollama'\nextra = { format = 'json' }\n", "extra.format", "set structured"),
        ("[ollama]\nextra = { options = { num_ctx = 9 } }\n", "extra.options.num_ctx", "set num_ctx"),
        ("[local]\nextra = { messages = [] }\n", "extra.messages", "templates"),
    ],
)
def test_extra_fields_replace_nothing(config: Path, text: str, field: str, instead: str) -> None:
    """A further field that would replace the prompt, or a setting, is refused by name, with what to use instead."""
    config.write_text(text)
    with pytest.raises(UsageError) as caught:
        load_settings()
    assert f"{field} would replace" in caught.value.what
    assert instead in caught.value.what
    assert caught.value.where == str(config)


def test_other_extra_fields_are_free(config: Path) -> None:
    """Fields that nothing else decides stay allowed, also below Ollama's options."""
    config.write_text(
        "[endpoints.box]\nextra = { top_k = 1, provider = { model = 'x' } }\n"
        "[ollama]\nextra = { keep_alive = '5m', options = { top_k = 3 } }\n[local]\nextra = { grammar = 'root' }\n"
    )
    assert load_settings().endpoints["box"].extra["top_k"] == 1


def test_a_url_by_default_is_said_to_be_one(config: Path) -> None:
    """Without base_url, the advice says that the URL is the default and where another one is set."""
    config.write_text('[endpoints.box]\nmodel = "m"\n[endpoints.own]\nbase_url = "http://own:1/v1"\nmodel = "m"\n')
    settings: Settings = load_settings()
    box, own = (make_explainer(name, settings) for name in ("box", "own"))
    hint: str = box.connection.hint  # type: ignore[attr-defined] # it is an endpoint's
    assert "https://api.openai.com/v1 is the default where [endpoints.box] has no base_url" in hint
    assert "set base_url" in hint
    assert "endpoints.own.base_url" in own.connection.hint  # type: ignore[attr-defined] # it is an endpoint's
    config.write_text('[endpoints.box]\nkind = "ollama"\nmodel = "m"\n')
    box = make_explainer("box", load_settings())
    assert "http://127.0.0.1:11434 is the default" in box.connection.hint  # type: ignore[attr-defined] # as above
