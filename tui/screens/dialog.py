"""What all dialogs have in common: help, and a line with their own keys instead of those of the screen below."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Generic

from textual.screen import ModalScreen, ScreenResultType

from tui.actions.action import Wording
from tui.actions.registry import bindings_of
from tui.widgets.key_footer import KeyFooter

if TYPE_CHECKING:
    from textual.binding import BindingType


class Dialog(ModalScreen[ScreenResultType], Generic[ScreenResultType]):
    """A modal screen. Of a group of actions it offers those that it has methods for.

    Attributes
    ----------
    SEND, LEAVE
        The names of the buttons that send a form and leave it: the keys that do so have the same names.
    RUN
        What a tool does when it is run.
    """

    # A modal keeps the app's keys out, all but these; by their ids they move with the app's.
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("app.help", "app.help_anywhere", target="app")]
    HELP_GROUPS: ClassVar[tuple[str, ...]] = ("app",)
    SEND: ClassVar[str] = ""
    LEAVE: ClassVar[str] = "Cancel"
    RUN: ClassVar[Wording] = Wording()

    def on_mount(self) -> None:
        """Show the keys: Textual calls this beside what a subclass does when it is mounted."""
        if not self.query(KeyFooter):
            self.mount(KeyFooter())

    def wording(self, name: str) -> Wording:
        """Return what an action is called here."""
        return {"form.send": Wording(self.SEND), "form.leave": Wording(self.LEAVE), "tool.run": self.RUN}.get(
            name, Wording()
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Refuse the actions of its groups that this dialog has no use for."""
        if not hasattr(self, f"action_{action}"):
            return False
        return super().check_action(action, parameters)
