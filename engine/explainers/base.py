"""What an explainer is: it takes a question, it gives a reply."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.queries.case import Case


@dataclass(frozen=True, slots=True)
class Question:
    """One case, rendered for asking.

    Attributes
    ----------
    case
        The case; language models see only `system`, `user` and `schema`.
    system, user
        The two messages of the prompt.
    schema
        JSON schema of the reply: an object with ``explanation`` (first) and ``answer``.
    variant
        The wording's name.
    sample
        Number of the sample, from 0; part of the seed.
    seed
        The campaign's seed.
    shown
        What the answer is chosen from, in the order that the prompt lists it; empty for numbers.
    """

    case: Case
    system: str
    user: str
    schema: Mapping[str, Any]
    variant: str
    sample: int = 0
    seed: int = 0
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, unread.

    Attributes
    ----------
    text
        The message's content as it came (a JSON text where the schema was honoured), without thinking in tags.
    reasoning
        Thinking that arrived beside the content or in tags inside it; never read as the answer.
    finish
        The server's finish reason (``stop``, ``length``, …), empty if none was given.
    error
        A transport failure as one sentence; then `text` is empty and the verdict is ``error``.
    fatal
        Whether asking this endpoint again is pointless (wrong key, unknown model).
    key_refused
        Whether it is fatal because the server refuses the key (status 401): a campaign then ends at once.
    seconds
        Latency from sending to the last byte, all attempts together.
    attempts
        Requests sent.
    tokens_in, tokens_out
        As the server reports them; None if it does not.
    tokens_reasoning
        Those of `tokens_out` that were thinking; None if the server does not tell.
    cost
        What the tokens cost at the endpoint's prices, as exact decimal text (``0.000125``) in its currency; None
        without prices or token counts.
    details
        What else is worth keeping, such as how the answer's form was asked for.
    """

    text: str = ""
    reasoning: str = ""
    finish: str = ""
    error: str = ""
    fatal: bool = False
    key_refused: bool = False
    seconds: float = 0.0
    attempts: int = 1
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_reasoning: int | None = None
    cost: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def currency(self) -> str:
        """The currency of `cost`, as the settings name it; empty if nobody has said it."""
        named = self.details.get("currency")
        return named if isinstance(named, str) else ""

    @property
    def cached(self) -> bool:
        """Whether it came from the cache of earlier campaigns: then its cost is not spent again."""
        return self.details.get("cached") is True


class Explainer(Protocol):
    """Who answers."""

    @property
    def name(self) -> str:
        """How the command line calls it."""
        ...

    @property
    def baseline(self) -> bool:
        """Whether no language model is behind it."""
        ...

    async def start(self) -> None:
        """Make ready (open connections, start a server); raises EndpointError if that is impossible."""

    async def ask(self, question: Question) -> Reply:
        """Answer one question. Transport failures come back as a reply with `Reply.error`; cancellation propagates."""
        ...

    async def close(self) -> None:
        """Release everything that was started; never raises."""
