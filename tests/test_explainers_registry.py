"""Explainers by name, and the settings that they take."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from engine.errors import UsageError
from engine.explainers.openai import OpenAI
from engine.explainers.registry import known_explainers, make_explainer
from engine.settings import Endpoint, Settings, load_settings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Give each test a config folder of its own and no variables."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.setattr("engine.settings.config_dir", lambda: folder)
    return folder


@pytest.mark.parametrize("spec", ["random", "first", "half", "oracle"])
def test_baselines_are_found_by_name(spec: str) -> None:
    """Each baseline is made from its name and says that it is one."""
    explainer = make_explainer(spec, Settings())
    assert (explainer.name, explainer.baseline) == (spec, True)


def test_everything_listed_can_be_made(tmp_path: Path) -> None:
    """What known_explainers lists, make_explainer makes."""
    model = tmp_path / "m.gguf"
    model.write_bytes(b"GGUF....")
    settings = Settings(openai=Endpoint(base_url="http://127.0.0.1:9/v1"))
    for info in known_explainers():
        explainer = make_explainer(info.spec.replace("MODEL", "m"), settings, model_file=model)
        assert explainer.baseline is info.baseline
        assert explainer.name.startswith(info.spec.partition(":")[0])


@pytest.mark.parametrize(("spec", "meant"), [("orcale", "oracle"), ("Random", "random"), ("locale", "local")])
def test_unknown_name_lists_what_there_is(spec: str, meant: str) -> None:
    """An unknown explainer is a user's mistake; the message lists all and suggests the nearest."""
    with pytest.raises(UsageError) as caught:
        make_explainer(spec, Settings())
    assert f"did you mean '{meant}'?" in caught.value.hint
    assert all(info.spec in caught.value.hint for info in known_explainers())


def test_openai_without_endpoint_says_which_variables_to_set() -> None:
    """Without a key and with the default URL the message names both variables."""
    with pytest.raises(UsageError) as caught:
        make_explainer("openai:gpt", Settings())
    assert "OPENAI_API_KEY" in caught.value.hint
    assert "OPENAI_BASE_URL" in caught.value.hint


def test_openai_needs_a_model() -> None:
    """`openai:` alone is a user's mistake."""
    with pytest.raises(UsageError, match="name of a model"):
        make_explainer("openai:", Settings())


def test_openai_takes_the_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """OPENAI_BASE_URL and OPENAI_API_KEY reach the explainer; a model name may hold a colon."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_API_KEY", " sk-1 \n")
    settings = load_settings()
    explainer = make_explainer("openai:llama3:8b", settings)
    assert isinstance(explainer, OpenAI)
    assert (explainer.name, explainer.model) == ("openai:llama3:8b", "llama3:8b")
    assert str(explainer.url) == "http://127.0.0.1:9/v1"
    assert settings.openai.api_key is not None
    assert settings.openai.api_key.get_secret_value() == "sk-1"
    assert "sk-1" not in repr(settings)


@pytest.mark.parametrize(
    ("content", "message"), [(None, "cannot be read"), (b"PK\x03\x04", "no GGUF file"), (b"", "no GGUF file")]
)
def test_model_file_is_checked_before_anything_starts(tmp_path: Path, content: bytes | None, message: str) -> None:
    """A missing file, a file of another kind and an empty one are told apart from a model at once."""
    file = tmp_path / "model.gguf"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=message) as caught:
        make_explainer("local", Settings(), model_file=file)
    assert str(file) in str(caught.value)


def test_local_models_have_names_of_their_own(tmp_path: Path) -> None:
    """The packaged model and a user's model do not share a name, so that a campaign keeps them apart."""
    file = tmp_path / "qwen.gguf"
    file.write_bytes(b"GGUF")
    assert make_explainer("local", Settings()).name == "local"
    assert make_explainer("local", Settings(), model_file=file).name == "local:qwen"
    assert make_explainer(f"local:{file}", Settings()).name == "local:qwen"


def test_importing_the_registry_loads_no_network_library() -> None:
    """The command line can list explainers without paying for HTTP or llama.cpp."""
    code = (
        "import sys, engine.explainers.registry as r; r.known_explainers();"
        "print([m for m in ('httpx', 'aiohttp', 'xllamacpp', 'stamina', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_settings_file_is_read_and_variables_win(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file sets values, the standard variables win over it, STORMSCOPE_ variables over both."""
    (config / "settings.toml").write_text(
        'explanation_length = 99\n[openai]\nbase_url = "http://file/v1"\ntimeout = 5\nattempts = 2\n'
    )
    monkeypatch.setenv("OPENAI_BASE_URL", "http://variable/v1")
    monkeypatch.setenv("STORMSCOPE_OPENAI__TIMEOUT", "7.5")
    settings = load_settings()
    assert settings.explanation_length == 99
    assert settings.openai.base_url == "http://variable/v1"
    assert (settings.openai.timeout, settings.openai.attempts) == (7.5, 2)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[openai]\ntimout = 3\n", ("openai.timout", "did you mean 'timeout'?")),
        ("[locale]\n", ("locale", "did you mean 'local'?")),
        ("[openai]\ntimeout = -1\n", ("openai.timeout", "greater than 0")),
        ("[openai\n", ("TOML", "line 1")),
        ('[openai]\napi_key = "sk-in-file"\n', ("keys are not kept", "OPENAI_API_KEY")),
    ],
    ids=["unknown key", "unknown table", "bad value", "bad TOML", "key in file"],
)
def test_bad_settings_are_named(config: Path, text: str, parts: tuple[str, ...]) -> None:
    """A bad settings file gives one message with the file, the key and what to do, and shows no key."""
    file = config / "settings.toml"
    file.write_text(text)
    with pytest.raises(UsageError) as caught:
        load_settings()
    message = str(caught.value)
    assert all(part in message for part in (*parts, str(file)))
    assert "sk-in-file" not in message


def test_bad_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable with a bad value is named instead of the file."""
    monkeypatch.setenv("STORMSCOPE_LOCAL__CONTEXT", "many")
    with pytest.raises(UsageError) as caught:
        load_settings()
    assert caught.value.where == "STORMSCOPE_LOCAL__CONTEXT"
