"""Explicit models: ``.tra`` and ``.lab`` files, turned into DRN so that Storm reads their decimals exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MDP_FIELDS = (4, 5)
_DTMC_FIELDS = 3


@dataclass
class _Explicit:
    """Transitions by state and choice while they are read."""

    states: int
    rows: dict[int, dict[int, list[tuple[int, str]]]] = field(default_factory=dict)
    actions: dict[tuple[int, int], str] = field(default_factory=dict)


def write_drn(transitions: Path, labels: Path | None, drn: Path) -> None:
    """Turn a transitions file and a labels file into a DRN file.

    PRISM's and Storm's explicit formats are read: ``states choices transitions`` on the first line (or Storm's model
    type), then ``source choice target probability [action]``, or without the choice for a DTMC. Raises ModelError
    with file and line.
    """
    model = _read_transitions(transitions)
    names = _read_labels(labels, model.states) if labels is not None else {0: ["init"]}
    choices = sum(len(row) for row in model.rows.values())
    with drn.open("w", encoding="utf-8") as out:
        out.write(
            f"@type: MDP\n@parameters\n\n@reward_models\n\n@nr_states\n{model.states}\n@nr_choices\n{choices}\n@model\n"
        )
        for state in range(model.states):
            row = model.rows.get(state)
            if row is None:
                raise ModelError(
                    f"state {state} has no transition", where=str(transitions), hint="give absorbing states a loop"
                )
            quoted = " ".join(f'"{name}"' if re.search(r"\W", name) else name for name in names.get(state, ()))
            out.write(f"state {state} {quoted}".rstrip() + "\n")
            for choice in sorted(row):
                out.write(f"\taction {model.actions.get((state, choice), '__NOLABEL__')}\n")
                out.writelines(f"\t\t{target} : {probability}\n" for target, probability in sorted(row[choice]))


def _read_transitions(path: Path) -> _Explicit:
    lines = _lines(path)
    number, first = next(lines, (1, []))
    if len(first) == 1 and first[0].lower() in {"mdp", "dtmc"}:
        number, first = next(lines, (number, []))
    model: _Explicit | None = None
    with_choices = True
    if first and all(re.fullmatch(r"\d+", word) for word in first) and len(first) in {2, 3}:
        model = _Explicit(int(first[0]))
        with_choices = len(first) == len(("states", "choices", "transitions"))
        pending: list[tuple[int, list[str]]] = []
    else:
        pending = [(number, first)] if first else []
        with_choices = bool(first) and len(first) in _MDP_FIELDS
    rows = model or _Explicit(0)
    for line, words in (*pending, *lines):
        _add(rows, words, with_choices=with_choices, where=f"{path}:{line}", known=model is not None)
    if not rows.rows:
        raise ModelError("there are no transitions", where=str(path))
    return rows


def _add(model: _Explicit, words: list[str], *, with_choices: bool, where: str, known: bool) -> None:
    expected = "source choice target probability [action]" if with_choices else "source target probability"
    fits = len(words) in _MDP_FIELDS if with_choices else len(words) == _DTMC_FIELDS
    source_text, *choice_text, target_text, probability_text = words[: 4 if with_choices else 3] if fits else ["?"] * 3
    try:
        source, target, probability = int(source_text), int(target_text), Fraction(probability_text)
        choice = int(choice_text[0]) if choice_text else 0
    except (ValueError, ZeroDivisionError):
        raise ModelError(f"expected {expected!r}, found {' '.join(words)!r}", where=where) from None
    if not 0 < probability <= 1:
        raise ModelError(f"{probability_text} is no probability of a transition", where=where)
    if not known:
        model.states = max(model.states, source + 1, target + 1)
    if not (0 <= source < model.states and 0 <= target < model.states):
        raise ModelError(f"the model has the states 0 to {model.states - 1} only", where=where)
    model.rows.setdefault(source, {}).setdefault(choice, []).append((target, str(probability)))
    if len(words) == _MDP_FIELDS[1]:
        model.actions[source, choice] = words[4]


def _read_labels(path: Path, states: int) -> dict[int, list[str]]:
    """Read PRISM's (``0="init" 1="goal"``, ``5: 1``) or Storm's (``#DECLARATION``, ``5 goal``) label file."""
    names: dict[int, list[str]] = {}
    numbered: dict[str, str] = {}
    declared: set[str] | None = None
    inside = False
    for line, words in _lines(path):
        text, where = " ".join(words), f"{path}:{line}"
        if text in {"#DECLARATION", "#END"}:
            inside, declared = text == "#DECLARATION", declared or set()
        elif inside and declared is not None:
            declared.update(words)
        elif not numbered and declared is None:
            numbered = dict(re.findall(r'(\d+)="([^"]*)"', text))
            if not numbered:
                raise ModelError(f'expected labels such as 0="init", found {text!r}', where=where)
        else:
            state, found = _labels_of(words, numbered, declared, where)
            if state >= states:
                raise ModelError(f"the model has the states 0 to {states - 1} only", where=where)
            names.setdefault(state, []).extend(found)
    if not any("init" in found for found in names.values()):
        names.setdefault(0, []).append("init")
    return names


def _labels_of(
    words: list[str], numbered: dict[str, str], declared: set[str] | None, where: str
) -> tuple[int, list[str]]:
    try:
        state = int(words[0].rstrip(":"))
        found = [numbered[word] for word in words[1:]] if numbered else words[1:]
    except (ValueError, KeyError):
        raise ModelError(f"expected a state and its labels, found {' '.join(words)!r}", where=where) from None
    unknown = [name for name in found if declared is not None and name not in declared]
    if unknown:
        raise ModelError(f"the label {unknown[0]} is not declared", where=where)
    return state, found


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers and words of the lines that hold something."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"the file cannot be read: {error}", where=str(path)) from None
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if words and not words[0].startswith("//"):
            yield number, words
