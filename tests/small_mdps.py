"""Random small MDPs for hypothesis, and the answers that are right by the plain definitions."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from reference import Model, oracle
from reference_solver import bottlenecks

from engine.oracle.facts import Kind, Oracle
from engine.queries.registry import all_categories

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Draw a model of 2 to 6 states with up to 3 actions each and simple fractions as probabilities."""
    count = draw(st.integers(2, 6))
    states = st.integers(0, count - 1)
    distributions = st.dictionaries(states, st.integers(1, 3), min_size=1, max_size=3)
    moves = []
    for _ in range(count):
        weights = draw(st.lists(distributions, min_size=1, max_size=3))
        moves.append(
            {
                f"a{number}": {t: Fraction(w, sum(chosen.values())) for t, w in chosen.items()}
                for number, chosen in enumerate(weights)
            }
        )
    goal = draw(st.sets(states, min_size=1, max_size=2))
    unsafe = draw(st.sets(states, max_size=2)) - goal
    return Model(moves, {"goal": goal, "unsafe": unsafe}, valuations={"x": list(range(count))})


@st.composite
def oracles(draw: st.DrawFn) -> Oracle:
    """Draw a checked model with a largest or a smallest probability as its objective."""
    return oracle(draw(models()), kind=draw(st.sampled_from([Kind.PMAX, Kind.PMIN])))


def every_candidate(known: Oracle) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield every category with every state, ordered pair, and subset of two or three states."""
    states = range(known.mdp.states)
    for name, category in all_categories().items():
        match category.scope.value:
            case "state":
                yield from ((name, (state,)) for state in states)
            case "pair":
                yield from ((name, pair) for pair in itertools.permutations(states, 2))
            case "subset":
                for size in (2, 3):
                    yield from ((name, subset) for subset in itertools.combinations(states, size))


def right_answers(  # noqa: C901, PLR0911 - one branch and return for each definition
    known: Oracle, category: str, states: tuple[int, ...], parameters: Mapping[str, str]
) -> set[str] | None:
    """Return the right answers by the plain definitions of methods.md 1.2, or None where no question can be asked.

    A yes/no question is asked only of models in which both answers occur.

    V, Q and D are compared as fractions here, not by the facts' own comparisons; bottlenecks are found by leaving out
    a state and looking whether the targets can still be reached.
    """
    facts, mdp = known.facts, known.mdp
    maximises = facts.objective.kind is Kind.PMAX
    better, worse = (max, min) if maximises else (min, max)
    v = [facts.value.at(state) for state in range(mdp.states)]
    (state, *_) = states
    q = {mdp.action_name(choice): facts.q.at(choice) for choice in mdp.choices_of(state)}
    match category:
        case "satisfy":
            return {str(v[state])}
        case "holds":
            threshold = Fraction(parameters["threshold"])
            return {"yes" if (v[state] >= threshold if maximises else v[state] <= threshold) else "no"}
        case "best-action" | "worst-action":
            if None in q.values() or len(set(q.values())) == 1:
                return None
            extreme = (better if category == "best-action" else worse)(q.values())
            return {name for name, value in q.items() if value == extreme}
        case "action-ranking":
            if None in q.values() or len(set(q.values())) == 1:
                return None
            values = sorted(q.values(), reverse=maximises)
            return {json.dumps(order) for order in itertools.permutations(q) if [q[name] for name in order] == values}
        case "more-promising" | "safer":
            number = v if category == "more-promising" else [facts.danger.at(s) for s in range(mdp.states)]
            left, right = number[states[0]], number[states[1]]
            if left == right:
                return None
            return {"A" if left == (better if category == "more-promising" else min)(left, right) else "B"}
        case "subset-has-dead-end" | "dead-ends-of-subset":
            lost = 0 if maximises else 1
            dead = {s for s in range(mdp.states) if v[s] == lost and not facts.target[s]}
            return None if len(dead) in {0, mdp.states} else _about(category, states, dead)
        case _:
            if not maximises:
                return None
            targets = {s for s in range(mdp.states) if facts.target[s]}
            asked = set(range(mdp.states)) - targets - set(mdp.initial.tolist())
            narrow = bottlenecks(plain_model(known), targets, set(range(mdp.states)))
            if not asked & narrow or not asked - narrow or not asked.issuperset(states):
                return None  # the model has no bottleneck, or nothing else
            return _about(category, states, narrow)


def _about(category: str, states: tuple[int, ...], marked: set[int]) -> set[str] | None:
    """Return the right answers to a question about which of the states are marked."""
    hits = [state in marked for state in states]
    if category == "which-is-bottleneck":
        return {"AB"[hits.index(True)]} if sum(hits) == 1 else None
    if category.endswith("-of-subset"):
        return {json.dumps([f"State {number}" for number, hit in enumerate(hits, start=1) if hit])}
    return {"yes" if any(hits) else "no"}


def plain_model(known: Oracle) -> Model:
    """Return a checked model as the plain one that the reference solver reads."""
    mdp = known.mdp
    moves = [
        {
            mdp.action_name(choice): {t: Fraction(p) for t, p in mdp.successors(choice)}
            for choice in mdp.choices_of(state)
        }
        for state in range(mdp.states)
    ]
    return Model(moves, {})
