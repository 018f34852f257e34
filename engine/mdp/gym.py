"""``gym:ID``: Gymnasium environments with a transition table as models."""

from __future__ import annotations

import hashlib
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import ModelError, UsageError
from engine.folders import cache_dir
from engine.mdp.drn import write_drn
from engine.mdp.environment import Environment, GridLayout, ObjectiveWords
from engine.mdp.gym_making import made_environment
from engine.mdp.gym_tables import COST, Table, read_table
from engine.mdp.sources import GYM, Source
from engine.mdp.valuations import write_valuations
from engine.oracle.request import Mode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.oracle.request import Request

_REACH = 'Pmax=? [F "goal"]'
_COST = f'R{{"{COST}"}}min=? [F "goal"]'
_COST_WORDS = ObjectiveWords(measure="the expected total cost before {goal}")
_DANGER = 'Pmin=? [F "unsafe"]'


@dataclass(frozen=True)
class _Family:
    """What is known about environments of one class beyond their table.

    Attributes
    ----------
    actions
        Names by action number.
    variables
        From the unwrapped environment and a state's number to its variables.
    grid
        From the unwrapped environment to rows and columns, where a state is a tile.
    """

    actions: tuple[str, ...]
    variables: Callable[[Any, int], Mapping[str, int]]
    grid: Callable[[Any], tuple[int, int]] | None = None


def _tile(columns: int, state: int) -> dict[str, int]:
    return {"row": state // columns, "column": state % columns}


_FAMILIES = {
    "FrozenLakeEnv": _Family(
        ("left", "down", "right", "up"), lambda env, s: _tile(env.ncol, s), lambda env: (env.nrow, env.ncol)
    ),
    "CliffWalkingEnv": _Family(
        ("up", "right", "down", "left"), lambda env, s: _tile(env.shape[1], s), lambda env: (env.shape[0], env.shape[1])
    ),
    "TaxiEnv": _Family(
        ("south", "north", "east", "west", "pickup", "dropoff"),
        lambda env, s: dict(zip(("row", "column", "passenger", "destination"), map(int, env.decode(s)), strict=True)),
    ),
}
_OTHER = _Family((), lambda _, s: {"state": s})


@dataclass(frozen=True)
class GymSource(Source):
    """A Gymnasium environment, its table written as a DRN file with the variables beside it.

    Attributes
    ----------
    identity
        Gymnasium's ID.
    arguments
        Keyword arguments of the environment, as text.
    notes
        What the table had to leave out.
    """

    identity: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def configured(self, constants: Mapping[str, str]) -> GymSource:
        """Return the environment made with these keyword arguments."""
        return self if dict(constants) == dict(self.arguments) else find_gym_model(self.identity, constants)

    def request(
        self,
        constants: Mapping[str, str] | None = None,
        *,
        objective: str | None = None,
        danger: str | None = None,
        mode: Mode = Mode.AUTO,
        properties: Sequence[str] = (),
        properties_path: Path | None = None,
    ) -> Request:
        """Return the request for the oracle; the constants are keyword arguments of the environment."""
        source = self if constants is None else self.configured(constants)
        request = Source(source.environment).request(
            objective=objective, danger=danger, mode=mode, properties=properties, properties_path=properties_path
        )
        return request.model_copy(update={"notes": source.notes})


def find_gym_model(identity: str, arguments: Mapping[str, str] | None = None) -> GymSource:
    """Return a Gymnasium environment as a model, its DRN file written to the cache folder.

    Parameters
    ----------
    identity
        Such as ``FrozenLake-v1``; ``module:ID`` imports the module first.
    arguments
        Keyword arguments of the environment as text: true, false, integers, decimals and fractions become such
        values, everything else stays text.

    Raises
    ------
    UsageError
        If Gymnasium is missing, or has no such environment with a transition table.
    ModelError
        If the table's probabilities do not sum to 1, or the file cannot be written.
    """
    arguments = dict(arguments or {})
    name = f"{GYM}{identity}"
    made = made_environment(identity, arguments, name)
    family = next((_FAMILIES[base.__name__] for base in type(made).__mro__ if base.__name__ in _FAMILIES), _OTHER)
    if getattr(made, "fickle_passenger", False):
        raise UsageError(
            "with a fickle passenger the environment does not follow its transition table",
            where=name,
            hint="leave fickle_passenger out",
        )
    table = read_table(made, name, family.actions, lambda state: family.variables(made, state))
    environment = _described(name, arguments, table, _write(table, identity, name))
    if family.grid is not None:
        rows, columns = family.grid(made)
        marks = {"init": "S", "goal": "G", "unsafe": "O"}
        layout = GridLayout(kind="grid", rows=str(rows), columns=str(columns), row="row", column="column", marks=marks)
        environment = environment.model_copy(update={"layout": layout})
    return GymSource(environment, identity, arguments, table.notes)


def _described(name: str, arguments: Mapping[str, str], table: Table, model: Path) -> Environment:
    """Return the environment with its default objective: the goal's probability where runs can go wrong, else cost."""
    labels, costs = table.labels, COST in table.model.reward_models
    given = ", ".join(f"{key}={value}" for key, value in arguments.items())
    objectives = {"reach": _REACH, **({"cost": _COST} if costs else {})} if "goal" in labels else {}
    return Environment(
        name=name,
        title=name.removeprefix(GYM) + (f" ({given})" if given else ""),
        summary="A Gymnasium environment, read from its transition table.",
        model=model,
        objective=objectives.get("cost" if costs and "unsafe" not in labels else "reach"),
        danger=_DANGER if "unsafe" in labels else None,
        objectives=objectives,
        objective_words={"cost": _COST_WORDS} if "cost" in objectives else {},
    )


def _write(table: Table, identity: str, name: str) -> Path:
    """Write the table to the cache folder, under a name that its content decides, and return the DRN file."""
    root = cache_dir() / "gym"
    stem = re.sub(r"[^\w.-]+", "-", identity)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=root, prefix="new-") as scratch:
            drn, sta = Path(scratch, "model.drn"), Path(scratch, "model.sta")
            write_drn(table.model, drn, name)
            write_valuations(table.columns, sta)
            digest = hashlib.sha256(drn.read_bytes() + b"\0" + sta.read_bytes()).hexdigest()[:16]
            final = root / f"{stem}-{digest}.drn"
            sta.replace(final.with_suffix(".sta"))
            drn.replace(final)
    except OSError as error:
        raise ModelError(
            f"the table cannot be written: {error.strerror or error}",
            where=str(root),
            hint="free some space, or set XDG_CACHE_HOME to another folder",
        ) from None
    return final
