"""Running a campaign from the command line: models, explainers, progress, interruption, exit code."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import typer

from engine.campaign import Control, ExplainerFailed, Finished, Summary, run_campaign
from engine.cli.campaign_progress import ProgressLines, progress_for
from engine.cli.common import INTERRUPTED, say
from engine.cli.report import print_report
from engine.errors import EndpointError, UsageError
from engine.explainers.registry import make_explainer
from engine.text import plain
from engine.verdicts.report import build_report, explainers_below
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from engine.campaign import Plan
    from engine.cli.opening import Opening
    from engine.explainers.base import Explainer
    from engine.oracle.facts import Oracle
    from engine.settings import Settings


@dataclass(frozen=True)
class Outcome:
    """How a campaign ended."""

    file: Path
    summary: Summary | None
    interrupted: bool


@dataclass(frozen=True)
class Campaign:
    """A plan with everything that it names."""

    plan: Plan
    openings: Mapping[str, Opening]
    settings: Settings
    out: Path | None
    model_file: Path | None

    def run(self) -> Outcome:
        """Check the models, ask, and return when all is answered or the user has interrupted."""
        control = Control()
        explainers = {name: self._explainer(name, control) for name in self.plan.explainers}
        file = self.out or new_file()
        with Store(file, write=True) as store:
            oracles = {name: opening.oracle() for name, opening in self.openings.items()}
            return asyncio.run(self._drive(store, oracles, explainers, control))

    def _explainer(self, name: str, control: Control) -> Explainer:
        return make_explainer(name, self.settings, model_file=self.model_file, on_event=control.listener(name))

    async def _drive(
        self, store: Store, oracles: Mapping[str, Oracle], explainers: Mapping[str, Explainer], control: Control
    ) -> Outcome:
        summary: Summary | None = None
        progress: ProgressLines
        with _interrupts(control), progress_for(self.plan) as progress:
            async with contextlib.aclosing(
                run_campaign(self.plan, oracles, explainers, store, control=control)
            ) as events:
                async for event in events:
                    progress.show(event)
                    if isinstance(event, ExplainerFailed):
                        progress.say(f"{event.explainer}: {event.error}")
                    elif isinstance(event, Finished):
                        summary = event.summary
        return Outcome(store.path, summary, control.stopped)


@contextlib.contextmanager
def _interrupts(control: Control) -> Iterator[None]:
    """Let the first interrupt stop the campaign in good order, and a second one end it at once."""
    loop = asyncio.get_running_loop()
    handled = (signal.SIGINT, signal.SIGTERM)

    def stop() -> None:
        for number in handled:
            loop.remove_signal_handler(number)
        say("stopping: nothing more is asked, all answers are kept")
        control.stop()

    try:
        for number in handled:
            loop.add_signal_handler(number, stop)
    except NotImplementedError:  # no signal handlers in this platform's event loops: an interrupt cancels the run
        pass
    try:
        yield
    finally:
        with contextlib.suppress(NotImplementedError):
            for number in handled:
                loop.remove_signal_handler(number)


def models_of(texts: Sequence[str] | None, shared: Opening) -> dict[str, Opening]:
    """Return the models of ``--env`` by name, ``MODEL[:k=v,…]``; all packaged and own environments if none is given."""
    from engine.mdp.sources import known_environments  # noqa: PLC0415  # reads the environment folders

    found: dict[str, Opening] = {}
    for text in texts or list(known_environments()):
        name, colon, constants = text.rpartition(":")
        if not colon or "=" not in constants:
            name, constants = text, ""
        if text in found:
            raise UsageError(f"{text} is given twice", where="--env", hint="name it once")
        found[text] = replace(shared, model=name, constants=(*shared.constants, *([constants] if constants else [])))
    return found


def new_file() -> Path:
    """Return a new file in the user's data folder."""
    from datetime import UTC, datetime  # noqa: PLC0415  # only here

    from engine.folders import data_dir  # noqa: PLC0415  # as above

    folder = data_dir() / "campaigns"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"the folder cannot be made: {error.strerror}", where=str(folder), hint="name a file with --out"
        ) from None
    stem = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    names = (folder / f"{stem}{suffix}.sqlite" for suffix in ("", *(f"-{number}" for number in range(2, 1000))))
    return next(file for file in names if not file.exists())


def finish(outcome: Outcome, grader: str, fail_under: float | None, *, json: bool) -> None:
    """Print the report and how to go on, and exit with the code that the contract names."""
    print_report(outcome.file, grader, json=json)
    say(f"answers are kept in {plain(str(outcome.file))}")
    summary = outcome.summary
    if outcome.interrupted or (summary is not None and summary.stopped):
        say(f"interrupted; the same command with --out {plain(str(outcome.file))} goes on")
        raise typer.Exit(INTERRUPTED)
    if summary is not None and (summary.missing or summary.failed):
        failed = f"; given up: {', '.join(summary.failed)}" if summary.failed else ""
        raise EndpointError(
            f"{summary.missing} of {summary.total} questions have no answer{failed}",
            hint=f"the same command with --out {outcome.file} asks only those",
        )
    if fail_under is None:
        return
    with Store(outcome.file, write=False) as store:
        below = explainers_below(build_report(store), Fraction(str(fail_under)))
    for row in below:
        say(f"{plain(row.explainer)} passes {row.passed} of {row.n}, less than {fail_under:g}")
    if below:
        raise typer.Exit(1)
