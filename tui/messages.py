"""What happened, as messages that travel up to the screen and the app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from engine.mdp.constants import Constant
    from engine.mdp.user_environments import Words
    from engine.oracle.facts import Oracle
    from engine.oracle.numbers import IntArray, Numbers
    from tui.services.models import ModelSettings, Opener


class SuccessorEntered(Message):
    """A successor was walked into by a choice, from the state that offered it."""

    def __init__(self, source: int, state: int, choice: int | None = None) -> None:
        super().__init__()
        self.source = source
        self.state = state
        self.choice = choice


class ActionTaken(Message):
    """A choice was taken in the state that offered it; which successor it leads to is still to be drawn."""

    def __init__(self, source: int, choice: int) -> None:
        super().__init__()
        self.source = source
        self.choice = choice


class LossesFound(Message):
    """The losses of all states were computed."""

    def __init__(self, loss: Numbers) -> None:
        super().__init__()
        self.loss = loss


class OptimalFound(Message):
    """``(states,)`` choices that attain V were computed; the first step along them follows."""

    def __init__(self, choices: IntArray) -> None:
        super().__init__()
        self.choices = choices


class FilterRequested(Message):
    """A filter expression was submitted; empty text means all states."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class OpenerReady(Message):
    """A model was chosen, and can be opened."""

    def __init__(self, opener: Opener) -> None:
        super().__init__()
        self.opener = opener


class OracleReady(Message):
    """The oracle opened a model with these settings; `number` tells which attempt this was."""

    def __init__(self, oracle: Oracle, settings: ModelSettings, number: int) -> None:
        super().__init__()
        self.oracle = oracle
        self.settings = settings
        self.number = number


class OracleProgress(Message):
    """The oracle reached another stage of opening a model."""

    def __init__(self, stage: str, detail: str) -> None:
        super().__init__()
        self.stage = stage
        self.detail = detail


class ConstantsNeeded(Message):
    """The model cannot be opened before some of its constants have values."""

    def __init__(self, constants: tuple[Constant, ...]) -> None:
        super().__init__()
        self.constants = constants


class SettingsChosen(Message):
    """The user wants the model with these settings."""

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__()
        self.settings = settings


class WordsChosen(Message):
    """The user wants these words to be saved."""

    def __init__(self, name: str, words: Words, *, replace: bool) -> None:
        super().__init__()
        self.name = name
        self.words = words
        self.replace = replace
