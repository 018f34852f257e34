"""``ask``: every category, several explainers, wordings and samples side by side, and prompts that are not sent."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from cli_support import json_of, run_cli
from fake_server import FakeServer, answer, error, says
from pydantic import TypeAdapter
from typer.testing import CliRunner

from engine.cli.app import app
from engine.cli.schemas import OUTPUTS
from engine.queries.registry import all_categories

if TYPE_CHECKING:
    from pathlib import Path

    from fake_server import Behaviour

STATE = ["ask", "frozen_lake", "--category", "best-action", "--state", "pos=14"]
STATES = {
    "state": ["--state", "pos=14"],
    "pair": ["--state", "pos=10", "--state", "pos=14"],
    "subset": ["--state", "pos=5 | pos=10 | pos=14 | pos=1"],
}


def asked(*args: str, code: int = 0, env: dict[str, str] | None = None) -> dict[str, Any]:
    """Run ``ask --json``, and return its object, which follows the schema."""
    result = CliRunner(env=env).invoke(app, [*args, "--json"])
    assert result.exit_code == code, result.stderr
    OUTPUTS["ask"].validate_json(result.stdout)
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize("category", list(all_categories()))
def test_every_category_can_be_asked(category: str) -> None:
    """In each scope the oracle passes with full score, and chance is a probability."""
    scope = all_categories()[category].scope
    found = asked("ask", "frozen_lake", "--category", category, *STATES[scope], "--explainer", "oracle")
    assert (found["verdict"], found["score"]) == ("pass", 1)
    assert 0 < found["chance"]["verdict"] <= found["chance"]["score"] <= 1
    assert len(found["states"]) == {"state": 1, "pair": 2, "subset": 4}[scope]


def test_several_explainers_and_wordings_are_set_side_by_side() -> None:
    """Every explainer is asked in every wording; the objects are in that order, and say who passed."""
    found = asked(*STATE, "--explainer", "oracle", "--explainer", "first", "--variant", "all")
    rows = [(row["explainer"], row["variant"], row["answer"], row["verdict"]) for row in found["answers"]]
    assert rows == [
        ("oracle", "plain", "down", "pass"),
        ("oracle", "story", "down", "pass"),
        ("first", "plain", "left", "fail"),
        ("first", "story", "left", "fail"),
    ]
    assert [row["regret"] for row in found["answers"]] == ["0", "0", "4/51", "4/51"]
    assert found["answers"][0]["prompt"] != found["answers"][1]["prompt"]
    assert found["chance"] == {"verdict": 0.25, "score": 0.25}


def test_samples_show_their_spread() -> None:
    """Of four samples each answer is counted, with the share of the most frequent one."""
    script = [answer("down"), answer("down"), answer("left"), says("no idea")]
    with FakeServer(*script) as server:
        env = {"OPENAI_BASE_URL": server.url, "STORMSCOPE_OPENAI__CONCURRENCY": "1"}
        found = asked(*STATE, "--explainer", "openai:m", "--samples", "4", env=env)
        assert len(server.requests) == 4
        assert len({request.body["seed"] for request in server.requests}) == 4
    (spread,) = found["spread"]
    assert spread == {
        "explainer": "openai:m",
        "variant": "plain",
        "answered": 4,
        "passes": 2,
        "score": 0.5,
        "different": 2,
        "most_frequent": "down",
        "share": pytest.approx(2 / 3),
    }


def test_the_texts_for_people() -> None:
    """One answer is a card with both graders, chance and regret; several are a table, and samples show their spread."""
    card = run_cli(*STATE, "--explainer", "first").stdout
    for text in ("by chance", "passes 0.25", "fail", "score", "4/51"):
        assert text in card
    table = run_cli(*STATE, "--explainer", "first", "--explainer", "oracle", "--samples", "2").stdout
    assert "left ×2" in table
    assert "2 of 2" in table
    assert table.count("4/51") == 2
    ranking = ["ask", "frozen_lake", "--category", "action-ranking", "--state", "pos=6", "--explainer", "first"]
    assert "left > down > right > up" in run_cli(*ranking).stdout


def test_a_server_that_fails_beside_others() -> None:
    """The other answers are printed all the same, and the exit code says that one is missing."""
    with FakeServer(error(401), then=error(401)) as server:
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-secret"}
        args = [*STATE, "--explainer", "oracle", "--explainer", "openai:m"]
        found = asked(*args, code=4, env=env)
    assert [row["verdict"] for row in found["answers"]] == ["pass", "error"]
    assert found["spread"][1]["score"] is None


def test_a_prompt_is_shown_and_not_sent() -> None:
    """Messages, schema and the request's body are what a question sends; the server sees nothing."""
    with FakeServer(answer("down")) as server:
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-secret"}
        found = asked(*STATE, "--explainer", "openai:m", "--show-prompt", env=env)
        text = CliRunner(env=env).invoke(app, [*STATE, "--explainer", "openai:m", "--show-prompt"])
        assert not server.requests
        assert found["request"]["url"] == f"{server.url}/chat/completions"
        asked(*STATE, "--explainer", "openai:m", env=env)
        sent = server.requests[0].body
    body = found["request"]["body"]
    assert {name: body[name] for name in ("model", "messages", "seed", "response_format")} == {
        name: sent[name] for name in ("model", "messages", "seed", "response_format")
    }
    assert body["messages"][1]["content"] == found["user"]
    assert found["response_schema"]["properties"]["answer"]["enum"] == ["left", "down", "right", "up"]
    assert "sk-secret" not in text.stdout
    for part in ("--- system", "--- user", "--- schema of the reply", f"POST {server.url}/chat/completions"):
        assert part in text.stdout


def test_prompts_in_all_wordings() -> None:
    """With several wordings there is a list, and a baseline has no request."""
    found = asked(*STATE, "--explainer", "first", "--variant", "all", "--show-prompt")
    assert [(row["variant"], row["request"]) for row in found["prompts"]] == [("plain", None), ("story", None)]


def test_parameters_of_a_question() -> None:
    """A tolerance widens what passes: 1/2 is within 1/20 of 9/17 and not within 1/100; a threshold is asked about."""
    args = ["ask", "frozen_lake", "--category", "satisfy", "--state", "pos=6", "--explainer", "half"]
    assert asked(*args)["verdict"] == "fail"
    assert asked(*args, "--tolerance", "0.05")["verdict"] == "pass"
    holds = ["ask", "frozen_lake", "--category", "holds", "--state", "pos=6", "--explainer", "oracle"]
    assert [asked(*holds, "--threshold", bound)["answer"] for bound in ("9/17", "0.6")] == ["yes", "no"]


def test_a_policy_is_asked_about(tmp_path: Path) -> None:
    """Who always goes left never moves right onto the goal, so V is 0 there, and the prompt tells the policy."""
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps({'!"goal" & !"unsafe"': "left"}), encoding="utf-8")
    args = ["ask", "frozen_lake", "--category", "satisfy", "--state", "pos=14", "--explainer", "oracle"]
    found = asked(*args, "--policy", str(policy))
    assert (found["accepted"], found["verdict"]) == (["0"], "pass")
    assert "- you are on the tile at row 1, column 4: left\n" in found["prompt"]
    assert "The policy's action: left." in found["prompt"]
    refused = run_cli(*STATE, "--explainer", "oracle", "--policy", str(policy))
    assert refused.exit_code == 2
    assert "fixed policy" in refused.stderr


def test_hostile_replies_do_not_reach_the_terminal() -> None:
    """Control sequences and markup of a reply are shown as text, in the card and in the table."""
    hostile = "\x1b[31mred\x1b[0m [bold]x[/bold] \u202e"
    with FakeServer(says(hostile), then=says(hostile)) as server:
        env = {"OPENAI_BASE_URL": server.url}
        for extra in ([], ["--samples", "2"]):
            result = CliRunner(env=env).invoke(app, [*STATE, "--explainer", "openai:m", *extra])
            assert result.exit_code == 0, result.stderr
            assert "\x1b" not in result.stdout
            assert "\u202e" not in result.stdout
            assert "[bold]" in result.stdout


@pytest.mark.parametrize(
    ("args", "says_so"),
    [
        (["--variant", "poem"], "no wording 'poem'"),
        (["--tolerance", "much"], "no number"),
        (["--tolerance", "2"], "tolerance must be"),
        (["--explainer", "orcale", "--explainer", "first"], "did you mean 'oracle'"),
        (["--samples", "9999", "--variant", "all"], "stormscope run"),
    ],
)
def test_mistakes(args: list[str], says_so: str) -> None:
    """Each is one message with exit code 2."""
    explainer = [] if "--explainer" in args else ["--explainer", "first"]
    result = run_cli(*STATE, *explainer, *args)
    assert result.exit_code == 2
    assert says_so in result.stderr
    assert "Traceback" not in result.stderr


def test_the_schema_tells_the_forms_apart() -> None:
    """A single answer, a list of answers and a prompt are each valid in exactly one form of the schema."""
    schema = TypeAdapter(dict[str, Any]).validate_json(run_cli("schema", "ask").stdout)
    assert len(schema["anyOf"]) == 4
    assert json_of(*STATE, "--explainer", "first")["explainer"] == "first"


LEFT = '{"explanation": "e", "answer": "left"}'


def printed(behaviour: Behaviour, *args: str) -> str:
    """Return what ``ask`` prints about a server's replies, its lines joined."""
    with FakeServer(then=behaviour) as server:
        env = {"OPENAI_BASE_URL": server.url, "COLUMNS": "120"}
        result = CliRunner(env=env).invoke(app, [*STATE, "--explainer", "openai:m", *args])
    assert result.exit_code == 0, result.output
    return re.sub(r"\s+", " ", result.stdout)


def test_an_answer_from_the_reasoning_channel_is_marked() -> None:
    """JSON that came as reasoning, the content being null, is an answer that says where it came from."""
    behaviour = says(None, reasoning_content=LEFT)
    with FakeServer(then=behaviour) as server:
        found = asked(*STATE, "--explainer", "openai:m", env={"OPENAI_BASE_URL": server.url})
    assert (found["answer"], found["answer_from"], found["text"], found["reasoning"]) == ("left", "reasoning", LEFT, "")
    assert "from the reasoning channel, the content being empty" in printed(behaviour)
    assert printed(behaviour, "--samples", "2").count("left (from the reasoning)") == 2
    with FakeServer(then=says(LEFT)) as server:
        found = asked(*STATE, "--explainer", "openai:m", env={"OPENAI_BASE_URL": server.url})
    assert found["answer_from"] == "content"
    assert "the reasoning" not in printed(says(LEFT))


def test_thinking_is_one_line_and_no_part_of_the_text() -> None:
    """Thinking in tags is the JSON's reasoning; the text only says how long it is and where it is seen."""
    thought = "left or right? " * 20
    behaviour = says(f"<think>{thought}</think>{LEFT}")
    with FakeServer(then=behaviour) as server:
        found = asked(*STATE, "--explainer", "openai:m", env={"OPENAI_BASE_URL": server.url})
    assert (found["text"], found["reasoning"]) == (LEFT, thought.strip())
    text = printed(behaviour)
    assert f"thinking {len(thought.strip())} characters; --json shows them" in text
    assert "left or right?" not in text


def test_a_cut_off_reply_names_the_limit() -> None:
    """One reply or several: what was cut off says which setting to raise."""
    behaviour = says('{"explanation": "it goes on and', finish="length")
    assert "raise max_tokens in the explainer's settings" in printed(behaviour)
    assert "raise max_tokens in the explainer's settings" in printed(behaviour, "--samples", "2")
    assert "or let it think less" in printed(says("<think>so", finish="length"))
    assert "max_tokens" not in printed(says(LEFT))


def test_people_count_samples_from_one() -> None:
    """The table and the prompts begin with sample 1, while JSON keeps the number that the seed is made of."""
    table = run_cli(*STATE, "--explainer", "oracle", "--samples", "2").stdout
    assert [line.split()[1] for line in table.splitlines() if line.startswith("oracle ")][:2] == ["1", "2"]
    prompts = run_cli(*STATE, "--explainer", "oracle", "--samples", "2", "--show-prompt").stdout
    assert re.findall(r"--- user \((.*)\)", prompts) == ["plain, sample 1", "plain, sample 2"]
    found = asked(*STATE, "--explainer", "oracle", "--samples", "2")
    assert [row["sample"] for row in found["answers"]] == [0, 1]
