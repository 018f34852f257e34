"""The rules of four packaged environments, written without their models: a second source for every value."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

State: TypeAlias = tuple[int, ...]
Moves: TypeAlias = dict[str, list[tuple[Fraction, State]]]
"""Action → its branches: probability and next state."""

STAY: Moves = {"stay": []}
"""What can be done when everything is over."""


class Rules(NamedTuple):
    """An environment's rules, written without its model: variables, start, moves, and how a finished run ended."""

    variables: tuple[str, ...]
    start: State
    moves: Callable[[State], Moves]
    good: Callable[[State], bool]
    bad: Callable[[State], bool]


def stock_market(c: Mapping[str, Fraction]) -> Rules:
    """Return the rules of the stock market; bankrupt is cash -1 here."""
    days, top, bill = int(c["days"]), int(c["top"]), int(c["bill"])

    def good(s: State) -> bool:
        return s[2] >= 0 and s[2] + s[3] * s[1] >= c["target"]

    def day(left: int, price: int, cash: int, shares: int) -> list[tuple[Fraction, State]]:
        found: list[tuple[Fraction, State]] = []
        for owed, p in ((0, 1 - c["bills"]), (bill, c["bills"])):
            if cash < owed:
                found.append((p, (left - 1, price, -1, 0)))
                continue
            for change, q in ((1, c["rise"]), (-1, c["fall"]), (0, 1 - c["rise"] - c["fall"])):
                found.append((p * q, (left - 1, min(top, max(1, price + change)), cash - owed, shares)))
        return found

    def moves(s: State) -> Moves:
        left, price, cash, shares = s
        if left == 0 or cash < 0 or good(s):
            return STAY
        found = {"hold": day(left, price, cash, shares)}
        if cash >= price and shares < c["limit"]:
            found["buy"] = day(left, price, cash - price, shares + 1)
        if shares:
            found["sell"] = day(left, price, cash + price, shares - 1)
        return found

    start = (days, (top + 1) // 2, int(c["savings"]), 0)
    return Rules(("left", "price", "cash", "shares"), start, moves, good, lambda s: s[2] < 0)


ROUTES = ["L3 M2", "M3 L3", "L2 M3", "M2 L2"]
"""Per job the machines in order; 3 is a quick operation, 2 a slow one."""


def job_shop(c: Mapping[str, Fraction]) -> Rules:
    """Return the rules of the job shop."""
    jobs = int(c["jobs"])
    operations = [route.split() for route in ROUTES]
    pace = {"3": c["quick"], "2": c["slow"]}

    def good(s: State) -> bool:
        return all(stage == 4 for stage in s[1:])

    def moves(s: State) -> Moves:
        left, *stages = s
        if left == 0 or good(s):
            return STAY
        running = [job for job in range(4) if stages[job] in {1, 3}]
        busy = {operations[job][stages[job] // 2][0] for job in running}

        def after(finished: set[int], hours: int = 1) -> State:
            return (max(0, left - hours), *(stage + (job in finished) for job, stage in enumerate(stages)))

        found: Moves = {}
        for job, name in enumerate(["one", "two", "three", "four"]):
            if stages[job] in {0, 2} and operations[job][stages[job] // 2][0] not in busy:
                found[f"start_{name}"] = [(Fraction(1), after({job}, 0))]
        found["work"] = []
        for outcome in product((True, False), repeat=len(running)):
            p = Fraction(1)
            for job, done in zip(running, outcome, strict=True):
                chance = pace[operations[job][stages[job] // 2][1]]
                p *= chance if done else 1 - chance
            found["work"].append((p, after({job for job, done in zip(running, outcome, strict=True) if done})))
        if running:
            found["hurry"] = [(1 - c["jam"], after(set(running))), (c["jam"], after(set(), 2))]
        return found

    start = (int(c["deadline"]), *(0 if job < jobs else 4 for job in range(4)))
    return Rules(("left", "one", "two", "three", "four"), start, moves, good, lambda s: s[0] == 0 and not good(s))


def dam(c: Mapping[str, Fraction]) -> Rules:
    """Return the rules of the dam."""
    months, demand, top = int(c["months"]), int(c["demand"]), int(c["top"])

    def bad(s: State) -> bool:
        return not 1 <= s[1] <= top - 1

    def moves(s: State) -> Moves:
        left, level, released = s
        if left == 0 or bad(s):
            return STAY
        rainy = months - left + 1 <= months // 2
        flood = c["flood"] if rainy else c["flood"] / 2
        drought = c["drought"] / 2 if rainy else c["drought"]
        weather = [(4, flood), (-1, drought), (1, 1 - flood - drought)]
        return {
            name: [
                (p, (left - 1, min(top, max(0, level - units + inflow)), min(demand, released + units)))
                for inflow, p in weather
            ]
            for units, name in enumerate(["hold", "release_one", "release_two", "release_three"])
        }

    start = (months, int(c["start"]), 0)
    return Rules(
        ("left", "level", "released"), start, moves, lambda s: s[0] == 0 and not bad(s) and s[2] == demand, bad
    )


CHART = ["*!..$", ".#.#.", "...!.", "##.##", "##H##"]
STEPS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}


def resource_gathering(c: Mapping[str, Fraction]) -> Rules:
    """Return the rules of the resource gathering."""
    needed = (int(c["gold_needed"]), int(c["gems_needed"]))

    def good(s: State) -> bool:
        return s[4:6] == needed

    def arrive(s: State, change: tuple[int, int]) -> list[tuple[Fraction, State]]:
        row, col, gold, gem, gold_home, gems_home, _ = s
        there = (row + change[0], col + change[1])
        if there[0] in range(5) and there[1] in range(5) and CHART[there[0]][there[1]] != "#":
            row, col = there
        tile = CHART[row][col]
        robbed = Fraction(0) if tile == "H" else c["attack"] * (gold + gem) * (2 if tile == "!" else 1)
        found = [(robbed, (4, 2, 0, 0, gold_home, gems_home, 1))]
        if tile == "$" and gold_home < needed[0]:
            gold = 1
        if tile == "*" and gems_home < needed[1]:
            gem = 1
        if tile == "H":
            gold_home, gems_home, gold, gem = gold_home + gold, gems_home + gem, 0, 0
        safe = (row, col, gold, gem, gold_home, gems_home, 0)
        dusk = Fraction(0) if good(safe) else c["dusk"]
        night = (4, 2, 0, 0, gold_home, gems_home, 2)
        return [*found, ((1 - robbed) * dusk, night), ((1 - robbed) * (1 - dusk), safe)]

    def moves(s: State) -> Moves:
        return STAY if s[6] or good(s) else {name: arrive(s, change) for name, change in STEPS.items()}

    variables = ("row", "col", "gold", "gem", "stored_gold", "stored_gems", "fate")
    return Rules(variables, (4, 2, 0, 0, 0, 0, 0), moves, lambda s: good(s) and s[6] == 0, lambda s: s[6] == 1)


RULES = {"stock_market": stock_market, "job_shop": job_shop, "dam": dam, "resource_gathering": resource_gathering}


def explore(rules: Rules) -> dict[State, Moves]:
    """Return every state that the rules can reach, with its moves; branches of probability 0 lead nowhere."""
    found: dict[State, Moves] = {}
    waiting = [rules.start]
    while waiting:
        state = waiting.pop()
        if state not in found:
            found[state] = {
                name: [(p, there) for p, there in branches if p] for name, branches in rules.moves(state).items()
            }
            waiting += [there for branches in found[state].values() for _, there in branches]
    return found
