"""``make bench``: measures what design.md names, each against its reference in the same run, and prints ratios."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import asking
import blocking
import generation
import opening
import screen
from rich.console import Console
from rich.table import Table

PARTS = ("opening", "generation", "blocking", "asking", "screen")
TRANSPORTER = {"size": "8", "tank": "22", "parcels": "4"}


def main() -> None:
    """Measure all parts, or those named as arguments."""
    parts = sys.argv[1:] or list(PARTS)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        measures = {
            "opening": lambda: opening.measure(Path(folder)),
            "generation": lambda: generation.measure(Path(folder)),
            "blocking": lambda: blocking.measure(TRANSPORTER),
            "asking": asking.measure,
            "screen": lambda: screen.measure(Path(folder)),
        }
        rows = [row for part in parts for row in measures[part]()]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("measured", "figure", "target"):
        table.add_column(heading)
    for row in rows:
        table.add_row(*row)
    Console(markup=False).print(table)


if __name__ == "__main__":
    main()
