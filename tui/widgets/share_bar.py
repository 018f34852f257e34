"""A share of a whole as a line: nothing in it moves by itself, so that an idle screen writes nothing."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget


class ShareBar(Widget):
    """``done`` of ``total`` as a line and a percentage that is cut, not rounded: 100 % means all."""

    done: reactive[int] = reactive(0)
    total: reactive[int] = reactive(0)

    def render(self) -> Content:
        """Return the line for the present width."""
        if self.total <= 0:
            return Content("")
        percent = f"{100 * self.done // self.total:>4} %"
        width = max(self.size.width - len(percent), 1)
        filled = width * self.done // self.total
        return Content.assemble(("━" * filled, "$primary"), ("━" * (width - filled), "$panel"), percent)
