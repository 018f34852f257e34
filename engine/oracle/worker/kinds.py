"""Kinds of models: which are explained, and why the others are refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

EXPLAINED = {"MDP", "DTMC"}

_REFUSED = {
    "CTMC": "in a CTMC time is continuous and transitions have rates",
    "CTMDP": "in a CTMDP time is continuous and transitions have rates",
    "MA": "in a Markov automaton (MA) time is continuous and transitions have rates",
    "POMDP": "in a POMDP whoever decides does not see the state",
    "SMG": "in a game (SMG) several players decide",
    "CSG": "in a game (CSG) several players decide",
    "TSG": "in a game (TSG) several players decide",
    "PTA": "a timed automaton (PTA) has clocks",
    "POPTA": "a timed automaton (POPTA) has clocks",
    "TA": "a timed automaton (TA) has clocks",
    "IMDP": "an interval MDP leaves its probabilities open",
    "IDTMC": "an interval DTMC leaves its probabilities open",
    "LTS": "a transition system (LTS) has no probabilities",
}
_HINT = "stormscope explains MDPs and DTMCs only"


def require_explained(kind: str, where: str) -> None:
    """Raise ModelError with the reason unless a model of this kind is explained."""
    if kind not in EXPLAINED:
        raise ModelError(_REFUSED.get(kind, f"the model is a {kind}"), where=where, hint=_HINT)


def require_explained_text(path: Path) -> None:
    """Raise ModelError if a PRISM file that Storm cannot read announces a kind that is not explained."""
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8", errors="replace"))
    announced = re.search(r"^\s*([a-z]+)\b", text)
    if announced is not None and announced[1].upper() in _REFUSED:
        require_explained(announced[1].upper(), str(path))


def require_explained_drn(path: Path) -> None:
    """Raise ModelError if a DRN file announces a kind that is not explained, before its other lines are looked at."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        announced = next((line.partition(":")[2].strip().upper() for line in lines if line.startswith("@type")), "")
    if announced in _REFUSED:
        require_explained(announced, str(path))
