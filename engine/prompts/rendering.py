"""From a case to a question: the prompt that an explainer is sent (methods.md 1.4)."""

from __future__ import annotations

import difflib
import re
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.explainers.base import Question
from engine.prompts.schema import reply_schema
from engine.prompts.templating import Template
from engine.prompts.wording import same_property, wording
from engine.queries.category import Scope
from engine.queries.registry import category_named
from engine.queries.spaces import OneOf, Probability

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.mdp.environment import Environment
    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from engine.queries.category import Category, Wording
    from engine.queries.spaces import AnswerSpace

SYSTEM = "You answer questions about decisions under uncertainty. Reply with one JSON object and nothing else."
GENERIC = "generic.j2"
Constant = Fraction | int | bool | str


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
    template = _template(environment, chosen)
    constants = constant_values(oracle.constants)
    category = category_named(case.category)
    world = template.call("world", constants)
    words = _wording(oracle, template, constants)
    user = Template("question.j2").render(
        {
            "world": world,
            "wording": words,
            "states": _states(oracle, case, category, template, constants),
            "question": category.question(case, words),
            "answer_format": answer_format(case.space, explanation_length),
        }
    )
    schema = reply_schema(case.space, explanation_length=explanation_length)
    return Question(case, SYSTEM, _tidy(user), schema, chosen, sample, seed)


def question_text(oracle: Oracle, case: Case) -> str:
    """Return the question alone, in the environment's first wording."""
    template = _template(oracle.environment, oracle.environment.variants[0])
    words = _wording(oracle, template, constant_values(oracle.constants))
    return category_named(case.category).question(case, words)


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


def constant_values(constants: Mapping[str, str]) -> dict[str, Constant]:
    """Return constants as templates use them: integers, exact fractions, booleans, else the text itself."""
    return {name: _constant(text) for name, text in constants.items()}


def _constant(text: str) -> Constant:
    if text.strip().lower() in {"true", "false"}:
        return text.strip().lower() == "true"
    try:
        number = Fraction(text.replace(" ", ""))
    except (ValueError, ZeroDivisionError):
        return text
    return number.numerator if number.denominator == 1 else number


def _checked(environment: Environment, variant: str) -> str:
    if variant in environment.variants:
        return variant
    close = difflib.get_close_matches(variant, environment.variants, n=1)
    guess = f"did you mean {close[0]}? " if close else ""
    raise UsageError(
        f"{environment.name} has no wording {variant!r}", hint=f"{guess}there are: {', '.join(environment.variants)}"
    )


def _template(environment: Environment, variant: str) -> Template:
    if environment.folder is None:
        return Template(GENERIC)
    return Template(f"{variant}.j2", (environment.folder / "prompts",))


def _wording(oracle: Oracle, template: Template, constants: Mapping[str, Constant]) -> Wording:
    """Return the objective in words: the environment's words only fit its own objective."""
    environment, objective = oracle.environment, oracle.facts.objective
    own = environment.folder is not None and same_property(environment.objective or "", objective.text)
    return wording(objective, template.call("goal", constants) if own else None)


def _states(
    oracle: Oracle, case: Case, category: Category, template: Template, constants: Mapping[str, Constant]
) -> list[dict[str, object]]:
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
            "words": template.call("state", mdp.valuation(state) or {"state": state}, constants),
            "labels": mdp.labels_of(state) if generic else (),
            "actions": mdp.action_names_of(state),
        }
        for title, state in zip(titles, case.states, strict=True)
    ]


def _tidy(text: str) -> str:
    """Return the text without trailing spaces and with single empty lines."""
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", text)).strip()
