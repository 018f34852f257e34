"""The explorer with a defect: the key ``X`` raises an error while a secret is in a local variable."""

from __future__ import annotations

import sys
from typing import ClassVar

from textual.binding import Binding

from tui.app import ExplorerApp


class CrashingApp(ExplorerApp):
    """Has one action more."""

    BINDINGS: ClassVar = [Binding("X", "crash", "Crash")]

    def action_crash(self) -> None:
        """Fail."""
        secret = "sk-secret-key"  # noqa: S105 - stands for a key that a traceback with variables would print
        raise RuntimeError(f"a defect with {len(secret)} characters")


if __name__ == "__main__":
    app = CrashingApp(None, theme="storm-dark")
    app.run()
    sys.exit(app.return_code)
