"""``check --sweep``: V at the initial states for each value of a constant."""

from __future__ import annotations

import csv as csv_format
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.cli.common import console, print_json
from engine.errors import CancelledError, StormscopeError, UsageError
from engine.mdp.sweeps import parse_sweep
from engine.oracle.numbers import number_float, number_json, number_text

if TYPE_CHECKING:
    from engine.cli.opening import Opening
    from engine.oracle.numbers import Number


@dataclass(frozen=True)
class Row:
    """What came of one value of the constant.

    Attributes
    ----------
    numbers
        Initial state and V; empty where the check failed, or without an objective.
    error
        Why the check failed; None if it did not.
    """

    constant: str
    objective: str = ""
    states: int | None = None
    numbers: tuple[tuple[int, Number | None], ...] = ()
    error: StormscopeError | None = None

    @property
    def complaint(self) -> str:
        """The failure as one sentence, empty without one. Where it is about is the value itself, or the model."""
        return "" if self.error is None else self.error.what


def run_sweep(opening: Opening, text: str, *, json: bool, csv: bool) -> None:
    """Check the model for each value and print one row each; a value that fails is a row that says why.

    Raises UsageError if every value fails.
    """
    name, values = parse_sweep(text)
    _require_open(opening, name)
    rows = [_row(opening, name, value) for value in values]
    _require_some(name, rows)
    objective = next((row.objective for row in rows if row.objective), "")
    if json:
        print_json(
            {"model": opening.model, "objective": objective, "constant": name, "rows": [_json(row) for row in rows]}
        )
    elif csv:
        _print_csv(name, rows)
    else:
        _print(name, objective, rows)


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


def _row(opening: Opening, name: str, value: str) -> Row:
    from engine.mdp.sources import parse_constants  # noqa: PLC0415  # as above

    constants = {**parse_constants(opening.constants), name: value}
    try:
        _, _, checked = replace(opening, constants=[f"{key}={text}" for key, text in constants.items()]).check()
    except CancelledError:
        raise
    except StormscopeError as error:
        return Row(value, error=error)
    facts = checked.facts
    if facts is None:
        return Row(value, states=checked.mdp.states)
    numbers = tuple((state, facts.value.at(state)) for state in checked.mdp.initial.tolist())
    return Row(value, facts.objective.text, checked.mdp.states, numbers)


def _require_some(name: str, rows: list[Row]) -> None:
    """Raise the first failure, as one about the sweep, if there is nothing else."""
    failures = [row.error for row in rows if row.error is not None]
    if len(failures) < len(rows):
        return
    first = failures[0]
    what = first.what if len(rows) == 1 else f"every value of {name} fails, the first because {first.what}"
    hint = first.hint.replace("given by --const", "given by --sweep and --const")
    raise UsageError(what, where=f"--sweep {name}={rows[0].constant}", hint=hint)


def _json(row: Row) -> dict[str, Any]:
    found = {"constant": row.constant, "states": row.states, "initial": [number_json(n) for _, n in row.numbers]}
    return {**found, "error": row.complaint} if row.error is not None else found


def _print_csv(name: str, rows: list[Row]) -> None:
    writer = csv_format.writer(sys.stdout)
    writer.writerow([name, "states", "state", "value", "float", "error"])
    for row in rows:
        if row.error is not None:
            writer.writerow([row.constant, "", "", "", "", row.complaint])
        writer.writerows(
            [row.constant, row.states, state, number_text(n), "" if n is None else f"{number_float(n):.17g}", ""]
            for state, n in row.numbers
        )


def _print(name: str, objective: str, rows: list[Row]) -> None:
    from rich.table import Table  # noqa: PLC0415  # slow to load, not needed for --json
    from rich.text import Text  # noqa: PLC0415

    from engine.text import plain  # noqa: PLC0415

    table = Table(box=None, header_style="bold", pad_edge=False, title=Text(plain(objective)), title_justify="left")
    for heading in (name, "states", "state", "V", "≈"):
        table.add_column(Text(plain(heading)), justify="right")
    failed = any(row.error is not None for row in rows)
    if failed:
        table.add_column("", overflow="fold")
    for row in rows:
        if row.error is not None:
            table.add_row(row.constant, "", "", "-", "", Text(plain(row.complaint)))
        for state, number in row.numbers:
            rounded = "" if number is None else f"{number_float(number):.6g}"
            table.add_row(row.constant, f"{row.states:,}", str(state), Text(number_text(number)), rounded)
    console().print(table)
