"""Which questions of a campaign file a person picked: those are kept beside the campaign and are in no rate of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.queries.case import MANUAL

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def kept_sample(sample: int) -> int:
    """Return the number that a kept answer has in a file: below 0, where no plan asks.

    So a campaign that comes to the same question asks it for itself, and counts its own answer.
    """
    return -1 - sample


def told_sample(sample: int) -> int:
    """Return a sample's number for people, from 1, whether a plan or a person asked it."""
    return sample + 1 if sample >= 0 else -sample


def picked_cases(strategies: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Return the cases that only a person has chosen; none where every case of the file is one of these.

    Older files number kept answers as a plan does, so there only their cases tell them from a campaign's own.

    Parameters
    ----------
    strategies
        Case → what has chosen it.
    """
    picked = frozenset(name for name, chosen in strategies.items() if all(each == MANUAL for each in chosen))
    return picked if len(picked) < len(strategies) else frozenset()


def question_words(variant: str, sample: int, strategies: Collection[str], *, kept: bool) -> str:
    """Return which question of its case it is: ``plain, sample 1, prioritized``, or ``plain, kept by hand (2)``."""
    if kept:
        return f"{variant}, kept by hand ({told_sample(sample)})"
    return ", ".join([variant, f"sample {told_sample(sample)}", *strategies])
