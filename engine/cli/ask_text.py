"""``ask`` for people: the verdict card, answers side by side, and the prompt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from engine.cli.ask_json import answer_source, request_of
from engine.cli.asking import spreads
from engine.cli.common import console
from engine.figures import short
from engine.oracle.numbers import parse_exact
from engine.prompts.rendering import question_text
from engine.queries.names import state_names
from engine.queries.registry import category_named
from engine.text import plain, visible
from engine.verdicts.answer_words import accepted_words, regret_words, said
from engine.verdicts.verdict import InvalidKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.cli.asking import Asked, Spread
    from engine.explainers.base import Explainer, Question, Reply
    from engine.oracle.facts import Oracle
    from engine.queries.case import Case
    from engine.verdicts.verdict import Verdict

STYLES = {
    Outcome.PASS: "bold green",
    Outcome.FAIL: "bold red",
    Outcome.INVALID: "bold yellow",
    Outcome.UNDECIDED: "bold cyan",
    Outcome.ERROR: "bold magenta",
}
ANSWER_WIDTH = 60
ELSEWHERE = ("messages", "response_format", "format")
"""Fields of a request's body that hold what is printed anyway."""
_SOURCES = {
    "reasoning": "the reasoning channel, the content being empty",
    "tool call": "a tool call, the content being empty",
}
"""What an answer was read from, if it was not the content."""


def print_answers(oracle: Oracle, asked: Sequence[Asked]) -> None:
    """Print the question and what is true, then the verdict with its reason, or a table of all verdicts."""
    out = console()
    if len(asked) == 1:
        out.print(_card(oracle, asked[0]))
        return
    case = asked[0].question.case
    card = _grid()
    _add_question(card, oracle, case, asked[0].question.variant)
    _add_truth(card, case)
    out.print(card)
    out.print()
    out.print(_answers(asked))
    hint = next((_cut_off_hint(each.reply) for each in asked if each.verdict.invalid_kind is InvalidKind.CUT_OFF), "")
    if hint:
        out.print(Text(f"\nreplies were cut off: {hint}", "dim"))
    if any(each.question.sample for each in asked):
        out.print()
        out.print(_spread(spreads(asked), case))


def print_prompts(explainers: Sequence[tuple[str, Explainer]], questions: Sequence[Question]) -> None:
    """Print what would be sent: both messages, the schema of the reply, and the rest of each explainer's request."""
    for question in questions:
        place = f" ({question.variant}, sample {question.sample + 1})" if len(questions) > 1 else ""
        for title, text in (("system", question.system), ("user", question.user)):
            typer.echo(f"--- {title}{place}\n{visible(text, lines=True)}\n")
        typer.echo(f"--- schema of the reply\n{_indented(dict(question.schema))}\n")
    for name, explainer in explainers:
        request = request_of(explainer, questions[0])
        if request is not None:
            body = {key: "…" if key in ELSEWHERE else value for key, value in request["body"].items()}
            typer.echo(f"--- request of {plain(name)}: POST {plain(request['url'])}\n{_indented(body)}\n")


def _indented(value: object) -> str:
    return visible(json.dumps(value, ensure_ascii=False, indent=2), lines=True)


def _grid() -> Table:
    card = Table.grid(padding=(0, 2))
    card.add_column(style="dim", justify="right", no_wrap=True)
    card.add_column()
    return card


def _card(oracle: Oracle, asked: Asked) -> Table:
    reply, verdict = asked.reply, asked.verdict
    case = asked.question.case
    card = _grid()
    _add_question(card, oracle, case, asked.question.variant)
    answer = reply.text or "(nothing)" if verdict.answer is None else said(verdict.answer, case.space)
    card.add_row(plain(asked.explainer), Text(plain(answer, limit=300), style="bold"))
    for title, note in _beside_the_answer(reply):
        card.add_row(title, Text(note))
    if verdict.explanation:
        card.add_row("because", Text(plain(verdict.explanation, limit=600)))
    _add_truth(card, case)
    card.add_row("verdict", Text(_outcome(verdict), style=STYLES[verdict.outcome]))
    if verdict.score is not None:
        card.add_row("score", Text(f"{verdict.score:.4g}"))
    card.add_row("reason", Text(plain(verdict.reason)))
    if verdict.regret is not None:
        card.add_row("regret", Text(regret_words(case, verdict.answer, verdict.regret)))
    if verdict.invalid_kind is InvalidKind.CUT_OFF:
        card.add_row("hint", Text(_cut_off_hint(reply)))
    return card


def _beside_the_answer(reply: Reply) -> list[tuple[str, str]]:
    """Return what a reader should know of where an answer comes from, and the thinking as one line."""
    source = answer_source(reply)
    lines = [("from", _SOURCES[source])] if source in _SOURCES else []
    if reply.reasoning.strip():
        lines.append(("thinking", f"{len(reply.reasoning):,} characters; --json shows them, as reasoning"))
    return lines


def _cut_off_hint(reply: Reply) -> str:
    less = ", or let it think less" if reply.reasoning.strip() else ""
    return f"raise max_tokens in the explainer's settings{less}"


def _add_question(card: Table, oracle: Oracle, case: Case, variant: str) -> None:
    states = "  ".join(plain(name) for name in state_names(oracle.mdp, case.states))
    card.add_row("asked", Text(f"{case.category} of {states}"))
    card.add_row("question", Text(plain(question_text(oracle, case, variant=variant))))


def _add_truth(card: Table, case: Case) -> None:
    card.add_row("the oracle", Text(plain(accepted_words(case))))
    chance = category_named(case.category).chance(case)
    by_score = "" if chance.score == chance.verdict else f", mean score {float(chance.score):.3g}"
    card.add_row("by chance", Text(f"passes {float(chance.verdict):.3g}{by_score}"))


def _answers(asked: Sequence[Asked]) -> Table:
    several = {field: len({getattr(each.question, field) for each in asked}) > 1 for field in ("variant", "sample")}
    table = Table(box=None, pad_edge=False, padding=(0, 2), header_style="dim")
    table.add_column("explainer", no_wrap=True)
    for field, title in (("variant", "wording"), ("sample", "sample")):
        if several[field]:
            table.add_column(title, no_wrap=True)
    table.add_column("answer")
    table.add_column("verdict", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    if any(each.verdict.regret is not None for each in asked):
        table.add_column("regret", justify="right", no_wrap=True)
    for each in asked:
        verdict = each.verdict
        answer = each.reply.error or each.reply.text or "(nothing)"
        if verdict.answer is not None:
            answer = said(verdict.answer, each.question.case.space, brief=True)
        source = answer_source(each.reply)
        places = [place for field, place in _places(each.question).items() if several[field]]
        table.add_row(
            Text(plain(each.explainer)),
            *map(Text, places),
            Text(plain(answer, limit=ANSWER_WIDTH) + (f" (from the {source})" if source in _SOURCES else "")),
            Text(_outcome(verdict), style=STYLES[verdict.outcome]),
            "-" if verdict.score is None else f"{verdict.score:.4g}",
            *([_number_cell(verdict.regret)] if len(table.columns) == len(places) + 5 else []),
        )
    return table


def _places(question: Question) -> dict[str, str]:
    """Return a question's wording and sample for people, who count samples from 1."""
    return {"variant": question.variant, "sample": str(question.sample + 1)}


def _number_cell(text: str | None) -> str:
    """Return an exact number as short as a column wants it; other text stays."""
    try:
        return "-" if text is None else short(parse_exact(text))
    except ValueError:
        return plain(text or "-")


def _spread(found: Sequence[Spread], case: Case) -> Table:
    """Return how the samples of each explainer and wording differ."""
    table = Table(box=None, pad_edge=False, padding=(0, 2), header_style="dim")
    for title in ("explainer", "wording", "passes", "mean score", "answers"):
        table.add_column(title, no_wrap=title != "answers")
    for spread in found:
        answers = "; ".join(
            f"{plain(said(answer, case.space, brief=True), limit=ANSWER_WIDTH)} ×{count}"
            for answer, count in spread.answers.items()
        )
        table.add_row(
            Text(plain(spread.explainer)),
            Text(plain(spread.variant)),
            f"{spread.passes} of {spread.answered}",
            "-" if spread.score is None else f"{spread.score:.3g}",
            Text(answers or "(no usable answer)"),
        )
    return table


def _outcome(verdict: Verdict) -> str:
    kind = f" ({verdict.invalid_kind.value})" if verdict.invalid_kind is not None else ""
    return f"{verdict.outcome.value}{kind}"
