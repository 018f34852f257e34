"""The classic environments' rules written down a second time, in plain Python, with solutions that need no Storm."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from reference_solver import Model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

State: TypeAlias = tuple[int, ...]
Moves: TypeAlias = dict[str, list[tuple[Fraction, State]]]

ONE = Fraction(1)


@dataclass(frozen=True)
class Game:
    """The rules of an environment.

    Attributes
    ----------
    variables
        The model's variables, in the order of a state's numbers.
    initial
        Where a run begins.
    moves
        State → action → probabilities and successors; empty where the run is over.
    won, lost
        Whether a state is a target, whether it is unsafe.
    """

    variables: tuple[str, ...]
    initial: State
    moves: Callable[[State], Moves]
    won: Callable[[State], bool]
    lost: Callable[[State], bool]


def explored(game: Game) -> tuple[list[State], Model]:
    """Return the reachable states and the MDP over their positions; successors of probability 0 do not count."""
    position = {game.initial: 0}
    states = [game.initial]
    table: list[dict[str, dict[int, Fraction]]] = []
    for state in states:
        found = game.moves(state) or {"stay": [(ONE, state)]}
        row: dict[str, dict[int, Fraction]] = {}
        for name, outcomes in found.items():
            total: Counter[int] = Counter()
            for probability, successor in outcomes:
                if probability:
                    if successor not in position:
                        position[successor] = len(states)
                        states.append(successor)
                    total[position[successor]] += probability  # type: ignore[assignment] # counts exact numbers
            row[name] = {target: Fraction(probability) for target, probability in total.items()}
        table.append(row)
    labels = {
        "goal": {position[state] for state in states if game.won(state)},
        "unsafe": {position[state] for state in states if game.lost(state)},
    }
    return states, Model(table, labels)


def river(slip: Fraction) -> Game:
    """Return the rules of wolf, goat and cabbage; a state is the bank of farmer, wolf, goat and cabbage."""
    fights = ({"wolf", "goat"}, {"goat", "cabbage"})
    things = ("farmer", "wolf", "goat", "cabbage")

    def lost(state: State) -> bool:
        banks = [{thing for thing, side in zip(things, state, strict=True) if side == bank} for bank in (0, 1)]
        return any(pair <= bank for bank in banks if "farmer" not in bank for pair in fights)

    def moved(state: State, passengers: Iterable[str]) -> State:
        return tuple(1 - side if thing in passengers else side for thing, side in zip(things, state, strict=True))

    def moves(state: State) -> Moves:
        if lost(state) or sum(state) == 4:
            return {}
        found: Moves = {"alone": [(ONE, moved(state, ["farmer"]))]}
        for thing, side in zip(things[1:], state[1:], strict=True):
            if side == state[0]:
                found[thing] = [(1 - slip, moved(state, ["farmer", thing])), (slip, moved(state, ["farmer"]))]
        return found

    return Game(things, (0, 0, 0, 0), moves, lambda state: sum(state) == 4, lost)


def jugs(sizes: tuple[int, int], litres: int, budget: int, fumble: Fraction) -> Game:
    """Return the rules of the water jugs; a state is both contents, the moves left, and whether the water is served."""

    def lost(state: State) -> bool:
        return state[2] == 0 and not state[3] and litres not in state[:2]

    def poured(content: tuple[int, int], source: int) -> tuple[int, int]:
        total, other = sum(content), min(sizes[1 - source], sum(content))
        return (total - other, other) if source == 0 else (other, total - other)

    def moves(state: State) -> Moves:
        content, left, served = (state[0], state[1]), state[2], state[3]
        if served or lost(state):
            return {}
        found: Moves = {"serve": [(ONE, (*content, left, 1))]} if litres in content else {}
        if left == 0:
            return found
        results = {
            "fill_small": (sizes[0], content[1]),
            "fill_large": (content[0], sizes[1]),
            "empty_small": (0, content[1]),
            "empty_large": (content[0], 0),
            "pour_small": poured(content, 0),
            "pour_large": poured(content, 1),
        }
        for name, result in results.items():
            if result != content:
                found[name] = [(1 - fumble, (*result, left - 1, 0)), (fumble, (*content, left - 1, 0))]
        return found

    variables = ("in_small", "in_large", "moves_left", "served")
    return Game(variables, (0, 0, budget, 0), moves, lambda state: state[3] == 1, lost)


def bets(target: int, start: int, heads: Fraction) -> Game:
    """Return the rules of the gambler's problem; a state is the capital."""

    def moves(state: State) -> Moves:
        (capital,) = state
        return {
            f"stake{stake}": [(heads, (capital + stake,)), (1 - heads, (capital - stake,))]
            for stake in range(1, target)
            if capital - stake >= 0 and capital + stake <= target and 0 < capital < target
        }

    return Game(("capital",), (start,), moves, lambda state: state[0] == target, lambda state: state[0] == 0)


COMPASS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}


def cliff(rows: int, columns: int, slip: Fraction) -> Game:
    """Return the rules of cliff walking; a state is row and column."""
    words = {"up": "north", "right": "east", "down": "south", "left": "west"}
    bottom = [(rows - 1, column) for column in range(columns)]

    def step(place: State, direction: tuple[int, int]) -> State:
        row, column = place[0] + direction[0], place[1] + direction[1]
        return (row, column) if 0 <= row < rows and 0 <= column < columns else place

    def moves(state: State) -> Moves:
        if state in bottom[1:]:
            return {}
        return {
            word: [(1 - slip, step(state, COMPASS[name])), (slip, step(state, COMPASS["south"]))]
            for word, name in words.items()
        }

    won, lost = bottom[-1], bottom[1:-1]
    return Game(("row", "column"), bottom[0], moves, lambda state: state == won, lambda state: state in lost)


def town(size: int, tank: int, parcels: int, drift: Fraction) -> Game:
    """Return the rules of the transporter; a state is row, column, fuel, parcels waiting, and whether one is aboard."""
    depot, customer = (0, size - 1), (size - 1, size - 1)

    def won(state: State) -> bool:
        return state[3:] == (0, 0)

    def lost(state: State) -> bool:
        helped = state[:2] == depot or (state[:2] == customer and state[4])
        return state[2] == 0 and not helped and not won(state)

    def moves(state: State) -> Moves:
        row, column, fuel, waiting, aboard = state
        if won(state) or lost(state):
            return {}
        found = _driven(state, size, drift) if fuel else {}
        if (row, column) == depot:
            found["refuel"] = [(ONE, (row, column, tank, waiting, aboard))]
            if waiting and not aboard:
                found["load"] = [(ONE, (row, column, tank, waiting - 1, 1))]
        if (row, column) == customer and aboard:
            found["unload"] = [(ONE, (row, column, fuel, waiting, 0))]
        return found

    return Game(("row", "column", "fuel", "waiting", "aboard"), (0, 0, tank, parcels, 0), moves, won, lost)


def _driven(state: State, size: int, drift: Fraction) -> Moves:
    """Return the four moves of the van, each with its drifts to the two sides."""

    def step(direction: tuple[int, int]) -> State:
        row, column = (min(max(state[k] + direction[k], 0), size - 1) for k in (0, 1))
        return (row, column, state[2] - 1, *state[3:])

    ring = list(COMPASS.values())
    return {
        name: [(1 - 2 * drift, step(ring[turn])), *((drift, step(ring[(turn + side) % 4])) for side in (1, 3))]
        for turn, name in enumerate(COMPASS)
    }


def iterated(game: Game, final: Callable[[State], float], step: float | None = None) -> dict[State, float]:
    """Return the best value of every state by plain value iteration.

    Parameters
    ----------
    final
        The value of a state in which the run is over.
    step
        What every action costs, and then the total cost is minimised; None to maximise the mean of `final`.
    """
    states, model = explored(game)
    over = [not game.moves(state) for state in states]
    value = [final(state) if end else 0.0 for state, end in zip(states, over, strict=True)]
    rows = [[[(t, float(p)) for t, p in d.items()] for d in actions.values()] for actions in model.moves]
    change = 1.0
    while change > 1e-13:
        change = 0.0
        for state, actions in enumerate(rows):
            if not over[state]:
                means = [sum(p * value[t] for t, p in action) for action in actions]
                new = max(means) if step is None else step + min(means)
                change, value[state] = max(change, abs(new - value[state])), new
    return dict(zip(states, value, strict=True))


def distances(game: Game) -> dict[State, int]:
    """Return the least number of actions from the initial state to each state, by breadth-first search."""
    found = {game.initial: 0}
    queue = deque(found)
    while queue:
        state = queue.popleft()
        for outcomes in game.moves(state).values():
            for probability, successor in outcomes:
                if probability and successor not in found:
                    found[successor] = found[state] + 1
                    queue.append(successor)
    return found


@cache
def shortest_measuring(content: tuple[int, ...]) -> int:
    """Return how many moves the jugs of three and five litres need from these contents until one holds four."""
    frontier, moves = {content}, 0
    while not any(4 in pair for pair in frontier):
        frontier = {
            (a, b)
            for x, y in frontier
            for a, b in [
                (3, y), (x, 5), (0, y), (x, 0),
                (max(0, x + y - 5), min(5, x + y)), (min(3, x + y), max(0, x + y - 3)),
            ]
        }  # fmt: skip
        moves += 1
    return moves


def bold_play(capital: int, target: int, heads: Fraction) -> Fraction:
    """Return the chance of bold play, from V(s) = heads · V(2s) below the middle and heads + tails · V(2s - target).

    Each equation is linear in the next capital, so that the chain from a capital ends at 0 or the target or comes back
    to where it has been, and is solved either way.
    """
    chain: dict[int, tuple[Fraction, Fraction]] = {}
    base, factor = Fraction(0), Fraction(1)
    now = capital
    while now not in chain and 0 < now < target:
        chain[now] = (base, factor)
        low = 2 * now < target
        base, factor = (base, factor * heads) if low else (base + factor * heads, factor * (1 - heads))
        now = 2 * now if low else 2 * now - target
    if now in {0, target}:
        return base + factor * int(now == target)
    start, scale = chain[now]
    repeated = (base - start) / (scale - factor) * scale
    return start + repeated
