"""From a command's options to the running explorer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from engine.errors import UsageError

if TYPE_CHECKING:
    from engine.cli.opening import Opening


DEFAULT_EXPLAINER = "local"


def run_explorer(opening: Opening, explainer: str | None = None) -> None:
    """Open the explorer at a model and stay until the user leaves; `explainer` is who is asked first.

    Raises
    ------
    StormscopeError
        If the options make no sense or this is no terminal (before the screen is taken), or if the model could not be
        opened (after the user has read why and closed the message).
    """
    # Textual draws on standard error, so that must be a terminal as well.
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise UsageError(
            "the explorer needs a terminal", hint="use check, cases, ask or run where there is none (a pipe, CI)"
        )
    from engine.folders import config_dir  # noqa: PLC0415 - loads only when the explorer opens
    from tui.app import ExplorerApp  # noqa: PLC0415 - as above
    from tui.engine_opener import EngineOpener  # noqa: PLC0415 - as above
    from tui.engine_services import EngineServices  # noqa: PLC0415 - as above

    opener, services = EngineOpener(opening), EngineServices(explainer or DEFAULT_EXPLAINER)
    if explainer is not None:
        services.check_explainer(explainer)
    themes = (config_dir() / "themes",)
    app = ExplorerApp(opener, services=services, explainer=explainer or DEFAULT_EXPLAINER, theme_folders=themes)
    app.run()
    if app.failure is not None:
        raise app.failure
    if app.return_code:
        raise SystemExit(app.return_code)
