"""What ``check`` does beside listing: verify, reproduce, export."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from engine.cli.check_view import CheckView
    from engine.cli.opening import Opening
    from engine.oracle.facts import Facts
    from engine.oracle.policy.policies import Policy


@dataclass(frozen=True)
class Exports:
    """Files to write."""

    policy: Path | None
    chain: Path | None
    neighbourhood: Path | None
    depth: int


def extras_of(
    opening: Opening, view: CheckView, exports: Exports, *, verified: bool, reproduced: bool
) -> dict[str, Any]:
    """Do what was asked beside listing, and return what to print of it."""
    extras: dict[str, Any] = {}
    if verified:
        extras["verified"] = _verified(view)
    if reproduced:
        from engine.oracle.reproduce import reproduce  # noqa: PLC0415  # commands load what they need

        _, request = opening.request()
        extras["reproduce"] = reproduce(request, view.checked, _facts(view).objective.text, view.only)
    written = _export(view, exports)
    if written:
        extras["written"] = written
        extras["written_notes"] = _export_notes(opening, view, exports)
    return extras


def _verified(view: CheckView) -> dict[str, Any]:
    """Return what was verified, or why there is nothing to verify; a value that is wrong is an error."""
    from engine.oracle.certificate import Certificate, unverifiable, verify  # noqa: PLC0415  # commands load what they need

    mdp, facts = view.checked.mdp, _facts(view)
    reason = unverifiable(mdp, facts)
    certificate = Certificate(0, ()) if reason else verify(mdp, facts)
    found = {"states": certificate.states, "conditions": list(certificate.conditions)}
    return {**found, "unavailable": reason} if reason else found


def _export(view: CheckView, exports: Exports) -> list[str]:
    written = []
    if exports.policy is not None:
        import json  # noqa: PLC0415  # as above

        from engine.oracle.policy.induced import write_atomically  # noqa: PLC0415
        from engine.oracle.policy.policies import SCHEMA, policy_json  # noqa: PLC0415

        if not exports.policy.parent.is_dir():
            raise UsageError("there is no such folder", where=str(exports.policy.parent))
        rows = policy_json(view.checked.mdp, _optimal(view))
        write_atomically(exports.policy, [json.dumps({"schema": SCHEMA, "policy": rows}, indent=1) + "\n"])
        written.append(str(exports.policy))
    if exports.chain is not None:
        from engine.oracle.exports import export_chain  # noqa: PLC0415  # as above

        policy = view.evaluation.policy if view.evaluation is not None else _optimal(view)
        export_chain(exports.chain, view.checked.mdp, _facts(view), policy)
        written.append(str(exports.chain))
    if exports.neighbourhood is not None:
        from engine.oracle.exports import export_neighbourhood  # noqa: PLC0415  # as above

        if view.only is None:
            raise UsageError(
                f"{view.matching:,} states are selected, one is needed",
                where="--export-neighbourhood",
                hint="select it with --where, as in --where pos=3",
            )
        export_neighbourhood(exports.neighbourhood, view.checked.mdp, view.checked.facts, view.only, exports.depth)
        written.append(str(exports.neighbourhood))
    return written


def _export_notes(opening: Opening, view: CheckView, exports: Exports) -> list[str]:
    """Return what a reader of the DRN files must know: labels that are not in them, numbers and names that are new."""
    from engine.mdp.model import UNNAMED_REWARD  # noqa: PLC0415  # as above
    from engine.oracle.exports import labels_of_none, neighbourhood  # noqa: PLC0415

    mdp, notes = view.checked.mdp, []
    near, chain = exports.neighbourhood, exports.chain
    files = [path for path in (chain, near) if path is not None and path.suffix == ".drn"]
    for path in files:
        around = neighbourhood(mdp, view.only, exports.depth) if path is near and view.only is not None else None
        absent = labels_of_none(mdp, around)
        if absent:
            listed = ", ".join(f'"{name}"' for name in absent)
            notes.append(f"no state in {path} has the labels {listed}, so they are unknown there")
    if files and mdp.exact_probability is None:
        notes.append("probabilities are known as doubles; written are fractions that round to them and sum to 1")
    lost = [name for name in mdp.rewards if mdp.exact_probability is not None and name not in mdp.exact_rewards]
    if files and lost:
        notes.append(f"left out: rewards on transitions, which have no exact numbers here ({', '.join(lost)})")
    if files and UNNAMED_REWARD in mdp.rewards and _unnamed_rewards(opening):
        notes.append(f'the rewards without a name are called "{UNNAMED_REWARD}" there')
    return notes


def _unnamed_rewards(opening: Opening) -> bool:
    """Return whether a PRISM model has rewards without a name, rather than others of the name that they get."""
    path = opening.request()[1].path
    programs = {".prism", ".nm", ".pm"}
    return path.suffix in programs and re.search(r"\brewards\s+[^\s\"]", path.read_text("utf-8", "replace")) is not None


def _facts(view: CheckView) -> Facts:
    if view.checked.facts is None:
        raise UsageError("the model has no objective", hint="give one with --objective")
    return view.checked.facts


def _optimal(view: CheckView) -> Policy:
    from engine.oracle.policy.policies import optimal_policy  # noqa: PLC0415  # as above

    return optimal_policy(view.checked.mdp, _facts(view))
