"""Asking one question of a campaign: words, cache, explainer, verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.endpoints import Endpoint
from engine.errors import StormscopeError
from engine.explainers.base import Reply
from engine.explainers.costs import cost_of
from engine.verdicts.records import Answer
from engine.verdicts.store import now

if TYPE_CHECKING:
    from engine.campaign.cache import AnswerCache
    from engine.campaign.grid import Item
    from engine.campaign.setup import Setup
    from engine.explainers.base import Explainer, Question


@dataclass(frozen=True, slots=True)
class Arrival:
    """An answer that is judged and not yet committed.

    Attributes
    ----------
    item
        The question.
    answer
        What came back, with its verdict.
    key
        What the cache knows the answer by; None if it does not belong there.
    cached
        Whether it came from the cache.
    """

    item: Item
    answer: Answer
    key: bytes | None
    cached: bool


def question_of(setup: Setup, item: Item) -> Question:
    """Put a question into words."""
    plan = setup.grid.plan
    return setup.tools.render(
        setup.oracles[item.entry.model],
        item.entry.case,
        variant=item.variant,
        sample=item.sample,
        seed=plan.seed,
        explanation_length=plan.explanation_length,
        shuffle=plan.shuffle,
    )


async def ask(setup: Setup, name: str, item: Item, question: Question, cache: AnswerCache | None) -> Arrival:
    """Return an explainer's answer to a question; never raises for what an explainer does."""
    explainer, fingerprint = setup.explainers[name], setup.fingerprints[name]
    key = None if cache is None or fingerprint is None else cache.key(fingerprint, question)
    found = None if cache is None or key is None else cache.get(key)
    reply = await _reply(explainer, question) if found is None else in_its_currency(found, explainer)
    verdict = setup.tools.judge(setup.oracles[item.entry.model], item.entry.case, reply)
    shown = question.shown if setup.grid.plan.shuffle else ()
    answer = Answer(item.key, name, question.system, question.user, reply, verdict, now(), shown)
    return Arrival(item, answer, None if reply.error else key, cached=found is not None)


def in_its_currency(reply: Reply, explainer: Explainer) -> Reply:
    """Return a remembered reply with a cost in the currency of the endpoint that is asked now.

    Endpoints of the settings that lead to the same model share its answers, and may be paid in different currencies. A
    cost in another one is replaced by what the tokens cost at the prices of the endpoint; it is left out without them.
    """
    endpoint = getattr(explainer, "endpoint", None)
    if reply.cost is None or not isinstance(endpoint, Endpoint) or reply.currency == endpoint.currency:
        return reply
    cost = cost_of(endpoint, reply.tokens_in, reply.tokens_out)
    details = {name: value for name, value in reply.details.items() if name != "currency"}
    priced = {} if cost is None else {"currency": endpoint.currency}
    return replace(reply, cost=cost, details={**details, **priced})


async def _reply(explainer: Explainer, question: Question) -> Reply:
    try:
        return await explainer.ask(question)
    except StormscopeError as error:
        return Reply(error=str(error), fatal=True)
    except Exception as error:  # noqa: BLE001 - the border to third parties: a broken explainer must not end the others
        return Reply(error=f"the explainer broke: {type(error).__name__}: {error}")
