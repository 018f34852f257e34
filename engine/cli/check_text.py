"""``check`` for people: a summary and a table of states."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from engine.cli.common import console
from engine.figures import full, short
from engine.oracle.numbers import Interval, number_text
from engine.oracle.tri import Tri
from engine.text import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.cli.check_view import CheckView
    from engine.oracle.columns import PropertyColumn
    from engine.oracle.facts import Facts
    from engine.oracle.policy.evaluation import Evaluation


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
        out.print(_deadlocks(meta["deadlocks"]), style="yellow")
    for note in meta["notes"]:
        out.print(plain(note), style="yellow")
    if meta["objective_name"]:
        out.print(f"the objective is the property {plain(meta['objective_name'])}")
    if facts is not None:
        _print_objective(view, facts)
    for number, row in enumerate(meta["properties"], start=1):
        only = "" if row["states"] == "all" or not row["initial"] else " (at the initial states only)"
        out.print(f"#{number}  {plain(row['property'])}: {_value(row['value'])}{only}")
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
        _print_policy(view, view.evaluation)
    shown = [_count(counts["dead_ends"], "dead end"), _count(counts["bottlenecks"], "bottleneck")]
    if counts["undecided"]:
        shown.append(_count(counts["undecided"], "undecided fact"))
    out.print(", ".join(shown))


def _print_policy(view: CheckView, evaluation: Evaluation) -> None:
    out = console()
    for state in view.checked.mdp.initial[:10].tolist():
        out.print(f"{plain(evaluation.policy.name)}: {full(evaluation.value.at(state))} in state {state}")
    kinds = ((Tri.NO, "not optimal in"), (Tri.UNDECIDED, "undecided in"), (Tri.UNDEFINED, "not defined in"))
    counts = [(words, int((evaluation.optimal == kind).sum())) for kind, words in kinds]
    said = [f"{words} {_count(number, 'state')}" for words, number in counts if number]
    out.print(f"  {', '.join(said) or 'optimal in every state'}")


def print_extras(extras: dict[str, Any]) -> None:
    """Print what was verified, how to reproduce the value, and what was written."""
    out = console()
    if "verified" in extras:
        _print_verified(extras["verified"])
    for command in extras.get("reproduce", ()):
        out.print(plain(command), soft_wrap=True)
    for path in extras.get("written", ()):
        out.print(f"written: {plain(path)}", soft_wrap=True)


def _print_verified(verified: dict[str, Any]) -> None:
    out = console()
    if "unavailable" in verified:
        out.print(f"not verified: {verified['unavailable']}", style="yellow")
        return
    out.print(f"verified without Storm: {verified['states']:,} values", style="green")
    for condition in verified["conditions"]:
        out.print(f"  {condition}")


def _count(value: int | None, noun: str) -> str:
    if value is None:
        return f"{noun}s undefined"
    return f"{value:,} {noun}" + ("" if value == 1 else "s")


def _value(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, dict):
        if "approximate" in value:
            return f"about {value['approximate']:.6g}, without bounds"
        return number_text(Interval(float(value["lower"]), float(value["upper"])), digits=6)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _deadlocks(number: int) -> str:
    return "1 deadlock was given a self-loop" if number == 1 else f"{number:,} deadlocks were given self-loops"


@dataclass(frozen=True)
class Column:
    """A column of the table: numbers stay on one line, words may wrap."""

    heading: str
    cell: Callable[[int], str]
    number: bool = False


def _table(view: CheckView, facts: Facts) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    columns = [*_valuation_columns(view), *_number_columns(view, facts), *_word_columns(view, facts)]
    for column in columns:
        if column.number:
            table.add_column(Text(plain(column.heading)), justify="right", no_wrap=True)
        else:
            table.add_column(Text(plain(column.heading)), min_width=5)
    for state in view.listed.tolist():
        table.add_row(*(Text(plain(column.cell(state))) for column in columns))
    return table


def _valuation_columns(view: CheckView) -> list[Column]:
    mdp = view.checked.mdp
    columns = [Column("state", str, number=True)]
    if len(mdp.valuations) > SPREAD:
        columns.append(Column("valuation", lambda state: _joined(mdp.valuation(state))))
        return columns
    for name, values in mdp.valuations.items():
        columns.append(Column(name, partial(_value_of, values), number=True))
    return columns


def _value_of(values: Any, state: int) -> str:
    return str(values[state].item()).lower()


def _joined(valuation: dict[str, int | bool]) -> str:
    return " ".join(f"{name}={str(value).lower()}" for name, value in valuation.items())


def _number_columns(view: CheckView, facts: Facts) -> list[Column]:
    columns = [Column("V", lambda state: short(facts.value.at(state), WIDTH), number=True)]
    danger, evaluation = facts.danger, view.evaluation
    if danger is not None:
        columns.append(Column("D", lambda state: short(danger.at(state), WIDTH), number=True))
    if view.threshold is not None:
        columns.append(Column("loss", lambda state: _value(view.loss.get(state, "-")), number=True))
    columns += [
        Column(f"#{number}", partial(_property_value, column), number=True)
        for number, row in enumerate(view.checked.meta["properties"], start=1)
        for column in view.checked.columns
        if row["states"] == "all" and column.name == row["property"]
    ]
    if evaluation is not None:
        columns += [
            Column("policy", lambda state: _moves(view, evaluation, state), number=True),
            Column("its V", lambda state: short(evaluation.value.at(state), WIDTH), number=True),
            Column("gap", lambda state: short(evaluation.gap(facts, state), WIDTH), number=True),
        ]
    return columns


def _property_value(column: PropertyColumn, state: int) -> str:
    if column.numbers is not None:
        return short(column.numbers.at(state), WIDTH)
    if column.approximate is not None:
        return f"~{column.approximate[state]:.4g}"
    return _value(column.json(state))


def _word_columns(view: CheckView, facts: Facts) -> list[Column]:
    return [
        Column("best", lambda state: _actions(view, facts.best, state)),
        Column("worst", lambda state: _actions(view, facts.worst, state)),
        Column("flags", lambda state: _flags(view, facts, state)),
    ]


def _moves(view: CheckView, evaluation: Evaluation, state: int) -> str:
    mdp = view.checked.mdp
    moves = evaluation.policy.distribution(mdp, state) or {}
    if len(moves) > 1:
        return " ".join(f"{mdp.action_name(choice)} {short(weight, WIDTH)}" for choice, weight in moves.items())
    return " ".join(mdp.action_name(choice) for choice in moves) or "-"


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
