"""A running campaign as a value: its events go in, what to show comes out. Knows nothing of Textual."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.campaign.board import Board
from engine.campaign.events import Answered, ExplainerFailed, Finished, Planned, Waiting
from engine.verdicts.live import LiveCell, together

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engine.campaign.board import Place
    from engine.campaign.events import Event

    News: TypeAlias = "Event | Stored | Opening"


@dataclass(frozen=True, slots=True)
class Stored:
    """What a campaign's file holds: of earlier runs, right after the plan of a running one."""

    board: Board


@dataclass(frozen=True, slots=True)
class Opening:
    """A model of the campaign is being checked: the oracle's stage."""

    model: str
    stage: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Why an explainer waits, for how many seconds (None if unknown), and since when on the monotonic clock."""

    why: str
    seconds: float | None
    since: float

    def left(self, now: float) -> float | None:
        """Return how many seconds it still waits."""
        return None if self.seconds is None else max(self.seconds - (now - self.since), 0.0)


@dataclass(frozen=True, slots=True)
class Tally:
    """What a campaign has brought so far, all runs of its file together.

    Attributes
    ----------
    board
        Its verdicts.
    done, total
        Answered questions and all questions of the file, as `engine.verdicts.counts` counts them.
    eta
        Seconds left; None while unknown.
    rates
        Explainer → answers a second in this run.
    waits
        Explainer → why it waits right now.
    given_up
        Explainer → why it is not asked any more.
    notices
        What went differently from the plan, oldest first.
    stage
        What happens before the first question; empty later.
    running, paused, ending, stopped
        Whether it is under way, holds, was told to stop, and ended before it was through.
    earlier
        Whether all of it was read from the file of earlier runs.
    beside
        Of a running plan: answered questions and all questions of the file that are not its own.
    """

    board: Board = field(default_factory=Board)
    done: int = 0
    total: int = 0
    eta: float | None = None
    rates: Mapping[str, float] = field(default_factory=dict)
    waits: Mapping[str, Wait] = field(default_factory=dict)
    given_up: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    stage: str = ""
    running: bool = False
    paused: bool = False
    ending: bool = False
    stopped: bool = False
    earlier: bool = False
    beside: tuple[int, int] = (0, 0)

    @classmethod
    def of_file(cls, stored: Stored) -> Tally:
        """Return the tally of everything that a file holds."""
        return cls(stored.board, *_sums(stored.board), earlier=True)

    @property
    def kept(self) -> int:
        """Answers that were kept by hand; they are in no other number."""
        return sum(cell.answered for cell in self.board.kept.values())

    def with_kept(self, stored: Stored) -> Tally:
        """Return the tally with the answers that a file keeps by hand now, and nothing else of it."""
        return replace(self, board=replace(self.board, kept=stored.board.kept))

    @property
    def missing(self) -> int:
        """Questions without an answer."""
        return self.total - self.done

    @property
    def unfinished(self) -> bool:
        """Whether nothing is asked now, and something is left to ask."""
        return not self.running and self.missing > 0

    @property
    def models(self) -> tuple[str, ...]:
        """The models in the order of the plan, then those that only the file has."""
        return tuple(dict.fromkeys(model for model, _, _ in self.board.cells))

    @property
    def explainers(self) -> tuple[str, ...]:
        """The explainers, in the same order; those of answers that were kept by hand come last."""
        return tuple(dict.fromkeys(explainer for _, explainer, _ in (*self.board.cells, *self.board.kept)))

    def kept_of(self, explainer: str, model: str | None = None) -> LiveCell | None:
        """Return an explainer's answers that were kept by hand, all categories together; None if there are none."""
        cells = [cell for place, cell in self.board.kept.items() if place[1] == explainer and model in {None, place[0]}]
        return together(cells) if cells else None

    def groups(self, model: str | None = None) -> dict[tuple[str, str], tuple[LiveCell, ...]]:
        """Return ``(explainer, category)`` → its cells, that of one model or those of all."""
        found: dict[tuple[str, str], tuple[LiveCell, ...]] = {}
        for (name, explainer, category), cell in self.board.cells.items():
            if model in {None, name}:
                found[explainer, category] = (*found.get((explainer, category), ()), cell)
        return found

    def counts(self, model: str | None = None) -> dict[tuple[str, str], LiveCell]:
        """Return ``(explainer, category)`` → its cell, of one model or of all together."""
        return {key: together(cells) for key, cells in self.groups(model).items()}

    def total_of(self, explainer: str, model: str | None = None) -> LiveCell:
        """Return an explainer's cell over all categories, of one model or of all together."""
        return together(self._cells(explainer, model))

    def _cells(self, explainer: str, model: str | None) -> Iterator[LiveCell]:
        return (
            cell
            for (its_model, name, _), cell in self.board.cells.items()
            if name == explainer and model in {None, its_model}
        )

    def planned_of(self, explainer: str) -> tuple[int, int]:
        """Return how many of an explainer's questions are answered, and how many there are."""
        cells = list(self._cells(explainer, None))
        return sum(cell.answered for cell in cells), sum(cell.planned for cell in cells)

    def hold(self, *, paused: bool) -> Tally:
        """Return the tally of a run that pauses, or goes on."""
        return replace(self, paused=paused)

    def end_soon(self) -> Tally:
        """Return the tally of a run that was told to stop and has not yet ended."""
        return replace(self, ending=True, paused=False)

    def end(self, *, stopped: bool) -> Tally:
        """Return the tally of a run that is over."""
        return replace(
            self, running=False, paused=False, ending=False, stopped=stopped, waits={}, rates={}, eta=None, stage=""
        )

    def add(self, event: News, now: float = 0.0) -> Tally:  # noqa: PLR0911 - one for each kind of event
        """Return the tally after one event; `now` is on the monotonic clock."""
        match event:
            case Opening(model, stage):
                return replace(self, stage=f"{model}: {stage}")
            case Planned():
                return self._planned(event)
            case Stored(board):
                done, total = _sums(board)
                beside = (done - self.done, total - self.total)
                return replace(self, board=board, done=done, total=total, beside=beside)
            case Answered():
                return self._answered(event)
            case Waiting(explainer, why, seconds):
                return replace(self, waits={**self.waits, explainer: Wait(why, seconds, now)})
            case ExplainerFailed(explainer, error):
                return replace(
                    self, given_up={**self.given_up, explainer: error}, waits=_without(self.waits, explainer)
                )
            case Finished(summary):
                halted = (f"halted: {summary.halted}",) if summary.halted else ()
                ended = self.end(stopped=summary.stopped)
                notices = (*self.notices, *halted)
                return replace(ended, **self._counted(summary.done, summary.total), notices=notices)

    def _answered(self, event: Answered) -> Tally:
        name = event.cell.explainer
        return replace(
            self,
            board=self.board.add(event),
            **self._counted(event.done, event.total),
            eta=event.eta,
            rates={**self.rates, name: event.rate},
            waits=_without(self.waits, name) if name in self.waits else self.waits,
            stage="",
        )

    def _counted(self, done: int, total: int) -> dict[str, Any]:
        """Return the fields of a plan's count, with what the file holds beside it."""
        return {"done": done + self.beside[0], "total": total + self.beside[1]}

    def _planned(self, event: Planned) -> Tally:
        cells: dict[Place, LiveCell] = {}
        for cell, planned in event.cells.items():
            place = cell.model, cell.explainer, cell.category
            before = cells.get(place, LiveCell())
            cells[place] = replace(before, planned=before.planned + planned)
        many = len({cell.model for cell in event.cells}) > 1
        reasons: dict[str, list[str]] = {}
        for (model, category), why in event.omitted.items():
            reasons.setdefault(why, []).append(f"{model} {category}" if many else category)
        notices = [f"without {', '.join(names)}: {why}" for why, names in reasons.items()]
        short = {(model, category): number for (model, category, _), number in event.short.items()}
        fewer = [f"{f'{model} ' if many else ''}{category} {number}" for (model, category), number in short.items()]
        notices += [f"fewer cases: {', '.join(fewer)}"] if fewer else []
        board = replace(self.board, cells=cells)
        return replace(self, board=board, done=event.done, total=event.total, notices=tuple(notices), stage="")


def _sums(board: Board) -> tuple[int, int]:
    """Return how many questions of a board are answered, and all of them."""
    cells = board.cells.values()
    return sum(cell.answered for cell in cells), sum(cell.planned for cell in cells)


def _without(waits: Mapping[str, Wait], explainer: str) -> dict[str, Wait]:
    return {name: wait for name, wait in waits.items() if name != explainer}
