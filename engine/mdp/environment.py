"""An environment: a model with words, defaults and a layout, read from a folder's ``environment.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.errors import UsageError
from engine.mdp.wordings import with_own_wordings


class GridLayout(BaseModel):
    """States drawn on tiles. Expressions are PRISM expressions over the model's variables and constants.

    Attributes
    ----------
    rows, columns
        Size of the grid.
    row, column
        The tile of a state, from 0, counted from the top left.
    marks
        Label name → the one character that is drawn on such tiles.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["grid"]
    rows: str
    columns: str
    row: str
    column: str
    marks: dict[str, str] = Field(default_factory=dict)


class TextLayout(BaseModel):
    """A state drawn as a few lines of plain text by a template of the environment's folder.

    Attributes
    ----------
    template
        A Jinja file that sees the variables as ``state`` and the constants as ``constants``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["text"]
    template: str = "picture.j2"


class KnownAnswer(BaseModel):
    """A fact about the environment with the place it is known from.

    Attributes
    ----------
    constants
        Beside the environment's defaults.
    objective
        A property, or the name of one of the environment's objectives; the default one if None.
    state
        A PRISM expression for the state whose value is known; the initial state if None.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    constants: dict[str, str] = Field(default_factory=dict)
    objective: str | None = None
    state: str | None = None
    fact: Literal["value", "bottlenecks", "dead_ends", "states"]
    value: str
    source: str


class Range(BaseModel):
    """The values that make sense for a constant, both ends included.

    Attributes
    ----------
    least, most
        PRISM expressions over the constants, as in ``target - 1``; None where there is no such end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    least: str | None = None
    most: str | None = None


class ObjectiveWords(BaseModel):
    """An objective in words, for prompts. ``{NAME}`` in them stands for the value of that constant.

    Each is one text, or one for each wording.

    Attributes
    ----------
    goal
        What the objective is about, after "the probability of": ``flooding the valley``. None where the wording's own
        goal, or the property, says it.
    measure
        What is optimised: ``the expected number of moves before {goal}``. None for a probability, or where the
        reward's name says it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    goal: str | dict[str, str] | None = None
    measure: str | dict[str, str] | None = None

    def of(self, variant: str) -> tuple[str | None, str | None]:
        """Return the goal and the measure in a wording."""
        goal, measure = (text.get(variant) if isinstance(text, dict) else text for text in (self.goal, self.measure))
        return goal, measure


class Environment(BaseModel):
    """What ``environment.toml`` says.

    Attributes
    ----------
    name
        The folder's name, as used on the command line.
    folder
        Where the environment lives; None for a bare model file.
    model
        The model file.
    constants
        Defaults for the model's undefined constants, as exact text.
    constant_help
        What each constant means.
    constant_values
        The only values that a constant may have, where not all of its type make sense.
    constant_ranges
        The range of a constant, where not all of its type make sense.
    objective, danger
        Default properties in PRISM syntax; danger is None where nothing is unsafe.
    objectives
        Further objectives by name.
    objective_words
        Words for some of `objectives`, by the same names. They also serve for other properties about the same target
        and reward: with the other optimum, or with a step bound.
    variants
        Wordings, each a template ``prompts/NAME.j2``, and the user's own (`engine.mdp.wordings`); the first is the
        default.
    synonyms
        Action name → other words for it that a reader accepts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    summary: str
    folder: Path | None = None
    model: Path
    objective: str | None = None
    danger: str | None = None
    objectives: dict[str, str] = Field(default_factory=dict)
    constants: dict[str, str] = Field(default_factory=dict)
    constant_help: dict[str, str] = Field(default_factory=dict)
    constant_values: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    constant_ranges: dict[str, Range] = Field(default_factory=dict)
    objective_words: dict[str, ObjectiveWords] = Field(default_factory=dict)
    variants: tuple[str, ...] = ("plain",)
    synonyms: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    layout: Annotated[GridLayout | TextLayout, Field(discriminator="kind")] | None = None
    known: tuple[KnownAnswer, ...] = ()

    @model_validator(mode="after")
    def _words_have_their_objective(self) -> Self:
        for name, words in self.objective_words.items():
            if name not in self.objectives:
                raise ValueError(f"objective_words.{name}: there is no objective of that name")
            for text in (words.goal, words.measure):
                unknown = set(text) - set(self.variants) if isinstance(text, dict) else set()
                if unknown:
                    raise ValueError(f"objective_words.{name}: there is no wording {min(unknown)}")
        return self


def load_environment(folder: Path) -> Environment:
    """Read a folder's ``environment.toml``; raises UsageError that names the file and the field."""
    file = folder / "environment.toml"
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        environment = Environment.model_validate({**data, "name": folder.name, "folder": folder})
    except FileNotFoundError:
        raise UsageError("there is no environment.toml here", where=str(folder)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"not a valid TOML file: {error}", where=str(file)) from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise UsageError(f"{field}: {message}" if field else message, where=str(file)) from None
    variants = with_own_wordings(environment.name, folder, environment.variants)
    return environment.model_copy(update={"model": folder / environment.model, "variants": variants})


def bare_environment(model: Path) -> Environment:
    """Return the generic environment of a model file that has no folder of its own."""
    return Environment(name=model.stem, title=model.name, summary="A model file.", model=model)
