"""What a run tells of itself: the event of one answer, and how the run ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.campaign.events import Answered, Summary
from engine.campaign.spent import Spent

if TYPE_CHECKING:
    from engine.campaign.asking import Arrival
    from engine.campaign.progress import Progress
    from engine.campaign.setup import Setup


def count_arrival(setup: Setup, progress: Progress, arrival: Arrival) -> Answered:
    """Count a committed answer and return its event."""
    item, answer = arrival.item, arrival.answer
    name = answer.explainer
    again = item.key in setup.failed[name]
    took = Spent.of(answer.reply)
    progress.count(name, answer.verdict.outcome, took, again=again, cached=arrival.cached)
    return Answered(
        cells=item.entry.cells(name, item.variant),
        case=item.entry.case,
        variant=item.variant,
        sample=item.sample,
        verdict=answer.verdict,
        done=progress.done,
        total=progress.total,
        failed=progress.failed,
        rate=progress.rate(name),
        eta=progress.eta(),
        spent=progress.lanes[name].spent,
        cached=arrival.cached,
        took=took,
    )


def summary_of(setup: Setup, progress: Progress, *, stopped: bool, halted: str) -> Summary:
    """Return how a run ended."""
    return Summary(
        total=progress.total,
        done=progress.done,
        asked=progress.outcomes.total(),
        outcomes=dict(progress.outcomes),
        failed={name: lane.given_up for name, lane in progress.lanes.items() if lane.given_up is not None},
        stopped=stopped,
        seconds=progress.seconds,
        totals={outcome: count for outcome, count in progress.totals.items() if count},
        spent={name: lane.spent for name, lane in progress.lanes.items()},
        cached=progress.cached,
        skipped=setup.planned.skipped,
        halted=halted,
    )
