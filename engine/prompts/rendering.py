"""From a case to a question: the prompt that an explainer is sent (methods.md 1.4)."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.explainers.base import Question
from engine.prompts.listing import answer_format, shortened
from engine.prompts.schema import reply_schema
from engine.prompts.shuffling import Order, options_of, reordered
from engine.prompts.words import words_of
from engine.queries.category import Scope
from engine.queries.registry import category_named

if TYPE_CHECKING:
    from engine.mdp.environment import Environment
    from engine.oracle.facts import Oracle
    from engine.prompts.words import Words
    from engine.queries.case import Case
    from engine.queries.category import Category

MOST_TOLD = 100
"""States whose action under a fixed policy a prompt tells."""
SYSTEM = "You answer questions about decisions under uncertainty. Reply with one JSON object and nothing else."


def render(
    oracle: Oracle,
    case: Case,
    *,
    variant: str | None = None,
    sample: int = 0,
    seed: int = 0,
    explanation_length: int = 200,
    shuffle: bool = False,
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
    shuffle
        List actions, options and the states of a pair or of a choice among states in an order drawn from seed, case
        and sample. Their names stay, so that answers are read and graded as ever.

    Raises
    ------
    UsageError
        If there is no such wording, or its template fails: then it names the file and the line.
    """
    environment = oracle.environment
    chosen = environment.variants[0] if variant is None else _checked(environment, variant)
    category = category_named(case.category)
    words = words_of(oracle, chosen)
    order = Order(case.id, seed, sample) if shuffle else None
    options = options_of(case.space) if order is None else order.of(options_of(case.space))
    space = reordered(case.space, options)
    user = words.prompt(
        {
            "world": words.world,
            "wording": words.wording,
            "states": _states(oracle, case, category, words, order),
            **_policy(oracle, words),
            "question": category.question(case, words.wording),
            "answer_format": answer_format(space, explanation_length),
        }
    )
    schema = reply_schema(space, explanation_length=explanation_length)
    return Question(case, SYSTEM, _tidy(user), schema, chosen, sample, seed, options)


def question_text(oracle: Oracle, case: Case, *, variant: str | None = None) -> str:
    """Return the question alone, in the environment's first wording if none is named."""
    words = words_of(oracle, oracle.environment.variants[0] if variant is None else variant)
    return category_named(case.category).question(case, words.wording)


def _checked(environment: Environment, variant: str) -> str:
    if variant in environment.variants:
        return variant
    close = difflib.get_close_matches(variant, environment.variants, n=1)
    guess = f"did you mean {close[0]}? " if close else ""
    raise UsageError(
        f"{environment.name} has no wording {variant!r}", hint=f"{guess}there are: {', '.join(environment.variants)}"
    )


def _states(
    oracle: Oracle, case: Case, category: Category, words: Words, order: Order | None
) -> list[dict[str, object]]:
    mdp = oracle.mdp
    generic = oracle.environment.folder is None
    options = {
        Scope.STATE: [""],
        Scope.PAIR: ["A", "B"],
        Scope.SUBSET: [f"State {number}" for number in range(1, len(case.states) + 1)],
    }[category.scope]
    told = dict(zip(options, case.states, strict=True))
    if order is not None and set(options) == set(options_of(case.space)):
        told = {option: told[option] for option in order.of(options)}
    return [
        {
            "title": f"State {option}".rstrip() if category.scope is not Scope.SUBSET else option,
            "words": words.state(mdp.valuation(state) or {"state": state}),
            "labels": mdp.labels_of(state) if generic else (),
            "actions": shortened(names if order is None else order.of(names)),
        }
        for option, state in told.items()
        for names in [mdp.action_names_of(state)]
    ]


def _policy(oracle: Oracle, words: Words) -> dict[str, object]:
    """Return what a fixed policy does in the first states, in words, and how many states are left out."""
    if oracle.facts.objective.policy is None:
        return {"policy": [], "left_out": 0}
    mdp = oracle.mdp
    shown = range(min(mdp.states, MOST_TOLD))
    told = [
        {
            "words": words.state(mdp.valuation(state) or {"state": state}).rstrip("."),
            "action": ", ".join(mdp.action_names_of(state)),
        }
        for state in shown
    ]
    return {"policy": told, "left_out": mdp.states - len(shown)}


def _tidy(text: str) -> str:
    """Return the text without trailing spaces and with single empty lines."""
    text = "\n".join([line.rstrip(" \t") for line in text.split("\n")])
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip()
