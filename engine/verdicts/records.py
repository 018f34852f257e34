"""What a campaign file holds, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.verdicts.model_changes import made_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.explainers.base import Reply
    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from engine.verdicts.verdict import InvalidKind, Outcome, Verdict


class Key(NamedTuple):
    """Which question of one explainer: what is never answered twice."""

    case: str
    variant: str
    sample: int


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """A checked model as a campaign remembers it.

    Attributes
    ----------
    name
        As the plan names it.
    identity
        Of the oracle: hash of everything that the facts depend on.
    environment, title
        Of the environment that describes it.
    objective, danger
        Properties in PRISM syntax.
    constants
        As written.
    exact
        Whether its numbers are exact rather than enclosed.
    states
        Their number.
    synonyms
        Action → other words that were accepted for it, so that answers can be read again without the model; None in a
        file of an older format.
    made_from
        As in `engine.verdicts.model_changes.made_from`; None where nobody noted it.
    """

    name: str
    identity: str
    environment: str
    title: str
    objective: str
    danger: str | None
    constants: Mapping[str, str]
    exact: bool
    states: int
    synonyms: Mapping[str, tuple[str, ...]] | None = None
    made_from: Mapping[str, str] | None = None

    @classmethod
    def of(cls, name: str, oracle: Oracle) -> ModelRecord:
        """Return the record of an oracle."""
        return cls(
            name=name,
            identity=oracle.identity,
            environment=oracle.environment.name,
            title=oracle.environment.title,
            objective=oracle.facts.objective.text,
            danger=oracle.facts.danger_text,
            constants=dict(oracle.constants),
            exact=oracle.exact,
            states=oracle.mdp.states,
            synonyms=dict(oracle.environment.synonyms),
            made_from=made_from(oracle),
        )


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of a campaign.

    Attributes
    ----------
    started, ended
        UTC, ISO 8601; `ended` is None while it runs, and for good if it was killed.
    version
        Of the stormscope that ran.
    plan
        What it was asked to do.
    total, done
        Questions of the plan, and how many were answered at its end (at its beginning, if it has not ended).
    """

    started: str
    version: str
    plan: Mapping[str, Any]
    total: int
    done: int
    ended: str | None


@dataclass(frozen=True, slots=True)
class Selection:
    """The cases of one model, category and strategy at one budget, in order; none, with the reason, if it has none."""

    cases: tuple[Case, ...]
    omitted: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A question, what came back, and its verdict.

    Attributes
    ----------
    key
        The question.
    explainer
        Who was asked.
    system, user
        The prompt.
    reply
        What came back, unread.
    verdict
        The judgement; where its outcome is ``error`` the record is kept as a failure, not as an answer.
    at
        UTC, ISO 8601.
    shown
        The options in the order in which the question showed them, where they were shuffled.
    """

    key: Key
    explainer: str
    system: str
    user: str
    reply: Reply
    verdict: Verdict
    at: str
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A case, the model it is about, and the strategies that chose it."""

    model: str
    case: Case
    strategies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProbeRecord:
    """What an endpoint was found to do (``stormscope probe``), as JSON values; `at` is UTC, ISO 8601."""

    explainer: str
    at: str
    result: Mapping[str, Any]


class OutcomeRecord(NamedTuple):
    """What tables need of one question; an ``error`` has no score, answer or tokens, an ``undecided`` one no score.

    `cost` is exact decimal text in `currency` (empty if nobody named it); `cached` says whether the answer came from
    the cache of earlier campaigns; `shown` is the order of the options where it was shuffled.
    """

    key: Key
    explainer: str
    outcome: Outcome
    score: float | None
    answer: str | None
    seconds: float
    tokens_in: int | None
    tokens_out: int | None
    tokens_reasoning: int | None = None
    cost: str | None = None
    regret: str | None = None
    invalid_kind: InvalidKind | None = None
    shown: tuple[str, ...] = ()
    currency: str = ""
    cached: bool = False
