"""The verdict card: the question, what the model said, what is true, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Collapsible, Static

from engine.queries.spaces import A_B
from engine.verdicts.verdict import Outcome
from tui.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult

    from engine.queries.case import FactValue
    from tui.services import Asked

STYLES = {
    Outcome.PASS: ("PASS", "$pass"),
    Outcome.FAIL: ("FAIL", "$fail"),
    Outcome.INVALID: ("INVALID", "$invalid"),
    Outcome.UNDECIDED: ("UNDECIDED", "$secondary"),
    Outcome.ERROR: ("ERROR", "$fail"),
}
"""Each outcome as a word and a colour; the word alone carries the meaning."""

MARK = "Question:"
COSTING = "best-action"
"""Where regret is what the answer costs; elsewhere (the worst action is asked for) a right answer has one too."""
MAX_TEXT = 20_000
"""Characters of a model's text that are drawn; the rest is counted."""


class VerdictCard(VerticalScroll, can_focus=True):
    """One verdict with its reasons. Nothing in it is read as markup."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(classes=f"verdict -{asked.verdict.outcome.value}")
        self.asked = asked
        self.border_title = "Verdict"
        self.border_subtitle = _footing(asked)

    def compose(self) -> ComposeResult:
        """Create the rows."""
        verdict, reply, question = self.asked.verdict, self.asked.reply, self.asked.question
        yield Static(_head(self.asked), classes="verdict-head")
        for label, text, style in _rows(self.asked):
            with Horizontal(classes="verdict-row"):
                yield Static(label, classes="verdict-label", markup=False)
                yield Static(Content.styled(text, style) if style else Content(text), classes="verdict-text")
        if reply.reasoning:
            with Collapsible(title="Reasoning (never read as the answer)", collapsed=True):
                yield Static(Content(_bounded(reply.reasoning)))
        with Collapsible(title="Prompt as it was sent", collapsed=True):
            yield Static(Content(_bounded(f"{question.system}\n\n{question.user}")))
        if reply.text and verdict.outcome is not Outcome.ERROR:
            with Collapsible(title="Reply as it came", collapsed=verdict.outcome is not Outcome.INVALID):
                yield Static(Content(_bounded(reply.text)))


def _head(asked: Asked) -> Content:
    verdict, case = asked.verdict, asked.question.case
    word, style = STYLES[verdict.outcome]
    kind = f" ({verdict.invalid_kind.value})" if verdict.invalid_kind is not None else ""
    letters = ("A = ", "B = ") if case.space == A_B else ("",) * len(case.states)
    about = ", ".join(f"{letter}s{state}" for letter, state in zip(letters, case.states, strict=True))
    return Content.assemble(
        (f" {word} ", f"bold reverse {style}"),
        (kind, style),
        "  ",
        (clean(case.category), "bold"),
        f" of {about}",
        "  asked of ",
        (clean(asked.explainer), "bold"),
    )


def _rows(asked: Asked) -> list[tuple[str, str, str]]:
    verdict, reply = asked.verdict, asked.reply
    rows = [
        ("asked", clean(question_of(asked.question.user)), ""),
        ("answer", clean(verdict.answer) if verdict.answer is not None else "none that could be read", "bold"),
        ("oracle", clean(" or ".join(verdict.accepted)), "bold $primary"),
        ("because", clean(verdict.reason), ""),
    ]
    if reply.error:
        rows = [rows[0], ("failed", clean(reply.error), "$fail"), rows[2]]
    if verdict.regret is not None and asked.question.case.category == COSTING:
        rows.append(("regret", f"{clean(verdict.regret)}  (what this answer costs)", ""))
    if verdict.numbers:
        rows.append(("numbers", _numbers(verdict.numbers), "dim"))
    if verdict.explanation:
        rows.append(("it says", _bounded(verdict.explanation), "italic"))
    return rows


def question_of(prompt: str) -> str:
    """Return the question's own sentence from a prompt; the last paragraph if none is marked as the question."""
    paragraphs = [paragraph.strip() for paragraph in prompt.split("\n\n") if paragraph.strip()]
    marked = [paragraph.removeprefix(MARK).strip() for paragraph in paragraphs if paragraph.startswith(MARK)]
    return marked[-1] if marked else paragraphs[-1] if paragraphs else ""


def _numbers(numbers: Mapping[str, FactValue]) -> str:
    return "\n".join(
        f"{clean(name)}: {_value(value)}" if isinstance(value, dict | list) else f"{clean(name)} = {_value(value)}"
        for name, value in numbers.items()
    )


def _value(value: FactValue | float) -> str:
    match value:
        case {"lower": lower, "upper": upper}:
            return f"{lower} ≤ x ≤ {upper}"
        case dict():
            return ", ".join(f"{_named(str(name))} = {_value(item)}" for name, item in value.items())
        case list():
            return ", ".join(clean(str(item)) for item in value)
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case _:
            return clean(str(value))


def _named(name: str) -> str:
    """Return a key of the numbers; a state's number is marked as one, so that it is not read as part of its value."""
    return f"s{name}" if name.isdecimal() else clean(name)


def _bounded(text: str) -> str:
    rest = len(text) - MAX_TEXT
    return clean(text[:MAX_TEXT], lines=True) + (f"\n… and {rest} more characters" if rest > 0 else "")


def _footing(asked: Asked) -> str:
    reply = asked.reply
    parts = [f"{reply.seconds:.1f} s"]
    if reply.attempts > 1:
        parts.append(f"{reply.attempts} attempts")
    if reply.tokens_out is not None:
        parts.append(f"{reply.tokens_in or 0} + {reply.tokens_out} tokens")
    return " · ".join(parts)
