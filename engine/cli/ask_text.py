"""``ask`` for people: the verdict card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from engine.cli.common import console
from engine.prompts.rendering import question_text
from engine.queries.names import state_names
from engine.text import plain
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from engine.explainers.base import Question, Reply
    from engine.oracle.facts import Oracle
    from engine.verdicts.verdict import Verdict

STYLES = {
    Outcome.PASS: "bold green",
    Outcome.FAIL: "bold red",
    Outcome.INVALID: "bold yellow",
    Outcome.UNDECIDED: "bold cyan",
    Outcome.ERROR: "bold magenta",
}


def print_verdict(oracle: Oracle, question: Question, explainer: str, reply: Reply, verdict: Verdict) -> None:
    """Print the question, what the explainer said, what is true, and the verdict with its reason."""
    case = question.case
    card = Table.grid(padding=(0, 2))
    card.add_column(style="dim", justify="right", no_wrap=True)
    card.add_column()
    states = "  ".join(plain(name) for name in state_names(oracle.mdp, case.states))
    card.add_row("asked", Text(f"{case.category} of {states}"))
    card.add_row("question", Text(plain(question_text(oracle, case))))
    said = verdict.answer if verdict.answer is not None else reply.text or "(nothing)"
    card.add_row(plain(explainer), Text(plain(said, limit=300), style="bold"))
    if verdict.explanation:
        card.add_row("because", Text(plain(verdict.explanation, limit=600)))
    card.add_row("the oracle", Text(plain(", ".join(verdict.accepted))))
    kind = f" ({verdict.invalid_kind.value})" if verdict.invalid_kind is not None else ""
    card.add_row("verdict", Text(f"{verdict.outcome.value}{kind}", style=STYLES[verdict.outcome]))
    card.add_row("reason", Text(plain(verdict.reason)))
    if verdict.regret is not None:
        card.add_row("regret", Text(plain(verdict.regret)))
    console().print(card)
