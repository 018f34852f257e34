"""Failed cases in chat format, ready for fine-tuning: the prompt as it was sent, and the right answer as the reply."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.queries.registry import category_named
from engine.queries.spaces import Number, Probability, Ranking, SetOf
from engine.text import plain
from engine.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.queries.case import Case
    from engine.verdicts.records import Answer
    from engine.verdicts.store import Store

LONGEST = 200
"""Characters of an explanation, as prompts ask for by default."""
_ANSWERED = re.compile(r"\A(answered|named) .*?[,:] ")
DIGITS = 6
"""Decimals of a probability or a reward in a right answer: far more than any tolerance asks for."""


def export_failures(store: Store, path: Path) -> int:
    """Write a line for each case and wording that a language model failed at least once; return how many.

    Baselines are left out. The file appears when it is complete, in place of an older one.

    Raises
    ------
    UsageError
        If the file cannot be written.
    StoreError
        If the campaign cannot be read.
    """
    part = path.with_name(f".{path.name}.part")
    count = 0
    try:
        with part.open("w", encoding="utf-8") as file:
            for line in _lines(store):
                file.write(line + "\n")
                count += 1
        os.replace(part, path)  # noqa: PTH105 - Path.replace is the same and reads like a change of text
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise UsageError(f"the failures cannot be written: {error.strerror or error}", where=str(path)) from None
    return count


def _lines(store: Store) -> Iterator[str]:
    with store.snapshot():
        cases = store.cases()
        baselines = store.explainers()
        seen: set[tuple[str, str]] = set()
        for answer in store.answers():
            failed = answer.verdict.outcome in {Outcome.FAIL, Outcome.INVALID}
            # Without a prompt (answers from elsewhere) there is nothing to learn from.
            prompt = answer.system, answer.user
            if failed and not baselines[answer.explainer] and answer.user and prompt not in seen:
                seen.add(prompt)
                yield _line(answer, cases[answer.key.case].case)


def _line(answer: Answer, case: Case) -> str:
    reply = json.dumps({"explanation": right_reason(case), "answer": right_answer(case)}, ensure_ascii=False)
    messages = [("system", answer.system), ("user", answer.user), ("assistant", reply)]
    chat = [{"role": role, "content": content} for role, content in messages if content]
    return json.dumps({"messages": chat}, ensure_ascii=False)


def right_answer(case: Case) -> object:
    """Return the oracle's answer as a reply's JSON has it: a text, a number, or a list."""
    answer = case.accepted[0]
    match case.space:
        case Ranking() | SetOf():
            listed: object = json.loads(answer)
            return listed
        case Probability() | Number():
            return answer if answer == "inf" else round(float(Fraction(answer)), DIGITS)
        case _:
            return answer


def right_reason(case: Case) -> str:
    """Return why the oracle's answer is right, in the grader's words but for its mention of the answer."""
    reason = category_named(case.category).grade(case, case.accepted[0]).reason
    return plain(_ANSWERED.sub("", reason), limit=LONGEST)
