"""SVG pictures stand as they should in programs that drop blanks or have other fonts."""

from __future__ import annotations

import html
import io
import re
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from tui_support import explorer, lake_app

from tui.exports.svg import BLANK, portable

UNIT = 12.2
"""Width of a character in Rich's pictures."""
SVG = "{http://www.w3.org/2000/svg}"


def words(picture: str) -> list[tuple[float, str]]:
    """Return where each word of a picture's lines begins, and the word."""
    found = []
    for text in ET.fromstring(picture).iter(f"{SVG}text"):  # noqa: S314 - made here
        if text.get("clip-path") is None:
            continue  # the window's title
        for word in re.finditer(f"[^{BLANK}\\s]+", text.text or ""):
            before = cell_len((text.text or "")[: word.start()])
            found.append((round(float(text.get("x", "nan")) + before * UNIT, 2), word[0]))
    return found


@given(st.lists(st.text("ab1/&<\"' 字", max_size=30), max_size=4))
def test_words_stay_where_they_are(lines: list[str]) -> None:
    """Each word begins at the same place as before, and no text begins or ends with a blank or has two in a row."""
    console = Console(record=True, width=40, file=io.StringIO(), force_terminal=True)
    for line in lines:
        console.print(line, markup=False, highlight=False, no_wrap=True, crop=True)
    before = console.export_svg(title="t", clear=False)
    after = portable(before)
    assert words(after) == words(before)
    for text in re.findall(r"<text [^>]*clip-path[^>]*>([^<]*)</text>", after):
        plain = html.unescape(text)
        assert plain.strip(BLANK) == plain or not plain.strip(f"{BLANK}\n")
        assert BLANK * 2 not in plain or not plain.strip(f"{BLANK}\n")


async def test_the_columns_of_an_exported_table_stand_below_each_other() -> None:
    """In the picture of the explorer all values 14/17 of the table begin at one place; no font comes from elsewhere."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        picture = portable(app.export_screenshot(title="stormscope", simplify=True))
    values = {x for x, word in words(picture) if word == "14/17" and x < 40 * UNIT}
    assert len(values) == 1
    assert "font-face" not in picture
