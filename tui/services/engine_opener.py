"""The real opener: a command's options, the oracle behind them, and the user's own environments."""

from __future__ import annotations

import re
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import UsageError
from tui.services.models import ModelSettings

if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping

    from engine.cli.opening import Opening
    from engine.mdp.constants import Constant
    from engine.mdp.user_environments import Words
    from engine.oracle.facts import Oracle
    from engine.oracle.request import Request
    from tui.services.models import Progress

DEFAULT = "default"
"""What the environment's own objective is called in a list."""
OWN = "my_"
"""Before the name of a copy of a packaged environment."""


class EngineOpener:
    """Opens one model, as often as its settings change.

    Raises UsageError if the options make no sense.
    """

    def __init__(self, opening: Opening) -> None:
        from engine.mdp.sources import parse_constants  # noqa: PLC0415 - loads when the explorer opens

        self._opening = opening
        self._first = ModelSettings(parse_constants(opening.constants), opening.objective)
        self._environment, self._request = opening.request()
        self._names: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What is opened, for people."""
        return self._environment.title

    @property
    def first(self) -> ModelSettings:
        """The settings that the user asked for on the command line."""
        return self._first

    def constants(self) -> tuple[Constant, ...]:
        """Return the constants that the model leaves open."""
        from engine.mdp.constants import undefined_constants  # noqa: PLC0415 - loads after the first frame

        return undefined_constants(self._environment)

    def objectives(self) -> Mapping[str, str]:
        """Return the environment's objectives by name, the default one first, then those of the model's files."""
        from engine.mdp.objectives_beside import objectives_beside  # noqa: PLC0415 - loads after the first frame

        environment = self._environment
        own = {DEFAULT: environment.objective} if environment.objective is not None else {}
        known = {**own, **environment.objectives}
        return known | {
            name: text
            for name, text in objectives_beside(environment.model).items()
            if name not in known and text not in known.values()
        }

    def names(self) -> tuple[str, ...]:
        """Return the labels and variables of a model that was built but has no objective."""
        return self._names

    def open(self, settings: ModelSettings, progress: Progress, cancel: threading.Event) -> Oracle:
        """Build and check the model; errors as in `engine.oracle.client.open_oracle`."""
        from engine.oracle.client import open_oracle  # noqa: PLC0415 - loads after the first frame

        constants = tuple(f"{name}={value}" for name, value in settings.constants.items())
        opening = changed(self._opening, constants=constants, objective=settings.objective)
        environment, request = opening.request()
        try:
            oracle = open_oracle(request, environment, opening.limits(), progress=progress, cancel=cancel)
        except UsageError:
            self._names = _names(request)
            raise
        self._environment, self._request = environment, request
        self._remember(settings, oracle)
        return oracle

    def _remember(self, settings: ModelSettings, oracle: Oracle) -> None:
        from engine.mdp.sources import GYM, known_environments  # noqa: PLC0415 - loads after the first frame
        from engine.recent import RecentModel, remember_model  # noqa: PLC0415 - as above

        model = self._opening.model
        if not model.startswith(GYM) and model not in known_environments():
            model = str(Path(model).expanduser().absolute())
        constants = tuple(settings.constants.items())
        title, states = self._environment.title, oracle.mdp.states
        remember_model(RecentModel(model, constants, settings.objective, title, states))

    def words(self, oracle: Oracle) -> tuple[str, Words]:
        """Return the name and the words to begin with; those of a packaged environment are for a copy of it.

        Raises UsageError if the prompts of one of the user's own were written by hand.
        """
        from engine.mdp.user_environments import Words, is_own, saved_words  # noqa: PLC0415 - loads with the first form
        from engine.prompts.words import words_of  # noqa: PLC0415 - as above

        environment = oracle.environment
        if is_own(environment):
            return environment.name, saved_words(environment)
        if environment.folder is not None:
            said = words_of(oracle, environment.variants[0])
            words = Words(environment.title, said.world, said.wording.goal, environment.summary)
            return f"{OWN}{environment.name}"[:64], words
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", environment.name).strip("_-") or "model"
        return (name if name[0].isalpha() else f"model_{name}")[:64], Words(environment.title, "", "")

    def save(self, oracle: Oracle, name: str, words: Words, *, replace: bool) -> Oracle:
        """Save the model with its present constants and objective; errors as in `save_environment`."""
        from engine.mdp.user_environments import save_environment  # noqa: PLC0415 - as above

        facts = oracle.facts
        saved = save_environment(
            name,
            self._request,
            words,
            base=oracle.environment,
            objective=facts.objective.text,
            danger=facts.danger_text,
            replace=replace,
        )
        self._environment = saved
        self._opening = changed(self._opening, model=saved.name)
        return changed(oracle, environment=saved)


def _names(request: Request) -> tuple[str, ...]:
    """Return what a property of a model may name if the model itself was built; nothing if it was not."""
    from engine.oracle.client import check_model, is_checked  # noqa: PLC0415 - loads after the first frame
    from tui.explorer.completion import names_of_model  # noqa: PLC0415 - as above

    if not is_checked(request):
        return ()
    checked = check_model(request)  # from its folder: nothing is computed
    return names_of_model(checked.mdp, request.constants)
