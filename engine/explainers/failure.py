"""A request that failed, and what follows from that."""

from __future__ import annotations


class RequestFailed(Exception):  # noqa: N818 - never shown by its name; it becomes the sentence of a reply
    """One request failed.

    Attributes
    ----------
    message
        What happened, for the user.
    transient
        Whether the same request may succeed later.
    fatal
        Whether asking this endpoint again is pointless.
    key_refused
        Whether that is because the server refuses the key.
    retry_after
        Seconds that the server asked to wait; None if it did not say.
    unreached
        Whether no server was reached at all.
    """

    def __init__(
        self,
        message: str,
        *,
        transient: bool = False,
        fatal: bool = False,
        key_refused: bool = False,
        retry_after: float | None = None,
        unreached: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.transient = transient
        self.fatal = fatal
        self.key_refused = key_refused
        self.retry_after = retry_after
        self.unreached = unreached


class NoList(RequestFailed):
    """A server answers, but lists no models; asking one may work still."""
