"""Save a report: a format and a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.content import Content
from textual.widgets import Input, Label

from engine.reports.render import FORMATS
from tui.actions.action import Wording
from tui.explorer.copying import write_text
from tui.screens.tool import ToolScreen
from tui.text import clean
from tui.widgets.picker_list import PickerList

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable

    from textual.widget import Widget

    from engine.reports.render import Format
    from engine.verdicts.tables import Grader
    from tui.screens.tool import Progress

ENDINGS: dict[Format, str] = {
    "text": ".txt",
    "json": ".json",
    "csv": ".csv",
    "markdown": ".md",
    "html": ".html",
    "junit": ".xml",
}
SAID: dict[Format, str] = {
    "text": "tables for people",
    "json": "everything, schema 1",
    "csv": "tidy: a line for each figure",
    "markdown": "tables for a page",
    "html": "one page with pictures",
    "junit": "a test case for each question, for CI; verdicts only",
}


class SaveReportScreen(ToolScreen):
    """A list of formats, and the file's name, which follows the format until it was changed by hand."""

    TITLE_TEXT = "Save the report"
    HINT: ClassVar[str] = "enter saves   tab to the file's name   {tool.close} closes"
    RUN: ClassVar[Wording] = Wording("Save", "Write the report to the file.")

    def __init__(self, file: Path, grader: Grader) -> None:
        super().__init__()
        self._campaign = file
        self._grader: Grader = grader
        self._list = PickerList()
        self._file = Input(compact=True, id="report-file", select_on_focus=False)

    def contents(self) -> Iterable[Widget]:
        """Return the list and the file's name."""
        yield self._list
        yield Label("file", classes="form-label")
        yield self._file

    def on_mount(self) -> None:
        """Begin at the first format."""
        super().on_mount()
        self._list.show_list([self._line(form) for form in FORMATS], 0)
        self._file.placeholder = f"{self._stem()}.…"
        self._list.focus()

    @staticmethod
    def _line(form: Format) -> Content:
        return Content.assemble((f"{form:<10}", "bold"), (SAID[form], "dim"))

    def _stem(self) -> str:
        return str(Path.cwd() / f"{self._campaign.stem}-{self._grader}")

    @on(PickerList.Chosen)
    def _chosen(self, event: PickerList.Chosen) -> None:
        event.stop()
        self.action_run()

    def action_run(self) -> None:
        """Write the file."""
        if self.busy:
            return
        form = FORMATS[self._list.cursor]
        name = self._file.value.strip() or f"{self._stem()}{ENDINGS[form]}"
        self.compute(partial(self._work, form, Path(name).expanduser()), "writing the report")

    def _work(self, form: Format, path: Path, progress: Progress, cancel: threading.Event) -> Path:
        from engine.reports.render import report  # noqa: PLC0415 - loads when it is wanted
        from engine.verdicts.store import Store  # noqa: PLC0415 - as above

        del progress, cancel
        with Store(self._campaign, write=False) as store:
            text = report(store, format=form, grader=self._grader)
        write_text(path, text)
        return path

    def finished(self, result: object) -> None:
        """Say where it is."""
        self.app.notify(clean(str(result)), title="Saved", markup=False)
        self.dismiss(None)
