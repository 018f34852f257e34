"""What a campaign is asked to do, as one frozen value that is stored with its answers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from engine.errors import StoreError, UsageError
from engine.queries.limits import LARGEST_BUDGET, MOST_SAMPLES
from engine.queries.setting import read_formula, read_tolerance

if TYPE_CHECKING:
    from collections.abc import Mapping

STRATEGIES = ("prioritized", "random")


@dataclass(frozen=True, slots=True)
class Plan:
    """The grid of a campaign and how its questions are made.

    Attributes
    ----------
    models
        Names of the checked models, as the command line takes them (``frozen_lake``, ``frozen_lake:map=8``).
    explainers
        Names of those who answer.
    categories
        Names of the categories (methods.md 1.2).
    strategies
        How cases are chosen: ``prioritized``, ``random`` or both.
    variants
        Wordings; empty for each environment's first, ``("all",)`` for all that each has.
    budget
        Cases for each model, category and strategy.
    samples
        Questions for each case and wording.
    seed
        Of the cases, of the baselines and of the requests.
    concurrency
        Questions in flight for each language model.
    subset_size
        States of a subset question.
    explanation_length
        The longest explanation in characters that the answer's schema allows.
    difficulty
        The formulas of difficulty: ``paper`` or ``refined`` (methods.md 1.3).
    shuffle
        Whether the options are shown in another order for each case and sample.
    tolerance
        How far an answer to ``satisfy`` may be from the true number, as exact text; another spelling is made the same.
    frozen
        The digest of the case files that are asked instead of generated cases; empty if cases are generated.
    policy
        The policy that the questions are about, its file's name and a hash of its content; empty for optimal play.

    Raises
    ------
    UsageError
        If a number is below 1, the budget or the samples are beyond what can be asked, or a list is empty, names
        something twice or names an unknown strategy.
    """

    models: tuple[str, ...]
    explainers: tuple[str, ...]
    categories: tuple[str, ...]
    strategies: tuple[str, ...] = ("prioritized",)
    variants: tuple[str, ...] = ()
    budget: int = 20
    samples: int = 1
    seed: int = 0
    concurrency: int = 4
    subset_size: int = 4
    explanation_length: int = 200
    difficulty: str = "paper"
    shuffle: bool = False
    tolerance: str = "1/100"
    frozen: str = ""
    policy: str = ""

    def __post_init__(self) -> None:
        for name in ("models", "explainers", "categories", "strategies"):
            if not getattr(self, name):
                raise UsageError(f"a campaign needs at least one of its {name}")
        for name in ("models", "explainers", "categories", "strategies", "variants"):
            values: tuple[str, ...] = getattr(self, name)
            twice = next((value for value in values if values.count(value) > 1), None)
            if twice is not None:
                raise UsageError(f"{twice!r} is named twice among the {name}", hint="name it once")
        for strategy in self.strategies:
            if strategy not in STRATEGIES:
                raise UsageError(f"there is no strategy {strategy!r}", hint=f"take one of: {', '.join(STRATEGIES)}")
        read_formula(self.difficulty)
        self._check_numbers()
        object.__setattr__(self, "tolerance", str(read_tolerance(self.tolerance)))  # one spelling for one number

    def _check_numbers(self) -> None:
        for name in ("budget", "samples", "concurrency", "subset_size", "explanation_length"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name.replace('_', ' ')} must be at least 1, not {getattr(self, name)}")
        for name, most in (("budget", LARGEST_BUDGET), ("samples", MOST_SAMPLES)):
            if getattr(self, name) > most:
                raise UsageError(f"{name} must be at most {most}, not {getattr(self, name)}")

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Plan:
        """Read a stored plan; raises StoreError if it is not one."""
        known = {field.name for field in fields(cls)}
        try:
            values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items() if k in known}
            return cls(**values)
        except TypeError as error:
            raise StoreError(f"the stored plan is damaged: {error}") from None


FIXED = ("seed", "subset_size", "explanation_length", "difficulty", "shuffle", "frozen", "policy")
"""What one campaign file cannot mix: the settings that change a question without changing its key.

The tolerance is one of them too, but answers can be graded again with another one: see `check_resumable`."""
