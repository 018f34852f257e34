"""What the campaign screen asks of the engine, as one small interface that tests can stand in for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import threading
    from collections.abc import AsyncGenerator, Callable, Mapping
    from pathlib import Path

    from engine.campaign.control import Control
    from engine.campaign.forecast import Forecast, Pace
    from engine.oracle.facts import Oracle
    from tui.campaigns.tally import News

    Progress: TypeAlias = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class CampaignRequest:
    """The grid that the user chose.

    Attributes
    ----------
    explainers, categories
        Who is asked what.
    budget
        Cases of each model, category and strategy.
    models
        Environments; the one that is open by the name of its environment. Empty for the open one alone.
    strategies, variants, samples, seed, concurrency, difficulty, shuffle
        As in `engine.campaign.plan.Plan`.
    file
        Where it is kept; None for the file that belongs to the grid.
    """

    explainers: tuple[str, ...]
    categories: tuple[str, ...]
    budget: int
    models: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ("prioritized",)
    variants: tuple[str, ...] = ()
    samples: int = 1
    seed: int = 0
    concurrency: int = 4
    difficulty: str = "paper"
    shuffle: bool = False
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """Something to choose from.

    Attributes
    ----------
    name
        As a plan has it.
    note
        What it is, or why it cannot be chosen.
    chosen
        Whether it is chosen at first.
    """

    name: str
    note: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Offers:
    """What a grid can be made of.

    Attributes
    ----------
    models
        The open model first, then the environments.
    explainers, categories, variants
        As in a plan. The note of a category says why the open model has no question of it; empty if it has.
    before
        The grid that was asked last, in the given file or about the open model; None if there was none.
    """

    models: tuple[Offer, ...]
    explainers: tuple[Offer, ...]
    categories: tuple[Offer, ...]
    variants: tuple[Offer, ...]
    before: CampaignRequest | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a grid comes to.

    Attributes
    ----------
    forecast
        Cases and questions.
    paces
        Language model → what one of its answers takes, as far as it is known.
    concurrency
        Questions in flight, of each.
    file
        Where it will be kept.
    """

    forecast: Forecast
    paces: Mapping[str, Pace] = field(default_factory=dict)
    concurrency: int = 1
    file: Path | None = None

    @property
    def calls(self) -> int:
        """Questions to language models that have no answer yet."""
        return sum(self.forecast.pending[name] for name in self.paces)


class CampaignServices(Protocol):
    """The engine as the campaign screen sees it; all methods raise StormscopeError, and all but `run` block."""

    def offers(self, oracle: Oracle, file: Path | None = None) -> Offers:
        """Return what a grid can be made of while a model is open; the grid before is that of a file, or its own."""
        ...

    def file(self, oracle: Oracle, request: CampaignRequest) -> Path:
        """Return the file that keeps a grid's campaign."""
        ...

    def estimate(
        self, oracle: Oracle, request: CampaignRequest, progress: Progress, cancel: threading.Event
    ) -> Estimate:
        """Count the cases of a grid; models that are not open yet are checked first."""
        ...

    def run(self, oracle: Oracle, request: CampaignRequest, control: Control) -> AsyncGenerator[News, None]:
        """Ask many questions; each answer is committed before its event arrives. `control` pauses and stops it."""
        ...
