"""What the JSON schemas of several commands share (design.md, "The command line")."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field


class Part(BaseModel):
    """Some keys, all of them, and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Enclosure(Part):
    """A number between two bounds (sound mode)."""

    lower: float | Literal["inf"]
    upper: float | Literal["inf"]


ExactNumber: TypeAlias = Annotated[
    str, Field(pattern=r"^(-?[0-9]+(/[0-9]+)?|inf)$", description="An exact number: `num/den`, an integer, or `inf`.")
]
Number: TypeAlias = ExactNumber | Enclosure
MaybeNumber: TypeAlias = Annotated[Number | None, Field(description="Null where the number is not defined.")]
Fact: TypeAlias = Annotated[
    bool | Literal["undecided"] | None, Field(description="`undecided` where bounds overlap; null where not defined.")
]
Count: TypeAlias = Annotated[int, Field(ge=0)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
FactValue: TypeAlias = Number | bool | int | list[str] | dict[str, MaybeNumber] | None
Mode: TypeAlias = Literal["exact", "sound"]


class Output(Part):
    """One object on standard output."""

    schema_version: Literal[1] = Field(alias="schema", description="Version of this output.")


class StateRef(Part):
    """A state with its variables."""

    state: Count
    valuation: dict[str, bool | int] = Field(description="Empty where the model has no variables.")
