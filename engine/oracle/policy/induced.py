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
from engine.oracle.policy.drn_rows import drn_text, quoted
from engine.oracle.policy.policy_moves import moves_of
from engine.oracle.policy.rebuilt import LOOP, Mixture, Selection, exact_reward, rebuilt, require_going_on
from engine.oracle.policy.umb_rows import write_umb

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from engine.mdp.model import Mdp
    from engine.oracle.child import Progress
    from engine.oracle.facts import Facts, Objective
    from engine.oracle.numbers import BoolArray
    from engine.oracle.policy.policies import Distribution, Policy
    from engine.oracle.policy.rebuilt import Rebuilt


def induced(mdp: Mdp, facts: Facts, policy: Policy, cancel: threading.Event | None = None) -> Rebuilt:
    """Return the induced chain: labels ``phi`` and ``aim`` beside the model's own, the objective's reward as ``r``.

    States keep their numbers. A state about which the policy says nothing gets a loop. Raises CancelledError.
    """
    moves = moves_of(mdp, policy)
    origin = np.where(moves.single >= 0, moves.single, LOOP)
    mixtures = []
    for place, (state, several) in enumerate(moves.mixed.items()):
        require_going_on(cancel)
        origin[state] = -2 - place
        mixtures.append(_mixture(mdp, facts, several))
    labels = [(name, mask) for name, mask in mdp.labels.items() if name not in {"phi", "aim"}]
    labels += [("phi", np.asarray(facts.phi)), ("aim", np.asarray(facts.target))]
    return rebuilt(mdp, facts.reward, Selection(np.arange(mdp.states), origin, mixtures), labels, cancel)


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
    """Return an objective in the labels ``phi`` and ``aim`` and the reward ``r`` of such a file.

    A label that no state has does not exist in the format; ``false`` says the same.
    """
    left, right = ('"phi"' if phi.any() else "false"), ('"aim"' if target.any() else "false")
    kind, bound = objective.kind.value, "" if objective.bound is None else f"<={objective.bound}"
    if objective.kind.is_reward:
        return f'{kind[0]}{{"r"}}{kind[1:]}=? [F{bound} {right}]'
    return f"{kind}=? [{left} U{bound} {right}]"


def without_empty_labels(text: str, labels: Mapping[str, BoolArray]) -> str:
    """Return a property with ``false`` for every label that no state has."""
    return re.sub(r'"([^"]*)"', lambda found: found[0] if labels[found[1]].any() else "false", text)


def labels_of(mdp: Mdp, facts: Facts | None, state: int) -> str:
    """Return a state's labels as DRN writes them, a space before each."""
    names = [name for name in mdp.labels_of(state) if name not in {"phi", "aim"}]
    if facts is not None:
        names += ["phi"] * bool(facts.phi[state]) + ["aim"] * bool(facts.target[state])
    return "".join(f" {quoted(name)}" for name in names)


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


def _mixture(mdp: Mdp, facts: Facts, moves: Distribution) -> Mixture:
    """Return one choice that does what a distribution over choices does."""
    successors: defaultdict[int, Fraction] = defaultdict(Fraction)
    reward = Fraction(0)
    for choice, weight in moves.items():
        if facts.reward is not None:
            reward += weight * exact_reward(facts.reward, choice)
        for target, probability in mdp.successors(choice):
            successors[target] += weight * Fraction(probability)
    return Mixture(successors, reward)
