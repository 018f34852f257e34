"""Keys in what servers say never reach a screen or a file, whole or in part."""

from __future__ import annotations

from typing import Any

import fake_server as fake
import pytest
from explainer_support import a_question
from fake_server import FakeServer
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from engine.endpoints import Endpoint
from engine.explainers.masking import masked
from engine.explainers.openai import OpenAI
from engine.explainers.registry import make_explainer
from engine.settings import Settings

KEY = "sk-proj-Qw3rTy-9fGhJkLzXcV"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"bad key {KEY}", "bad key ***"),
        (f"bad key {KEY[:12]}...{KEY[-4:]}", "bad key ***"),
        (f"bad key {KEY[:10]}", "bad key ***"),
        (f"bad key {KEY[:3]}******{KEY[-4:]}.", "bad key ***"),
        (f"the key ending in {KEY[-4:]} is revoked", "the key ending in *** is revoked"),
        ("key sk-SECRET123 revoked", "key *** revoked"),
        ("Incorrect API key provided: abcd*****wxyz", "Incorrect API key provided: ***"),
        ("model gpt-4o-2024-08-06 is not allowed", "model gpt-4o-2024-08-06 is not allowed"),
        ("the key is wrong, see api-keys at /v1/keys", "the key is wrong, see api-keys at /v1/keys"),
        ("try again in 12.5 s (request 0af3b1)", "try again in 12.5 s (request 0af3b1)"),
        ("** note ** quota", "** note ** quota"),
    ],
)
def test_what_a_server_quotes_of_a_key_is_hidden(said: str, shown: str) -> None:
    """A key, its beginning, its end, a shortened one, and one that was never sent; other words stay."""
    assert masked(said, KEY) == shown


@given(st.text("abcdefghABCDEFGH0123456789", min_size=16, max_size=40), st.data())
def test_no_six_characters_of_a_key_are_left(key: str, data: st.DataObject) -> None:
    """Whatever run of a key a server quotes, six characters of it or more never come through."""
    start = data.draw(st.integers(0, len(key) - 6))
    end = data.draw(st.integers(start + 6, len(key)))
    assert key[start:end] not in masked(f"refused: {key[start:end]}!", key)


def test_without_a_key_nothing_else_is_hidden() -> None:
    """An empty key hides no text, and a short one only itself."""
    assert masked("the server is busy", "") == "the server is busy"
    assert masked("the key abc is refused: abcs", "abc") == "the key *** is refused: abcs"


async def test_a_refusal_quotes_no_part_of_the_key() -> None:
    """The error of a 401 that repeats the key's beginning and end has neither, and stays a refusal."""
    with FakeServer(then=fake.error(401, f"Incorrect key: {KEY[:9]}...{KEY[-4:]}")) as server:
        explainer = OpenAI("m", endpoint=Endpoint(base_url=server.url, api_key=SecretStr(KEY)))
        reply = await explainer.ask(a_question())
        await explainer.close()
    assert reply.key_refused
    assert "Incorrect key: ***" in reply.error
    assert KEY[:9] not in reply.error


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "set api_key_env or api_key_command under [endpoints.mine] in the settings file"),
        ({"api_key_env": "THE_KEY"}, "check the environment variable THE_KEY"),
        ({"api_key_command": "printf k"}, "check the command that prints the key"),
    ],
)
async def test_the_hint_names_a_setting_that_is_there(
    settings: dict[str, Any], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no key is set the hint says how to set one; else it names where the key comes from."""
    monkeypatch.setenv("THE_KEY", KEY)
    with FakeServer(then=fake.error(401, "no")) as server:
        endpoint = Endpoint(base_url=server.url, model="m", attempts=1, **settings)
        explainer = make_explainer("mine", Settings(endpoints={"mine": endpoint}))
        await explainer.start()
        reply = await explainer.ask(a_question())
        await explainer.close()
    assert reply.error.endswith(told)
