"""What can be set about questions: the seed, tolerances and thresholds, and the difficulty formulas."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from engine.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

Formula: TypeAlias = Literal["paper", "refined"]
"""The two named sets of difficulty formulas (methods.md 1.3)."""
TOLERANCE = Fraction(1, 100)
"""How far an answer to ``satisfy`` may be from the true number unless something else is asked for."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What can be set about questions beside their states.

    Attributes
    ----------
    seed
        Of what a question draws beside its states.
    tolerance
        Of ``satisfy``; 0 accepts the exact number only.
    threshold
        λ of ``holds``; None to draw it.

    Raises
    ------
    UsageError
        If the tolerance is not in [0, 1).
    """

    seed: int = 0
    tolerance: Fraction = TOLERANCE
    threshold: Fraction | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance < 1:
            raise UsageError(f"the tolerance must be from 0 to below 1, not {self.tolerance}")


def read_tolerance(text: str) -> Fraction:
    """Return a tolerance in [0, 1), given as ``0.01`` or ``1/100``; raises UsageError."""
    return setting_of({"tolerance": text}).tolerance


def setting_of(parameters: Mapping[str, str], seed: int = 0) -> Setting:
    """Return the settings that a case's parameters name; raises UsageError for unknown names and senseless numbers."""
    numbers: dict[str, Fraction] = {}
    for name, text in parameters.items():
        if name not in {"tolerance", "threshold"}:
            raise UsageError(f"questions have no parameter {name!r}", hint="there are: threshold, tolerance")
        try:
            numbers[name] = Fraction(text.replace(" ", ""))
        except (ValueError, ZeroDivisionError):
            raise UsageError(f"{text!r} is no number", where=name, hint="write 0.05 or 1/20") from None
    return Setting(seed, numbers.get("tolerance", TOLERANCE), numbers.get("threshold"))


def read_formula(text: str) -> Formula:
    """Return the set of difficulty formulas of that name; raises UsageError."""
    match text:
        case "paper" | "refined":
            return text
        case _:
            raise UsageError(
                f"there are no difficulty formulas {text!r}", hint=f"take one of: {', '.join(get_args(Formula))}"
            )
