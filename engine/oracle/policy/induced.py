"""The chain that a policy makes of an MDP, and files of models that Storm is to check again."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from contextlib import contextmanager, suppress
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import ModelError
from engine.oracle.numbers import Numbers
from engine.oracle.policy.drn_rows import drn_text
from engine.oracle.policy.policy_moves import moves_of
from engine.oracle.policy.rebuilt import LOOP, Mixture, Selection, exact_reward, rebuilt, require_going_on
from engine.oracle.policy.umb_rows import write_umb

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from engine.mdp.model import Mdp
    from engine.oracle.child import Progress
    from engine.oracle.facts import Facts, Objective
    from engine.oracle.numbers import BoolArray
    from engine.oracle.policy.policies import Distribution, Policy
    from engine.oracle.policy.rebuilt import Rebuilt


PHI, AIM, REWARD = "stormscope_phi", "stormscope_aim", "r"
"""The labels of φ and T and the only reward model of a file that is written for one check."""


def induced(mdp: Mdp, facts: Facts, policy: Policy, cancel: threading.Event | None = None) -> Rebuilt:
    """Return the induced chain for a check of its own: `PHI` and `AIM` beside the model's labels, and `REWARD`.

    States keep their numbers. A state about which the policy says nothing gets a loop. Raises CancelledError.
    """
    labels = [(name, mask) for name, mask in mdp.labels.items() if name not in {PHI, AIM}]
    labels += [(PHI, np.asarray(facts.phi)), (AIM, np.asarray(facts.target))]
    return _chain(mdp, policy, rewards_for(facts), labels, cancel)


def chain_of(mdp: Mdp, policy: Policy) -> Rebuilt:
    """Return the induced chain as the model would have it: its labels, its reward models, the actions' names.

    A state about which the policy says nothing gets a loop.
    """
    return _chain(mdp, policy, all_rewards(mdp), list(mdp.labels.items()), None)


def rewards_for(facts: Facts) -> dict[str, Numbers]:
    """Return the objective's rewards by the name that they have in a file for one check; none for probabilities."""
    return {} if facts.reward is None else {REWARD: facts.reward}


def all_rewards(mdp: Mdp) -> dict[str, Numbers]:
    """Return the rewards of every reward model: exact ones of an exact model, else those in doubles.

    Rewards on transitions have no exact numbers here: an exact model's are left out.
    """
    if mdp.exact_probability is not None:
        return dict(mdp.exact_rewards)
    return {name: Numbers(np.asarray(rewards), np.asarray(rewards)) for name, rewards in mdp.rewards.items()}


def _chain(
    mdp: Mdp,
    policy: Policy,
    rewards: Mapping[str, Numbers],
    labels: Sequence[tuple[str, BoolArray]],
    cancel: threading.Event | None,
) -> Rebuilt:
    moves = moves_of(mdp, policy)
    origin = np.where(moves.single >= 0, moves.single, LOOP)
    mixtures = []
    for place, (state, several) in enumerate(moves.mixed.items()):
        require_going_on(cancel)
        origin[state] = -2 - place
        mixtures.append(_mixture(mdp, rewards, several))
    return rebuilt(mdp, rewards, Selection(np.arange(mdp.states), origin, mixtures), labels, cancel)


def write_model(
    stem: Path,
    model: Rebuilt,
    *,
    exact: bool,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Path:
    """Write a model for Storm and return the file: DRN text with exact numbers, or a UMB archive with doubles.

    The file is either whole or not there; raises ModelError if that fails, and CancelledError.
    """
    path = stem.with_name(f"{stem.name}.{'drn' if exact else 'umb'}")
    if exact:
        write_atomically(path, drn_text(model, progress, cancel))
        return path
    if progress is not None:
        progress("writing", f"{model.states:,} states")
    with _scratch_of(path) as scratch:
        write_umb(model, scratch, cancel)
    return path


def objective_of(objective: Objective, phi: BoolArray, target: BoolArray) -> str:
    """Return an objective in the labels and the reward of a file that is written for one check.

    A label that no state has does not exist in the format; ``false`` says the same.
    """
    left, right = (f'"{PHI}"' if phi.any() else "false"), (f'"{AIM}"' if target.any() else "false")
    kind, bound = objective.kind.value, "" if objective.bound is None else f"<={objective.bound}"
    if objective.kind.is_reward:
        return f'{kind[0]}{{"{REWARD}"}}{kind[1:]}=? [F{bound} {right}]'
    return f"{kind}=? [{left} U{bound} {right}]"


def without_empty_labels(text: str, labels: Mapping[str, BoolArray]) -> str:
    """Return a property with ``false`` for every label that no state has."""
    return re.sub(r'"([^"]*)"', lambda found: found[0] if labels[found[1]].any() else "false", text)


def write_atomically(path: Path, parts: Iterable[str]) -> None:
    """Write a text file that is either whole or not there; raises ModelError if that fails, and what `parts` raises."""
    with _scratch_of(path) as scratch, scratch.open("w", encoding="utf-8") as out:
        out.writelines(parts)


@contextmanager
def _scratch_of(path: Path) -> Iterator[Path]:
    """Give a file beside `path`, which takes its place once it has been written without an error."""
    scratch = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield scratch
        scratch.replace(path)
    except OSError as error:
        raise ModelError(f"the file cannot be written: {error.strerror}", where=str(path)) from None
    finally:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)


def _mixture(mdp: Mdp, rewards: Mapping[str, Numbers], moves: Distribution) -> Mixture:
    """Return one choice that does what a distribution over choices does."""
    successors: defaultdict[int, Fraction] = defaultdict(Fraction)
    earned = dict.fromkeys(rewards, Fraction(0))
    for choice, weight in moves.items():
        for name, reward in rewards.items():
            earned[name] += weight * exact_reward(reward, choice)
        for target, probability in mdp.successors(choice):
            successors[target] += weight * Fraction(probability)
    return Mixture(successors, earned)
