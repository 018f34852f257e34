"""Answers for the tour that were recorded from the embedded model, for machines that lack it."""

from __future__ import annotations

import importlib.util
import json
from typing import TYPE_CHECKING

from engine.errors import StormscopeError
from engine.explainers.base import Reply

if TYPE_CHECKING:
    from engine.explainers.base import Question

ANSWER = "right"
EXPLANATION = (
    "The optimal action is to choose the opposite of the action you are performing, which is to choose the opposite of "
    "the action you are performing, which is to choose the opposite of the action you are "
)
"""As it came, cut at the 200 characters that an explanation may have."""


class RecordedExplainer:
    """Gives the answer that SmolLM2-135M-Instruct gave to the tour's question at temperature 0."""

    name = "recorded"
    baseline = False

    async def start(self) -> None:
        """Nothing has to be made ready."""

    async def ask(self, question: Question) -> Reply:
        """Return what was recorded, if the question offers it, else the first answer that it offers."""
        offered = question.shown
        answer = ANSWER if not offered or ANSWER in offered else offered[0]
        text = json.dumps({"explanation": EXPLANATION, "answer": answer}, ensure_ascii=False)
        return Reply(text=text, finish="stop", details={"recorded": True})

    async def close(self) -> None:
        """Nothing has to be released."""


def embedded_model_there() -> bool:
    """Return whether the embedded model can be asked. Blocks."""
    from engine.explainers import local_weights  # noqa: PLC0415 - loads with the tour

    try:
        local_weights.packaged_weights()
    except StormscopeError:
        return False
    return importlib.util.find_spec("xllamacpp") is not None
