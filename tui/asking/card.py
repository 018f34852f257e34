"""What a verdict card says, as plain values: shown on the screen and written to files by the same words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from engine.queries.registry import category_named
from engine.queries.spaces import A_B
from engine.verdicts.answer_words import accepted_words, numbers_words, regret_words
from engine.verdicts.answer_words import said as said_of
from engine.verdicts.verdict import InvalidKind, Outcome
from tui.text import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.mdp.model import Mdp
    from engine.witnesses.likeliest import Path
    from engine.witnesses.runs import Witness
    from tui.services.services import Asked

MARK = "Question:"
COSTING = "best-action"
"""Where regret is what the answer costs; elsewhere (the worst action is asked for) a right answer has one too."""
MAX_TEXT = 20_000
"""Characters of a model's text that are drawn; the rest is counted."""
MOST_STEPS = 12
"""Steps of a path that are written out; of a longer one the middle is left out."""
ADVICE = {
    InvalidKind.BLANK: "the model sent nothing: raise max_tokens if it thinks for long, or ask again",
    InvalidKind.CUT_OFF: "the model came to its limit of tokens: raise max_tokens of the endpoint in the settings (f3)",
    InvalidKind.UNPARSABLE: "see the reply below; stormscope probe says whether the endpoint obeys a JSON schema",
    InvalidKind.REFUSED: "the model will not answer: try another wording, or edit the prompt",
    InvalidKind.AMBIGUOUS: "see the reply below: several answers stand in it and none is marked as the final one",
}
FAILED = "f3 opens the settings, where T tests the endpoint; enter on Ask tries again"
LATER = "starting the campaign again asks it again; f3 opens the settings, where T tests the endpoint"
KEY = "set the key where the message says, then start again; f3 opens the settings, where T tests the endpoint"


class Weight(Enum):
    """How much a row stands out."""

    PLAIN = ""
    STRONG = "strong"
    TRUTH = "truth"
    FAINT = "faint"
    QUOTED = "quoted"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Row:
    """A label and its text, which may have several lines."""

    label: str
    text: str
    weight: Weight = Weight.PLAIN


@dataclass(frozen=True, slots=True)
class Card:
    """One verdict with its reasons; all texts are safe to draw.

    Attributes
    ----------
    outcome, kind
        Pass, fail, …, and of an invalid answer its kind.
    category, about, explainer, wording
        What was asked, about which states, of whom, in which wording.
    edited
        Whether the prompt was changed by hand.
    rows
        What is said, in order.
    prompt, reply, reasoning
        What was sent and what came, in full; empty where there is none.
    footing
        Seconds, attempts, tokens, cost.
    """

    outcome: Outcome
    kind: str
    category: str
    about: str
    explainer: str
    wording: str
    edited: bool
    rows: tuple[Row, ...]
    prompt: str
    reply: str
    reasoning: str
    footing: str


def card_of(asked: Asked, witnesses: Sequence[Witness] = (), mdp: Mdp | None = None) -> Card:
    """Return the card of an answer; `witnesses` are shown where the model is known."""
    verdict, question, reply = asked.verdict, asked.question, asked.reply
    return Card(
        outcome=verdict.outcome,
        kind=verdict.invalid_kind.value if verdict.invalid_kind is not None else "",
        category=clean(question.case.category),
        about=_about(asked),
        explainer=clean(asked.explainer),
        wording=clean(question.variant),
        edited=asked.edited,
        rows=(*_rows(asked), *(witness_row(mdp, each) for each in witnesses if mdp is not None)),
        prompt=bounded(f"{question.system}\n\n{question.user}".strip()),
        reply=bounded(reply.text),
        reasoning=bounded(reply.reasoning),
        footing=_footing(asked),
    )


def question_of(prompt: str) -> str:
    """Return the question's own sentence from a prompt; the last paragraph if none is marked as the question."""
    paragraphs = [paragraph.strip() for paragraph in prompt.split("\n\n") if paragraph.strip()]
    marked = [paragraph.removeprefix(MARK).strip() for paragraph in paragraphs if paragraph.startswith(MARK)]
    return marked[-1] if marked else paragraphs[-1] if paragraphs else ""


def bounded(text: str) -> str:
    """Return a text that is safe to draw, cut where it is very long."""
    rest = len(text) - MAX_TEXT
    return clean(text[:MAX_TEXT], lines=True) + (f"\n… and {rest} more characters" if rest > 0 else "")


def path_text(mdp: Mdp, path: Path) -> str:
    """Return a path as one line: ``s6 left→ s5 down→ s9``."""
    steps = [
        f"{clean(mdp.action_name(choice))}→ s{state}"
        for choice, state in zip(path.choices, path.states[1:], strict=True)
    ]
    if len(steps) > MOST_STEPS:
        half = MOST_STEPS // 2
        steps = [*steps[:half], f"… {len(steps) - 2 * half} more …", *steps[-half:]]
    return " ".join([f"s{path.states[0]}", *steps])


def witness_row(mdp: Mdp, witness: Witness) -> Row:
    """Return what a witness shows, and its path with its probability."""
    text = clean(witness.caption)
    if witness.path is None or not witness.path.choices:
        return Row("witness", text)
    path = witness.path
    chance = f"{path.probability:.4g}" if isinstance(path.probability, float) else str(path.probability)
    steps = f"{len(path.choices)} step{'' if len(path.choices) == 1 else 's'}"
    return Row("witness", f"{text}:\n{path_text(mdp, path)}\n{steps}, probability {clean(chance)}")


def _about(asked: Asked) -> str:
    case = asked.question.case
    letters = ("A = ", "B = ") if case.space == A_B else ("",) * len(case.states)
    return ", ".join(f"{letter}s{state}" for letter, state in zip(letters, case.states, strict=True))


def _rows(asked: Asked) -> list[Row]:
    verdict, reply, case = asked.verdict, asked.reply, asked.question.case
    said = "none that could be read" if verdict.answer is None else said_of(verdict.answer, case.space)
    truth = Row("oracle", accepted_words(case, verdict.accepted), Weight.TRUTH)
    rows = [Row("asked", clean(question_of(asked.question.user) or asked.words))]
    if asked.edited:
        rows.append(Row("prompt", "edited by hand: this is not the case's own question", Weight.BAD))
    if reply.error:
        rows += [Row("failed", clean(reply.error), Weight.BAD), truth]
    else:
        rows += [Row("answer", said, Weight.STRONG), truth, Row("because", clean(verdict.reason))]
    if (advice := _advice(asked)) and not asked.edited:
        rows.append(Row("to do", advice))
    if verdict.score is not None:
        rows.append(Row("graders", f"verdict {verdict.outcome.value}, score {verdict.score:.4g}{_chance(asked)}"))
    if verdict.regret is not None and case.category == COSTING:
        rows.append(Row("regret", f"{regret_words(case, verdict.answer, verdict.regret)}  (what this answer costs)"))
    if verdict.numbers:
        rows.append(Row("numbers", numbers_words(verdict.numbers), Weight.FAINT))
    if verdict.explanation:
        rows.append(Row("it says", bounded(verdict.explanation), Weight.QUOTED))
    return rows


def _chance(asked: Asked) -> str:
    """Return what guessing gets, as the end of a line; nothing for a category that does not exist any more."""
    chance = category_named(asked.question.case.category).chance(asked.question.case)
    by_score = "" if chance.score == chance.verdict else f", mean score {float(chance.score):.3g}"
    return f"; guessing passes {float(chance.verdict):.3g}{by_score}"


def _advice(asked: Asked) -> str:
    kind = asked.verdict.invalid_kind
    if kind is not None:
        return ADVICE[kind]
    if asked.verdict.outcome is not Outcome.ERROR or not asked.reply.error:
        return ""
    return KEY if asked.reply.key_refused else LATER if asked.stored else FAILED


def _footing(asked: Asked) -> str:
    reply = asked.reply
    parts = [f"{reply.seconds:.1f} s"]
    if reply.attempts > 1:
        parts.append(f"{reply.attempts} attempts")
    if reply.tokens_out is not None:
        parts.append(f"{reply.tokens_in or 0} + {reply.tokens_out} tokens")
    if reply.cost is not None:
        parts.append(f"cost {clean(reply.cost)} {clean(reply.currency)}".rstrip())
    return " · ".join(parts)
