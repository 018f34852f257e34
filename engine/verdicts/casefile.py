"""Case files: what ``cases --json`` writes, read back to be asked again or to grade answers from elsewhere."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from engine.errors import UsageError
from engine.queries.case import Case
from engine.verdicts.records import ModelRecord
from engine.verdicts.rows import dumps, read_space, space_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.oracle.facts import Oracle

SCHEMA = 1
_HINT = "give a file that `stormscope cases MODEL --json` has written"


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The cases of one model by one strategy.

    Attributes
    ----------
    path
        Where they were read from.
    model
        The model that they are about.
    mode
        The mode that it was asked to be checked in.
    strategy, difficulty
        How they were chosen.
    policy
        The file of the policy that they are about; None if they are about optimal play.
    cases
        In the file's order, with their truth as the file has it.
    written
        Each case as the file has it, JSON values by key, in the same order.
    """

    path: Path
    model: ModelRecord
    mode: str
    strategy: str
    difficulty: str
    policy: Path | None
    cases: tuple[Case, ...]
    written: tuple[Mapping[str, Any], ...] = ()

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories in the order in which they first occur."""
        return tuple(dict.fromkeys(case.category for case in self.cases))

    @property
    def tolerance(self) -> str | None:
        """What ``satisfy`` is graded with, as exact text; None if no case has a tolerance."""
        found = (case.numbers["tolerance"] for case in self.cases if "tolerance" in case.numbers)
        return next((str(text) for text in found), None)

    @property
    def digest(self) -> str:
        """A hash of which questions the file asks, 16 hex digits: the same however the file is written."""
        content = [self.model.identity, self.strategy, [case.id for case in self.cases]]
        return hashlib.sha256(dumps(content).encode()).hexdigest()[:16]


class _Base(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _State(_Base):
    state: int = Field(ge=0)


class _Case(_Base):
    id: str
    category: str
    states: list[_State] = Field(min_length=1)
    space: dict[str, JsonValue]
    accepted: list[str] = Field(min_length=1)
    numbers: dict[str, JsonValue]
    difficulty: float | None = None
    parts: dict[str, float] = Field(default_factory=dict)
    strategy: str
    parameters: dict[str, str] = Field(default_factory=dict)

    def case(self) -> Case:
        numbers: dict[str, Any] = dict(self.numbers)
        return Case(
            id=self.id,
            category=self.category,
            states=tuple(each.state for each in self.states),
            space=read_space(json.dumps(self.space)),
            accepted=tuple(self.accepted),
            numbers=numbers,
            difficulty=self.difficulty,
            parts=self.parts,
            strategy=self.strategy,
            parameters=self.parameters,
        )


class CheckedModel(BaseModel):
    """The model that cases are about, as far as it must be known to ask or grade them again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    identity: str = Field(description="Hash of all that the oracle's facts depend on.")
    environment: str
    title: str
    danger: str | None
    constants: dict[str, str]
    states: int = Field(ge=0)
    synonyms: dict[str, list[str]] = Field(description="Action → other words that are accepted for it.")
    asked_mode: Literal["auto", "exact", "sound"] = Field(description="The mode that was asked for.")
    made_from: dict[str, str] | None = Field(
        default=None, description="Hash of the model's text, Storm's version, the mode; null if unknown."
    )


class _File(_Base):
    schema_version: int = Field(alias="schema")
    model: str
    objective: str
    mode: str
    strategy: str
    difficulty: str = "paper"
    policy: str | None = None
    checked_model: CheckedModel
    cases: list[_Case]


def checked_model_json(oracle: Oracle, mode: str) -> dict[str, Any]:
    """Return what a case file says about the model, which was checked in a mode that was asked for."""
    record = {**asdict(ModelRecord.of("", oracle)), "asked_mode": mode}
    return {name: _plain(record[name]) for name in CheckedModel.model_fields}


def _plain(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: list(each) if isinstance(each, tuple) else each for name, each in value.items()}


def case_extras(case: Case) -> dict[str, Any]:
    """Return what a case file says of a case so that it can be graded again: its answer space and parameters."""
    return {"space": space_json(case.space), "parameters": dict(case.parameters)}


def case_json(oracle: Oracle, case: Case) -> dict[str, Any]:
    """Return one case as a case file holds it: all of it but the strategy follows from the model and the question."""
    from engine.prompts.rendering import question_text  # noqa: PLC0415  # templates, which reading a file does without
    from engine.queries.registry import category_named  # noqa: PLC0415  # as above, arrays

    chance = category_named(case.category).chance(case)
    return {
        "id": case.id,
        "category": case.category,
        "states": [{"state": state, "valuation": oracle.mdp.valuation(state)} for state in case.states],
        "question": question_text(oracle, case),
        "answer_schema": case.space.schema(),
        **case_extras(case),
        "accepted": list(case.accepted),
        "numbers": dict(case.numbers),
        "difficulty": case.difficulty,
        "parts": dict(case.parts),
        "strategy": case.strategy,
        "chance": {"verdict": float(chance.verdict), "score": float(chance.score)},
    }


def read_case_file(path: Path) -> CaseFile:
    """Read a case file; raises UsageError that names the file and what is wrong in it."""
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(f"the case file cannot be read: {error.strerror}", where=str(path)) from None
    except (ValueError, RecursionError):
        raise UsageError("this is no case file: it is not JSON", where=str(path), hint=_HINT) from None
    version = data.get("schema") if isinstance(data, dict) else None
    if isinstance(version, int) and version > SCHEMA:
        raise UsageError(
            f"this case file has schema {version}; this stormscope reads schema {SCHEMA}",
            where=str(path),
            hint="update stormscope",
        )
    try:
        file = _File.model_validate(data)
        cases = tuple(each.case() for each in file.cases)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"this is no case file: {place}: {first['msg']}", where=str(path), hint=_HINT) from None
    except KeyError as error:
        raise UsageError(f"this is no case file: no answer space {error}", where=str(path), hint=_HINT) from None
    count = Counter(case.id for case in cases)
    twice = next((name for name, number in count.items() if number > 1), None)
    if twice is not None:
        raise UsageError(f"the case {twice} is there twice", where=str(path), hint="remove one of them")
    return CaseFile(
        path,
        _record(file),
        file.checked_model.asked_mode,
        file.strategy,
        file.difficulty,
        None if file.policy is None else Path(file.policy),
        cases,
        tuple(data["cases"]),
    )


def _record(file: _File) -> ModelRecord:
    checked = file.checked_model
    return ModelRecord(
        name=file.model,
        identity=checked.identity,
        environment=checked.environment,
        title=checked.title,
        objective=file.objective,
        danger=checked.danger,
        constants=checked.constants,
        exact=file.mode == "exact",
        states=checked.states,
        synonyms={name: tuple(words) for name, words in checked.synonyms.items()},
        made_from=checked.made_from,
    )
