"""Frozen cases: a campaign that asks what case files say, with the truth that the oracle finds now."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.verdicts.model_changes import difference
from engine.verdicts.records import ModelRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction
    from pathlib import Path

    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from engine.queries.generation import Strategy
    from engine.queries.setting import Formula
    from engine.verdicts.casefile import CaseFile


@dataclass(frozen=True, slots=True)
class FrozenCases:
    """What case files hold, as generation gives it (`engine.campaign.tools.Generated`)."""

    cases: tuple[Case, ...]
    omitted: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Frozen:
    """Some case files as the stage of a campaign that chooses cases.

    Raises
    ------
    UsageError
        If two files hold the cases of one model and strategy, or name one model for two different ones.
    """

    files: tuple[CaseFile, ...]

    def __post_init__(self) -> None:
        seen: dict[tuple[str, str], CaseFile] = {}
        for file in self.files:
            twin = seen.setdefault((file.model.name, file.strategy), file)
            if twin is not file:
                raise UsageError(
                    f"{twin.path} holds {file.strategy} cases of {file.model.name!r} already",
                    where=str(file.path),
                    hint="give one file for each model and strategy",
                )
        for name in ("tolerance", "difficulty"):
            values = {value for file in self.files if (value := getattr(file, name)) is not None}
            if len(values) > 1:
                raise UsageError(f"the case files differ in their {name}: {', '.join(sorted(values))}", where="--cases")

    @property
    def digest(self) -> str:
        """A hash of all questions, whatever the order of the files."""
        return hashlib.sha256("".join(sorted(file.digest for file in self.files)).encode()).hexdigest()[:16]

    @property
    def policies(self) -> dict[str, Path | None]:
        """Model → the policy that its cases are about, None for optimal play."""
        return {file.model.name: file.policy for file in self.files}

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories of all files."""
        return tuple(dict.fromkeys(category for file in self.files for category in file.categories))

    @property
    def strategies(self) -> tuple[str, ...]:
        """The strategies of all files."""
        return tuple(dict.fromkeys(file.strategy for file in self.files))

    @property
    def difficulty(self) -> str:
        """The formulas that the cases were chosen by."""
        return self.files[0].difficulty

    @property
    def tolerance(self) -> str | None:
        """What ``satisfy`` is graded with; None if no case has a tolerance."""
        return next((file.tolerance for file in self.files if file.tolerance is not None), None)

    @property
    def largest(self) -> int:
        """The most cases that a file has in one category, at least 1."""
        counts = (sum(case.category == name for case in file.cases) for file in self.files for name in file.categories)
        return max(counts, default=1)

    def generate(
        self,
        oracle: Oracle,
        categories: Sequence[str],
        *,
        budget: int,
        strategy: Strategy,
        seed: int,
        subset_size: int,
        difficulty: Formula,
        tolerance: Fraction,
    ) -> FrozenCases:
        """Return the files' cases about a model; raises UsageError if one is not what the oracle says of it."""
        from engine.campaign.frozen_check import checked_cases  # noqa: PLC0415 - loads arrays, which --help does without

        del budget, seed, subset_size, difficulty, tolerance  # the files have settled these
        found = [file for file in self.files if file.model.identity == oracle.identity and file.strategy == strategy]
        cases = [case for file in found for case in checked_cases(oracle, file) if case.category in categories]
        have = {case.category for case in cases}
        missing = {name: "the case files have none" for name in categories if name not in have}
        return FrozenCases(tuple(cases), missing)


def check_models(frozen: Frozen, oracles: Mapping[str, Oracle]) -> None:
    """Raise UsageError if a model is not the one that its cases were made from; it says what is different."""
    for file in frozen.files:
        now = ModelRecord.of(file.model.name, oracles[file.model.name])
        if now.identity != file.model.identity:
            raise UsageError(
                f"the model {now.name!r} is not the one that these cases were made from: {difference(file.model, now)}",
                where=str(file.path),
                hint="undo the change, or make the cases again",
            )
