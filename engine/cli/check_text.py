"""``check`` for people: a summary and a table of states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from engine.cli.check_table import states_table, value_text
from engine.cli.common import console
from engine.figures import full
from engine.oracle.numbers import parse_exact
from engine.oracle.tri import Tri
from engine.text import plain

if TYPE_CHECKING:
    from engine.cli.check_view import CheckView
    from engine.oracle.facts import Facts
    from engine.oracle.policy.evaluation import Evaluation


_STARTS = 10
"""Initial states whose value is printed."""


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
        out.print(f"#{number}  {plain(row['property'])}: {_property_value(row)}{only}")
    if len(view.listed) and facts is not None:
        out.print(states_table(view, facts, out))
        if len(view.listed) < view.matching:
            out.print(f"{len(view.listed):,} of {view.matching:,} states; --limit -1 lists all, --where selects")
    if view.undecided:
        out.print(f"{view.matching:,} states match certainly, {view.undecided:,} undecided (≈): bounds do not tell")


def _property_value(row: dict[str, Any]) -> str:
    """Return a property's value in full, as far as a line can hold it."""
    value = row["value"]
    if value is None and row["initial"]:
        return f"not the same in all {len(row['initial']):,} initial states; --json has the values"
    return full(parse_exact(value)) if isinstance(value, str) else value_text(value)


def _print_objective(view: CheckView, facts: Facts) -> None:
    out = console()
    initial = view.checked.mdp.initial
    for state in initial[:_STARTS]:
        out.print(f"{plain(facts.objective.text)} = {full(facts.value.at(int(state)))} in state {int(state)}")
    if len(initial) > _STARTS:
        out.print(f"{_STARTS} of {len(initial):,} initial states; --json has the values in all of them")
    counts = view.counts()
    if view.evaluation is not None:
        _print_policy(view, view.evaluation)
    shown = [_count(counts["dead_ends"], "dead end"), _count(counts["bottlenecks"], "bottleneck")]
    if counts["undecided"]:
        shown.append(_count(counts["undecided"], "undecided fact"))
    out.print(", ".join(shown))


def _print_policy(view: CheckView, evaluation: Evaluation) -> None:
    out = console()
    for state in view.checked.mdp.initial[:_STARTS].tolist():
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
    for note in extras.get("written_notes", ()):
        out.print(plain(note), style="yellow", soft_wrap=True)


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


def _deadlocks(number: int) -> str:
    return "1 deadlock was given a self-loop" if number == 1 else f"{number:,} deadlocks were given self-loops"
