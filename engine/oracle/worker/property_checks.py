"""Whether a program has what a property names: said before the program is built, with what there is instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from engine.errors import ModelError, UsageError
from engine.mdp.model import UNNAMED_REWARD
from engine.oracle.worker.formulas import lacks_optimum, reward_of
from engine.oracle.worker.refusals import operator_of

if TYPE_CHECKING:
    from engine.oracle.worker.properties import Properties

_BUILT_IN = {"init", "deadlock"}
_REWARD_NAME = re.compile(r"\{[^}]*\}")
_LABEL = re.compile(r'"([^"]+)"')


def require_known(properties: Properties, symbolic: Any) -> None:
    """Raise UsageError for a property with a reward or a label that a PRISM program does not have.

    Also for a reward that may be any of several, and, for an MDP, for a property that says neither min nor max. Other
    formats are left to Storm: they name such things nowhere before they are built.
    """
    if not hasattr(symbolic, "reward_models"):
        return
    rewards = [str(model.name) for model in symbolic.reward_models]
    _require_distinct(rewards)
    labels = {str(label.name) for label in symbolic.labels} | _BUILT_IN
    nondeterministic = str(symbolic.model_type).endswith("MDP")
    single = [(properties.objective, properties.objective_text), (properties.danger, properties.danger_text)]
    shown = [(prop, named.name) for named in properties.extra for prop in (named.prop, named.states)]
    for prop, text in (*single, *shown):
        if prop is None:
            continue
        if nondeterministic and lacks_optimum(prop):
            name = operator_of(text)
            raise UsageError(
                "an MDP has several choices, and the property does not say which count",
                where=text,
                hint=f"write {name}max or {name}min",
            )
        _require_reward(prop, text, rewards)
        _require_labels(prop, text, labels)


def _require_distinct(rewards: list[str]) -> None:
    """Raise ModelError where rewards without a name would take that of others: Storm fails to write such a model."""
    if rewards.count("") > 1 or ("" in rewards and UNNAMED_REWARD in rewards):
        raise ModelError(
            f'rewards without a name are called "{UNNAMED_REWARD}", and the model has others of that name',
            hint='give them a name in the model, as in rewards "cost"',
        )


def _require_reward(prop: Any, text: str, rewards: list[str]) -> None:
    reward = reward_of(prop)
    if reward is None or (reward and reward in rewards) or (not reward and len(rewards) == 1):
        return
    listed = ", ".join(f'"{name}"' for name in rewards if name)
    if reward:
        what = f'the model has no reward "{reward}"'
    else:
        what = "the model has several rewards, and the property names none" if rewards else "the model has no rewards"
    hint = f"rewards of this model: {listed}" if listed else "add rewards … endrewards to the model"
    if "" in rewards:
        first = f"{hint}, and some without a name" if listed else "they have no name"
        hint = f'{first}; a name in the model, as in rewards "cost", makes them R{{"cost"}} here'
    raise UsageError(what, where=text, hint=hint)


def _require_labels(prop: Any, text: str, labels: set[str]) -> None:
    formula = _REWARD_NAME.sub("", str(prop.get_raw_formula()))
    unknown = next((name for name in _LABEL.findall(formula) if name not in labels), None)
    if unknown is not None:
        listed = ", ".join(f'"{name}"' for name in sorted(labels))
        raise UsageError(f'the model has no label "{unknown}"', where=text, hint=f"labels of this model: {listed}")
