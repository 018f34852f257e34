"""The classic environments as their tests open them: each setting is checked once, some with rules to compare with."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from classic_dynamics import Game, State, bets, cliff, jugs, river, town

from engine.mdp.environment import KnownAnswer, load_environment
from engine.mdp.sources import find_model
from engine.oracle.client import open_oracle
from environments import packaged

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle

NAMES = ("wolf_goat_cabbage", "water_jug", "gambler", "cliff_walking", "transporter")
TENTH = Fraction(1, 10)

SECOND: list[tuple[str, dict[str, str], Game]] = [
    ("wolf_goat_cabbage", {}, river(Fraction(0))),
    ("wolf_goat_cabbage", {"slip": "1/10"}, river(TENTH)),
    ("water_jug", {"budget": "6"}, jugs((3, 5), 4, 6, Fraction(0))),
    (
        "water_jug",
        {"small": "2", "large": "3", "litres": "1", "budget": "5", "fumble": "1/10"},
        jugs((2, 3), 1, 5, TENTH),
    ),
    ("gambler", {"target": "12", "start": "5", "heads": "2/5"}, bets(12, 5, Fraction(2, 5))),
    ("gambler", {"target": "9", "start": "1", "heads": "3/5"}, bets(9, 1, Fraction(3, 5))),
    ("cliff_walking", {"rows": "3", "columns": "5", "slip": "1/5"}, cliff(3, 5, Fraction(1, 5))),
    ("cliff_walking", {"rows": "2", "columns": "3", "slip": "0"}, cliff(2, 3, Fraction(0))),
    (
        "transporter",
        {"size": "2", "tank": "3", "parcels": "2", "drift": "1/10"},
        town(2, 3, 2, TENTH),
    ),
    (
        "transporter",
        {"size": "3", "tank": "4", "parcels": "1", "drift": "0"},
        town(3, 4, 1, Fraction(0)),
    ),
]
SETTINGS = [(name, constants) for name, constants, _ in SECOND] + [(name, {}) for name in NAMES]


@cache
def _opened(name: str, constants: tuple[tuple[str, str], ...], objective: str | None) -> Oracle:
    source = find_model(name)
    return open_oracle(source.request(dict(constants), objective=objective), source.environment)


def opened(name: str, objective: str | None = None, **constants: str) -> Oracle:
    """Return a checked environment; each setting is checked once."""
    defaults = load_environment(packaged()[name]).constants
    changed = {key: text for key, text in constants.items() if defaults[key] != text}
    return _opened(name, tuple(sorted(changed.items())), objective)


def value(known: Oracle, state: int | None = None) -> object:
    """Return V of a state, of the initial one by default."""
    return known.facts.value.at(int(known.mdp.initial[0]) if state is None else state)


def states_of(known: Oracle, variables: tuple[str, ...]) -> dict[State, int]:
    """Return the number of each state by its valuation."""
    columns = [known.mdp.valuations[name].astype(int).tolist() for name in variables]
    return {values: number for number, values in enumerate(zip(*columns, strict=True))}


def sample_of(known: Oracle, size: int = 40) -> list[int]:
    """Return evenly spread states with the first and the last, and those where some variable is extreme."""
    spread = np.linspace(0, known.mdp.states - 1, min(size, known.mdp.states)).astype(int).tolist()
    columns = [column.astype(int) for column in known.mdp.valuations.values()]
    return sorted({*spread, *(int(find(column)) for column in columns for find in (np.argmin, np.argmax))})


def label_of(setting: object) -> str:
    """Return a short name for a parametrised setting."""
    if isinstance(setting, KnownAnswer):
        return f"{setting.fact}-{setting.objective or ''}-{setting.state or ''}-{setting.constants}"
    return str(setting) if isinstance(setting, str | dict) else "rules"
