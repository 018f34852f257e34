"""What ``check --json`` prints, as models."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from engine.cli.schema_parts import (
    Count,
    ExactNumber,
    Fact,
    MaybeNumber,
    Mode,
    Number,
    Output,
    Part,
    StateRef,
)


class Approximation(Part):
    """A number that Storm gives without bounds: nothing is decided by it."""

    approximate: float


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


Asked: Any = Field(default=None, json_schema_extra=_without_default, description="Only where it was asked for.")
"""A key that is there or not, and never null."""


class InitialValue(Part):
    """V at an initial state."""

    state: Count
    value: MaybeNumber
    float_: float | None = Field(alias="float", description="The same as a double; null where infinite or undefined.")


class PropertyAt(Part):
    """A further property at an initial state."""

    state: Count
    value: bool | Number | Approximation


class PropertyRow(Part):
    """A further property."""

    property: str
    formula: str
    states: Literal["all", "initial"] = Field(description="Where Storm gives a value; a filter combines some.")
    value: bool | Number | Approximation | None = Field(description="Null where the initial states differ.")
    initial: list[PropertyAt]


class Counts(Part):
    """How many states or facts; null where not defined."""

    dead_ends: Count | None
    bottlenecks: Count | None
    undecided: Count


class PolicyValue(Part):
    """A policy's value at an initial state."""

    state: Count
    value: MaybeNumber


class PolicySummary(Part):
    """A policy that was evaluated beside the optimum."""

    name: str
    initial: list[PolicyValue]
    suboptimal_states: Count
    undecided_states: Count
    undefined_states: Count


class PolicyAt(Part):
    """A policy in one state."""

    actions: dict[str, ExactNumber] | None = Field(description="Probability of each action; null where it says none.")
    value: MaybeNumber
    gap: MaybeNumber
    optimal: Fact
    q: dict[str, MaybeNumber]


class Successor(Part):
    """Where an action can lead."""

    state: Count
    probability: ExactNumber | float = Field(description="Exact text in exact mode, a double in sound mode.")


class ActionRow(Part):
    """An action of a listed state."""

    action: str
    choice: Count
    q: MaybeNumber
    best: Fact
    worst: Fact
    progressing: Fact
    successors: list[Successor]


class StateRow(StateRef):
    """A listed state."""

    labels: list[str]
    properties: dict[str, bool | Number | Approximation] = Field(
        description="Further properties that Storm checks in every state."
    )
    value: MaybeNumber
    danger: MaybeNumber
    dead_end: Fact
    bottleneck: Fact
    loss: MaybeNumber = Field(description="Null where it was not computed.")
    policy: PolicyAt | None
    actions: list[ActionRow]


class Verified(Part):
    """What was verified without Storm."""

    states: Count
    conditions: list[str]
    unavailable: str | SkipJsonSchema[None] = Field(
        default=None, json_schema_extra=_without_default, description="Why nothing was verified; only if so."
    )


class CheckOutput(Output):
    """``stormscope check --json``."""

    model: str
    constants: dict[str, str]
    states: Count
    choices: Count
    transitions: Count
    mode: Mode
    objective: str | None
    danger: str | None
    objective_name: str | None = Field(description="The objective's name in the model or the properties file.")
    notes: list[str] = Field(description="What else the user should know of this model.")
    deadlocks: Count
    initial: list[InitialValue]
    properties: list[PropertyRow]
    policy: PolicySummary | None
    counts: Counts
    matching: Count = Field(description="States that match `--where`; where bounds are known, certainly.")
    matching_undecided: Count = Field(description="Further states that may match: bounds do not tell.")
    states_listed: list[StateRow]
    verified: Verified | SkipJsonSchema[None] = Asked
    reproduce: list[str] | SkipJsonSchema[None] = Asked
    written: list[str] | SkipJsonSchema[None] = Asked
    written_notes: list[str] | SkipJsonSchema[None] = Asked


class SweepRow(Part):
    """V at the initial states for one value of the constant, or for one combination."""

    constant: str = Field(description="The value; several are separated by commas.")
    constants: dict[str, str] = Field(description="The same by name.")
    states: Count | None = Field(description="Null where the check failed.")
    initial: list[MaybeNumber]
    error: str | SkipJsonSchema[None] = Field(
        default=None, json_schema_extra=_without_default, description="Why the check failed; only if it did."
    )


class SweepOutput(Output):
    """``stormscope check --sweep --json``."""

    model: str
    objective: str
    constant: str = Field(description="The constant's name; several are separated by commas.")
    constants: list[str] = Field(description="The names of the constants.")
    rows: list[SweepRow]
