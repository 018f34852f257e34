"""Random small MDPs for hypothesis, and the answers that are right by the plain definitions."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from reference import Model, oracle

from engine.oracle.facts import Kind, Oracle
from engine.oracle.tri import Tri
from engine.queries.registry import all_categories

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    known: Oracle, category: str, states: tuple[int, ...]
) -> set[str] | None:
    """Return the right options by the plain definitions of methods.md 1.2, or None where no question can be asked.

    A yes/no question is asked only of models in which both answers occur.

    V and Q are compared as fractions here, not by the facts' own comparisons.
    """
    facts, mdp = known.facts, known.mdp
    maximises = facts.objective.kind is Kind.PMAX
    better, worse = (max, min) if maximises else (min, max)
    v = [facts.value.at(state) for state in range(mdp.states)]
    (state, *_) = states
    match category:
        case "satisfy":
            return {str(v[state])}
        case "best-action" | "worst-action":
            q = {mdp.action_name(choice): facts.q.at(choice) for choice in mdp.choices_of(state)}
            if None in q.values() or len(set(q.values())) == 1:
                return None
            extreme = (better if category == "best-action" else worse)(q.values())
            return {name for name, value in q.items() if value == extreme}
        case "is-bottleneck":
            fact = facts.bottleneck[state]
            asked = {facts.bottleneck[s] for s in range(mdp.states) if s not in mdp.initial and not facts.target[s]}
            if not {Tri.YES, Tri.NO} <= asked:
                return None  # the model has no bottleneck, or nothing else
            if fact == Tri.UNDEFINED or state in mdp.initial or facts.target[state]:
                return None
            return {"yes" if fact == Tri.YES else "no"}
        case "subset-has-dead-end":
            lost = 0 if maximises else 1
            dead = [v[s] == lost and not facts.target[s] for s in range(mdp.states)]
            if all(dead) or not any(dead):
                return None
            return {"yes" if any(dead[s] for s in states) else "no"}
        case "more-promising":
            if v[states[0]] == v[states[1]]:
                return None
            return {"A" if v[states[0]] == better(v[states[0]], v[states[1]]) else "B"}
        case _:
            raise AssertionError(category)
