"""The formats of a report: each readable by its own kind of reader, and none that names or answers could break."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt
from report_support import Said, right, write, wrong

from engine.errors import UsageError
from engine.reports.build import build_report
from engine.reports.markdown import safe
from engine.reports.model import REPORTS
from engine.reports.questions import cells_report
from engine.reports.render import FORMATS, Format, rendered, report
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

PUBLISHED = Path(__file__).with_name("data") / "published_cells.csv"
EVIL = "</script><img src=https://evil.example/x onerror=alert(1)>|`[a](//b)`\x1b[31m\u202e"
VOID = {"meta", "link", "br", "hr", "img", "input"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give a campaign of a model, one with a hostile name that fails, and a baseline, under both strategies."""
    said = [Said(state, right(state) if state % 3 else wrong(state), regret="0") for state in range(6)]
    said += [Said(state, EVIL, EVIL, variant=variant) for state in range(6) for variant in ("plain", EVIL)]
    said += [Said(0, "", "other"), Said(1, None, "other"), Said(2, "?", "other"), Said(3, right(3), "other")]
    said += [Said(0, wrong(0), "first"), Said(3, right(3), "first")]
    strategies = {"prioritized": range(4), "random": range(2, 6)}
    deltas = {state: state / 10 for state in range(6)}
    file = write(tmp_path / "c.sqlite", said, baselines=["first"], difficulty=deltas, strategies=strategies)
    with Store(file, write=False) as opened:
        yield opened


class Page(HTMLParser):
    """What a browser makes of a page: elements that are opened and closed in order, attributes, and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an element."""
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, which must be this one."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Remember a text."""
        self.texts.append(data)


@pytest.mark.parametrize("source", ["campaign", "cells"])
def test_html_is_one_whole_page_without_anything_from_outside(store: Store, source: str) -> None:
    """Every element is closed; no script, no link out, no image, no request: only styles and inline pictures."""
    text = report(store, format="html") if source == "campaign" else rendered(cells_report(PUBLISHED), "html")
    page = Page(text)
    assert page.open == []
    tags = {tag for tag, _ in page.found}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form", "image", "use"}
    for _, attributes in page.found:
        assert not {"src", "srcset", "onerror", "onload", "xlink:href"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    assert "prefers-color-scheme: dark" in style
    assert "default-src 'none'" in text


def test_html_can_be_heard_and_reached(store: Store) -> None:
    """It has a language, a title, labelled pictures, headings for rows and columns, and every link has its target."""
    page = Page(report(store, format="html"))
    by_tag: dict[str, list[dict[str, str | None]]] = {}
    for tag, attributes in page.found:
        by_tag.setdefault(tag, []).append(attributes)
    assert by_tag["html"][0]["lang"] == "en"
    assert len(by_tag["title"]) > 1
    assert all(picture["role"] == "img" and picture["aria-label"] for picture in by_tag["svg"])
    assert {heading["scope"] for heading in by_tag["th"]} == {"row", "col"}
    ids = [attributes["id"] for _, attributes in page.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {str(link["href"]).removeprefix("#") for link in by_tag["a"]} <= set(ids)


def test_html_has_the_plots(store: Store) -> None:
    """Rates with chance, the heat map, prioritized against random, the audit and regret are drawn."""
    page = Page(report(store, format="html"))
    labels = " ".join(str(attributes["aria-label"]) for tag, attributes in page.found if tag == "svg")
    for part in ("95 % interval", "explainer and category", "Prioritized against random", "correlation", "regret"):
        assert part in labels


def test_hostile_names_stay_text(store: Store) -> None:
    """Names and answers are shown as they are, and are markup in no format."""
    page = Page(report(store, format="html"))
    shown = "".join(page.texts)
    assert "</script><img src=https://evil.example/x onerror=alert(1)>|`[a](//b)`" in shown
    for form in FORMATS:
        text = report(store, format=form)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text), form


def test_markdown_is_tables_and_nothing_else(store: Store) -> None:
    """A Markdown reader finds whole tables, and no HTML, link, picture or code in what names and answers say."""
    tokens = MarkdownIt("commonmark").enable("table").parse(report(store, format="markdown"))
    inline = [child for token in tokens if token.type == "inline" for child in token.children or ()]
    assert {child.type for child in inline} <= {"text", "strong_open", "strong_close"}
    assert "html_block" not in {token.type for token in tokens}
    assert sum(token.type == "table_open" for token in tokens) >= 6
    assert any("</script><img src=https://evil.example/x" in child.content for child in inline)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", "a\\|b"),
        ("*_`", "\\*\\_\\`"),
        ("<b>&amp;", "\\<b\\>&amp;amp;"),
        ("@someone", "&#64;someone"),
        ("https://x", "https:&#47;&#47;x"),
        ("two\nlines", "two lines"),
    ],
)
def test_markdown_is_escaped(text: str, escaped: str) -> None:
    """Nothing in a name is markup, an entity, a mention or a link."""
    assert safe(text) == escaped


def test_csv_has_a_row_for_each_cell(store: Store) -> None:
    """It reads back to the cells of the report; every row names its grader; no field is a formula."""
    built = build_report(store, grader="score")
    rows = list(csv.DictReader(io.StringIO(rendered(built, "csv"))))
    assert len(rows) == len(built.cells) == 8
    for row, cell in zip(rows, built.cells, strict=True):
        assert (row["grader"], row["difficulty"], row["file"]) == ("score", "paper", "c.sqlite")
        assert (row["model"], row["category"], row["strategy"]) == (cell.model, cell.category, cell.strategy)
        assert (int(row["pass"]), int(row["n"]), row["baseline"]) == (cell.passed, cell.n, str(cell.baseline).lower())
        assert row["value"] == ("" if cell.value is None else str(cell.value))


def test_csv_holds_no_formula(tmp_path: Path) -> None:
    """A model's name or answer that a spreadsheet would compute is marked as text."""
    file = write(tmp_path / "c.sqlite", [Said(0, "=1+1", "@SUM(A1)")])
    with Store(file, write=False) as store:
        (row,) = csv.DictReader(io.StringIO(report(store, format="csv")))
    assert (row["explainer"], row["top"]) == ("'@SUM(A1)", "'=1+1")


def test_the_csv_of_cells_can_be_read_again(tmp_path: Path) -> None:
    """The published cells survive the way through the report."""
    built = cells_report(PUBLISHED)
    again = tmp_path / "again.csv"
    again.write_text(rendered(built, "csv"))
    assert cells_report(again).rq1 == built.rq1


def test_junit_has_a_test_case_for_each_case_and_explainer(store: Store) -> None:
    """Failures, errors and skipped cases are told apart and add up; a baseline fails nothing."""
    root = ET.fromstring(report(store, format="junit"))  # noqa: S314 - this program's own output
    assert root.tag == "testsuites"
    suites = {suite.get("name"): suite for suite in root.findall("testsuite")}
    counts = {
        name: tuple(int(suite.get(key, "")) for key in ("tests", "failures", "errors", "skipped"))
        for name, suite in suites.items()
    }
    assert counts.pop("model") == (6, 2, 0, 0)
    assert counts.pop("other") == (4, 1, 1, 1)
    assert counts.pop("first") == (2, 0, 0, 1)
    assert list(counts.values()) == [(6, 6, 0, 0)]
    assert [root.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["18", "9", "1", "2"]
    for suite in suites.values():
        cases = suite.findall("testcase")
        assert len(cases) == int(suite.get("tests", ""))
        for case in cases:
            assert case.get("classname") == "lake.best-action"
            assert float(case.get("time", "")) >= 0
        assert len(suite.findall("testcase/failure")) == int(suite.get("failures", ""))
        properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
        assert (properties["grader"], properties["difficulty"]) == ("verdict", "paper")
    blank, failed = (suites["other"].find(f"testcase/{tag}") for tag in ("failure", "error"))
    assert blank is not None
    assert blank.get("type") == "invalid"
    assert failed is not None
    assert failed.get("message") == "the connection was cut"


@pytest.mark.parametrize(("form", "grader"), [("junit", "score"), ("junit", "verdict"), ("csv", "verdict")])
def test_what_a_format_has_no_place_for_is_refused(store: Store, form: Format, grader: str) -> None:
    """JUnit knows no scores, and neither it nor CSV a comparison."""
    with pytest.raises(UsageError):
        report(store, format=form, grader=grader, reference=store if grader == "verdict" else None)  # type: ignore[arg-type]  # as given


def test_json_follows_the_schema_of_both_kinds(store: Store) -> None:
    """A campaign, one that is compared, and a table of cells are read back to the same values."""
    for built in (build_report(store), build_report(store, reference=store), cells_report(PUBLISHED)):
        assert REPORTS.validate_json(rendered(built, "json")) == built
        assert json.loads(rendered(built, "json"))["schema"] == 1


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_every_format_of_the_published_cells_has_its_figures(form: Format) -> None:
    """75 lower, 61 higher, 84 tied; p = 0.0372 exactly and 0.0347 on doubles; 0.846 and 0.721 (methods.md 1.5)."""
    text = rendered(cells_report(PUBLISHED), form)
    for figure in ("75", "61", "84", "220", "0.0372", "0.0347", "0.846", "0.721"):
        assert figure in text if form != "json" else figure[:5] in text


@pytest.mark.parametrize("form", FORMATS)
def test_a_campaign_without_answers_has_every_format(tmp_path: Path, form: Format) -> None:
    """A file in which nothing was asked yet is reported as such, in well-formed documents."""
    with Store(write(tmp_path / "c.sqlite", []), write=False) as store:
        text = report(store, format=form)
    if form in {"text", "markdown", "html"}:
        assert "No question has been asked yet" in text
    if form == "html":
        assert Page(text).open == []
    if form == "junit":
        assert ET.fromstring(text).get("tests") == "0"  # noqa: S314 - this program's own output


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json", "csv"])
@pytest.mark.parametrize("grader", ["verdict", "score"])
def test_every_output_names_its_grader_and_its_difficulty(store: Store, form: Format, grader: str) -> None:
    """Nobody has to guess how figures were made."""
    text = report(store, format=form, grader=grader)  # type: ignore[arg-type]  # as given
    assert grader in text
    assert "paper" in text
