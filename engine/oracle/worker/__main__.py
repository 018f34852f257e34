"""The oracle child: reads one job, builds and checks it, fills the job's folder, reports on its standard output.

Run as ``python -m engine.oracle.worker JOBFILE``. Every line it writes is one JSON object: ``progress``, ``done`` or
``error``. What Storm prints goes to ``storm.log`` in the folder. It ends when its standard input closes, so that it
never outlives its parent.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import ModelError, StormscopeError, UsageError
from engine.oracle.request import Job

if TYPE_CHECKING:
    from collections.abc import Callable


def main(job_file: str) -> int:
    """Run the job and return the exit code: 0 if the folder is complete, 1 after a reported error."""
    job = Job.model_validate_json(Path(job_file).read_text(encoding="utf-8"))
    report = _take_over_output(job.folder / "storm.log")
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        from engine.oracle.worker.pipeline import run  # noqa: PLC0415  # Storm loads after its output has been redirected

        run(job, lambda stage, detail: report({"event": "progress", "stage": stage, "detail": detail}))
    except StormscopeError as error:
        kind = "usage" if isinstance(error, UsageError) else "limit" if _is_limit(error) else "model"
        report({"event": "error", "kind": kind, "what": error.what, "where": error.where, "hint": error.hint})
        return 1
    except MemoryError:
        report({"event": "error", "kind": "limit", "what": "not enough memory", "where": "", "hint": ""})
        return 1
    except OSError as error:
        what = f"the oracle's folder cannot be written: {error.strerror or error}"
        hint = "free some space, or set XDG_CACHE_HOME to another folder"
        report({"event": "error", "kind": "model", "what": what, "where": str(job.folder.parent), "hint": hint})
        return 1
    except Exception as error:  # noqa: BLE001  # the border of the process: what is not caught here would be lost
        traceback.print_exc()
        what = f"the oracle failed: {type(error).__name__}: {error}"
        report({"event": "error", "kind": "model", "what": what, "where": "", "hint": "please report this model"})
        return 1
    report({"event": "done"})
    return 0


def _is_limit(error: StormscopeError) -> bool:
    from engine.errors import LimitError  # noqa: PLC0415  # kept beside its use

    return isinstance(error, LimitError)


def _take_over_output(log: Path) -> Callable[[dict[str, Any]], None]:
    """Send file descriptors 1 and 2 to the log, as Storm prints there, and return a reporter on the old output."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)

    def report(message: dict[str, Any]) -> None:
        channel.write(json.dumps(message) + "\n")
        channel.flush()

    return report


def _end_with_parent() -> None:
    # Not through sys.stdin: a thread that waits in it keeps its lock, and Python aborts at its own end.
    while os.read(0, 1):
        pass
    os._exit(2)


if __name__ == "__main__":
    if len(sys.argv) != 2:  # noqa: PLR2004  # program and job file
        raise ModelError("the oracle child takes one job file")
    sys.exit(main(sys.argv[1]))
