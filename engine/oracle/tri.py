"""Four-valued facts: a comparison of intervals can be undecided, and some facts are undefined for some states."""

from __future__ import annotations

from enum import IntEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt


class Tri(IntEnum):
    """The value of one fact, as stored in int8 arrays."""

    NO = 0
    YES = 1
    UNDECIDED = -1
    UNDEFINED = -2


TriArray: TypeAlias = npt.NDArray[np.int8]


def tri_json(value: int) -> bool | str | None:
    """Return the value as the command line prints it: true, false, ``"undecided"`` or null."""
    match Tri(int(value)):
        case Tri.YES:
            return True
        case Tri.NO:
            return False
        case Tri.UNDECIDED:
            return "undecided"
        case Tri.UNDEFINED:
            return None
