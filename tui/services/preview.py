"""What the start screen says about a model before it is opened: words, size, value, and a picture of its start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import StormscopeError
from tui.text import clean

if TYPE_CHECKING:
    import threading

    from engine.mdp.environment import Environment
    from engine.oracle.facts import Oracle
    from engine.recent import RecentModel
    from tui.services.models import Progress

MOST_STATES, MOST_SECONDS = 200_000, 30.0
"""What may be checked for a picture."""
MOST_TILES = 400
VALUE_WIDTH = 24


@dataclass(frozen=True, slots=True)
class Square:
    """One tile of a picture: its mark, its value, and where that lies between 0 and 1; None for an empty one."""

    mark: str
    value: float | None
    share: float | None


@dataclass(frozen=True, slots=True)
class Preview:
    """A model at a glance.

    Attributes
    ----------
    facts
        Label and text, in the order of display.
    drawing
        A picture as lines of text.
    squares
        A picture as rows of tiles.
    note
        What is missing, and why; empty if nothing is.
    """

    title: str
    summary: str
    facts: tuple[tuple[str, str], ...] = ()
    drawing: tuple[str, ...] = ()
    squares: tuple[tuple[Square, ...], ...] = ()
    note: str = ""


def words_of(model: RecentModel) -> Preview:
    """Return what is known without checking anything; raises UsageError if there is no such model. May block."""
    from engine.mdp.sources import find_model  # noqa: PLC0415 - loads after the first frame

    environment = find_model(model.model).configured(dict(model.constants)).environment
    size = (("size", f"{model.states:,} states"),) if model.states is not None else ()
    return Preview(clean(environment.title), clean(environment.summary), (*_words(environment, model), *size))


def preview_of(model: RecentModel, *, check: bool, progress: Progress, cancel: threading.Event) -> Preview:
    """Return everything about a model; blocks while the oracle checks it.

    Parameters
    ----------
    check
        Whether it may be checked for this; otherwise only a kept result is used.

    Raises UsageError if there is no such model. What the oracle refuses becomes the preview's note.
    """
    from engine.mdp.sources import find_model  # noqa: PLC0415 - as above
    from engine.oracle.client import is_checked, open_oracle  # noqa: PLC0415 - as above
    from engine.oracle.request import Limits  # noqa: PLC0415 - as above

    words = words_of(model)
    constants = dict(model.constants)
    source = find_model(model.model).configured(constants)
    try:
        request = source.request(constants, objective=model.objective)
        if not (check or is_checked(request)):
            return _noted(words, "not checked yet; enter opens it")
        limits = Limits(seconds=MOST_SECONDS, states=MOST_STATES)
        oracle = open_oracle(request, source.environment, limits, progress=progress, cancel=cancel)
    except StormscopeError as error:
        return _noted(words, clean(error.what))
    facts = (*_words(source.environment, model), *_numbers(oracle))
    try:
        drawing, squares = _drawing(oracle), _squares(oracle)
    except StormscopeError as error:
        return Preview(words.title, words.summary, facts, note=clean(error.what))
    return Preview(words.title, words.summary, facts, drawing, squares)


def _noted(words: Preview, note: str) -> Preview:
    return Preview(words.title, words.summary, words.facts, note=note)


def _words(environment: Environment, model: RecentModel) -> tuple[tuple[str, str], ...]:
    objective = (
        environment.objectives.get(model.objective or "", model.objective) or environment.objective or "none yet"
    )
    constants = {**environment.constants, **dict(model.constants)}
    settings = ", ".join(f"{name}={value}" for name, value in constants.items())
    found = [("objective", clean(objective))]
    if environment.danger:
        found.append(("danger", clean(environment.danger)))
    if settings:
        found.append(("constants", clean(settings)))
    return tuple(found)


def _numbers(oracle: Oracle) -> tuple[tuple[str, str], ...]:
    from engine.figures import counted, short  # noqa: PLC0415 - as above
    from engine.oracle.tri import Tri  # noqa: PLC0415 - as above

    mdp, facts = oracle.mdp, oracle.facts
    start = int(mdp.initial[0])
    dead = int((facts.dead_end == Tri.YES).sum())
    necks = int((facts.bottleneck == Tri.YES).sum())
    return (
        ("size", f"{counted(mdp.states, 'state')}, {counted(mdp.choices, 'choice')}"),
        ("of these", f"{counted(dead, 'dead end')}, {counted(necks, 'bottleneck')}"),
        ("V(start)", short(facts.value.at(start), VALUE_WIDTH)),
    )


def _drawing(oracle: Oracle) -> tuple[str, ...]:
    from tui.explorer.drawing import Drawing  # noqa: PLC0415 - as above

    layout = oracle.environment.layout
    if layout is None or layout.kind != "text":
        return ()
    return Drawing(oracle).lines(int(oracle.mdp.initial[0]))


def _squares(oracle: Oracle) -> tuple[tuple[Square, ...], ...]:
    from tui.explorer.tiles import tiles_of  # noqa: PLC0415 - as above

    tiles = tiles_of(oracle)
    if tiles is None or tiles.rows * tiles.columns > MOST_TILES:
        return ()
    values = oracle.facts.value.floats
    shown = tiles.shown(int(oracle.mdp.initial[0]))
    finite = [float(values[state]) for state in shown if state >= 0 and math.isfinite(values[state])]
    reward = oracle.facts.objective.kind.is_reward
    low, high = (min(finite, default=0.0), max(finite, default=1.0)) if reward else (0.0, 1.0)

    def square(index: int) -> Square:
        state = int(shown[index])
        if state < 0:
            return Square("", None, None)
        value = float(values[state])
        share = (value - low) / (high - low) if high > low and math.isfinite(value) else float(value > low)
        return Square(clean(tiles.marks.get(index, "")), value, min(max(share, 0.0), 1.0))

    return tuple(
        tuple(square(row * tiles.columns + column) for column in range(tiles.columns)) for row in range(tiles.rows)
    )
