"""Running a campaign from the command line: models, explainers, progress, interruption, exit code."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import typer

from engine.campaign import AnswerCache, Control, Finished, Summary, cache_file, run_campaign
from engine.campaign.frozen import check_models
from engine.campaign.tools import default_tools
from engine.cli.campaign_probe import probe_all
from engine.cli.campaign_progress import ProgressLines, progress_for, spent_text
from engine.cli.common import INTERRUPTED, say
from engine.cli.report import print_report
from engine.cli.shortcomings import say_shortcomings
from engine.errors import EndpointError, StormscopeError, UsageError
from engine.explainers.registry import make_explainer
from engine.mdp.model_name import split_model
from engine.recent import remember_campaign
from engine.reports.build import build_report, explainers_below
from engine.text import plain
from engine.verdicts.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from engine.campaign import Plan
    from engine.campaign.frozen import Frozen
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
    """A plan with everything that it names.

    Attributes
    ----------
    plan, openings, settings
        What is asked, which models are opened, and how language models are reached.
    out
        The campaign's file; a new one in the user's data folder if None.
    model_file
        The weights of the explainer ``local``.
    frozen
        The case files that are asked, None if cases are generated.
    policy
        The file of the policy that generated cases are about; None for optimal play.
    fresh
        Whether everything is asked anew, although an earlier campaign may have asked it.
    retry_errors
        Whether questions that failed before are asked again.
    probe
        Whether endpoints are probed first.
    """

    plan: Plan
    openings: Mapping[str, Opening]
    settings: Settings
    out: Path | None
    model_file: Path | None
    frozen: Frozen | None = None
    policy: Path | None = None
    fresh: bool = False
    retry_errors: bool = False
    probe: bool = False
    control: Control = field(default_factory=Control)

    def run(self) -> Outcome:
        """Check the models, ask, and return when all is answered or the user has interrupted."""
        explainers = {name: self._explainer(name) for name in self.plan.explainers}
        file = self.out or new_file()
        with _nothing_left_behind(file), Store(file, write=True) as store:
            policies = dict.fromkeys(self.openings, self.policy) if self.frozen is None else self.frozen.policies
            oracles = {name: opening.oracle(policies.get(name)) for name, opening in self.openings.items()}
            if self.frozen is not None:
                check_models(self.frozen, oracles)
            remember_campaign(file)
            with contextlib.closing(AnswerCache(cache_file(), tell=say, fresh=self.fresh)) as cache:
                return asyncio.run(self._drive(store, oracles, explainers, cache))

    def _explainer(self, name: str) -> Explainer:
        return make_explainer(name, self.settings, model_file=self.model_file, on_event=self.control.listener(name))

    async def _drive(
        self, store: Store, oracles: Mapping[str, Oracle], explainers: Mapping[str, Explainer], cache: AnswerCache
    ) -> Outcome:
        summary: Summary | None = None
        if self.probe:
            explainers = await probe_all(explainers, store)
        with progress_for(self.plan) as progress, _interrupts(self.control, progress):
            campaign = run_campaign(
                self.plan,
                oracles,
                explainers,
                store,
                control=self.control,
                tools=None if self.frozen is None else replace(default_tools(), generate=self.frozen.generate),
                cache=cache,
                retry_errors=self.retry_errors,
            )
            async with contextlib.aclosing(campaign) as events:
                async for event in events:
                    progress.show(event)
                    if isinstance(event, Finished):
                        summary = event.summary
        return Outcome(store.path, summary, self.control.stopped)


@contextlib.contextmanager
def _nothing_left_behind(file: Path) -> Iterator[None]:
    """Remove a file that a run has made and that failed before it had anything to keep."""
    new = not file.exists()
    try:
        yield
    except BaseException:
        if new and file.exists():
            with contextlib.suppress(StormscopeError, OSError):
                with Store(file, write=False) as store:
                    empty = not store.runs()
                if empty:
                    file.unlink()
        raise


@contextlib.contextmanager
def _interrupts(control: Control, progress: ProgressLines) -> Iterator[None]:
    """Let the first interrupt stop the campaign in good order, and a second one end it at once."""
    loop = asyncio.get_running_loop()
    handled = (signal.SIGINT, signal.SIGTERM)

    def stop() -> None:
        for number in handled:
            loop.remove_signal_handler(number)
        progress.say("stopping: nothing more is asked, all answers are kept")
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
    """Return the models of ``--env`` by name, ``MODEL[:k=v,…]``; all packaged and own environments for ``all``."""
    from engine.mdp.sources import known_environments  # noqa: PLC0415  # reads the environment folders

    found: dict[str, Opening] = {}
    wanted = [name for text in texts or ("all",) for name in (known_environments() if text == "all" else (text,))]
    for text in wanted:
        if text in found:
            raise UsageError(f"{text} is given twice", where="--env", hint="name it once")
        found[text] = replace(shared, model=text)
    return found


def models_of_cases(frozen: Frozen, shared: Opening) -> dict[str, Opening]:
    """Return the models that case files are about, as they were opened then."""
    return {
        file.model.name: replace(
            shared,
            model=split_model(file.model.name)[0],
            constants=[f"{constant}={value}" for constant, value in file.model.constants.items()],
            objective=file.model.objective,
            danger=file.model.danger,
            mode=file.mode,
        )
        for file in frozen.files
    }


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


def finish(outcome: Outcome, grader: str, fail_under: float | None, resume: Callable[..., str], *, json: bool) -> None:
    """Print the report and how to go on, and exit with the code that the contract names.

    Parameters
    ----------
    outcome
        How the campaign ended.
    grader, fail_under, json
        As the options.
    resume
        Returns the command that goes on, with options that are added to it.
    """
    print_report(outcome.file, grader, json=json)
    say(f"answers are kept in {plain(str(outcome.file))}")
    summary = outcome.summary
    if summary is not None:
        _say_spent(summary)
    say_shortcomings(outcome.file)
    if outcome.interrupted or (summary is not None and summary.stopped):
        say(f"interrupted; to go on:\n  {plain(resume())}")
        raise typer.Exit(INTERRUPTED)
    if summary is not None and (summary.missing or summary.failed):
        raise _unanswered(summary, resume)
    if fail_under is None:
        return
    with Store(outcome.file, write=False) as store:
        below = explainers_below(build_report(store), Fraction(str(fail_under)))
    for row in below:
        say(f"{plain(row.explainer)} passes {row.passed:,} of {row.n:,}, less than {fail_under:g}")
    if below:
        raise typer.Exit(1)


def _say_spent(summary: Summary) -> None:
    for name, spent in summary.spent.items():
        if text := spent_text(spent):
            say(f"{plain(name)}: {text} tokens" if not spent.costs else f"{plain(name)}: {text}")
    if summary.cached:
        say(f"{summary.cached} answers came from the cache of earlier campaigns; --fresh asks anew")


def _unanswered(summary: Summary, resume: Callable[..., str]) -> EndpointError:
    errors = summary.totals.get("error", 0)
    failed = f"; given up: {', '.join(summary.failed)}" if summary.failed else ""
    ended = f", {errors} of them after an error" if errors else ""
    halted = "; nothing more was asked of anybody, because the key was refused" if summary.halted else ""
    return EndpointError(
        f"{summary.missing:,} of {summary.total:,} questions have no answer{ended}{failed}{halted}",
        hint=f"to ask {'these again' if errors else 'them'}:\n    {resume(*(('--retry-errors',) if errors else ()))}",
    )
