"""A stand-in for the asking part of the engine: it answers from a script that the tests of the explorer give it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waiting import until

from engine.explainers.base import Question
from engine.queries.case import Case
from engine.queries.spaces import OneOf, Probability
from tui.asking.asking_services import CategoryOffer, ExplainerOffer, Kept
from tui.explorer.states import candidates_of
from tui.screens.categories import CategoriesScreen
from tui.services.services import Asked
from tui.widgets.picker_list import PickerList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.pilot import Pilot

    from engine.explainers.streaming import OnPiece, Piece
    from engine.oracle.facts import Oracle
    from engine.verdicts.verdict import Verdict
    from engine.witnesses.runs import Witness
    from tui.asking.asking_services import Query

ACTIONS = ("left", "down", "right", "up")
PARAMETERS = {"satisfy": "tolerance", "holds": "threshold"}


async def choose_category(pilot: Pilot[None], name: str) -> None:
    """Choose a category in the list that the form's field opens."""
    ask = pilot.app.screen
    ask.query_one("#ask-category").focus()
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, CategoriesScreen))
    listed = pilot.app.screen
    assert isinstance(listed, CategoriesScreen)
    await pilot.pause()
    names = [offer.name for offer in listed.offers]
    listed.query_one(PickerList).move_to(names.index(name))
    await pilot.press("enter")
    await pilot.pause()


class FakeAsking:
    """Asks nobody. What it does is set on the services that it belongs to.

    Attributes
    ----------
    pieces
        What arrives before the answer.
    unaskable
        Category → why it has no question at the selected states.
    verdicts
        What each sample's answer is worth, round and round; the services' one verdict if empty.
    seen
        The witnesses of every answer.
    kept
        What was to be kept.
    sent
        Every question that was sent.
    """

    def __init__(self, services: Any) -> None:
        self._services = services
        self.pieces: Sequence[Piece] = ()
        self.waits: Sequence[str] = ()
        self.unaskable: dict[str, str] = {}
        self.verdicts: Sequence[Verdict] = ()
        self.seen: Sequence[Witness] = ()
        self.kept: list[Sequence[Asked]] = []
        self.sent: list[Question] = []
        self.offered: Sequence[ExplainerOffer] = ()
        self.known: Sequence[str] | None = None
        self.parameters: list[dict[str, str]] = []

    def offers(self, oracle: Oracle, states: tuple[int, ...], recent: Sequence[int]) -> Sequence[CategoryOffer]:
        """Offer every category but those in `unaskable`."""
        return [
            CategoryOffer(
                choice.name,
                choice.summary,
                choice.scope,
                next(candidates_of(oracle.mdp.states, states, recent, choice.scope)),
                self.unaskable.get(choice.name, ""),
                PARAMETERS.get(choice.name, ""),
            )
            for choice in self._services.categories(oracle)
        ]

    def case(self, oracle: Oracle, query: Query) -> Case:
        """Return a case about these states, or fail as told."""
        del oracle
        if self._services.refusal is not None:
            raise self._services.refusal
        self.parameters.append(dict(query.parameters))
        name = f"{query.category}{query.states}"
        number = query.category == "satisfy"
        numbers = {"V": "9/17", "tolerance": "1/100"} if number else self._services.verdict.numbers
        space, accepted = (Probability(), ("9/17",)) if number else (OneOf(ACTIONS), ("left",))
        return Case(name, query.category, query.states, space, accepted, numbers, None, {}, "manual")

    def questions(self, oracle: Oracle, case: Case, query: Query, samples: Sequence[int]) -> Sequence[Question]:
        """Put it into words."""
        variant = query.variant or oracle.environment.variants[0]
        user = "Which action is optimal on tile 6?" if variant == "plain" else f"In the words of {variant}: which one?"
        return [Question(case, "You know Frozen Lake.", user, {}, variant, sample) for sample in samples]

    async def models(self) -> Sequence[ExplainerOffer]:
        """Return what is set."""
        self.known = tuple(offer.name for offer in self.offered if offer.ready)
        return self.offered

    async def ask(
        self, oracle: Oracle, question: Question, explainer: str, on_piece: OnPiece, on_wait: Callable[[str], None]
    ) -> Asked:
        """Answer from the script."""
        del oracle
        services = self._services
        services.asked.append((question.case.category, question.case.states, explainer))
        self.sent.append(question)
        for wait in self.waits:
            on_wait(wait)
        for piece in self.pieces:
            on_piece(piece)
        if services.hold is not None:
            await services.hold.wait()
        else:
            await asyncio.sleep(0)
        if services.failure is not None:
            raise services.failure
        verdicts = self.verdicts or [services.verdict]
        return Asked(explainer, question, services.reply, verdicts[question.sample % len(verdicts)])

    def witnesses(self, oracle: Oracle, case: Case, answer: str | None) -> Sequence[Witness]:
        """Return what is set."""
        del oracle, case, answer
        return self.seen

    def keep(self, oracle: Oracle, asked: Sequence[Asked]) -> Kept:
        """Note it."""
        del oracle
        self.kept.append(asked)
        return Kept(Path("/data/campaigns/frozen_lake.sqlite"), len(asked), 0)
