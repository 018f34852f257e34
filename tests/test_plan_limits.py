"""A plan refuses numbers that no campaign can ask."""

from __future__ import annotations

import pytest
from campaign_support import plan

from engine.errors import UsageError


@pytest.mark.parametrize(
    ("name", "value", "most"),
    [
        ("budget", 100_001, 100_000),
        ("budget", 99_999_999_999_999_999_999, 100_000),
        ("samples", 10_001, 10_000),
        ("samples", 99_999_999_999, 10_000),
    ],
)
def test_a_plan_beyond_the_limits_is_refused(name: str, value: int, most: int) -> None:
    """Budgets and samples end where the generator's memory and an interruptible run do; the limit itself is allowed."""
    with pytest.raises(UsageError, match=f"{name} must be at most {most}, not {value}"):
        plan(**{name: value})
    assert getattr(plan(**{name: most}), name) == most
