"""Endpoints of the settings file: names, keys from variables and commands, prices, limits, and mistakes in them."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import fake_server as fake
import pytest
from explainer_support import KEY, a_question, answer_of, openai
from fake_server import FakeServer
from hypothesis import given
from hypothesis import strategies as st

from engine.endpoints import Endpoint
from engine.errors import EndpointError, UsageError
from engine.explainers.base import Reply
from engine.explainers.baselines import BASELINES
from engine.explainers.costs import cost_of
from engine.explainers.endpoint import HttpExplainer
from engine.explainers.fingerprint import fingerprint_of
from engine.explainers.keys import key_from_command
from engine.explainers.local import LocalModel
from engine.explainers.ollama import Ollama
from engine.explainers.openai import OpenAI
from engine.explainers.pace import Pace
from engine.explainers.registry import known_explainers, make_explainer
from engine.explainers.waiting import Wait, observe_waits
from engine.settings import Local, Settings, load_settings

BOX = """
[endpoints.box]
kind = "ollama"
base_url = "http://box:11434"
model = "llama3.2:3b"
think = "low"
num_ctx = 8192

[endpoints.router]
base_url = "https://router.example/api/v1"
api_key_env = "ROUTER_KEY"
headers = { X-Title = "stormscope" }
requests_per_minute = 30
price_in = 0.15
price_out = 0.6
extra = { provider = { only = ["a"] } }
"""


@pytest.fixture(autouse=True)
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Give each test a settings file of its own and no variables."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("engine.settings.config_dir", lambda: tmp_path)
    return tmp_path / "settings.toml"


def made(spec: str) -> HttpExplainer:
    """Return the explainer of an endpoint by the settings file."""
    explainer = make_explainer(spec, load_settings())
    assert isinstance(explainer, HttpExplainer)
    return explainer


def test_endpoints_have_names_and_models(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NAME asks the endpoint's model, NAME:MODEL another one, and each keeps its own name and protocol."""
    config.write_text(BOX)
    monkeypatch.setenv("ROUTER_KEY", KEY)
    box, other, router = made("box"), made("box:qwen3:4b"), made("router:a/b")
    assert isinstance(box, Ollama)
    assert (box.name, box.model, str(box.url)) == ("box", "llama3.2:3b", "http://box:11434/")
    assert (other.name, other.model) == ("box:qwen3:4b", "qwen3:4b")
    assert isinstance(router, OpenAI)
    assert (router.name, router.model, str(router.url)) == ("router:a/b", "a/b", "https://router.example/api/v1")


def test_endpoints_are_listed_with_the_rest(config: Path) -> None:
    """The settings' endpoints follow the standard explainers; one without a model wants one."""
    config.write_text(BOX)
    assert [info.spec for info in known_explainers(load_settings())][-2:] == ["box", "router:MODEL"]


def test_endpoint_without_a_model_wants_one(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint whose settings name no model cannot be asked by its name alone."""
    config.write_text(BOX)
    monkeypatch.setenv("ROUTER_KEY", KEY)
    with pytest.raises(UsageError, match="name of a model") as caught:
        made("router")
    assert caught.value.hint == "router:MODEL"


def test_unknown_name_suggests_an_endpoint(config: Path) -> None:
    """A mistyped endpoint is answered with the nearest name."""
    config.write_text(BOX)
    with pytest.raises(UsageError) as caught:
        make_explainer("bax", load_settings())
    assert "did you mean 'box'?" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[endpoints.box]\nbase_ulr = 'x'\n", ("endpoints.box.base_ulr", "did you mean 'base_url'?")),
        ("[endpoints.box]\nkind = 'vllm'\n", ("endpoints.box.kind", "'openai' or 'ollama'")),
        ("[endpoints.box]\nthink = 'hard'\nkind = 'ollama'\n", ("endpoints.box.think",)),
        ("[endpoints.box]\nthink = true\n", ("endpoints.box", 'kind = "ollama"')),
        ("[endpoints.box]\nrequests_per_minute = 0\n", ("endpoints.box.requests_per_minute", "greater than 0")),
        ("[endpoints.box]\nprice_in = -1\n", ("endpoints.box.price_in", "greater than or equal to 0")),
        ("[endpoints.local]\n", ("endpoints", "'local' is the name of an explainer already")),
        ("[endpoints.'a:b']\n", ("endpoints.a:b",)),
        ("[endpoints.box]\napi_key = 'sk-in-file'\n", ("endpoints.box.api_key", "not kept", "api_key_command")),
        ("[endpoints.box]\nheaders = { Authorization = 'Bearer sk-in-file' }\n", ("headers.Authorization", "not kept")),
        ("[ollama]\napi_key = 'sk-in-file'\n", ("ollama.api_key", "not kept")),
        ("[ollama]\nkind = 'openai'\n", ("ollama.kind",)),
        ("[endpoints.box]\napi_key_env = 'A'\napi_key_command = 'b'\n", ("endpoints.box", "either by")),
        ("endpoints = 3\n", ("endpoints",)),
    ],
)
def test_mistakes_in_endpoints_are_named(config: Path, text: str, parts: tuple[str, ...]) -> None:
    """Each mistake gives one message with the file and the setting, and never shows a key."""
    config.write_text(text)
    with pytest.raises(UsageError) as caught:
        load_settings()
    message = str(caught.value)
    assert all(part in message for part in (*parts, str(config)))
    assert "sk-in-file" not in message


def test_variables_reach_an_endpoint(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A STORMSCOPE_ variable wins over the file for a named endpoint too."""
    config.write_text(BOX)
    monkeypatch.setenv("STORMSCOPE_ENDPOINTS__BOX__TIMEOUT", "7.5")
    box = load_settings().endpoints["box"]
    assert (box.timeout, box.num_ctx) == (7.5, 8192)


def test_ollama_takes_its_own_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """OLLAMA_HOST reaches ollama:MODEL; a model's name may hold a colon."""
    monkeypatch.setenv("OLLAMA_HOST", "box:99")
    explainer = made("ollama:llama3.2:3b")
    assert isinstance(explainer, Ollama)
    assert (explainer.name, explainer.model, str(explainer.url)) == (
        "ollama:llama3.2:3b",
        "llama3.2:3b",
        "http://box:99/",
    )


def test_variable_without_a_value_is_named(config: Path) -> None:
    """A key's variable that is not set is a user's mistake that names the variable."""
    config.write_text(BOX)
    with pytest.raises(UsageError, match="ROUTER_KEY is not set"):
        made("router:m")


async def test_key_header_and_further_headers_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of a variable goes where the settings say, and further headers go with it."""
    monkeypatch.setenv("SOME_KEY", f" {KEY}\n")
    with FakeServer(fake.answer("left")) as server:
        fields = {"api_key_env": "SOME_KEY", "key_header": "api-key", "headers": {"user-agent": "mine", "X-Title": "t"}}
        endpoint = Endpoint.model_validate({"base_url": server.url, **fields})
        assert (await answer_of(OpenAI("tiny", endpoint=endpoint))).error == ""
    headers = server.requests[0].headers
    assert (headers["api-key"], headers["user-agent"], headers["x-title"]) == (KEY, "mine", "t")
    assert "authorization" not in headers


async def test_command_gives_the_key_once(tmp_path: Path) -> None:
    """The command runs when the endpoint is first used, once, and its first line is the key."""
    log = tmp_path / "log"
    code = f"open({str(log)!r}, 'a').write('x'); print({KEY[::-1]!r}[::-1]); print('second line')"
    command = [sys.executable, "-c", code]
    with FakeServer(then=fake.answer("left")) as server:
        explainer = OpenAI("tiny", endpoint=Endpoint(base_url=server.url, api_key_command=command))
        assert not log.exists()
        await explainer.start()
        assert (await explainer.ask(a_question())).error == ""
        other = await explainer.variant(temperature=0.5)
        assert (await other.ask(a_question())).error == ""
        await other.close()
        await explainer.close()
    assert [request.headers["authorization"] for request in server.requests] == [f"Bearer {KEY}"] * 2
    assert log.read_text() == "x"
    assert KEY not in repr(vars(explainer))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; sys.exit('the store is locked')", "status 1: the store is locked"),
        ("pass", "printed nothing"),
        ("print('ключ')", "no key has"),
        ("import time; time.sleep(60)", "longer than 0.5 s"),
    ],
)
async def test_failing_command_is_a_clear_error(code: str, message: str) -> None:
    """A command that fails, prints nothing or hangs gives an error that names the setting."""
    begin = time.monotonic()
    with pytest.raises((EndpointError, UsageError), match=message) as caught:
        await key_from_command([sys.executable, "-c", code], "box: api_key_command", limit=0.5)
    assert caught.value.where == "box: api_key_command"
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize(("command", "message"), [("no-such-command-at-all x", "cannot be run"), ("'", "not one")])
async def test_command_that_is_none_is_a_clear_error(command: str, message: str) -> None:
    """A command that does not exist, and a text that is no command line, are told apart."""
    with pytest.raises(EndpointError, match=message):
        await key_from_command(command, "box: api_key_command")


@given(st.decimals(0, 1000, places=6), st.decimals(0, 1000, places=6), st.integers(0, 10**9), st.integers(0, 10**9))
def test_cost_is_exact(price_in: object, price_out: object, tokens_in: int, tokens_out: int) -> None:
    """The cost is the sum of prices times tokens over a million, as exact as fractions."""
    endpoint = Endpoint.model_validate({"price_in": price_in, "price_out": price_out})
    cost = cost_of(endpoint, tokens_in, tokens_out)
    assert cost is not None
    assert "e" not in cost.lower()
    expected = (Fraction(str(price_in)) * tokens_in + Fraction(str(price_out)) * tokens_out) / 10**6
    assert Fraction(cost) == expected


def test_cost_of_a_known_reply() -> None:
    """11 tokens in at 0.15 and 7 out at 0.60 a million cost 0.00000585; without prices or counts it is unknown."""
    endpoint = Endpoint.model_validate({"price_in": 0.15, "price_out": 0.6})
    assert cost_of(endpoint, 11, 7) == "0.00000585"
    assert cost_of(endpoint, None, 7) is None
    assert cost_of(Endpoint(), 11, 7) is None
    assert cost_of(Endpoint.model_validate({"price_out": 2}), 11, 0) == "0"


async def test_reply_carries_its_cost_and_thinking_tokens() -> None:
    """Usage with details gives the reply's reasoning tokens, and prices its cost."""
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "completion_tokens_details": {"reasoning_tokens": 5}}
    raw = {**fake.completion("left"), "usage": usage}
    with FakeServer(fake.body(json.dumps(raw).encode())) as server:
        reply = await answer_of(openai(server.url, price_in=0.15, price_out=0.6))
    assert (reply.tokens_reasoning, reply.cost) == (5, "0.00000585")
    assert (reply.currency, Reply("left").currency) == ("USD", "")


async def test_a_cost_is_in_the_currency_of_the_settings() -> None:
    """What the settings call the currency goes with the reply; without a price there is nothing to name it for."""
    usage = {"prompt_tokens": 11, "completion_tokens": 7}
    raw = {**fake.completion("left"), "usage": usage}
    with FakeServer(fake.body(json.dumps(raw).encode()), fake.body(json.dumps(raw).encode())) as server:
        paid = await answer_of(openai(server.url, price_in=1, currency="CHF"))
        free = await answer_of(openai(server.url, currency="CHF"))
    assert (paid.cost, paid.currency) == ("0.000011", "CHF")
    assert (free.cost, free.currency) == (None, "")


async def test_pace_spreads_beginnings_and_tells_of_waits() -> None:
    """At 1,200 a minute five beginnings take four times 50 ms; only waits of a second or more are told."""
    pace, told = Pace(1200), list[float]()
    begin = time.monotonic()
    await asyncio.gather(*(pace.turn(told.append) for _ in range(5)))
    assert 0.2 <= time.monotonic() - begin < 1
    assert told == []
    slow = Pace(30)
    await slow.turn(told.append)
    waiting = asyncio.create_task(slow.turn(told.append))
    await asyncio.sleep(0)
    assert told == [pytest.approx(2, abs=0.1)]
    waiting.cancel()


async def test_requests_per_minute_hold_for_repetitions_too() -> None:
    """Two questions, one of them asked twice, begin no faster than the endpoint's limit."""
    with FakeServer(fake.error(500), then=fake.answer("left")) as server:
        explainer = openai(server.url, requests_per_minute=300)
        begin = time.monotonic()
        replies = await asyncio.gather(*(explainer.ask(a_question()) for _ in range(2)))
        await explainer.close()
    assert not any(reply.error for reply in replies)
    assert len(server.requests) == 3
    assert time.monotonic() - begin >= 0.4


async def test_waits_go_to_the_observer_with_their_figures() -> None:
    """An observer learns the endpoint, the seconds, the server's reason and the number of the next request."""
    waits: list[Wait] = []
    events: list[str] = []
    with FakeServer(fake.error(429, f"slow down {KEY}", {"Retry-After": "0.1"}), fake.answer("left")) as server:
        explainer = openai(server.url, on_event=events.append)
        assert observe_waits(explainer, waits.append)
        await explainer.ask(a_question())
        await explainer.close()
    assert waits == [Wait("openai:tiny", 0.1, "the server answered 429: slow down ***", 2)]
    assert str(waits[0]) == "openai:tiny: the server answered 429: slow down ***; asking again in 0.1 s"
    assert events == []


def test_baselines_never_wait() -> None:
    """Observing a baseline is refused quietly, and observing the embedded model is not."""
    assert not observe_waits(BASELINES[0], print)
    assert observe_waits(LocalModel(Local()), print)


def test_fingerprint_changes_with_what_is_sent_and_holds_no_key() -> None:
    """Another model, temperature or extra field is another fingerprint; another timeout is the same one."""
    base = openai("http://127.0.0.1:9/v1")
    assert fingerprint_of(base) == fingerprint_of(openai("http://127.0.0.1:9/v1", timeout=3))
    others = [openai("http://127.0.0.1:9/v1", temperature=0.5), openai("http://127.0.0.1:9/v1", extra={"top_k": 3})]
    assert len({fingerprint_of(each) for each in (base, *others)}) == 3
    assert KEY not in str(fingerprint_of(base))
    assert fingerprint_of(BASELINES[0]) is None


def test_what_would_be_sent_can_be_shown() -> None:
    """`request_of` gives the URL and the body of a question without sending or holding the key."""
    explainer = openai("http://127.0.0.1:9/v1")
    shown = explainer.request_of(a_question())
    assert shown["url"] == "http://127.0.0.1:9/v1/chat/completions"
    assert shown["body"]["model"] == "tiny"
    assert KEY not in json.dumps(shown)


def test_defaults_need_no_file() -> None:
    """Without a settings file there are no endpoints, and Ollama is where it is by default."""
    settings = Settings()
    assert settings.endpoints == {}
    assert settings.ollama.base_url == "http://127.0.0.1:11434"


def test_the_documented_file_is_valid(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings file of the documentation loads, and its endpoints can be made."""
    page = (Path(__file__).parents[1] / "docs" / "endpoints.md").read_text(encoding="utf-8")
    config.write_text(page.partition("```toml\n")[2].partition("```")[0])
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    assert isinstance(made("gpu"), Ollama)
    assert made("router:m").endpoint.price_out == Decimal("0.6")
