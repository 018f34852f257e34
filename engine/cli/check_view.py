"""What ``check`` shows, as JSON values (design.md, "The command line")."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import UsageError
from engine.mdp.decided import truth_of
from engine.mdp.expressions import decide, numbered, scope_of
from engine.oracle.client import CheckedModel, losses
from engine.oracle.derivation.detours import loss_candidates
from engine.oracle.derivation.graphs import levels
from engine.oracle.facts import Kind
from engine.oracle.numbers import number_float, number_json, parse_exact
from engine.oracle.tri import Tri, tri_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from engine.cli.opening import Opening
    from engine.mdp.expressions import Scope
    from engine.mdp.model import Mdp
    from engine.oracle.facts import Facts
    from engine.oracle.numbers import IntArray
    from engine.oracle.policy.evaluation import Evaluation
    from engine.oracle.request import Request


@dataclass(frozen=True)
class CheckView:
    """A checked model and the states to list.

    Attributes
    ----------
    matching
        How many states match ``--where``.
    only
        The state that matches ``--where`` if there is exactly one, however many are listed.
    listed
        The states to list.
    loss
        State → loss as a JSON number, as far as it was computed; None where the target is out of reach from the start.
    threshold
        Share of V from which a loss makes a bottleneck in what is shown; None for strict ones.
    evaluation
        A user's policy, evaluated.
    undecided
        How many states may match ``--where`` as well: bounds do not tell.
    """

    model: str
    title: str
    checked: CheckedModel
    constants: Mapping[str, str]
    matching: int
    listed: IntArray
    loss: Mapping[int, Any]
    threshold: Fraction | None
    only: int | None = None
    evaluation: Evaluation | None = None
    undecided: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the object that ``check --json`` prints."""
        mdp, facts = self.checked.mdp, self.checked.facts
        return {
            "model": self.model,
            "constants": dict(self.constants),
            "states": mdp.states,
            "choices": mdp.choices,
            "transitions": mdp.transitions,
            "mode": self.checked.meta["mode"],
            "objective": facts.objective.text if facts is not None else None,
            "danger": facts.danger_text if facts is not None else None,
            "objective_name": self.checked.meta["objective_name"],
            "notes": self.checked.meta["notes"],
            "deadlocks": self.checked.meta["deadlocks"],
            "initial": [self._initial(int(state)) for state in mdp.initial] if facts is not None else [],
            "properties": self.checked.meta["properties"],
            "policy": self._policy(),
            "counts": self.counts(),
            "matching": self.matching,
            "matching_undecided": self.undecided,
            "states_listed": [self.state(int(state)) for state in self.listed],
        }

    def counts(self) -> dict[str, int | None]:
        """Return the numbers of dead ends, bottlenecks and undecided facts; null where not defined."""
        facts = self.checked.facts
        if facts is None:
            return {"dead_ends": None, "bottlenecks": None, "undecided": 0}
        arrays = (facts.best, facts.worst, facts.progressing, facts.dead_end, facts.bottleneck)
        undefined = bool((facts.bottleneck == Tri.UNDEFINED).all())
        bottlenecks = sum(self.bottleneck(facts, state) is True for state in self._possible_bottlenecks(facts))
        return {
            "dead_ends": None if (facts.dead_end == Tri.UNDEFINED).all() else int((facts.dead_end == Tri.YES).sum()),
            "bottlenecks": None if undefined else bottlenecks,
            "undecided": sum(int((array == Tri.UNDECIDED).sum()) for array in arrays),
        }

    def _possible_bottlenecks(self, facts: Facts) -> list[int]:
        if self.threshold is None:
            return np.flatnonzero(facts.bottleneck == Tri.YES).tolist()
        return sorted(self.loss)

    def bottleneck(self, facts: Facts, state: int) -> bool | str | None:
        """Whether the state is shown as a bottleneck: strictly, or by its loss if a threshold is given."""
        if self.threshold is None or state not in self.loss:
            return tri_json(int(facts.bottleneck[state]))
        loss = self.loss[state]
        if isinstance(loss, str):
            return bool(parse_exact(loss) >= self.threshold)
        if loss is None:
            return False
        if loss["lower"] >= self.threshold:
            return True
        return False if loss["upper"] < self.threshold else "undecided"

    def state(self, state: int) -> dict[str, Any]:
        """Return one listed state."""
        mdp, facts = self.checked.mdp, self.checked.facts
        known = facts is not None
        return {
            "state": state,
            "valuation": mdp.valuation(state),
            "labels": list(mdp.labels_of(state)),
            "value": number_json(facts.value.at(state)) if facts is not None else None,
            "danger": number_json(facts.danger.at(state)) if facts is not None and facts.danger is not None else None,
            "dead_end": tri_json(int(facts.dead_end[state])) if facts is not None else None,
            "bottleneck": self.bottleneck(facts, state) if facts is not None else None,
            "loss": self.loss.get(state) if known else None,
            "properties": {column.name: column.json(state) for column in self.checked.columns},
            "policy": self._policy_in(state),
            "actions": [self._action(choice) for choice in mdp.choices_of(state)],
        }

    def _policy(self) -> dict[str, Any] | None:
        """Return the policy as a whole: its values at the initial states, and how many states fall short."""
        found = self.evaluation
        if found is None:
            return None
        return {
            "name": found.policy.name,
            "initial": [
                {"state": int(state), "value": number_json(found.value.at(int(state)))}
                for state in self.checked.mdp.initial
            ],
            "suboptimal_states": int((found.optimal == Tri.NO).sum()),
            "undecided_states": int((found.optimal == Tri.UNDECIDED).sum()),
            "undefined_states": int((found.optimal == Tri.UNDEFINED).sum()),
        }

    def _policy_in(self, state: int) -> dict[str, Any] | None:
        found, mdp, facts = self.evaluation, self.checked.mdp, self.checked.facts
        if found is None or facts is None:
            return None
        moves = found.policy.distribution(mdp, state)
        return {
            "actions": None if moves is None else {mdp.action_name(c): str(weight) for c, weight in moves.items()},
            "value": number_json(found.value.at(state)),
            "gap": number_json(found.gap(facts, state)),
            "optimal": tri_json(int(found.optimal[state])),
            "q": {mdp.action_name(choice): number_json(found.q.at(choice)) for choice in mdp.choices_of(state)},
        }

    def _action(self, choice: int) -> dict[str, Any]:
        mdp, facts = self.checked.mdp, self.checked.facts
        exact = mdp.exact_probability is not None
        return {
            "action": mdp.action_name(choice),
            "choice": choice,
            "q": number_json(facts.q.at(choice)) if facts is not None else None,
            "best": tri_json(int(facts.best[choice])) if facts is not None else None,
            "worst": tri_json(int(facts.worst[choice])) if facts is not None else None,
            "progressing": tri_json(int(facts.progressing[choice])) if facts is not None else None,
            "successors": [
                {"state": state, "probability": str(probability) if exact else probability}
                for state, probability in mdp.successors(choice)
            ],
        }

    def _initial(self, state: int) -> dict[str, Any]:
        facts = self.checked.facts
        number = facts.value.at(state) if facts is not None else None
        value = number_float(number) if number is not None else None
        return {
            "state": state,
            "value": number_json(number),
            "float": value if value is None or np.isfinite(value) else None,
        }


def view_of(
    opening: Opening, *, where: str | None, limit: int, threshold: float | None, policy: Path | None = None
) -> CheckView:
    """Check a model and choose the states to list; raises the errors of the oracle and of expressions."""
    environment, request, checked = opening.check()
    if checked.facts is None and not request.properties:
        labels = ", ".join(f'"{name}"' for name in checked.mdp.labels)
        raise UsageError(
            "the model has no objective",
            where=str(request.path),
            hint=f"give one with --objective; the model's labels: {labels}",
        )
    scope = scope_of(checked.mdp, request.constants, checked.facts)
    truth = truth_of(np.ones(checked.mdp.states, dtype=bool)) if where is None else decide(scope, numbered(where))
    matching = np.flatnonzero(truth.yes)
    found: dict[int, Any] = {}
    if threshold is not None:
        found = _losses(opening, request, checked)
    return CheckView(
        model=opening.model,
        title=environment.title,
        checked=checked,
        constants=request.constants,
        matching=len(matching),
        undecided=int(truth.undecided.sum()),
        only=int(matching[0]) if len(matching) == 1 else None,
        listed=matching if limit < 0 else matching[:limit],
        loss=found,
        threshold=Fraction(str(threshold)) if threshold is not None else None,
        evaluation=_evaluated(opening, checked, policy, scope) if policy is not None else None,
    )


def _evaluated(opening: Opening, checked: CheckedModel, path: Path, scope: Scope) -> Evaluation:
    from engine.oracle.policy.evaluation import evaluate_policy  # noqa: PLC0415  # only with a policy
    from engine.oracle.policy.policies import read_policy  # noqa: PLC0415

    return evaluate_policy(checked, read_policy(path, checked.mdp, scope), opening.limits())


def _point(value: int, checked: CheckedModel) -> Any:
    """Return a certain number as JSON."""
    return str(value) if checked.exact else {"lower": float(value), "upper": float(value)}


def _losses(opening: Opening, request: Request, checked: CheckedModel) -> dict[int, Any]:
    facts = checked.facts
    if facts is None or facts.objective.kind is Kind.PMIN:
        raise UsageError("losses are not defined for this objective", where="--bottleneck-threshold")
    if not _target_reached(checked.mdp, facts):
        return dict.fromkeys(range(checked.mdp.states))
    states = np.flatnonzero(loss_candidates(checked.mdp, facts))
    found = dict.fromkeys(range(checked.mdp.states), _point(0, checked))
    if len(states):
        found |= losses(request, tuple(states.tolist()), opening.limits())
    for state in np.flatnonzero(facts.bottleneck == Tri.YES).tolist():
        found[state] = _point(1, checked)
    for state in checked.mdp.initial.tolist() + np.flatnonzero(facts.target).tolist():
        found.pop(state, None)
    return found


def _target_reached(mdp: Mdp, facts: Facts) -> bool:
    """Whether V is positive at some initial state; else there is nothing to lose, and no loss is defined."""
    distance = levels(
        mdp.graph, mdp.initial[facts.phi[mdp.initial] | facts.target[mdp.initial]], facts.phi | facts.target
    )
    reached = (distance >= 0) & facts.target
    return bool((distance[reached] <= (np.inf if facts.objective.bound is None else facts.objective.bound)).any())
