"""The error family: every failure says what happened, where, and what to do now."""

from __future__ import annotations


class StormscopeError(Exception):
    """A failure that is shown to the user as one message, never as a traceback.

    Parameters
    ----------
    what
        What happened, as a sentence without a full stop.
    where
        The file, position, option or endpoint concerned; empty if the sentence says it.
    hint
        What to do now; empty if there is nothing to do.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}\n  → {self.hint}" if self.hint else text


class UsageError(StormscopeError):
    """The user asked for something that does not exist or makes no sense (exit code 2)."""


class ExpressionError(UsageError):
    """A state expression does not parse, names something unknown, or selects the wrong number of states."""


class ModelError(StormscopeError):
    """A model could not be read, built or checked (exit code 3)."""

    exit_code = 3


class LimitError(ModelError):
    """A time, memory or state limit ended the oracle."""


class CancelledError(ModelError):
    """The user ended the oracle before it was done."""


class EndpointError(StormscopeError):
    """A language model's endpoint failed for good (exit code 4)."""

    exit_code = 4


class UnlistedError(EndpointError):
    """An endpoint answers, but has no list of its models; it may be asked all the same."""


class StoreError(UsageError):
    """A campaign file is not one, is from another version, or belongs to another campaign."""
