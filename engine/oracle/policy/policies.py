"""Policies: read from a user's file or from Storm's scheduler export, and written in the same format."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from engine.errors import ExpressionError, UsageError
from engine.mdp.expressions import select
from engine.oracle.derivation.optimal import optimal_choices
from engine.oracle.tri import Tri

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from engine.mdp.expressions import Scope
    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts

Distribution: TypeAlias = "dict[int, Fraction]"
"""Choice → probability; the probabilities sum to 1."""

SCHEMA = 1
"""Version of the policy files that are written and read."""

_NUMBER = re.compile(r"\s*-?\d{1,18}\s*", re.ASCII)
_HINT = 'write {"pos=0": "left", …}, or a list of {"state": {"pos": 0}, "action": "left"}'


@dataclass(frozen=True)
class Policy:
    """A memoryless policy.

    Attributes
    ----------
    name
        Where it comes from.
    moves
        State → distribution over its choices. States with a single choice need no entry.
    """

    name: str
    moves: Mapping[int, Distribution]

    def distribution(self, mdp: Mdp, state: int) -> Distribution | None:
        """Return what the policy does in a state, None where it says nothing."""
        choices = mdp.choices_of(state)
        if state not in self.moves and len(choices) == 1:
            return {choices[0]: Fraction(1)}
        return self.moves.get(state)


def read_policy(path: Path, mdp: Mdp, scope: Scope) -> Policy:
    """Read a policy.

    Three forms are read: an object whose keys are state numbers or PRISM expressions and whose values are actions; a
    list of ``{"state": number or valuation, "action": …}``; and Storm's scheduler JSON.

    Raises
    ------
    UsageError
        If the file is no such JSON, is of another version, or names a state or an action that this model does not
        have.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"), parse_float=str, object_pairs_hook=_distinct)
    except OSError as error:
        raise UsageError(f"the policy cannot be read: {error.strerror}", where=str(path)) from None
    except _RepeatedKeyError as error:
        raise UsageError(f"{error.args[0]!r} is given twice", where=str(path)) from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise UsageError(f"this is not JSON: {error}", where=str(path), hint=_HINT) from None
    reader = _Reader(mdp, scope, str(path))
    moves: dict[int, Distribution] = {}
    for states, distribution in reader.entries(_unwrapped(data, str(path))):
        for state in states:
            if state in moves:
                raise UsageError(f"state {state} is given twice", where=str(path))
            moves[state] = distribution(state)
    return Policy(path.name, moves)


def optimal_policy(mdp: Mdp, facts: Facts) -> Policy:
    """Return a policy that attains V, from `optimal_choices`: a choice in every state that has several.

    Raises UsageError where no choice is certainly optimal (undecided comparisons), and for step-bounded objectives,
    which no policy without a memory of the steps attains in general.
    """
    choice = optimal_choices(mdp, facts)
    needed = np.flatnonzero((choice >= 0) & (np.diff(mdp.choice_start) > 1))
    unsure = needed[facts.best[choice[needed]] != Tri.YES]
    if len(unsure):
        raise UsageError(
            f"the best action of state {unsure[0]} is undecided", hint="use --mode exact for an optimal policy"
        )
    one = Fraction(1)
    return Policy("optimal", {int(state): {int(choice[state]): one} for state in needed.tolist()})


def policy_json(mdp: Mdp, policy: Policy) -> list[dict[str, Any]]:
    """Return a policy in the list form that `read_policy` reads."""
    rows: list[dict[str, Any]] = []
    for state, distribution in sorted(policy.moves.items()):
        where = mdp.valuation(state) or state
        if len(distribution) == 1:
            (choice,) = distribution
            rows.append({"state": where, "action": mdp.action_name(choice)})
        else:
            mixed = {mdp.action_name(choice): str(weight) for choice, weight in distribution.items()}
            rows.append({"state": where, "action": mixed})
    return rows


def _said(value: Any) -> str:
    """Return what a file calls a state as people write it: ``x=1, done=false``."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value)
    return ", ".join(f"{name}={json.dumps(entry)}" for name, entry in value.items())


def _unwrapped(data: Any, where: str) -> Any:
    """Return the entries of a file: what is under ``policy``, or all of it."""
    if not isinstance(data, dict) or not {"schema", "policy"} & data.keys():
        return data
    if data.get("schema", SCHEMA) != SCHEMA:
        raise UsageError(
            f"this policy has schema {data['schema']}, only {SCHEMA} is read",
            where=where,
            hint="export it again with --export-policy",
        )
    if "policy" not in data:
        raise UsageError('a file with "schema" has its entries under "policy"', where=where, hint=_HINT)
    return data["policy"]


class _RepeatedKeyError(Exception):
    """A JSON object says two things about one key."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedKeyError(next(name for name in names if names.count(name) > 1))
    return found


class _Reader:
    def __init__(self, mdp: Mdp, scope: Scope, where: str) -> None:
        self._mdp = mdp
        self._scope = scope
        self._where = where
        self._states: dict[tuple[Any, ...], int] | None = None

    def entries(self, data: Any) -> Iterator[tuple[list[int], Any]]:
        """Yield the states of each entry and a function from a state to its distribution."""
        if isinstance(data, dict):
            for key, action in data.items():
                yield self._selected(key), self._named(action)
        elif isinstance(data, list):
            for entry in data:
                yield self._entry(entry)
        else:
            raise UsageError("this is no policy", where=self._where, hint=_HINT)

    def _entry(self, entry: Any) -> tuple[list[int], Any]:
        match entry:
            case {"state": state, "action": action}:
                return [self._state(state)], self._named(action)
            case {"s": state, "c": list(choices)}:
                return [self._state(state)], lambda found: self._stormy(found, choices)
            case _:
                raise UsageError("an entry needs a state and an action", where=self._where, hint=_HINT)

    def _selected(self, key: str) -> list[int]:
        if _NUMBER.fullmatch(key):
            return [self._state(int(key))]
        try:
            found: list[int] = np.flatnonzero(select(self._scope, key)).tolist()
        except ExpressionError as error:
            raise UsageError(f"{error.what} in {key!r}", where=self._where, hint=error.hint) from None
        if not found:
            raise UsageError(f"no state matches {key!r}", where=self._where)
        return found

    def _state(self, value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool):
            if not 0 <= value < self._mdp.states:
                last = self._mdp.states - 1
                raise UsageError(
                    f"there is no state {value}", where=self._where, hint=f"states are numbered from 0 to {last:,}"
                )
            return value
        if not isinstance(value, dict) or set(value) != set(self._mdp.valuations):
            names = ", ".join(self._mdp.valuations) or "state numbers"
            raise UsageError(
                f"{_said(value)} is no state of this model", where=self._where, hint=f"states have: {names}"
            )
        if self._states is None:
            rows = zip(*(column.tolist() for column in self._mdp.valuations.values()), strict=True)
            self._states = {row: state for state, row in enumerate(rows)}
        for name, column in self._mdp.valuations.items():
            truth = column.dtype == bool
            if not isinstance(value[name], int) or isinstance(value[name], bool) != truth:
                raise UsageError(
                    f"{name} cannot be {json.dumps(value[name])}",
                    where=self._where,
                    hint=f"{name} is true or false" if truth else f'{name} is an integer, as in {{"{name}": 1}}',
                )
        state = self._states.get(tuple(value[name] for name in self._mdp.valuations))
        if state is None:
            raise UsageError(
                f"no reachable state has {_said(value)}", where=self._where, hint="is it a policy of this model?"
            )
        return state

    def _named(self, action: Any) -> Any:
        def distribution(state: int) -> Distribution:
            if not isinstance(action, str | dict):
                raise UsageError(f"{json.dumps(action)} is no action", where=self._where, hint=_HINT)
            names = {self._mdp.action_name(choice): choice for choice in self._mdp.choices_of(state)}
            weights = action if isinstance(action, dict) else {action: "1"}
            unknown = [name for name in weights if name not in names]
            if unknown:
                hint = f"it has: {', '.join(names)}"
                raise UsageError(f"state {state} has no action {unknown[0]!r}", where=self._where, hint=hint)
            return self._checked(state, {names[name]: weight for name, weight in weights.items()})

        return distribution

    def _stormy(self, state: int, choices: list[Any]) -> Distribution:
        weights: dict[int, Any] = {}
        for entry in choices:
            index = entry.get("index") if isinstance(entry, dict) else None
            if not isinstance(index, int) or isinstance(index, bool):
                found = "no choice index" if index is None else f"the choice index {json.dumps(index)}"
                raise UsageError(
                    f"an entry for state {state} has {found}",
                    where=self._where,
                    hint='a choice index is an integer, as in {"index": 0, "prob": 1}',
                )
            weights[index] = entry.get("prob", "1")
        if not set(weights) <= set(self._mdp.choices_of(state)):
            raise UsageError(
                f"state {state} has no choice {min(weights)}", where=self._where, hint="is it a policy of this model?"
            )
        return self._checked(state, weights)

    def _checked(self, state: int, weights: Mapping[int, Any]) -> Distribution:
        try:
            found = {choice: Fraction(str(weight)) for choice, weight in weights.items()}
        except (ValueError, ZeroDivisionError):
            raise UsageError(f"a probability in state {state} is no number", where=self._where) from None
        if sum(found.values()) != 1 or min(found.values()) < 0:
            raise UsageError(f"the probabilities of state {state} do not sum to 1", where=self._where)
        return {choice: weight for choice, weight in found.items() if weight}
