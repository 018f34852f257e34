"""From a case to a question: the prompt that an explainer is sent (methods.md 1.4)."""

from __future__ import annotations

import difflib
from functools import cache
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.explainers.base import Question
from engine.prompts.schema import reply_schema
from engine.prompts.templating import Template
from engine.prompts.words import words_of
from engine.queries.category import Scope
from engine.queries.registry import category_named
from engine.queries.spaces import OneOf, Probability

if TYPE_CHECKING:
    from engine.mdp.environment import Environment
    from engine.oracle.facts import Oracle
    from engine.prompts.words import Words
    from engine.queries.case import Case
    from engine.queries.category import Category
    from engine.queries.spaces import AnswerSpace

SYSTEM = "You answer questions about decisions under uncertainty. Reply with one JSON object and nothing else."


def render(
    oracle: Oracle,
    case: Case,
    *,
    variant: str | None = None,
    sample: int = 0,
    seed: int = 0,
    explanation_length: int = 200,
) -> Question:
    """Return the prompt of a case.

    The prompt holds the environment in words, the objective, the states with their available actions, the question and
    the answer's format. It never holds what the oracle knows.

    Parameters
    ----------
    oracle
        The model that the case is about.
    case
        The case.
    variant
        The wording; the environment's first if None.
    sample, seed
        Kept in the question for whoever answers it.
    explanation_length
        The longest explanation, in characters.

    Raises
    ------
    UsageError
        If there is no such wording, or its template fails: then it names the file and the line.
    """
    environment = oracle.environment
    chosen = environment.variants[0] if variant is None else _checked(environment, variant)
    category = category_named(case.category)
    words = words_of(oracle, chosen)
    user = _question_template().render(
        {
            "world": words.world,
            "wording": words.wording,
            "states": _states(oracle, case, category, words),
            "question": category.question(case, words.wording),
            "answer_format": answer_format(case.space, explanation_length),
        }
    )
    schema = reply_schema(case.space, explanation_length=explanation_length)
    return Question(case, SYSTEM, _tidy(user), schema, chosen, sample, seed)


def question_text(oracle: Oracle, case: Case) -> str:
    """Return the question alone, in the environment's first wording."""
    words = words_of(oracle, oracle.environment.variants[0])
    return category_named(case.category).question(case, words.wording)


def answer_format(space: AnswerSpace, explanation_length: int) -> str:
    """Return the request for an answer in the right form."""
    match space:
        case OneOf(options):
            answer = f"one of: {', '.join(options)}"
        case Probability():
            answer = "a number between 0 and 1"
    return (
        f'Reply with a JSON object with two fields: "explanation", your reason in at most {explanation_length} '
        f'characters, and "answer", {answer}.'
    )


def _checked(environment: Environment, variant: str) -> str:
    if variant in environment.variants:
        return variant
    close = difflib.get_close_matches(variant, environment.variants, n=1)
    guess = f"did you mean {close[0]}? " if close else ""
    raise UsageError(
        f"{environment.name} has no wording {variant!r}", hint=f"{guess}there are: {', '.join(environment.variants)}"
    )


@cache
def _question_template() -> Template:
    return Template("question.j2")


def _states(oracle: Oracle, case: Case, category: Category, words: Words) -> list[dict[str, object]]:
    mdp = oracle.mdp
    generic = oracle.environment.folder is None
    titles = {
        Scope.STATE: ["State"],
        Scope.PAIR: ["State A", "State B"],
        Scope.SUBSET: [f"State {number}" for number in range(1, len(case.states) + 1)],
    }[category.scope]
    return [
        {
            "title": title,
            "words": words.state(mdp.valuation(state) or {"state": state}),
            "labels": mdp.labels_of(state) if generic else (),
            "actions": mdp.action_names_of(state),
        }
        for title, state in zip(titles, case.states, strict=True)
    ]


def _tidy(text: str) -> str:
    """Return the text without trailing spaces and with single empty lines."""
    text = "\n".join([line.rstrip(" \t") for line in text.split("\n")])
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip()
