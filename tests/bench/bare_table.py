"""The reference of ``screen``: Textual's fast table alone, with as many rows and the same width as the explorer's."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from textual.app import App
from textual_fastdatatable import DataTable

if TYPE_CHECKING:
    from textual.app import ComposeResult


class Bare(App[None]):
    """One table that takes about half of the width."""

    CSS = "DataTable { width: 52%; }"

    def compose(self) -> ComposeResult:
        """Create the table."""
        states = np.arange(int(sys.argv[1]))
        blank = np.zeros(len(states), dtype=bool)
        columns = {"state": states, "V": (states % 997) / 997, "D": blank, "facts": blank, "best": blank}
        yield DataTable(data=pa.table(columns), cursor_type="row")


if __name__ == "__main__":
    Bare().run()
