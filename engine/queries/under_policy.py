"""Questions about a fixed policy: the same facts on the chain that it induces (methods.md 1.2)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from engine.errors import UsageError
from engine.folders import cache_dir
from engine.oracle.client import check_model
from engine.oracle.derivation.graphs import levels
from engine.oracle.facts import Oracle
from engine.oracle.policy.induced import induced, objective_of, without_empty_labels, write_model
from engine.oracle.policy.policy_moves import moves_of
from engine.oracle.request import Mode, Request
from engine.oracle.tri import Tri
from engine.queries.names import state_names

if TYPE_CHECKING:
    import threading

    from engine.mdp.model import Mdp
    from engine.oracle.child import Progress
    from engine.oracle.numbers import BoolArray
    from engine.oracle.policy.policies import Policy
    from engine.oracle.request import Limits
    from engine.oracle.tri import TriArray

TOLD = 100
"""States whose action a prompt tells; of a longer policy the rest is counted."""
SILENT = "nothing"
"""The action of a state about which a policy says nothing."""
_OF_LABELS = re.compile(r"(true|false|[FGUXWR]|<=?\s*\d+|[\s!&|()])*")


def policy_oracle(
    oracle: Oracle,
    policy: Policy,
    limits: Limits | None = None,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Oracle:
    """Return the facts that hold if a policy is followed: V, dead ends, bottlenecks and danger of its chain.

    States and variables are those of the model; every state has one action, the policy's. Where the policy may come to
    a state about which it says nothing, facts are undefined. A danger property that is about more than labels is left
    out, since the chain has no variables. Errors are those of `engine.oracle.client.check_model`.

    Parameters
    ----------
    oracle
        The model.
    policy
        A policy of it.
    """
    mdp, facts = oracle.mdp, oracle.facts
    danger = facts.danger_text if facts.danger_text is not None and _about_labels(facts.danger_text) else None
    stem = cache_dir() / "oracle" / "chains" / _digest(oracle, policy)
    model = induced(mdp, facts, policy, cancel)
    path = write_model(stem, model, exact=oracle.exact, progress=progress, cancel=cancel)
    mode = Mode.EXACT if oracle.exact else Mode.SOUND
    request = Request(
        path=path,
        objective=objective_of(facts.objective, np.asarray(facts.phi), np.asarray(facts.target)),
        objective_shown=facts.objective.text,
        danger=None if danger is None else without_empty_labels(danger, mdp.labels),
        mode=mode,
    )
    chain = check_model(request, limits, progress=progress, cancel=cancel)
    if chain.facts is None:
        raise UsageError("the induced chain has no value", where=policy.name)
    silent = moves_of(mdp, policy).silent
    running = facts.phi & ~facts.target
    open_ = _comes_to(chain.mdp, silent & running, running)
    return Oracle(
        identity=hashlib.sha256(f"{oracle.identity} {chain.identity}".encode()).hexdigest()[:32],
        environment=oracle.environment,
        constants=oracle.constants,
        mdp=_named(chain.mdp, mdp, policy),
        facts=replace(
            chain.facts,
            objective=replace(facts.objective, policy=_told(mdp, policy)),
            value=chain.facts.value.where(~open_),
            dead_end=_known(chain.facts.dead_end, ~open_),
            bottleneck=_known(chain.facts.bottleneck, np.full(mdp.states, not open_[mdp.initial].any())),
            danger=None if chain.facts.danger is None else chain.facts.danger.where(~_comes_to(chain.mdp, silent)),
            danger_text=danger,
        ),
        exact=chain.exact,
        request=request,
    )


def _about_labels(text: str) -> bool:
    """Return whether a property's path consists of labels only."""
    path = re.search(r"\[(.*)\]", text, re.DOTALL)
    return path is not None and _OF_LABELS.fullmatch(re.sub(r'"[^"]*"', "", path[1])) is not None


def _comes_to(chain: Mdp, wanted: BoolArray, running: BoolArray | None = None) -> BoolArray:
    """``(states,)`` from where the chain may come to the wanted states, leaving only running ones (all if None)."""
    inside = slice(None) if running is None else running[chain.source]
    tails, heads = chain.source[inside], chain.target[inside]
    backward = sparse.csr_array((np.ones(len(tails), dtype=np.int8), (heads, tails)), shape=(chain.states,) * 2)
    found: BoolArray = levels(backward, np.flatnonzero(wanted)) >= 0
    return found


def _known(fact: TriArray, known: BoolArray) -> TriArray:
    return np.where(known, fact, np.int8(Tri.UNDEFINED))


def _named(chain: Mdp, mdp: Mdp, policy: Policy) -> Mdp:
    """Return the chain with the model's variables and labels, each action named by what the policy does."""
    names = [_action(mdp, policy, state) for state in range(mdp.states)]
    distinct = {name: index for index, name in enumerate(dict.fromkeys(names))}
    return replace(
        chain,
        valuations=mdp.valuations,
        labels=mdp.labels,
        action_names=tuple(distinct),
        action=np.array([distinct[name] for name in names], dtype=np.int64),
    )


def _action(mdp: Mdp, policy: Policy, state: int) -> str:
    moves = policy.distribution(mdp, state)
    if moves is None:
        return SILENT
    if len(moves) == 1:
        return mdp.action_name(next(iter(moves)))
    return " or ".join(f"{mdp.action_name(choice)} with probability {weight}" for choice, weight in moves.items())


def _told(mdp: Mdp, policy: Policy) -> str:
    """Return what a policy does in the states that leave a choice: ``pos=0: left; pos=1: up``."""
    states = [state for state in sorted(policy.moves) if len(mdp.choices_of(state)) > 1]
    shown = states[:TOLD]
    parts = [
        f"{name}: {_action(mdp, policy, state)}" for name, state in zip(state_names(mdp, shown), shown, strict=True)
    ]
    if len(states) > TOLD:
        parts.append(f"and so on for {len(states) - TOLD} more states")
    return "; ".join(parts) or "there is only one action in every state"


def _digest(oracle: Oracle, policy: Policy) -> str:
    content = repr(sorted((state, sorted(moves.items())) for state, moves in policy.moves.items()))
    return hashlib.sha256(f"{oracle.identity} {content}".encode()).hexdigest()[:32]
