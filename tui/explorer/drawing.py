"""Pictures of states as text, from the template in an environment's folder . Knows nothing of Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.text import clean

if TYPE_CHECKING:
    from engine.oracle.facts import Oracle

MAX_LINES = 40
MAX_LINE = 200
"""What is drawn of a picture at most: a template may write more than any panel holds."""


class Drawing:
    """Draws the states of one model; raises UsageError if the template cannot be read."""

    def __init__(self, oracle: Oracle) -> None:
        from engine.prompts.templating import Template  # noqa: PLC0415 - Jinja loads with the first picture
        from engine.prompts.words import constant_values  # noqa: PLC0415 - as above

        environment = oracle.environment
        assert environment.layout is not None and environment.layout.kind == "text"  # noqa: S101, PT018 - the caller looked
        folders = () if environment.folder is None else (environment.folder,)
        self._mdp = oracle.mdp
        self._constants = constant_values(oracle.constants)
        self._template = Template(environment.layout.template, folders)

    def lines(self, state: int) -> tuple[str, ...]:
        """Return a state's picture, safe to draw; raises UsageError with file and line if the template fails."""
        text = self._template.render({"state": self._mdp.valuation(state), "constants": self._constants})
        return tuple(clean(line[:MAX_LINE]) for line in text.rstrip().split("\n", MAX_LINES)[:MAX_LINES])
