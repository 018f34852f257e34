"""What a model is about, in the user's words; saved as an environment of the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.widgets import Input, Label, TextArea

from tui.messages import WordsChosen
from tui.screens.form import FormScreen
from tui.text import clean
from tui.widgets.checklist import Checklist

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

    from engine.mdp.user_environments import Words

REPLACE = "replace an environment of this name"


class WordsScreen(FormScreen):
    """Name, title, description and goal.

    Parameters
    ----------
    own
        Whether the model is an environment of the user's own already: under its own name it is then replaced.
    copied
        What the environment is a copy of, since that one cannot be changed; empty if of none.
    """

    SEND = "Save"

    def __init__(self, name: str, words: Words, *, own: bool, copied: str = "") -> None:
        super().__init__(f"A copy of {clean(copied)} in your words" if copied else "This model in your words")
        self._begin = name
        self._words = words
        self._own = own

    def fields(self) -> Iterable[Widget]:
        """Return the fields."""
        yield Label("name, as on the command line", classes="form-label")
        yield Input(self._begin, compact=True, id="words-name", select_on_focus=False)
        yield Label("title", classes="form-label")
        yield Input(self._words.title, compact=True, id="words-title", select_on_focus=False)
        yield Label("description: the world, its states and what the actions do", classes="form-label")
        yield TextArea(
            self._words.description, compact=True, id="words-description", tab_behavior="focus", show_line_numbers=False
        )
        yield Label('goal: what follows "the probability of", as in: reaching the exit', classes="form-label")
        yield Input(self._words.goal, compact=True, id="words-goal", select_on_focus=False)
        yield Checklist((REPLACE,), (), id="words-replace")

    def on_mount(self) -> None:
        """Begin at the first field that is empty."""
        super().on_mount()
        self.query_one("#words-title" if not self._words.title else "#words-description").focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_send()

    def submit(self) -> None:
        """Ask for these words to be saved; what is wrong with them is found then."""
        from engine.mdp.user_environments import Words  # noqa: PLC0415 - loads with the first form

        words = Words(
            self.query_one("#words-title", Input).value,
            self.query_one("#words-description", TextArea).text,
            self.query_one("#words-goal", Input).value,
            self._words.summary,
        )
        name = self.query_one("#words-name", Input).value.strip()
        replace = bool(self.query_one(Checklist).chosen) or (self._own and name == self._begin)
        self.start()
        self.post_message(WordsChosen(name, words, replace=replace))
