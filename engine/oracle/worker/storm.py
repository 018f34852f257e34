"""Storm behind plain values. The only module that imports stormpy; only the oracle child imports this one."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import stormpy
from stormpy import developer

from engine.oracle.worker.result import Result
from engine.oracle.worker.storm_error import StormError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from engine.oracle.numbers import BoolArray

STORM_VERSION = str(stormpy.__version__)

# A single reachability property makes Storm cut the model off at its targets; a second one keeps the model whole.
WHOLE_MODEL = "P>=0 [X true]"


def _call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call into Storm; every failure there is a bare RuntimeError or an error of pybind's type conversion."""
    try:
        return function(*args, **kwargs)
    except (RuntimeError, TypeError, ValueError, IndexError, stormpy.exceptions.StormError) as error:
        raise StormError(str(error)) from error


def _has_rewards(model: Any) -> bool:
    return bool(model.has_state_rewards or model.has_state_action_rewards or model.has_transition_rewards)


def parse_model(path: Path, ending: str) -> tuple[Any, list[Any]]:
    """Return a symbolic model and the properties that came with it."""
    if ending == ".jani":
        model, properties = _call(stormpy.parse_jani_model, path)
        return model, list(properties)
    try:
        return _call(stormpy.parse_prism_program, path), []
    except StormError as strict:
        try:
            return _call(stormpy.parse_prism_program, path, prism_compatibility=True), []
        except StormError:
            raise strict from None


def symbolic_kind(model: Any) -> str:
    """Return a symbolic model's type: ``MDP``, ``DTMC``, ``CTMC``, ….

    PRISM's type is read off the program's first word: the binding has no value for games and timed automata.
    """
    if isinstance(model, stormpy.io.JaniModel):
        return str(model.model_type).rsplit(".", 1)[-1]
    return str(model).split(maxsplit=1)[0].upper()


def constant_types(model: Any) -> dict[str, str]:
    """Return the undefined constants of a symbolic model with their types (``int``, ``rational``, ``bool``)."""
    return {constant.name: str(constant.type) for constant in model.constants if not constant.defined}


def defined_constants(model: Any) -> set[str]:
    """Return the names of the constants that a symbolic model defines itself."""
    return {constant.name for constant in model.constants if constant.defined}


def known_names(model: Any) -> set[str]:
    """Return the names of a symbolic model's variables, constants and formulas; none of an explicit one."""
    if model is None:
        return set()
    names = {str(variable.name) for variable in model.expression_manager.get_variables()}
    # Storm keeps a JANI automaton's place in a variable of its own.
    return {name for name in names if not name.startswith("_loc_")} | {str(each.name) for each in model.constants}


def instantiate(
    model: Any, constants: dict[str, bool | int | Fraction], properties: list[Any]
) -> tuple[Any, list[Any]]:
    """Substitute constants, each of its own type, in a symbolic model and in properties."""
    values = {
        name: stormpy.Rational(str(value)) if isinstance(value, Fraction) else value
        for name, value in constants.items()
    }
    model, parsed = _call(stormpy.instantiate_constants, model, values, properties)
    return model, list(parsed)


def parse_properties(text: str, model: Any) -> list[Any]:
    """Parse properties in PRISM syntax, in the context of a symbolic model or (None) of an explicit one."""
    return list(_call(stormpy.parse_properties, text, model))


def explored_states(symbolic: Any, properties: list[Any], limit: int) -> int:
    """Return the number of states of a symbolic model, or some number above the limit at which exploration stopped."""
    options = stormpy.BuilderOptions([*properties, *parse_properties(WHOLE_MODEL, symbolic)])
    exploration = developer.ExplicitModelBuilderOptions[float]()
    # At the limit itself the last states stay unexplored, and nothing tells whether there are more.
    exploration.exploration_state_limit = limit + 1
    description = developer.SymbolicModelDescription(symbolic)
    builder = _call(developer.make_explicit_model_builder[float], description, options, None, exploration)
    return int(_call(builder.build).nr_states)


class StormModel:
    """A built model, exact (rational) or in doubles.

    Parameters
    ----------
    symbolic
        An instantiated PRISM or JANI model; None to read `explicit`, a DRN or UMB file.
    properties
        All properties that will be checked: expressions in them become labels while building.
    trusted
        Leave out Storm's checks of sums and bounds, for a model that passed them exactly: in doubles they refuse
        sums that are 1.
    """

    def __init__(
        self, symbolic: Any, properties: list[Any], *, exact: bool, explicit: Path | None = None, trusted: bool = False
    ) -> None:
        self.exact = exact
        value_type = stormpy.Rational if exact else float
        if symbolic is None and explicit is not None and explicit.suffix.lower() == ".umb":
            options = stormpy.io.UmbImportOptions()
            options.build_choice_labeling = True
            options.build_state_valuations = True
            number = stormpy.io.UmbImportValueType
            options.value_type = number.RATIONAL if exact else number.DOUBLE
            self._model = _call(stormpy.build_model_from_umb, explicit, options=options)
        elif symbolic is None:
            options = stormpy.io.DirectEncodingParserOptions()
            options.build_choice_labeling = True
            self._model = _call(stormpy.build_model_from_drn[value_type], explicit, options=options)
        else:
            whole = parse_properties(WHOLE_MODEL, symbolic)
            options = stormpy.BuilderOptions([*properties, *whole])
            options.set_build_all_labels()
            options.set_build_all_reward_models()
            options.set_build_state_valuations()
            options.set_build_choice_labels()
            options.set_exploration_checks(not trusted)
            self._model = _call(stormpy.build_model[value_type], symbolic, options=options)
        self._write_out_zeros(value_type)

    def _write_out_zeros(self, value_type: Any) -> None:
        """Give reward models of an explicit file that hold nothing but zeros their zeros back.

        Storm drops them while it reads, and then refuses the properties about such a reward model.
        """
        rewards = dict(self._model.reward_models)
        empty = [name for name, found in rewards.items() if not _has_rewards(found)]
        if not empty:
            return
        zeros = developer.storage.SparseRewardModel[value_type](
            optional_state_action_reward_vector=[value_type(0)] * int(self._model.nr_choices)
        )
        components = developer.storage.SparseModelComponents[value_type](
            transition_matrix=self._model.transition_matrix,
            state_labeling=self._model.labeling,
            reward_models={**rewards, **dict.fromkeys(empty, zeros)},
        )
        if self._model.has_choice_labeling():
            components.choice_labeling = self._model.choice_labeling
        if self._model.has_state_valuations():
            components.state_valuations = self._model.state_valuations
        self._model = _call(type(self._model), components)

    @property
    def kind(self) -> str:
        """The model's type: ``MDP``, ``DTMC``, ``CTMC``, …."""
        return str(self._model.model_type).rsplit(".", 1)[-1]

    @property
    def states(self) -> int:
        """The number of states."""
        return int(self._model.nr_states)

    @property
    def initial(self) -> list[int]:
        """The initial states."""
        return [int(state) for state in self._model.initial_states]

    @property
    def labels(self) -> set[str]:
        """The names of the labels."""
        return {str(name) for name in self._model.labeling.get_labels()}

    def export(self, path: Path) -> None:
        """Write the arrays as an uncompressed UMB archive with doubles."""
        options = stormpy.io.UmbExportOptions()
        options.compression = stormpy.io.CompressionMode.NO_COMPRESSION
        options.value_type = stormpy.io.UmbExportValueType.DOUBLE
        umb = _call(stormpy.io.sparse_model_to_umb, self._model, options=options)
        _call(stormpy.io.umb_to_archive, umb, path, options=options)

    def probabilities(self) -> list[str]:
        """Return every transition's exact probability as text, row by row (exact models)."""
        matrix = self._model.transition_matrix
        return [str(entry.value) for row in range(matrix.nr_rows) for entry in matrix.get_row(row)]

    def rewards(self, name: str | None, choice_start: Sequence[int]) -> list[str]:
        """Return every choice's exact reward as text: the state's reward plus the action's (exact models)."""
        model = self._model.reward_models[self.reward_name(name)]
        if model.has_transition_rewards:
            raise StormError("rewards on transitions have no exact Q values here; use rewards on states or actions")
        sizes = [end - start for start, end in pairwise(choice_start)]
        own = list(map(str, model.state_action_rewards)) if model.has_state_action_rewards else ["0"] * sum(sizes)
        if not model.has_state_rewards:
            return own
        shared = [text for size, text in zip(sizes, map(str, model.state_rewards), strict=True) for _ in range(size)]
        pairs = list(zip(own, shared, strict=True))
        sums = {pair: str(Fraction(pair[0]) + Fraction(pair[1])) for pair in set(pairs)}
        return [sums[pair] for pair in pairs]

    @property
    def reward_names(self) -> list[str]:
        """The names of the reward models."""
        return [str(name) for name in self._model.reward_models]

    def reward_name(self, name: str | None) -> str:
        """Return the reward model's name; the only one if none is given."""
        names = self.reward_names
        if name is None and len(names) == 1:
            return names[0]
        if name is None or name not in names:
            listed = ", ".join(f'"{known}"' for known in names) or "none"
            raise StormError(f"the reward model {name or '(unnamed)'} does not exist; the model has {listed}")
        return name

    def satisfying(self, formula: Any) -> BoolArray:
        """``(states,)`` mask of a state formula."""
        result = _call(stormpy.model_checking, self._model, formula)
        return self._mask(result.get_truth_values_vector())

    def zero_one(self, phi: BoolArray, target: BoolArray, *, maximise: bool) -> tuple[BoolArray, BoolArray]:
        """Return the states whose extremal probability of ``φ U T`` is 0, and 1, by graph algorithms."""
        name = "perform_prob01" if self.kind == "DTMC" else f"perform_prob01_{'max' if maximise else 'min'}"
        zero, one = _call(getattr(developer, name), self._model, self._bits(phi), self._bits(target))
        return self._mask(zero), self._mask(one)

    def check(self, prop: Any) -> Result:
        """Check one property on all states, or on the initial ones where Storm can do no more."""
        try:
            return self._read(_call(stormpy.model_checking, self._model, prop), range(self.states))
        except StormError as error:
            if "only be computed for the initial states" not in error.message:
                raise
        found = _call(stormpy.model_checking, self._model, prop, only_initial_states=True)
        return self._read(found, self.initial)

    def values_avoiding(
        self, states: Sequence[int | None], phi: BoolArray, target: BoolArray, bound: int | None
    ) -> list[Result]:
        """Return the results of ``Pmax=? [(φ & !b) U T]`` for each state b in turn, None blocking none."""
        labeling = self._model.labeling
        for name, mask in (("stormscope_phi", phi), ("stormscope_target", target)):
            labeling.add_label(name)
            labeling.set_states(name, self._bits(mask))
        labeling.add_label("stormscope_blocked")
        steps = "" if bound is None else f"<={bound}"
        optimise = "P=?" if self.kind == "DTMC" else "Pmax=?"
        text = f'{optimise} [("stormscope_phi" & !"stormscope_blocked") U{steps} "stormscope_target"]'
        (prop,) = parse_properties(text, None)
        results = []
        for state in states:
            blocked = np.zeros(self.states, dtype=bool)
            if state is not None:
                blocked[state] = True
            labeling.set_states("stormscope_blocked", self._bits(blocked))
            results.append(self.check(prop))
        return results

    def _read(self, result: Any, states: Sequence[int]) -> Result:
        if hasattr(result, "get_truth_values_vector"):
            return Result(states, truth=np.array([result[state] for state in states], dtype=bool))
        if not hasattr(result, "get_value_vector"):
            raise StormError("the result is a curve, not a value by state")
        whole = len(states) == self.states
        values = result.get_value_vector() if whole else [result.get_value(state) for state in states]
        if not (result.has_lower_bounds() and result.has_upper_bounds()):
            return Result(states, unbounded=np.array([float(value) for value in values]))
        if self.exact:
            return Result(states, exact=[str(value) for value in values])
        lower, upper = result.get_lower_bound_vector(), result.get_upper_bound_vector()
        return Result(states, lower=np.asarray(lower, dtype=np.float64), upper=np.asarray(upper, dtype=np.float64))

    def _mask(self, bits: Any) -> BoolArray:
        mask = np.zeros(self.states, dtype=bool)
        mask[np.fromiter(bits, dtype=np.int64)] = True
        return mask

    def _bits(self, mask: BoolArray) -> Any:
        return developer.storage.BitVector(self.states, np.flatnonzero(mask).tolist())
