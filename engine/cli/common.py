"""What all commands share: options, output, and one way to end with an error."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Self, cast

import typer

from engine.errors import StormscopeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.console import Console

SCHEMA = 1
"""Version of every ``--json`` output."""

INTERRUPTED = 130

Model = Annotated[
    str, typer.Argument(help="An environment's name, or a model file; with constants: MODEL:k=v,…", show_default=False)
]
Const = Annotated[list[str] | None, typer.Option("--const", help="Constants of the model: k=v,…", metavar="K=V")]
ObjectiveOption = Annotated[str | None, typer.Option("--objective", help='As in Pmax=? [F "goal"].', metavar="P")]
DangerOption = Annotated[str | None, typer.Option("--danger", help='As in Pmin=? [F "unsafe"].', metavar="P")]
ModeOption = Annotated[str, typer.Option("--mode", help="auto, exact or sound.", metavar="MODE")]
TimeoutOption = Annotated[float | None, typer.Option("--timeout", help="Seconds for the oracle.", min=0.001)]
MemoryOption = Annotated[float | None, typer.Option("--memory", help="Megabytes for the oracle.", min=1)]
MaxStatesOption = Annotated[int | None, typer.Option("--max-states", help="Most states of a model.", min=1)]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed gives the same cases.")]
PolicyOption = Annotated[
    Path | None, typer.Option("--policy", help="Ask about this policy instead of optimal play.", metavar="FILE")
]
DifficultyOption = Annotated[
    str, typer.Option("--difficulty", help="The formulas of difficulty: paper or refined.", metavar="D")
]
ToleranceOption = Annotated[
    str, typer.Option("--tolerance", help="How far an answer to satisfy may be off: 0.01, 1/100, 0.", metavar="T")
]
Categories = Annotated[
    list[str] | None,
    typer.Option("--category", help="What to ask; or paper (its ten, the default), extensions, all.", metavar="C"),
]
ModelFileOption = Annotated[
    Path | None, typer.Option("--model", help="A GGUF file for the explainer local.", metavar="FILE")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def given_options(context: typer.Context) -> list[str]:
    """Return the names of the options on the command line, without dashes."""
    sources = {each: context.get_parameter_source(each.name or "") for each in context.command.params}
    # Typer's own copy of click has an enumeration of its own: it is told by its name.
    given = [each for each, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    return [name.lstrip("-") for each in given for name in each.opts]


def guarded(command: Callable[[], None]) -> None:
    """Run a command; a failure becomes one message on standard error and the exit code of its kind."""
    _prepare_streams()
    end_on_sigterm()
    try:
        command()
        sys.stdout.flush()
    except StormscopeError as error:
        fail(error)
    except KeyboardInterrupt:
        say("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            say(f"error: the output cannot be written: {error.strerror or error}")
            sys.stdout = None
            raise typer.Exit(2) from None
        # The reader has gone, as with `| head`; nothing is left to say, and Python must not try at its end.
        sys.stdout = None
        raise typer.Exit(0) from None


def end_on_sigterm() -> None:
    """Let SIGTERM end the program as an interrupt does, so that children and scratch folders go with it."""
    import signal  # noqa: PLC0415  # only here

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with contextlib.suppress(ValueError):  # not the main thread: then somebody else handles signals
        signal.signal(signal.SIGTERM, interrupt)


def _prepare_streams() -> None:
    """Make sure that there is something to write to, and that no character is refused.

    A stream that was closed by the caller is None; a terminal or pipe in ASCII cannot show ``≈``.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  # as long as the program
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def say(text: str) -> None:
    """Print a line on standard error; that it cannot be written must not end a campaign."""
    with contextlib.suppress(OSError, ValueError):
        typer.echo(text, err=True)


def fail(error: StormscopeError) -> None:
    """Print an error and exit with its code."""
    from engine.text import plain  # noqa: PLC0415  # only on failure

    lines = [plain(line) for line in str(error).splitlines()]
    say("error: " + "\n  ".join(lines))
    raise typer.Exit(error.exit_code)


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object, the schema's version first."""
    typer.echo(json.dumps({"schema": SCHEMA, **value}, ensure_ascii=False, allow_nan=False, indent=2))


def console(*, stderr: bool = False) -> Console:
    """Return a console that leaves markup, emoji names and numbers in texts alone.

    In a file or a pipe no line ends in blanks; on a terminal nobody sees them.
    """
    from rich.console import Console  # noqa: PLC0415  # slow to load, not needed for --json

    stream = sys.stderr if stderr else sys.stdout
    file = None if stream.isatty() else cast("IO[str]", _Trimmed(stream))
    return Console(stderr=stderr, file=file, markup=False, emoji=False, highlight=False)


class _Trimmed:
    """A text stream whose lines lose the blanks at their ends; what is written at once ends with its last line."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        from engine.text import without_ends  # noqa: PLC0415  # as above

        self._stream.write(without_ends(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        """All else is the stream's own."""
        return getattr(self._stream, name)


class StageLine:
    """Progress of the oracle on standard error: one line that is rewritten on a terminal, silent elsewhere."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, stage: str, detail: str) -> None:
        """Show a stage."""
        if self._shown:
            sys.stderr.write(f"\r\x1b[2K{stage} {detail[:60]} …")
            sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the line."""
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
