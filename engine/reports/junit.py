"""A campaign as JUnit XML for continuous integration: one test case for each case and explainer.

A case passes if all its answers that count pass. Baselines are no tests: what they do not pass is skipped, not failed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from engine.reports.build import formulas
from engine.text import plain
from engine.verdicts import queries
from engine.verdicts.by_hand import picked_cases
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from engine.verdicts.records import StoredCase
    from engine.verdicts.store import Store

_REASON = 500
"""The longest reason in characters."""


@dataclass(slots=True)
class _Suite:
    element: ET.Element
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def report_junit(store: Store) -> str:
    """Return the campaign as JUnit XML, by the verdict grader."""
    with store.snapshot():
        cases, rows, baselines = store.cases(), queries.reasons(store), store.explainers()
        difficulty = ", ".join(formulas(store.runs()))
    root = ET.Element("testsuites", name=f"stormscope {plain(store.path.name)}")
    suites = {name: _Suite(_suite(root, name, difficulty, baseline=baseline)) for name, baseline in baselines.items()}
    questions: dict[tuple[str, str], list[sqlite3.Row]] = {}
    picked = picked_cases({name: stored.strategies for name, stored in cases.items()})
    for row in rows:
        if row["sample"] < 0 or row["case"] in picked:
            continue  # what a person picked is no test of the campaign
        questions.setdefault((row["explainer"], row["case"]), []).append(row)
    for (explainer, case), answers in questions.items():
        _add_case(suites[explainer], cases[case], answers, baseline=baselines[explainer])
    total = _Suite(root)
    for suite in suites.values():
        total.counts += suite.counts
        total.seconds += suite.seconds
        _close(suite)
    _close(total)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, explainer: str, difficulty: str, *, baseline: bool) -> ET.Element:
    suite = ET.SubElement(root, "testsuite", name=plain(explainer))
    properties = ET.SubElement(suite, "properties")
    for name, value in (("grader", "verdict"), ("difficulty", difficulty), ("baseline", str(baseline).lower())):
        ET.SubElement(properties, "property", name=name, value=value)
    return suite


def _add_case(suite: _Suite, stored: StoredCase, answers: Sequence[sqlite3.Row], *, baseline: bool) -> None:
    case = stored.case
    states = ", ".join(str(state) for state in case.states)
    seconds = sum(row["seconds"] for row in answers)
    element = ET.SubElement(
        suite.element,
        "testcase",
        # Readers split a class name at its dots.
        classname=f"{plain(stored.model).replace('.', '_')}.{plain(case.category)}",
        name=plain(
            f"{case.category} of {stored.model}, {'states' if case.states[1:] else 'state'} {states} [{case.id}]"
        ),
        time=f"{seconds:.3f}",
    )
    suite.counts["tests"] += 1
    suite.seconds += seconds
    tag, kind = _result([Outcome(row["outcome"]) for row in answers], baseline=baseline)
    if not tag:
        return
    suite.counts[{"failure": "failures", "error": "errors", "skipped": "skipped"}[tag]] += 1
    telling = [row for row in answers if row["outcome"] != Outcome.PASS]
    message = plain(telling[0]["reason"], limit=_REASON)
    if len(answers) > 1:
        message = f"{len(answers) - len(telling):,} of {len(answers):,} answers pass; {message}"
    result = ET.SubElement(element, tag, message=message, type=kind)
    result.text = "\n".join(
        plain(f"{row['variant']}, sample {row['sample']}: {row['outcome']}: {row['reason']}", limit=_REASON)
        for row in telling
    )


def _result(outcomes: Sequence[Outcome], *, baseline: bool) -> tuple[str, str]:
    """Return the element that says what became of a case, empty if it passes, and its type."""
    worst = next((each for each in _WORST if each in outcomes), Outcome.PASS)
    if worst is Outcome.PASS:
        return "", ""
    if baseline:
        return "skipped", f"baseline: {worst.value}"
    return {Outcome.ERROR: "error", Outcome.UNDECIDED: "skipped"}.get(worst, "failure"), worst.value


_WORST = (Outcome.FAIL, Outcome.INVALID, Outcome.ERROR, Outcome.UNDECIDED)
"""What decides a case of several answers: the first of these that occurs. Undecided answers alone decide nothing."""


def _close(suite: _Suite) -> None:
    for name in ("tests", "failures", "errors", "skipped"):
        suite.element.set(name, str(suite.counts[name]))
    suite.element.set("time", f"{suite.seconds:.3f}")
