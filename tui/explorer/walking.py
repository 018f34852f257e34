"""Steps through a model, with the successor drawn by its probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from engine.mdp.model import Mdp


def drawn_successor(mdp: Mdp, choice: int, generator: np.random.Generator) -> int:
    """Return a successor of a choice, drawn by its probability."""
    successors = mdp.successors(choice)
    weights = np.array([float(chance) for _, chance in successors])
    return successors[int(generator.choice(len(successors), p=weights / weights.sum()))][0]
