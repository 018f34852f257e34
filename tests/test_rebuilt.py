"""Models that are written again for Storm: both formats say the same, and writing can be stopped."""

from __future__ import annotations

import threading
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import enclosed, frozen_lake_4x4, oracle
from small_mdps import models

from engine.errors import CancelledError
from engine.oracle.again import as_checked
from engine.oracle.client import check_model
from engine.oracle.facts import Kind
from engine.oracle.numbers import Interval, Numbers
from engine.oracle.policy import drn_rows
from engine.oracle.policy.drn_rows import drn_text
from engine.oracle.policy.evaluation import evaluate_policy
from engine.oracle.policy.induced import AIM, PHI, induced, objective_of, write_model
from engine.oracle.policy.policies import Policy
from engine.oracle.policy.policy_moves import moves_of
from engine.oracle.policy.whatif import Change, what_if
from engine.oracle.request import Mode, Request
from engine.oracle.umb import UmbArchive

if TYPE_CHECKING:
    from pathlib import Path

    from reference_solver import Model

    from engine.oracle.facts import Oracle

HALF, ONE = Fraction(1, 2), Fraction(1)


def by_hand(known: Oracle, policy: Policy) -> list[tuple[str, str, dict[int, Fraction]]]:
    """Return each state's labels, action and successors under a policy, from the definition, state by state."""
    mdp, found = known.mdp, []
    for state in range(mdp.states):
        moves = policy.distribution(mdp, state)
        successors: dict[int, Fraction] = {}
        for choice, weight in (moves or {}).items():
            for target, probability in mdp.successors(choice):
                successors[target] = successors.get(target, Fraction(0)) + weight * Fraction(probability)
        labels = [
            *mdp.labels_of(state),
            *[PHI] * bool(known.facts.phi[state]),
            *[AIM] * bool(known.facts.target[state]),
        ]
        name = mdp.action_name(next(iter(moves))) if moves is not None and len(moves) == 1 else "__NOLABEL__"
        found.append((" ".join(labels), name, successors or {state: ONE}))
    return found


def read(text: str) -> list[tuple[str, str, dict[int, Fraction]]]:
    """Return what `by_hand` returns from the DRN text of a chain."""
    found = []
    for block in text.split("\nstate ")[1:]:
        first, action, *rest = block.strip().split("\n")
        pairs = (line.split(" : ") for line in rest)
        successors = {int(target): Fraction(number) for target, number in pairs}
        assert list(successors) == sorted(successors)
        found.append((first.partition(" ")[2], action.split()[1].strip('"'), successors))
    return found


@given(models(), st.data())
def test_a_chain_says_what_the_policy_does(model: Model, data: st.DataObject) -> None:
    """For random models and policies, single, mixed and silent: the text has the successors of the definition."""
    known = oracle(model)
    mdp, moves = known.mdp, {}
    for state in range(mdp.states):
        choices = list(mdp.choices_of(state))
        kind = data.draw(st.sampled_from(["silent", "single", "mixed"]))
        if kind == "single":
            moves[state] = {data.draw(st.sampled_from(choices)): ONE}
        elif kind == "mixed" and len(choices) > 1:
            moves[state] = {choices[0]: HALF, choices[-1]: HALF}
    policy = Policy("some", moves)
    before, drn_rows.PIECE = drn_rows.PIECE, 2
    try:
        text = "".join(drn_text(induced(mdp, known.facts, policy)))
    finally:
        drn_rows.PIECE = before
    assert read(text) == by_hand(known, policy)
    silent = [policy.distribution(mdp, state) is None for state in range(mdp.states)]
    assert moves_of(mdp, policy).silent.tolist() == silent


def test_both_formats_give_storm_the_same_model(cache: Path, tmp_path: Path) -> None:
    """A chain with mixtures and rewards: from the archive Storm has bounds around what it has from the text exactly."""
    del cache
    known = frozen_lake_4x4()
    mdp = known.mdp
    reward = Numbers.from_exact([Fraction(1 + choice % 3, 2) for choice in range(mdp.choices)])
    facts = replace(
        known.facts, reward=reward, objective=replace(known.facts.objective, kind=Kind.RMAX, reward="r", text="R")
    )
    spread = {state: {choice: Fraction(1, 4) for choice in mdp.choices_of(state)} for state in (1, 2, 3)}
    chain = induced(mdp, facts, Policy("mixed", {**{s: {mdp.choices_of(s)[0]: ONE} for s in range(16)}, **spread}))
    target = np.asarray(facts.target) | (np.isin(np.arange(16), [5, 7, 11, 12]))
    labels = [(name, target if name == AIM else mask) for name, mask in chain.labels]
    chain = replace(chain, labels=labels)
    text = objective_of(facts.objective, np.asarray(facts.phi), target)
    found = {}
    for exact in (True, False):
        path = write_model(tmp_path / "chain", chain, exact=exact)
        mode = Mode.EXACT if exact else Mode.SOUND
        checked = check_model(Request(path=path, objective=text, mode=mode))
        assert checked.facts is not None
        found[exact] = checked
    assert found[True].exact
    assert not found[False].exact
    for state in range(16):
        right, enclosure = found[True].facts.value.at(state), found[False].facts.value.at(state)  # type: ignore[union-attr]
        assert isinstance(enclosure, Interval)
        assert isinstance(right, Fraction | float)
        assert enclosure.lower <= right <= enclosure.upper
        assert enclosure.upper - enclosure.lower < 1e-3 or right == float("inf")
    for name in known.mdp.labels:
        assert found[False].mdp.labels[name].tolist() == known.mdp.labels[name].tolist()


def test_an_archive_has_the_rows_of_the_model(tmp_path: Path) -> None:
    """In doubles, the same starts, targets, probabilities and labels as the arrays."""
    known = enclosed(frozen_lake_4x4(), 1e-9)
    path = write_model(tmp_path / "m", induced(known.mdp, known.facts, Policy("none", {})), exact=False)
    archive = UmbArchive(path)
    assert (archive.states, archive.choices) == (16, 16)
    own = [len(known.mdp.choices_of(state)) == 1 for state in range(16)]
    starts, targets = archive.starts("choice-to-branches.bin", 16), archive.array("branch-to-target.bin", np.int64)
    for state in range(16):
        wanted = [t for t, _ in known.mdp.successors(known.mdp.choices_of(state)[0])] if own[state] else [state]
        assert targets[starts[state] : starts[state + 1]].tolist() == wanted
    assert archive.labels()["goal"].tolist() == known.mdp.labels["goal"].tolist()
    assert archive.labels()["init"].tolist() == known.mdp.labels["init"].tolist()


@pytest.mark.parametrize("known", [frozen_lake_4x4(), enclosed(frozen_lake_4x4(), 0.01)], ids=["exact", "sound"])
def test_writing_stops_when_it_is_cancelled(cache: Path, known: Oracle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancelled while the file is written, a change and a policy end there: no oracle starts, nothing stays."""
    monkeypatch.setattr(drn_rows, "PIECE", 4)
    said: list[tuple[str, str]] = []
    cancel = threading.Event()

    def progress(stage: str, detail: str) -> None:
        said.append((stage, detail))
        if stage == "writing":
            cancel.set()

    with pytest.raises(CancelledError):
        what_if(known, Change(frozenset({1})), progress=progress, cancel=cancel)
    assert "writing" in {stage for stage, _ in said}
    assert "building" not in {stage for stage, _ in said}
    assert not [path for path in cache.rglob("*") if path.is_file()]
    cancel.clear()
    with pytest.raises(CancelledError):
        evaluate_policy(as_checked(known), left(known), progress=progress, cancel=cancel)
    assert not [path for path in cache.rglob("*") if path.is_file()]


def left(known: Oracle) -> Policy:
    """Return a policy that takes the first action everywhere."""
    return Policy("left", {state: {known.mdp.choices_of(state)[0]: ONE} for state in range(known.mdp.states)})
