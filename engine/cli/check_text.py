"""``check`` for people: a summary and a table of states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from engine.cli.common import console
from engine.figures import full, short
from engine.oracle.numbers import Interval, number_text
from engine.oracle.tri import Tri
from engine.text import plain

if TYPE_CHECKING:
    from engine.cli.check_view import CheckView
    from engine.oracle.facts import Facts


WIDTH = 10
"""Characters of a number in the table; longer fractions are cut, and ``--json`` gives them whole."""

SPREAD = 3
"""Variables that get a column each; more are listed in one."""


def print_check(view: CheckView) -> None:
    """Print the summary, the further properties and the listed states."""
    out = console()
    mdp, facts, meta = view.checked.mdp, view.checked.facts, view.checked.meta
    constants = ", ".join(f"{name}={value}" for name, value in view.constants.items())
    out.print(Text.assemble((plain(view.title), "bold"), f"  {plain(constants)}".rstrip()))
    out.print(
        f"{mdp.states:,} states, {mdp.choices:,} choices, {mdp.transitions:,} transitions, {meta['mode']} numbers"
    )
    if meta["deadlocks"]:
        out.print(f"{meta['deadlocks']:,} deadlocks were given a self-loop", style="yellow")
    for note in meta["notes"]:
        out.print(plain(note), style="yellow")
    if meta["objective_name"]:
        out.print(f"the objective is the property {plain(meta['objective_name'])}")
    if facts is not None:
        _print_objective(view, facts)
    for row in meta["properties"]:
        out.print(f"{plain(row['property'])}: {_value(row['value'])}")
    if len(view.listed) and facts is not None:
        out.print(_table(view, facts))
        if len(view.listed) < view.matching:
            out.print(f"{len(view.listed):,} of {view.matching:,} states; --limit -1 lists all, --where selects")


def _print_objective(view: CheckView, facts: Facts) -> None:
    out = console()
    for state in view.checked.mdp.initial[:10]:
        out.print(f"{plain(facts.objective.text)} = {full(facts.value.at(int(state)))} in state {int(state)}")
    counts = view.counts()
    if view.evaluation is not None:
        short = int((view.evaluation.optimal == Tri.NO).sum())
        value = full(view.evaluation.value.at(int(view.checked.mdp.initial[0])))
        out.print(f"{plain(view.evaluation.policy.name)}: {value}, not optimal in {_count(short, 'state')}")
    shown = [_count(counts["dead_ends"], "dead end"), _count(counts["bottlenecks"], "bottleneck")]
    if counts["undecided"]:
        shown.append(_count(counts["undecided"], "undecided fact"))
    out.print(", ".join(shown))


def print_extras(extras: dict[str, Any]) -> None:
    """Print what was verified, how to reproduce the value, and what was written."""
    out = console()
    if "verified" in extras:
        out.print(f"verified without Storm: {extras['verified']['states']:,} values", style="green")
        for condition in extras["verified"]["conditions"]:
            out.print(f"  {condition}")
    for command in extras.get("reproduce", ()):
        out.print(plain(command), soft_wrap=True)
    for path in extras.get("written", ()):
        out.print(f"written: {plain(path)}", soft_wrap=True)


def _count(value: int | None, noun: str) -> str:
    if value is None:
        return f"{noun}s undefined"
    return f"{value:,} {noun}" + ("" if value == 1 else "s")


def _value(value: Any) -> str:
    if isinstance(value, dict):
        if "approximate" in value:
            return f"about {value['approximate']:.6g}, without bounds"
        return number_text(Interval(float(value["lower"]), float(value["upper"])), digits=6)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _table(view: CheckView, facts: Facts) -> Table:
    mdp = view.checked.mdp
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("state", justify="right", no_wrap=True)
    spread = len(mdp.valuations) <= SPREAD
    if spread:
        for name in mdp.valuations:
            table.add_column(Text(plain(name)), justify="right", no_wrap=True)
    else:
        table.add_column("valuation", min_width=12)
    table.add_column("V", justify="right", no_wrap=True)
    if facts.danger is not None:
        table.add_column("D", justify="right", no_wrap=True)
    if view.threshold is not None:
        table.add_column("loss", justify="right", no_wrap=True)
    table.add_column("best", min_width=5)
    table.add_column("worst", min_width=5)
    if view.evaluation is not None:
        for heading in ("policy", "its V", "gap"):
            table.add_column(heading, justify="right" if heading != "policy" else "left", no_wrap=True)
    table.add_column("flags", min_width=5)
    for state in view.listed.tolist():
        valuation = {name: str(value).lower() for name, value in mdp.valuation(state).items()}
        joined = " ".join(f"{name}={value}" for name, value in valuation.items())
        cells = [str(state), *(valuation.values() if spread else [joined])]
        cells.append(short(facts.value.at(state), WIDTH))
        if facts.danger is not None:
            cells.append(short(facts.danger.at(state), WIDTH))
        if view.threshold is not None:
            cells.append(_value(view.loss.get(state, "-")))
        cells += [_actions(view, facts.best, state), _actions(view, facts.worst, state)]
        if view.evaluation is not None:
            moves = view.evaluation.policy.distribution(mdp, state) or {}
            names = [mdp.action_name(choice) for choice in moves]
            gap = view.evaluation.gap(facts, state)
            cells += [" ".join(names) or "-", short(view.evaluation.value.at(state), WIDTH), short(gap, WIDTH)]
        cells.append(_flags(view, facts, state))
        table.add_row(*(Text(plain(cell)) for cell in cells))
    return table


def _actions(view: CheckView, member: Any, state: int) -> str:
    mdp = view.checked.mdp
    sure = [mdp.action_name(choice) for choice in mdp.choices_of(state) if member[choice] == Tri.YES]
    maybe = [f"≈{mdp.action_name(choice)}" for choice in mdp.choices_of(state) if member[choice] == Tri.UNDECIDED]
    return " ".join(sure + maybe)


def _flags(view: CheckView, facts: Facts, state: int) -> str:
    flags = [name for name in view.checked.mdp.labels_of(state) if name != "deadlock"]
    if facts.dead_end[state] == Tri.YES:
        flags.append("dead end")
    if view.bottleneck(facts, state) is True:
        flags.append("bottleneck")
    return ", ".join(flags)
