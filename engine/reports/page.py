"""A report as one HTML file that needs nothing else: no network, no script, light and dark."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from engine.reports import plots
from engine.reports.details import details
from engine.reports.results import research, verdicts
from engine.text import plain

if TYPE_CHECKING:
    from markupsafe import Markup

    from engine.reports.model import AnyReport, Report

_FLIPS = 2000
"""Cases that changed: more make a page that is slow to open; JSON has all."""
TEMPLATES = Path(__file__).parent / "templates"


def report_html(report: AnyReport) -> str:
    """Return a report as an HTML document; whatever names and answers hold, they stay text."""
    sections = [*research(report)]
    if report.kind == "campaign":
        sections = [verdicts(report), *sections, *details(report, flips=_FLIPS)]
    return _templates().get_template("report.html.j2").render(report=report, sections=sections, plots=_plots(report))


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = plain
    return environment


def _plots(report: AnyReport) -> dict[str, Markup]:
    """Return the plots by the section that they stand in; those without data are left out."""
    baselines = frozenset(row.explainer for row in report.rq2 if row.baseline)
    found = {"rq1": plots.pairs(report.pairs, baselines)} if report.pairs else {}
    return found | (_campaign_plots(report) if report.kind == "campaign" else {})


def _campaign_plots(report: Report) -> dict[str, Markup]:
    found = {}
    asked = {row.explainer for row in report.explainers if not row.baseline}
    if report.table:
        found["rates"] = plots.rates(report.explainers)
        found["heat"] = plots.heat_map(report)
    # Baselines are drawn only where there is nothing else.
    audited = [row for row in report.audit if row.tau is not None and (row.explainer in asked or not asked)]
    if audited:
        found["audit"] = plots.audit(audited)
    # A right answer to worst-action is a costly one: its distribution would say the opposite of the others.
    costly = [row for row in report.regret if row.category != "worst-action" and (row.explainer in asked or not asked)]
    if costly:
        found["regret"] = plots.regret(costly)
    return found
