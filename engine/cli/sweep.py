"""``check --sweep``: V at the initial states for each value of a constant."""

from __future__ import annotations

import csv as csv_format
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.cli.common import console, print_json
from engine.mdp.sweeps import parse_sweep
from engine.oracle.numbers import number_float, number_json, number_text

if TYPE_CHECKING:
    from engine.cli.opening import Opening


def run_sweep(opening: Opening, text: str, *, json: bool, csv: bool) -> None:
    """Check the model for each value and print one row each; raises the errors of the oracle."""
    name, values = parse_sweep(text)
    rows: list[dict[str, Any]] = []
    objective = ""
    for value in values:
        kept = [part for part in opening.constants if not part.startswith(f"{name}=")]
        _, _, checked = replace(opening, constants=[*kept, f"{name}={value}"]).check()
        facts = checked.facts
        objective = facts.objective.text if facts is not None else ""
        initial = checked.mdp.initial.tolist()
        numbers = [(state, facts.value.at(state)) for state in initial] if facts is not None else []
        rows.append({"constant": value, "states": checked.mdp.states, "numbers": numbers})
    if json:
        print_json(
            {
                "model": opening.model,
                "objective": objective,
                "constant": name,
                "rows": [
                    {
                        "constant": row["constant"],
                        "states": row["states"],
                        "initial": [number_json(number) for _, number in row["numbers"]],
                    }
                    for row in rows
                ],
            }
        )
    elif csv:
        writer = csv_format.writer(sys.stdout)
        writer.writerow([name, "states", "state", "value", "float"])
        for row in rows:
            writer.writerows(
                [row["constant"], row["states"], state, number_text(n), "" if n is None else f"{number_float(n):.17g}"]
                for state, n in row["numbers"]
            )
    else:
        _print(name, objective, rows)


def _print(name: str, objective: str, rows: list[dict[str, Any]]) -> None:
    from rich.table import Table  # noqa: PLC0415  # slow to load, not needed for --json
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, header_style="bold", pad_edge=False, title=Text(objective), title_justify="left")
    for heading in (name, "states", "state", "V", "≈"):
        table.add_column(Text(heading), justify="right")
    for row in rows:
        for state, number in row["numbers"]:
            rounded = "" if number is None else f"{number_float(number):.6g}"
            table.add_row(row["constant"], f"{row['states']:,}", str(state), Text(number_text(number)), rounded)
    console().print(table)
