"""The tables of a report as text: what they hold for a single model, how they fill a width, and probes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cli_support import json_of, run_cli
from report_support import Said, right, write, wrong
from rich.cells import cell_len

from engine.reports.build import build_report
from engine.reports.layout import fitted, wrapped
from engine.reports.markdown import report_markdown
from engine.reports.page import report_html
from engine.reports.render import report_text
from engine.reports.sections import Section, cells
from engine.reports.words import answer_words
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from engine.reports.model import Report


def built(path: Path) -> Report:
    """Return the report of a campaign file."""
    with Store(path, write=False) as store:
        return build_report(store)


# Research questions


def test_one_model_and_one_category_have_their_research_questions(tmp_path: Path) -> None:
    """RQ2 and RQ3 stand in every format with the only cell's score, 3/4, and RQ1 says why it is empty."""
    said = [Said(state, wrong(state) if state == 3 else right(state)) for state in range(4)]
    report = built(write(tmp_path / "c.sqlite", said))
    text = report_text(report)
    for shown in (text, report_text(report, brief=True), report_markdown(report), report_html(report)):
        assert "RQ1: are prioritized cases harder than random ones?" in shown
        assert "only prioritized cases were asked" in shown
        assert "RQ2: score of each explainer" in shown
        assert "RQ3: score of each category" in shown
    lines = [line.split() for line in text.splitlines()]
    assert ["model,", "prioritized", "lake", "0.750"] in [line[:4] for line in lines]
    assert ["best-action", "0.750"] in [line[:2] for line in lines]


def test_questions_without_a_figure_say_so(tmp_path: Path) -> None:
    """Where every answer failed or is undecided, each research question is there with one line that says why."""
    text = report_text(built(write(tmp_path / "c.sqlite", [Said(0, None), Said(1, "?")])))
    assert text.count("empty: no cell has an answer that counts") == 2
    assert "RQ2" in text
    assert "RQ3" in text


def test_both_strategies_have_one_name(tmp_path: Path) -> None:
    """``--strategy both`` asks what the two names ask, alone or beside one of them."""
    args = ["run", "--env", "frozen_lake", "--category", "best-action", "--budget", "2", "--explainer", "first"]
    for number, options in enumerate((["both"], ["both", "--strategy", "random"], ["random", "--strategy", "both"])):
        found = json_of(*args, "--strategy", *options, "--out", str(tmp_path / f"{number}.sqlite"))
        assert sorted(row["strategy"] for row in found["cells"]) == ["prioritized", "random"]
        assert set(found["run"]["plan"]["strategies"]) == {"prioritized", "random"}
    again = run_cli(*args, "--strategy", "random", "--strategy", "random", "--out", str(tmp_path / "c.sqlite"))
    assert (again.exit_code, "named twice" in again.stderr) == (2, True)


# Answers


def test_answers_are_written_as_people_write_them(tmp_path: Path) -> None:
    """An order has its signs and a set its commas, in text and Markdown; JSON keeps the canonical answer."""
    out = tmp_path / "c.sqlite"
    args = ["run", "--env", "frozen_lake", "--category", "action-ranking", "--budget", "2", "--explainer", "first"]
    assert run_cli(*args, "--out", str(out)).exit_code == 0
    report = built(out)
    assert "always left > down > right > up" in report_text(report, width=120)
    assert "always left \\> down \\> right \\> up" in report_markdown(report)
    assert report.table[0].top == '["left", "down", "right", "up"]'
    assert answer_words('["State 1", "State 3"]', "dead-ends-of-subset") == "State 1, State 3"
    assert answer_words("[]", "dead-ends-of-subset") == "none"
    assert answer_words("[odd", "best-action") == "[odd"


def test_answers_get_what_is_left(tmp_path: Path) -> None:
    """At 80 columns a long answer is cut; with room it is whole; without any the column goes, and a note says so."""
    long = "a rather long answer of 34 letters"
    report = built(write(tmp_path / "c.sqlite", [Said(0, long)]))
    assert long in report_text(report, width=120)
    eighty = report_text(report, width=80)
    assert long not in eighty
    assert "always a" in eighty
    narrow = report_text(report, width=60)
    assert "always" not in narrow
    assert "answers: left out here for want of room" in narrow


# Layout


@pytest.mark.parametrize("width", [60, 80, 120])
def test_words_stay_whole(tmp_path: Path, width: int) -> None:
    """Headings and categories are broken between words and after hyphens only, and no line is too wide."""
    said = [Said(state, right(state), category=name) for state in range(4) for name in _CATEGORIES]
    text = report_text(built(write(tmp_path / "c.sqlite", said)), width=width)
    words = {word for line in text.splitlines() for word in line.split()}
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert {"explainer,", "category"} <= words
    for name in _CATEGORIES:
        pieces = [f"{piece}-" for piece in name.split("-")[:-1]] + [name.split("-")[-1]]
        assert all(any(piece in word for word in words) for piece in pieces)


_CATEGORIES = ("subset-has-dead-end", "subset-has-bottleneck", "which-is-bottleneck")


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("which-is-bottleneck", 12, ["which-is-", "bottleneck"]),
        (" subset-has-dead-end", 14, [" subset-has-", "  dead-end"]),
        ("explainer, category", 10, ["explainer,", "category"]),
        ("openai:some/model", 8, ["openai:", "some/", "model"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("模型模", 4, ["模型", "模"]),
        ("", 5, [""]),
    ],
)
def test_texts_are_broken_between_pieces(text: str, width: int, lines: list[str]) -> None:
    """A break comes after a hyphen, slash, colon or blank; only a piece that is too long is broken itself."""
    assert wrapped(text, width).split("\n") == lines


def test_what_is_left_goes_to_words_before_answers() -> None:
    """Ten characters more than the least: the words take the six that they need, the answers four of the rest."""
    section = Section("s", "S", ("name", "n", "answers"), (cells("word-other", "1", "x" * 30),))
    least = len("other") + 1 + len("n") + 1 + 10
    assert fitted(section, least)[1] == (5, 1, 10)
    assert fitted(section, least + 4)[1] == (9, 1, 10)
    assert fitted(section, least + 10)[1] == (10, 1, 15)
    assert fitted(section, 100)[1] == (10, 1, 30)
    without, widths = fitted(section, least - 1)
    assert (without.columns, widths) == (("name", "n"), (10, 1))


@pytest.mark.parametrize("command", [["report"], ["cases"], ["check"], ["envs"]])
def test_no_line_ends_in_blanks(tmp_path: Path, command: list[str]) -> None:
    """What goes into a pipe has no padding at the ends of its lines."""
    target = {"report": [str(write(tmp_path / "c.sqlite", [Said(0, "up"), Said(1, "up")]))], "envs": []}
    shown = run_cli(*command, *target.get(command[0], ["frozen_lake"])).stdout
    assert shown.strip()
    assert [line for line in shown.splitlines() if line != line.rstrip()] == []


# Probes


def test_probes_are_in_the_report(tmp_path: Path) -> None:
    """The last probe of each endpoint is told in every format; what an older record lacks is unknown."""
    path = write(tmp_path / "c.sqlite", [Said(0, "up")])
    found: dict[str, Any] = {
        "explainer": "openai:m",
        "model": "m",
        "json_schema": "ignored",
        "thinking": "tags",
        "context": "cut",
        "context_words": 3000,
        "repeats": 3,
        "different": 2,
        "usage": True,
        "usage_reasoning": True,
        "notes": ["raise num_ctx"],
        "of_a_later_version": 1,
    }
    with Store(path, write=True) as store:
        store.add_probe("openai:m", {"json_schema": "honoured"})
        store.add_probe("openai:m", found)
        store.add_probe("ollama:x", {"model": "x", "error": "no such model"})
    report = built(path)
    first, second = report.probes
    assert (first.explainer, first.json_schema, first.json_object) == ("openai:m", "ignored", "unknown")
    assert (second.error, second.json_schema, second.repeats) == ("no such model", "unknown", 0)
    for shown in (report_text(report, width=120), report_markdown(report), report_html(report)):
        assert "Probes: what the endpoints do" in shown
        flat = shown.replace("</td>", "")
        for words in ("ignored", "in tags", "3 answers, 2 different", "cut (3,000 words)", "reported, thinking apart"):
            assert words in flat
        assert "raise num" in flat
        assert "it could not be asked: no such model" in flat
    assert json.loads(report.model_dump_json(by_alias=True))["probes"][0]["different"] == 2
    assert max(map(len, report_text(report).splitlines())) <= 80
    assert "Probes" not in report_text(built(write(tmp_path / "none.sqlite", [Said(0, "up")])))
