"""What ``doctor`` looks at: each check says what it found and what to do."""

from __future__ import annotations

import asyncio
import locale
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from engine.endpoints import Endpoint, OllamaEndpoint
from engine.errors import UsageError
from engine.explainers.offers import all_statuses, status_of
from engine.explainers.registry import ExplainerInfo
from engine.folders import cache_dir, config_dir, data_dir
from engine.settings import Settings, load_settings, settings_file

if TYPE_CHECKING:
    from pathlib import Path

    from engine.explainers.offers import Status

COLUMNS, LINES = 80, 24
"""Smallest terminal that shows the whole explorer."""
LITTLE_SPACE: Final = 500_000_000
IMPORT_TIMEOUT: Final = 60.0
_DUMB: Final = frozenset({"", "dumb", "unknown"})


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes
    ----------
    name
        What it is.
    level
        ``fine``; ``note`` where something is missing that not everybody needs; ``problem`` where the user must act.
    found
        What was found, as a sentence.
    hint
        What to do; empty if nothing.
    """

    name: str
    level: Literal["fine", "note", "problem"]
    found: str
    hint: str = ""


async def all_checks() -> list[Check]:
    """Look at everything, at the same time where it takes long; what fails is a check, never an exception."""
    settings, of_settings = _settings()
    storm, model, endpoints = await asyncio.gather(
        asyncio.to_thread(storm_check), _embedded_model(), _endpoints(settings)
    )
    folders = [_folder("cache", cache_dir()), _folder("settings folder", config_dir()), _folder("data", data_dir())]
    return [terminal_check(), storm, model, *folders, of_settings, *endpoints]


def terminal_check() -> Check:
    """Look at the terminal: is it one, what can it show, how large is it."""
    name = "terminal"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Check(name, "note", "this is no terminal, so the explorer cannot open here", "run it in a terminal")
    term, encoding = os.environ.get("TERM", ""), locale.getpreferredencoding(do_setlocale=False)
    if term in _DUMB:
        return Check(name, "problem", f"TERM is '{term}'", "set TERM to your terminal's kind, such as xterm-256color")
    if encoding.lower().replace("-", "") != "utf8":
        return Check(name, "problem", f"the encoding is {encoding}", "use a UTF-8 locale, such as LANG=C.UTF-8")
    size = shutil.get_terminal_size()
    shown = f"{term}, {size.columns}×{size.lines}, {_colours(term)}"
    if size.columns < COLUMNS or size.lines < LINES:
        return Check(name, "note", shown, f"the explorer wants {COLUMNS}×{LINES} or more: enlarge the window")
    return Check(name, "fine", shown)


def _colours(term: str) -> str:
    if os.environ.get("NO_COLOR"):
        return "no colours (NO_COLOR is set)"
    if os.environ.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return "16 million colours"
    return "256 colours" if "256" in term else "16 colours"


def storm_check() -> Check:
    """Import Storm in a child process, where the oracle will run it."""
    status, said = _import("import stormpy; print(stormpy.__version__)")
    if status == 0:
        return Check("Storm", "fine", f"stormpy {said} can be imported")
    return Check(
        "Storm", "problem", f"stormpy cannot be imported: {said}", "pip install --force-reinstall stormpy==2.0.0"
    )


async def _embedded_model() -> Check:
    name = "embedded model"
    status = await status_of(ExplainerInfo("local", "", baseline=False), Settings.model_construct())
    if not status.ready:
        return Check(name, "note", status.status, status.hint)
    code, said = await asyncio.to_thread(_import, "import xllamacpp; print('ok')")
    if code == 0:
        return Check(name, "fine", status.status)
    if "libgomp" in said:
        return Check(name, "problem", "the system library libgomp.so.1 is missing", "apt install libgomp1")
    return Check(name, "problem", f"llama.cpp cannot be loaded: {said}", "pip install --force-reinstall xllamacpp")


def _import(code: str) -> tuple[int, str]:
    """Run a line of Python in a child; returns its status and the last line that it printed."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False, timeout=IMPORT_TIMEOUT
        )
    except subprocess.TimeoutExpired:
        return 1, f"it takes longer than {IMPORT_TIMEOUT:g} s"
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    return done.returncode, lines[-1] if lines else f"it ended with status {done.returncode}"


def _folder(name: str, folder: Path) -> Check:
    """Look whether a folder, or the place where it would be made, can be written."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"x" * 4096)
            file.flush()
        free = shutil.disk_usage(place).free
    except OSError as error:
        hint = f"make {place} writable, or set XDG_CACHE_HOME, XDG_CONFIG_HOME or XDG_DATA_HOME elsewhere"
        return Check(name, "problem", f"{folder} cannot be written: {error.strerror or error}", hint)
    if free < LITTLE_SPACE:
        return Check(name, "note", f"{folder} has {free // 1_000_000} MB left", "a large model needs more")
    return Check(name, "fine", str(folder))


def _settings() -> tuple[Settings | None, Check]:
    name, file = "settings", settings_file()
    try:
        settings = load_settings()
    except UsageError as error:
        return None, Check(name, "problem", f"{error.where}: {error.what}", " ".join(error.hint.split()))
    return settings, Check(name, "fine", f"{file} is valid" if file.exists() else f"all defaults ({file} is not there)")


async def _endpoints(settings: Settings | None) -> list[Check]:
    if settings is None:
        return []
    found = [(info.spec, status) for info, status in await all_statuses(settings) if not info.baseline]
    return [_endpoint(spec, status, settings) for spec, status in found if spec != "local"]


def _endpoint(spec: str, status: Status, settings: Settings) -> Check:
    """Return an endpoint's check: that one which nobody has set up is missing is no problem."""
    where = f"{status.endpoint.url}: " if status.endpoint is not None else ""
    if status.ready:
        return Check(spec, "fine", f"{where}{status.status}")
    name = spec.partition(":")[0]
    untouched = {"openai": settings.openai == Endpoint(), "ollama": settings.ollama == OllamaEndpoint()}
    chosen = not untouched.get(name, False) or (name == "ollama" and bool(os.environ.get("OLLAMA_HOST")))
    return Check(spec, "problem" if chosen else "note", f"{where}{status.status}", status.hint)
