"""What is left of a defect: a message for the user, and a file with the details for whoever mends it."""

from __future__ import annotations

import traceback
from datetime import UTC, datetime

from rich.text import Text

from engine import __version__
from engine.folders import state_dir
from tui.text import clean
from tui.workers import as_report


def keep_crash(error: BaseException | None) -> Text:
    """Write a file about an error that nobody expected, without the values of variables, and return what to say."""
    if error is None:
        return Text("error: stormscope ended because of a defect that left no trace")
    report = as_report(error, "stormscope ended")
    lines = [f"error: {clean(report.where)}: {clean(report.what)}", f"  → {report.hint}"]
    file = state_dir() / f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S}.txt"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        trace = "".join(traceback.format_exception(error))
        file.write_text(f"stormscope {__version__}\n\n{trace}", encoding="utf-8", errors="replace")
    except OSError:
        pass  # without the file, the message still names the place
    else:
        lines.append(f"  the details are in {clean(str(file))}")
    return Text("\n".join(lines))
