"""The same questions through inspect_ai, in a process of its own that `asking` starts where inspect_ai is installed.

Arguments: the server's base URL, a JSON file with prompts, questions in flight. Prints seconds and megabytes as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    """Run one evaluation and print its figures."""
    url, file, concurrency = sys.argv[1:]
    os.environ |= {"BENCH_BASE_URL": url, "BENCH_API_KEY": "none"}
    from inspect_ai import Task  # noqa: PLC0415  # not installed everywhere
    from inspect_ai import eval as run  # noqa: PLC0415  # as above
    from inspect_ai.dataset import MemoryDataset, Sample  # noqa: PLC0415  # as above
    from inspect_ai.solver import generate  # noqa: PLC0415  # as above

    samples = [Sample(input=text) for text in json.loads(Path(file).read_text(encoding="utf-8"))]
    task = Task(dataset=MemoryDataset(samples), solver=generate())
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        (log,) = run(
            task,
            model="openai-api/bench/bench",
            max_connections=int(concurrency),
            max_samples=int(concurrency),
            log_dir=folder,
            display="none",
        )
        seconds = time.perf_counter() - started
    if log.status != "success":
        reason = log.error.message.splitlines()[0] if log.error else "no reason given"
        raise SystemExit(f"inspect_ai ended with {log.status}: {reason}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps({"seconds": seconds, "megabytes": peak}))  # noqa: T201  # the parent reads it


if __name__ == "__main__":
    main()
