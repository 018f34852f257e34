"""From a command's options to a checked model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.mdp.model_name import split_model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from engine.cli.common import StageLine
    from engine.mdp.environment import Environment
    from engine.oracle.client import CheckedModel
    from engine.oracle.facts import Oracle
    from engine.oracle.request import Limits, Mode, Request


@dataclass(frozen=True)
class Opening:
    """The options that name a model and say how it is checked; the name may have constants, ``MODEL:k=v,…``."""

    model: str
    constants: Sequence[str] = ()
    objective: str | None = None
    danger: str | None = None
    mode: str = "auto"
    timeout: float | None = None
    memory: float | None = None
    max_states: int | None = None
    properties: Sequence[str] = field(default=())
    properties_path: Path | None = None

    def __post_init__(self) -> None:
        name, constants = split_model(self.model)
        if constants:
            object.__setattr__(self, "model", name)
            object.__setattr__(self, "constants", (*self.constants, constants))

    def request(self) -> tuple[Environment, Request]:
        """Return the environment and the oracle's request; raises UsageError."""
        from engine.mdp.sources import find_model, parse_constants  # noqa: PLC0415  # commands load what they need

        constants = parse_constants(self.constants)
        source = find_model(self.model).configured(constants)
        return source.environment, source.request(
            constants,
            objective=self.objective,
            danger=self.danger,
            mode=read_mode(self.mode),
            properties=self.properties,
            properties_path=self.properties_path,
        )

    def limits(self) -> Limits:
        """Return the limits."""
        from engine.oracle.request import Limits  # noqa: PLC0415  # as above

        return Limits(seconds=self.timeout, megabytes=self.memory, states=self.max_states)

    def check(self) -> tuple[Environment, Request, CheckedModel]:
        """Check the model, with progress on standard error."""
        from engine.cli.common import StageLine  # noqa: PLC0415  # as above
        from engine.oracle.client import check_model  # noqa: PLC0415

        environment, request = self.request()
        with StageLine() as line:
            return environment, request, check_model(request, self.limits(), progress=line)

    def oracle(self, policy: Path | None = None) -> Oracle:
        """Check the model for asking questions about it, or about a policy of it.

        Raises UsageError if it has no objective, or the file holds no policy of it.
        """
        from engine.cli.common import StageLine  # noqa: PLC0415  # as above
        from engine.oracle.client import open_oracle  # noqa: PLC0415

        environment, request = self.request()
        with StageLine() as line:
            oracle = open_oracle(request, environment, self.limits(), progress=line)
            return oracle if policy is None else self._following(policy, oracle, line)

    def _following(self, policy: Path, oracle: Oracle, line: StageLine) -> Oracle:
        from engine.mdp.expressions import scope_of  # noqa: PLC0415  # as above
        from engine.oracle.policy.policies import read_policy  # noqa: PLC0415
        from engine.queries.under_policy import policy_oracle  # noqa: PLC0415

        scope = scope_of(oracle.mdp, oracle.constants, oracle.facts)
        return policy_oracle(oracle, read_policy(policy, oracle.mdp, scope), self.limits(), progress=line)


def read_mode(text: str) -> Mode:
    """Return the mode of that name; raises UsageError."""
    from engine.oracle.request import Mode  # noqa: PLC0415  # as above

    try:
        return Mode(text)
    except ValueError:
        raise UsageError(f"there is no mode {text!r}", where="--mode", hint="use auto, exact or sound") from None
