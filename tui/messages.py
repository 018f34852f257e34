"""What happened, as messages that travel up to the screen and the app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle


class StateSelected(Message):
    """A state was selected by moving the cursor; looking around is no step of a walk."""

    def __init__(self, state: int) -> None:
        super().__init__()
        self.state = state


class SuccessorEntered(Message):
    """A successor was walked into, from the state that offered it."""

    def __init__(self, source: int, state: int) -> None:
        super().__init__()
        self.source = source
        self.state = state


class FilterRequested(Message):
    """A filter expression was submitted; empty text means all states."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class OracleReady(Message):
    """The oracle opened a model."""

    def __init__(self, oracle: Oracle) -> None:
        super().__init__()
        self.oracle = oracle


class OracleProgress(Message):
    """The oracle reached another stage of opening a model."""

    def __init__(self, stage: str, detail: str) -> None:
        super().__init__()
        self.stage = stage
        self.detail = detail
