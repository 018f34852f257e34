"""What a model is opened with, and the one small interface that opens it; tests can stand in for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from engine.mdp.constants import Constant
    from engine.mdp.user_environments import Words
    from engine.oracle.facts import Oracle

    Progress: TypeAlias = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What can be chosen about a model.

    Attributes
    ----------
    constants
        Constants by name, as written; those that are not there have the environment's values.
    objective
        A PRISM property, or the name of one of the environment's; None takes the environment's default.
    """

    constants: Mapping[str, str] = field(default_factory=dict)
    objective: str | None = None


class Opener(Protocol):
    """One model, ready to be opened with any settings. All methods block and raise StormscopeError."""

    @property
    def title(self) -> str:
        """What is opened, for people."""
        ...

    @property
    def first(self) -> ModelSettings:
        """The settings that the user asked for on the command line."""
        ...

    def constants(self) -> tuple[Constant, ...]:
        """Return the constants that the model leaves open."""
        ...

    def objectives(self) -> Mapping[str, str]:
        """Return the objectives to choose from by name, the default one first."""
        ...

    def names(self) -> tuple[str, ...]:
        """Return what a property may name, as far as the last attempt to open the model has found it out."""
        ...

    def open(self, settings: ModelSettings, progress: Progress, cancel: threading.Event) -> Oracle:
        """Build and check the model; `progress` is told each stage and its detail, `cancel` ends it."""
        ...

    def words(self, oracle: Oracle) -> tuple[str, Words]:
        """Return the name and the words to begin with when the model's words are edited.

        Raises UsageError if this model's words cannot be edited here.
        """
        ...

    def save(self, oracle: Oracle, name: str, words: Words, *, replace: bool) -> Oracle:
        """Save an open model with the user's words as an environment; return the same facts with that environment."""
        ...


def missing(constants: tuple[Constant, ...], settings: ModelSettings) -> tuple[Constant, ...]:
    """Return the constants that have no value yet."""
    return tuple(each for each in constants if each.default is None and each.name not in settings.constants)
