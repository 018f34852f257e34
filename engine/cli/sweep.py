"""``check --sweep``: V at the initial states for each value of a constant, or for each combination of several."""

from __future__ import annotations

import csv as csv_format
import itertools
import math
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import typer

from engine.cli.common import INTERRUPTED, console, print_json, say
from engine.errors import CancelledError, StormscopeError, UsageError
from engine.figures import short, short_decimal
from engine.mdp.sweeps import parse_grid
from engine.oracle.numbers import number_float, number_json, number_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.cli.opening import Opening
    from engine.oracle.numbers import Number


_LONGEST = 32
"""Characters up to which the table shows a number whole; ``--csv`` and ``--json`` always do."""
_DECIMAL = 10


@dataclass(frozen=True)
class Row:
    """What came of one value of the constant, or of one combination.

    Attributes
    ----------
    values
        The constants' values as exact text, in the order in which they were given.
    numbers
        Initial state and V; empty where the check failed, or without an objective.
    error
        Why the check failed; None if it did not.
    """

    values: tuple[str, ...]
    objective: str = ""
    states: int | None = None
    numbers: tuple[tuple[int, Number | None], ...] = ()
    error: StormscopeError | None = None

    @property
    def complaint(self) -> str:
        """The failure as one sentence, empty without one. Where it is about is the value itself, or the model."""
        return "" if self.error is None else self.error.what


def run_sweep(opening: Opening, texts: Sequence[str], *, json: bool, csv: bool) -> None:
    """Check the model for each value and print one row each; a value that fails is a row that says why.

    When it is interrupted, the rows that are finished are printed. Raises UsageError if every value fails.
    """
    axes = parse_grid(texts)
    names = tuple(axes)
    for name in names:
        _require_open(opening, name)
    grid = list(itertools.product(*axes.values()))
    rows: list[Row] = []
    try:
        rows.extend(_row(opening, dict(zip(names, values, strict=True))) for values in grid)
    except KeyboardInterrupt:
        if all(row.error is not None for row in rows):
            raise
        _show(opening, names, rows, json=json, csv=csv)
        say(f"interrupted: {len(rows):,} of {len(grid):,} rows")
        raise typer.Exit(INTERRUPTED) from None
    _require_some(names, rows)
    _show(opening, names, rows, json=json, csv=csv)


_IDLE = (
    "danger",
    "property",
    "bottleneck-threshold",
    "policy",
    "export-policy",
    "export-chain",
    "export-neighbourhood",
    "depth",
    "verify",
    "reproduce",
    "where",
    "limit",
)
"""Options of ``check`` that do nothing in a sweep, which shows V at the initial states."""


def require_alone(texts: Sequence[str], constants: Sequence[str], given: Sequence[str]) -> None:
    """Raise UsageError for an option beside ``--sweep`` that would do nothing, also ``--const`` of a swept constant.

    Parameters
    ----------
    given
        Names of the options on the command line, without dashes.
    """
    from engine.mdp.sources import parse_constants  # noqa: PLC0415  # commands load what they need

    idle = [name for name in _IDLE if name in given]
    if idle:
        listed = ", ".join(f"--{name}" for name in idle)
        raise UsageError(
            f"{listed} would do nothing: a sweep shows V at the initial states",
            where="--sweep",
            hint="leave it out, or check one value with --const",
        )
    twice = [name for name in parse_grid(texts) if name in parse_constants(constants)]
    if twice:
        what = f"{', '.join(twice)} is given by --const or with the model's name, too"
        raise UsageError(what, where="--sweep", hint="leave one of them out")


def _show(opening: Opening, names: tuple[str, ...], rows: list[Row], *, json: bool, csv: bool) -> None:
    objective = next((row.objective for row in rows if row.objective), "")
    if json:
        print_json(
            {
                "model": opening.model,
                "objective": objective,
                "constant": ", ".join(names),
                "constants": list(names),
                "rows": [_json(names, row) for row in rows],
            }
        )
    elif csv:
        _print_csv(names, rows)
    else:
        _print(names, objective, rows)


def _require_open(opening: Opening, name: str) -> None:
    """Raise UsageError at once for a constant that no value would fit: the model does not leave it open."""
    from engine.mdp.constants import undefined_constants  # noqa: PLC0415  # commands load what they need
    from engine.mdp.sources import GYM, find_model  # noqa: PLC0415

    if opening.model.startswith(GYM):
        return  # what can be set there is known to the environment alone
    known = undefined_constants(find_model(opening.model).environment)
    if name not in {constant.name for constant in known}:
        listed = ", ".join(f"{constant.name} ({constant.type})" for constant in known)
        raise UsageError(
            f"{name} is no constant that the model leaves open",
            where="--sweep",
            hint=f"it takes: {listed}" if listed else "it has none",
        )


def _row(opening: Opening, values: dict[str, str]) -> Row:
    from engine.mdp.sources import parse_constants  # noqa: PLC0415  # as above

    constants, row = {**parse_constants(opening.constants), **values}, Row(tuple(values.values()))
    try:
        _, _, checked = replace(opening, constants=[f"{key}={text}" for key, text in constants.items()]).check()
    except CancelledError:
        raise
    except StormscopeError as error:
        return replace(row, error=error)
    facts = checked.facts
    if facts is None:
        return replace(row, states=checked.mdp.states)
    numbers = tuple((state, facts.value.at(state)) for state in checked.mdp.initial.tolist())
    return replace(row, objective=facts.objective.text, states=checked.mdp.states, numbers=numbers)


def _require_some(names: tuple[str, ...], rows: list[Row]) -> None:
    """Raise the first failure, as one about the sweep, if there is nothing else."""
    failures = [row.error for row in rows if row.error is not None]
    if len(failures) < len(rows):
        return
    first = failures[0]
    every = f"every value of {' and '.join(names)} fails, the first because {first.what}"
    what = first.what if len(rows) == 1 else every
    hint = first.hint.replace("given by --const", "given by --sweep and --const")
    raise UsageError(what, where=f"--sweep {_given(names, rows[0])}", hint=hint)


def _given(names: Iterable[str], row: Row) -> str:
    return ",".join(f"{name}={value}" for name, value in zip(names, row.values, strict=True))


def _json(names: tuple[str, ...], row: Row) -> dict[str, Any]:
    found = {
        "constant": ", ".join(row.values),
        "constants": dict(zip(names, row.values, strict=True)),
        "states": row.states,
        "initial": [number_json(number) for _, number in row.numbers],
    }
    return {**found, "error": row.complaint} if row.error is not None else found


def _print_csv(names: tuple[str, ...], rows: list[Row]) -> None:
    writer = csv_format.writer(sys.stdout)
    writer.writerow([*names, "states", "state", "value", "float", "error"])
    for row in rows:
        if row.error is not None:
            writer.writerow([*row.values, "", "", "", "", row.complaint])
        writer.writerows(
            [*row.values, row.states, state, number_text(number), "" if number is None else _float_text(number), ""]
            for state, number in row.numbers
        )


def _float_text(number: Number) -> str:
    """Return the double nearest to a number in as few digits as say which it is.

    Where that is a whole number and the number is not, it is the next double: what is below 1 never looks like 1.
    """
    double = number_float(number)
    if isinstance(number, Fraction) and number.denominator != 1 and double.is_integer():
        double = math.nextafter(double, math.inf if number > Fraction(double) else -math.inf)
    return repr(double).removesuffix(".0")


def _exact(number: Number | None) -> str:
    """Return a number as the table shows it: whole, or what it is where it would fill the line."""
    text = number_text(number)
    if not isinstance(number, Fraction) or len(text) <= _LONGEST:
        return text
    return f"{len(text)} digits" if number.denominator == 1 else f"a fraction of {len(text)} characters"


def _decimal(number: Number) -> str:
    """Return a number's digits, cut where they do not end: what is below 1 never looks like 1."""
    if isinstance(number, Fraction) and number.denominator != 1:
        return short_decimal(number)
    return short(number, _DECIMAL)


def _print(names: tuple[str, ...], objective: str, rows: list[Row]) -> None:
    from rich.table import Table  # noqa: PLC0415  # slow to load, not needed for --json
    from rich.text import Text  # noqa: PLC0415

    from engine.text import plain  # noqa: PLC0415

    table = Table(box=None, header_style="bold", pad_edge=False, title=Text(plain(objective)), title_justify="left")
    for heading in (*names, "states", "state", "V", "≈"):
        table.add_column(Text(plain(heading)), justify="right")
    failed = any(row.error is not None for row in rows)
    if failed:
        table.add_column("", overflow="fold")
    for row in rows:
        values = [short(Fraction(value), _LONGEST) for value in row.values]
        if row.error is not None:
            table.add_row(*values, "", "", "-", "", Text(plain(row.complaint)))
        for state, number in row.numbers:
            decimal = "" if number is None else _decimal(number)
            table.add_row(*values, f"{row.states:,}", str(state), Text(_exact(number)), Text(decimal))
    console().print(table)
