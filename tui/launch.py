"""From a command's options to the running explorer."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from engine.errors import UsageError
from tui.collecting import collect_seldom

if TYPE_CHECKING:
    from pathlib import Path

    from engine.cli.opening import Opening


DEFAULT_EXPLAINER = "local"


def run_explorer(
    opening: Opening | None,
    explainer: str | None = None,
    *,
    policy: Path | None = None,
    campaign: Path | None = None,
    tour: float | None = None,
) -> None:
    """Open the explorer and stay until the user leaves.

    Parameters
    ----------
    opening
        The model; None begins with the start screen.
    explainer
        Who is asked first.
    policy
        A policy to check once the model is open.
    campaign
        A campaign file to show first; its path is checked before the screen is taken.
    tour
        Seconds for each step of a guided tour to begin with, 0 to wait for keys; None begins without.

    Raises
    ------
    StormscopeError
        If the options make no sense or this is no terminal (before the screen is taken), or if the model could not be
        opened (after the user has read why and closed the message).
    """
    _require_terminal()
    if campaign is not None and not campaign.is_file():
        raise UsageError("there is no such file", where=str(campaign), hint="check the path")
    collect_seldom()
    from engine.appearance import load_preferences  # noqa: PLC0415 - loads only when the explorer opens
    from engine.folders import config_dir  # noqa: PLC0415 - as above
    from tui.app import ExplorerApp  # noqa: PLC0415 - as above

    opener = services = None
    if opening is not None:
        from tui.services.engine_opener import EngineOpener  # noqa: PLC0415 - not needed for the start screen

        opener = EngineOpener(opening)
    if explainer is not None:
        from tui.services.engine_services import EngineServices  # noqa: PLC0415 - as above

        services = EngineServices(explainer)
        services.check_explainer(explainer)
    app = ExplorerApp(
        opener,
        services=services,
        explainer=explainer or DEFAULT_EXPLAINER,
        theme_folders=(config_dir() / "themes",),
        preferences=load_preferences(),
        policy=policy,
        campaign=campaign,
        tour=tour,
    )
    app.run()
    if app.failure is not None:
        raise app.failure
    if app.return_code:
        raise SystemExit(app.return_code)


def _require_terminal() -> None:
    """Raise UsageError unless there is something to draw on; a browser's driver brings its own."""
    if os.environ.get("TEXTUAL_DRIVER"):
        return
    # Textual draws on standard error, so that must be a terminal as well.
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise UsageError(
            "the explorer needs a terminal", hint="use check, cases, ask or run where there is none (a pipe, CI)"
        )
