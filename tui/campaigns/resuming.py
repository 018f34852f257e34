"""How an unfinished campaign goes on: in the explorer where it was begun there, else by a command."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from engine.folders import data_dir
from engine.mdp.sources import known_environments
from engine.recent import RecentModel, load_recent

if TYPE_CHECKING:
    from engine.verdicts.overview import Overview
    from engine.verdicts.records import ModelRecord


def model_of(overview: Overview) -> RecentModel | None:
    """Return what to open to go on with a campaign that the explorer began; None for any other, or if it is not known.

    The open model is the first of a campaign about several; the others are environments.
    """
    if overview.path.parent != data_dir() / "campaigns" or not overview.models:
        return None
    first, *others = overview.models
    known = known_environments()
    return model_of_record(first) if all(each.name in known for each in others) else None


def model_of_record(record: ModelRecord) -> RecentModel | None:
    """Return what opens a campaign's model; None if it cannot be found."""
    name = _model_name(record)
    if name is None:
        return None
    return RecentModel(name, tuple(record.constants.items()), record.objective, record.title, record.states)


def _model_name(record: ModelRecord) -> str | None:
    """Return what to open: an environment, else the recent file that bears the name."""
    if record.environment in known_environments():
        return record.environment
    names = [each.model for each in load_recent().models]
    return next((name for name in names if Path(name).stem == record.environment), None)


def report_command(overview: Overview) -> str:
    """Return the command that prints a campaign's tables."""
    return shlex.join(["stormscope", "report", str(overview.path)])


def resume_command(overview: Overview) -> str:
    """Return the command that goes on with a campaign of the command line."""
    command = ["stormscope", "run", "--out", str(overview.path)]
    for option, key in (("--env", "models"), ("--explainer", "explainers"), ("--category", "categories")):
        for value in overview.plan.get(key, ()):
            command += [option, str(value)]
    for option, key in (("--strategy", "strategies"), ("--variant", "variants")):
        for value in overview.plan.get(key, ()):
            command += [option, str(value)]
    for key in ("budget", "samples", "seed", "difficulty", "tolerance"):
        if key in overview.plan:
            command += [f"--{key}", str(overview.plan[key])]
    command += ["--shuffle"] if overview.plan.get("shuffle") else []
    return shlex.join(command)
