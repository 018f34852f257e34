"""The plots of an HTML report. Each says in words what it shows, and none tells by colour alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from engine.reports.svg import element, figure, line, shortened, text, title
from engine.reports.words import decimal, interval, percent, probability, tone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from engine.reports.model import Report
    from engine.reports.rows import AuditRow, ExplainerRow, PairRow, RegretRow, TableRow

LABELS = 190
"""Width of the names on the left, in pixels."""
_NAME = 24
_WIDTH = 760
_GROUNDS = ((0.845, "deep"), (0.615, "middle"), (0.0, "pale"))
"""From which opacity of a cell's ground its text has another class. At these two black and white have the same contrast
of 4.6, with the light and with the dark colours of the style sheet."""
_LARGEST = 15.0


def rates(rows: Sequence[ExplainerRow]) -> Markup:
    """Return each explainer's value with its interval, and its chance level as a tick."""
    top, step, right = 26, 30, 60
    scale = _WIDTH - LABELS - right
    height = top + step * len(rows) + 4
    parts = []
    for tick in (0, 25, 50, 75, 100):
        x = LABELS + scale * tick / 100
        parts += [line(x, top - 6, x, height, "grid"), text(f"{tick} %", x, 12, class_="tick", text_anchor="middle")]
    for place, row in enumerate(rows):
        y = top + step * (place + 0.5)
        name = row.explainer + (" (baseline)" if row.baseline else "")
        parts.append(text(shortened(name, _NAME), LABELS - 12, y + 4, class_="label", text_anchor="end"))
        if row.value is None:
            parts.append(text("no answer counts", LABELS + 6, y + 4, class_="tick"))
            continue
        chance = "unknown" if row.chance is None else percent(row.chance)
        told = f"{name}: {percent(row.value)}, 95 % {interval(row.lower, row.upper)}, n = {row.n}, chance {chance}"
        marks = [title(told), element("rect", x=LABELS, y=y - step / 2, width=scale, height=step, class_="hit")]
        marks.append(line(LABELS + scale * row.lower, y, LABELS + scale * row.upper, y, "interval"))
        if row.chance is not None:
            x = LABELS + scale * row.chance
            marks.append(line(x, y - 10, x, y + 10, "chance"))
        style = "dot baseline" if row.baseline else "dot"
        marks.append(element("circle", cx=LABELS + scale * row.value, cy=y, r=5, class_=style))
        parts.append(element("g", *marks))
        parts.append(text(percent(row.value), _WIDTH - right + 14, y + 4, class_="label"))
    return figure(_WIDTH, height, "Value of each explainer with its 95 % interval; ticks mark chance", parts)


def heat_map(report: Report) -> Markup:
    """Return the value of each explainer and category; a triangle says that it is above or below chance."""
    explainers = [row.explainer for row in report.explainers]
    categories = list(dict.fromkeys(row.category for row in report.table))
    top, step, wide = 118, 34, 52
    parts = [
        text(
            name,
            0,
            0,
            class_="label",
            transform=f"translate({LABELS + wide * (place + 0.5) + 4:g} {top - 8}) rotate(-45)",
        )
        for place, name in enumerate(categories)
    ]
    for place, explainer in enumerate(explainers):
        y = top + step * place
        parts.append(
            text(shortened(explainer, _NAME), LABELS - 12, y + step / 2 + 4, class_="label", text_anchor="end")
        )
    for row in report.table:
        x = LABELS + wide * categories.index(row.category)
        parts.append(_heat(row, x, top + step * explainers.index(row.explainer), wide - 2, step - 2))
    width = LABELS + wide * len(categories) + 90
    return figure(width, top + step * len(explainers) + 4, "Value of each explainer and category", parts)


def _heat(row: TableRow, x: float, y: float, width: float, height: float) -> Markup:
    if row.value is None:
        return element("g", title(f"{row.explainer}, {row.category}: no answer counts"),
                       element("rect", x=x, y=y, width=width, height=height, class_="empty"))  # fmt: skip
    side = {"good": "▲", "bad": "▼"}.get(tone(row), "")
    where = {"▲": "above chance", "▼": "below chance"}.get(side, "not apart from chance")
    chance = "" if row.chance is None else f", {where} ({percent(row.chance)})"
    told = f"{row.explainer}, {row.category}: {percent(row.value)}, 95 % {interval(row.lower, row.upper)}"
    ground = 0.06 + 0.94 * row.value
    style = next(name for least, name in _GROUNDS if ground >= least)
    return element(
        "g",
        title(f"{told}, n = {row.n}{chance}"),
        element("rect", x=x, y=y, width=width, height=height, class_="heat", fill_opacity=ground),
        text(f"{percent(row.value)}{side}", x + width / 2, y + height / 2 + 4, class_=style, text_anchor="middle"),
    )


def pairs(rows: Sequence[PairRow], baselines: frozenset[str]) -> Markup:
    """Return prioritized against random scores; under the diagonal prioritized cases are harder."""
    left, top, size = 66, 22, 340
    points = Counter((row.random, row.prioritized, row.explainer in baselines) for row in rows)
    parts = [element("polygon", points=f"{left},{top + size} {left + size},{top + size} {left + size},{top}",
                     class_="harder")]  # fmt: skip
    for tick in (0, 25, 50, 75, 100):
        x, y = left + size * tick / 100, top + size * (1 - tick / 100)
        parts += [line(x, top, x, top + size, "grid"), line(left, y, left + size, y, "grid")]
        parts.append(text(f"{tick} %", x, top + size + 18, class_="tick", text_anchor="middle"))
        parts.append(text(f"{tick} %", left - 8, y + 4, class_="tick", text_anchor="end"))
    parts.append(line(left, top + size, left + size, top, "axis"))
    parts.append(text("prioritized is harder", left + size - 10, top + size - 12, class_="tick", text_anchor="end"))
    for (random, prioritized, baseline), number in sorted(points.items(), key=lambda item: (-item[1], item[0])):
        told = f"random {percent(random)}, prioritized {percent(prioritized)}: {number} cells"
        parts.append(
            element(
                "circle",
                title(told + (" (baselines)" if baseline else "")),
                cx=left + size * random,
                cy=top + size * (1 - prioritized),
                r=min(4 * number**0.5, _LARGEST),
                class_="point baseline" if baseline else "point",
            )
        )
    parts.append(text("score on random cases", left + size / 2, top + size + 40, class_="label", text_anchor="middle"))
    turned = f"translate(14 {top + size / 2:g}) rotate(-90)"
    parts.append(text("score on prioritized cases", 0, 0, class_="label", text_anchor="middle", transform=turned))
    return figure(left + size + 30, top + size + 50, "Prioritized against random score of each cell", parts)


def audit(rows: Sequence[AuditRow]) -> Markup:
    """Return the correlation of difficulty and grade of each explainer, one line a category."""
    known = [row for row in rows if row.tau is not None]
    categories = list(dict.fromkeys(row.category for row in known))
    top, step, right = 40, 28, 20
    scale = (_WIDTH - LABELS - right) / 2
    middle, height = LABELS + scale, top + step * len(categories) + 4
    parts = [
        text("◂ harder cases score lower", LABELS, 12, class_="tick"),
        text("harder cases score higher ▸", _WIDTH - right, 12, class_="tick", text_anchor="end"),
    ]
    for tick in (-1, -0.5, 0, 0.5, 1):
        x = middle + scale * tick
        parts.append(line(x, top - 6, x, height, "axis" if tick == 0 else "grid"))
        parts.append(text(f"{tick:g}", x, 30, class_="tick", text_anchor="middle"))
    for place, category in enumerate(categories):
        y = top + step * (place + 0.5)
        parts.append(text(category, LABELS - 12, y + 4, class_="label", text_anchor="end"))
        for row in known:
            if row.category != category or row.tau is None:
                continue
            told = (
                f"{row.explainer}, {category}: tau {decimal(row.tau, 2)}, p {probability(row.p)}, {row.cases:,} cases"
            )
            sure = row.p is not None and row.p < 0.05  # noqa: PLR2004 - the usual level; p itself is in the table
            style = "point" if sure else "point unsure"
            parts.append(element("circle", title(told), cx=middle + scale * row.tau, cy=y, r=5.5, class_=style))
    return figure(_WIDTH, height, "Rank correlation of difficulty and grade by category, a dot an explainer", parts)


def regret(rows: Sequence[RegretRow]) -> Markup:
    """Return how the regret of one explainer and category is distributed: first what cost nothing, then by tenths."""
    panels, across, wide, high = [], 3, 250, 130
    for place, row in enumerate(rows):
        shift = f"translate({wide * (place % across)} {high * (place // across)})"
        panels.append(element("g", *_histogram(row), transform=shift))
    height = high * -(-len(rows) // across)
    return figure(wide * min(across, max(len(rows), 1)), height, "Distribution of regret, a panel an explainer", panels)


def _histogram(row: RegretRow) -> list[Markup]:
    left, top, high, step = 8, 34, 60, 20
    parts = [text(shortened(row.explainer, 32), left, 14, class_="label"), text(row.category, left, 28, class_="tick")]
    for place, number in enumerate([row.zero, *row.bins]):
        share = number / row.n
        width = left + step * place + (6 if place else 0)
        span = "no cost" if place == 0 else f"{(place - 1) / len(row.bins):g} to {place / len(row.bins):g}"
        size = max(high * share, 1 if number else 0)
        style = "bar free" if place == 0 else "bar"
        parts.append(
            element(
                "g",
                title(f"{row.explainer}, {row.category}, {span}: {number:,} of {row.n:,} answers"),
                element("rect", x=width, y=top, width=step - 2, height=high, class_="hit"),
                element("rect", x=width, y=top + high - size, width=step - 2, height=size, class_=style),
            )
        )
    end = left + step * (len(row.bins) + 1) + 6
    parts.append(line(left, top + high, end, top + high, "axis"))
    for label, x, anchor in (("none", left, "start"), ("0.5", end - step * 5, "middle"), ("1", end, "end")):
        parts.append(text(label, x, top + high + 14, class_="tick", text_anchor=anchor))
    return parts
