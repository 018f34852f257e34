"""``grade`` and frozen cases: stored answers judged again, answers from elsewhere, and case files asked again."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from campaign_support import MOVES, fake_case, fake_oracle, right
from cli_support import json_of, run_cli
from hypothesis import given
from hypothesis import strategies as st

from engine.cli.schemas import OUTPUTS
from engine.explainers.base import Question, Reply
from engine.verdicts.answer_file import GivenAnswer, LineError, read_answer_file
from engine.verdicts.casefile import read_case_file
from engine.verdicts.grading import judge_with
from engine.verdicts.records import Answer, Key, ModelRecord, Selection
from engine.verdicts.regrading import regrade
from engine.verdicts.store import Store, now
from engine.verdicts.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from engine.queries.case import Case

ORACLE = fake_oracle()
CASES = tuple(fake_case(ORACLE, "best-action", state) for state in range(4))


def verdict(outcome: Outcome, case: Case, answer: str) -> Verdict:
    """Return a verdict as a grader of the past has given it."""
    return Verdict(outcome, float(outcome is Outcome.PASS), "as it was", answer, case.accepted, case.numbers)


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """Return a campaign of four right answers that an earlier grader let fail."""
    file = tmp_path / "c.db"
    with Store(file, write=True) as store:
        store.add_models([ModelRecord.of("lake", ORACLE)])
        store.add_explainers({"model": False})
        store.add_selections("lake", "prioritized", 4, {"best-action": Selection(CASES)})
        store.add_answers([
            Answer(
                Key(case.id, "plain", 0), "model", "s", "u", right(Question(case, "", "", {}, "plain")),
                verdict(Outcome.FAIL, case, "?"), now(),
            )
            for case in CASES
        ])  # fmt: skip
    return file


def letter(synonyms: Mapping[str, Sequence[str]], case: Case, reply: Reply) -> Verdict:
    """Judge as a grader of the future: by the answer alone; it fails on "right"."""
    del synonyms
    if reply.text == "right":
        return Verdict(Outcome.ERROR, None, "the grader failed", None, case.accepted, case.numbers)
    return verdict(Outcome.PASS if reply.text in case.accepted else Outcome.FAIL, case, reply.text)


# A campaign again


def test_every_reply_is_judged_again_and_none_is_touched(campaign: Path) -> None:
    """Verdicts change, replies stay; an answer that the grader fails on keeps the verdict that it had."""
    with Store(campaign, write=True) as store:
        replies = [answer.reply for answer in store.answers()]
        done = regrade(store, judge=letter)
        assert (done.answers, done.changed, done.failed) == (4, {("fail", "pass"): 3}, 1)
        found = {answer.reply.text: answer.verdict.outcome for answer in store.answers()}
        assert [answer.reply for answer in store.answers()] == replies
    assert found == {"left": Outcome.PASS, "down": Outcome.PASS, "right": Outcome.FAIL, "up": Outcome.PASS}
    with Store(campaign, write=True) as store:
        again = regrade(store, judge=letter)
        assert (again.changed, again.rescored) == ({}, 0)


def test_grading_again_is_all_or_nothing(campaign: Path) -> None:
    """If it breaks off in the middle, every verdict is as before."""

    def breaks(synonyms: Mapping[str, Sequence[str]], case: Case, reply: Reply) -> Verdict:
        if reply.text == "up":
            raise KeyboardInterrupt
        return letter(synonyms, case, reply)

    with Store(campaign, write=True) as store:
        before = list(store.answers())
        with pytest.raises(KeyboardInterrupt):
            regrade(store, judge=breaks, tolerance=Fraction(1, 2))
        assert list(store.answers()) == before
        assert store.setting("tolerance") is None


def test_another_tolerance_needs_no_question(tmp_path: Path) -> None:
    """``half`` answers 1/2: with tolerance t just the states with abs(V - 1/2) ≤ t pass, and resuming needs that t."""
    out = str(tmp_path / "c.sqlite")
    args = [
        "run",
        "--env",
        "frozen_lake",
        "--explainer",
        "half",
        "--category",
        "satisfy",
        "--budget",
        "11",
        "--out",
        out,
    ]
    assert run_cli(*args).exit_code == 0

    def passes() -> int:
        with Store(tmp_path / "c.sqlite", write=False) as store:
            return sum(answer.verdict.outcome is Outcome.PASS for answer in store.answers())

    with Store(tmp_path / "c.sqlite", write=False) as store:
        values = [Fraction(str(each.case.numbers["V"])) for each in store.cases().values()]
    for tolerance in ("1/10", "0.3", "0"):
        found = json_of("grade", out, "--tolerance", tolerance)
        OUTPUTS["grade"].validate_python(found, strict=False)
        assert found["tolerance"] == str(Fraction(tolerance))
        assert passes() == sum(abs(value - Fraction(1, 2)) <= Fraction(tolerance) for value in values)
    assert "tolerance 0, not 1/100" in run_cli(*args).stderr
    assert run_cli(*args, "--tolerance", "0").exit_code == 0


def test_synonyms_come_from_the_file(tmp_path: Path) -> None:
    """Answers in an environment's own words are read again without the model: west is left in Frozen Lake."""
    cases, answers, out = tmp_path / "cases.json", tmp_path / "a.jsonl", tmp_path / "c.sqlite"
    cases.write_text(run_cli("cases", "frozen_lake", "--category", "best-action", "--json").stdout)
    ids = [case.id for case in read_case_file(cases).cases]
    answers.write_text("".join(json.dumps({"case": name, "answer": "west"}) + "\n" for name in ids))
    assert run_cli("grade", str(answers), "--cases", str(cases), "--out", str(out)).exit_code == 0
    assert json_of("grade", str(out))["answers"] == len(ids)
    with Store(out, write=False) as store:
        assert {answer.verdict.answer for answer in store.answers()} == {"left"}


# Answers from elsewhere


@pytest.fixture
def lake_cases(tmp_path: Path) -> Path:
    """Return the file of some real cases."""
    path = tmp_path / "cases.json"
    path.write_text(run_cli("cases", "frozen_lake", "--budget", "2", "--json").stdout, encoding="utf-8")
    return path


def lines(path: Path, *rows: object) -> str:
    """Write rows as JSONL (texts as they are) and return the path."""
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return str(path)


def test_a_persons_answers_are_graded(lake_cases: Path, tmp_path: Path) -> None:
    """The accepted answers pass, whatever form they come in; another option fails; nonsense is invalid."""
    cases = read_case_file(lake_cases).cases
    best = next(case for case in cases if case.category == "best-action")
    wrong = next(option for option in MOVES.options if option not in best.accepted)
    rows = [{"case": case.id, "answer": case.accepted[0]} for case in cases]
    rows.append({"case": best.id, "sample": 1, "answer": wrong})
    rows.append({"case": best.id, "sample": 2, "text": f'{{"explanation": "so", "answer": "{best.accepted[0]}"}}'})
    rows.append({"case": best.id, "sample": 3, "text": "I do not know"})
    found = json_of("grade", lines(tmp_path / "ada.jsonl", *rows), "--cases", str(lake_cases))
    OUTPUTS["grade"].validate_python(found, strict=False)
    outcomes = [row["verdict"] for row in found["answers"]]
    assert outcomes == ["pass"] * len(cases) + ["fail", "pass", "invalid"]
    (row,) = found["explainers"]
    assert (row["explainer"], row["pass"], row["n"]) == ("ada", len(cases) + 1, len(cases) + 3)


def test_a_batchs_output_is_graded(lake_cases: Path, tmp_path: Path) -> None:
    """Lines of OpenAI's batch output are read with their tokens; a request without a response is named by its line."""
    case = read_case_file(lake_cases).cases[0]
    message = {"role": "assistant", "content": json.dumps({"answer": case.accepted[0]})}
    usage = {"prompt_tokens": 5, "completion_tokens": 3}
    body = {"model": "m-1", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    good = {"custom_id": case.id, "response": {"status_code": 200, "body": body}, "error": None}
    bad = {"custom_id": case.id, "response": None, "error": {"message": "expired"}}
    out = tmp_path / "c.sqlite"
    args = ["grade", lines(tmp_path / "b.jsonl", good, bad), "--cases", str(lake_cases), "--out", str(out)]
    result = run_cli(*args)
    assert result.exit_code == 2
    assert "b.jsonl:2: the request has no response" in result.stderr
    with Store(out, write=False) as store:
        (answer,) = store.answers()
    assert (answer.explainer, answer.verdict.outcome) == ("m-1", Outcome.PASS)
    assert (answer.reply.tokens_in, answer.reply.tokens_out) == (5, 3)


def test_lines_that_cannot_be_used_are_named_and_the_others_graded(lake_cases: Path, tmp_path: Path) -> None:
    """Each mistake is told with its line; exit code 2; the good lines are graded and stored all the same."""
    case = read_case_file(lake_cases).cases[0]
    good = {"case": case.id, "answer": case.accepted[0]}
    bad: list[object] = [
        "not json",
        [1],
        {"case": case.id},
        {"case": case.id, "answer": "a", "text": "b"},
        {"case": "0000", "answer": "a"},
        {"case": case.id, "answer": "a", "smaple": 1},
        {"case": case.id, "answer": "a", "sample": -1},
        {"case": case.id, "answer": "a", "cost": "much"},
        good,
    ]
    out = tmp_path / "c.sqlite"
    args = ["grade", lines(tmp_path / "a.jsonl", good, "", *bad), "--cases", str(lake_cases)]
    result = run_cli(*args, "--out", str(out), "--json")
    assert result.exit_code == 2
    errors = {row["line"]: row["message"] for row in json.loads(result.stdout)["errors"]}
    assert list(errors) == list(range(3, 12))
    for line, text in {4: "no object", 5: "either", 6: "either", 7: "'0000'", 8: "smaple", 11: "line 1"}.items():
        assert text in errors[line]
    assert "9 lines could not be used" in result.stderr
    with Store(out, write=False) as store:
        assert len(list(store.answers())) == 1


def test_a_person_stands_beside_the_models_in_a_report(tmp_path: Path, lake_cases: Path) -> None:
    """Answers from elsewhere join a campaign about the same cases, also twice, and its report shows both."""
    out = str(tmp_path / "c.sqlite")
    assert run_cli("run", "--cases", str(lake_cases), "--explainer", "first", "--out", out).exit_code == 0
    rows = [{"case": case.id, "answer": case.accepted[0]} for case in read_case_file(lake_cases).cases]
    answers = lines(tmp_path / "a.jsonl", *rows)
    for _ in range(2):
        args = ["grade", answers, "--cases", out, "--out", out, "--explainer", "ada"]
        assert run_cli(*args).exit_code == 0
    report = json_of("report", out)
    by_name = {row["explainer"]: row for row in report["explainers"]}
    assert by_name["ada"]["pass"] == by_name["first"]["n"] == len(rows)
    assert run_cli("run", "--cases", str(lake_cases), "--explainer", "half", "--out", out).exit_code == 0


@given(text=st.text(max_size=200) | st.binary(max_size=200))
def test_any_file_is_read_line_by_line(tmp_path_factory: pytest.TempPathFactory, text: str | bytes) -> None:
    """Whatever a file holds, every line that is not blank becomes an answer or a message with its number."""
    path = tmp_path_factory.mktemp("answers") / "a.jsonl"
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    path.write_bytes(data)
    found = list(read_answer_file(path))
    assert [each.line for each in found] == [n for n, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    assert all(isinstance(each, LineError | GivenAnswer) for each in found)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["nowhere.jsonl"], "no such file"),
        (["a.jsonl"], "not said what the answers are about"),
        (["a.jsonl", "--cases", "nowhere.json"], "cannot be read"),
        (["a.jsonl", "--cases", "a.jsonl"], "this is no case file"),
        (["a.jsonl", "--tolerance", "0.1"], "--tolerance has no meaning"),
        (["c.db", "--cases", "a.jsonl"], "--cases has no meaning"),
        (["c.db", "--tolerance", "much"], "'much' is no number"),
        (["c.db", "--tolerance", "1"], "must be from 0 to below 1"),
        (["empty.jsonl", "--cases", "cases.json"], "holds no answer"),
    ],
)
def test_mistakes_are_one_message(
    args: list[str], says: str, campaign: Path, lake_cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each mistake ends with exit code 2, what is wrong, and no traceback."""
    assert lake_cases.parent == campaign.parent
    monkeypatch.chdir(campaign.parent)
    (campaign.parent / "a.jsonl").write_text('{"case": "x", "answer": 1}\n')
    (campaign.parent / "empty.jsonl").write_text("\n\n")
    result = run_cli("grade", *args)
    assert result.exit_code == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr


# Frozen cases


def changed(path: Path, change: Callable[[dict[str, Any]], object]) -> str:
    """Write a case file with a change and return its path."""
    data = json.loads(path.read_text())
    change(data)
    other = path.with_name("changed.json")
    other.write_text(json.dumps(data))
    return str(other)


def test_a_case_file_is_asked_again(lake_cases: Path, tmp_path: Path) -> None:
    """Just the file's cases are asked, in its order, and resuming works with the same file only."""
    out = tmp_path / "c.sqlite"
    args = ["run", "--cases", str(lake_cases), "--explainer", "oracle", "--out", str(out)]
    assert json_of(*args)["explainers"][0]["pass_rate"] == 1
    with Store(out, write=False) as store:
        assert {answer.key.case for answer in store.answers()} == {case.id for case in read_case_file(lake_cases).cases}
        stored = {each.case.id: each.case for each in store.cases().values()}
    for case in read_case_file(lake_cases).cases:
        assert stored[case.id].difficulty == case.difficulty
    assert run_cli(*args).exit_code == 0
    fewer = changed(lake_cases, lambda data: data["cases"].pop())
    assert "about other cases" in run_cli("run", "--cases", fewer, "--out", str(out)).stderr
    assert "about other cases" in run_cli("run", "--env", "frozen_lake", "--out", str(out)).stderr


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data["checked_model"].update(identity="0"), "not the one that these cases were made from"),
        (
            lambda data: data["checked_model"]["constants"].update(slip="1/2"),
            "not the one that these cases were made from",
        ),
        (lambda data: data["cases"][0].update(accepted=["no such answer"]), "has been changed"),
        (lambda data: data["cases"][0].update(id="0123456789abcdef"), "has been changed"),
        (lambda data: data.update(schema=9), "schema 9"),
        (lambda data: data.pop("checked_model"), "checked_model: Field required"),
        (lambda data: data["cases"].append(data["cases"][0]), "there twice"),
        (lambda data: data["cases"][0]["space"].update(kind="Anything"), "no answer space 'Anything'"),
    ],
)
def test_a_case_file_that_does_not_fit_is_refused(
    lake_cases: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object], says: str
) -> None:
    """Another model, another truth, another version and a damaged file are each told by name; nothing is asked."""
    result = run_cli("run", "--cases", changed(lake_cases, change), "--out", str(tmp_path / "c.sqlite"))
    assert result.exit_code == 2
    assert says in " ".join(result.stderr.split())
    assert not (tmp_path / "c.sqlite").exists()


def test_options_that_the_file_has_settled_are_refused(lake_cases: Path) -> None:
    """A strategy beside a case file is a mistake, not something to ignore."""
    result = run_cli("run", "--cases", str(lake_cases), "--strategy", "random")
    assert (result.exit_code, "--strategy has no meaning" in result.stderr) == (2, True)


def test_a_stored_case_is_graded_as_the_real_one(lake_cases: Path) -> None:
    """What a case file says of a case is all that its grader needs: every accepted answer passes, read from text."""
    file = read_case_file(lake_cases)
    for case in file.cases:
        for accepted in case.accepted:
            assert judge_with({}, case, Reply(json.dumps({"answer": accepted}))).outcome is Outcome.PASS
