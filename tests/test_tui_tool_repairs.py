"""What a tool must not do: show what is outdated, keep a user waiting, swallow keys, or hide what it leaves out."""

from __future__ import annotations

import json
import subprocess
import threading
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import enclosed, frozen_lake_4x4
from textual.widgets import Input
from tui_support import explorer, hints_of, lake_app, text_of, until

from engine.appearance import Preferences
from engine.oracle.derivation.gaps import left_out
from engine.oracle.tri import Tri
from tui.explorer.completion import taken
from tui.explorer.plots import gap_histogram
from tui.explorer.wrapping import wrapped
from tui.screens.help import SIGNS, HelpScreen
from tui.screens.plots import PlotsScreen
from tui.screens.policy import LATER, PolicyScreen, how_often
from tui.screens.tool import ToolScreen
from tui.screens.what_if import WhatIfScreen
from tui.widgets.key_footer import KeyFooter

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from textual.app import App
    from textual.widget import Widget

    from engine.oracle.facts import Oracle


def notices(app: App[None]) -> list[str]:
    """Return what is said in the corner and in the status line."""
    return hints_of(app)


async def test_a_result_is_gone_when_its_change_is_changed(lake: Oracle) -> None:
    """Another box makes the listed values those of another question; the same boxes again bring them back."""
    app = lake_app(oracle=lake)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        screen.go_to(lake.mdp.valuations["pos"].tolist().index(14))
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WhatIfScreen))
        await pilot.press("enter")
        await until(pilot, lambda: "14/17 → 0" in text_of(app))
        await pilot.press("down", "space")
        await until(pilot, lambda: "Changed since: enter computes it again." in text_of(app))
        assert "14/17 → 0" not in text_of(app)
        await pilot.press("space")
        await until(pilot, lambda: "14/17 → 0" in text_of(app) and "V changes in 11 states" in text_of(app))


class Endless(ToolScreen):
    """Work that does not end when it is cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.release = threading.Event()

    def contents(self) -> Iterable[Widget]:
        """Return nothing."""
        return ()

    def on_mount(self) -> None:
        """Begin at once."""
        super().on_mount()
        self.compute(lambda *_: self.release.wait(30), "working")

    def finished(self, result: object) -> None:
        """Never shown."""
        raise AssertionError(result)


async def test_a_dialog_can_always_be_closed() -> None:
    """Escape cancels; where the work goes on nevertheless, escape again closes without waiting for it."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        tool = Endless()
        await app.push_screen(tool)
        await until(pilot, lambda: "working" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "cancelling" in text_of(app) and "esc again closes" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        tool.release.set()


async def test_tab_takes_the_completion_of_a_filter() -> None:
    """Tab types what stands behind the cursor as a shadow, a label also from its bare beginning; then it stays."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("slash", "p", "tab")
        field = screen.query_one("#filter-input", Input)
        assert (field.value, field.cursor_position, field.has_focus) == ("pos", 3, True)
        await pilot.press(*"=14&uns", "tab")
        assert field.value == 'pos=14&"unsafe"'
        await pilot.press("tab")
        assert field.has_focus
        assert field.value == 'pos=14&"unsafe"'
        await pilot.press("escape", "colon", "p", "tab")
        await until(pilot, lambda: bool(app.screen.query("#jump-input")))
        assert app.screen.query_one("#jump-input", Input).value == "pos"


@given(st.text(alphabet='pos ="go&1', max_size=8))
def test_a_completion_never_loses_what_was_typed(text: str) -> None:
    """Whatever stands there, completing only adds to the last word, but for a quote before a label."""
    found = taken(text, ("pos", "position", '"goal"', "state"))
    if found is not None:
        rest = found.removeprefix(text[: len(text) - len(text.lstrip())])
        assert found.replace('"', "").startswith(text.replace('"', ""))
        assert len(rest) >= 1
        assert len(found) > len(text)


async def test_the_footer_shows_the_keys_of_what_has_the_focus() -> None:
    """In the table enter leads to the actions, in their panel it walks, in the filter it filters and tab completes."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        seen = []
        for keys in ([], ["l"], ["slash"]):
            await pilot.press(*keys)
            await pilot.pause(0.1)
            footer = screen.query_one(KeyFooter)
            seen.append([entry.description for entry in footer.entries])
            assert sum(entry.width for entry in footer.entries) <= 80
        assert [keys[0] for keys in seen] == ["Actions", "Walk", "Filter"]
        assert seen[2] == ["Filter", "Complete", "Help"]


async def test_hints_name_the_keys_that_work() -> None:
    """With other keys the filter's placeholder, a dialog's border and a notice name those."""
    keys = {"explorer.filter": "F", "tool.next": "N", "table.mark": "M"}
    app = lake_app(preferences=Preferences(keys=keys))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        assert "F filter: pos=0" in text_of(app)
        await pilot.press("equals_sign")
        await until(pilot, lambda: any("Mark another state with M" in message for message in notices(app)))
        await pilot.press("P")
        await until(pilot, lambda: "[ and N, page up and down" in text_of(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.screen is screen)
        app.take_preferences(Preferences(keys={"explorer.filter": "ctrl+n"}))
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("escape")
        await until(pilot, lambda: "^n filter: pos=0" in text_of(app))


async def test_every_plot_is_left_by_the_same_keys() -> None:
    """Brackets and page keys also turn from the sweep, whose field has the focus, and are not typed into it."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("P")
        await until(pilot, lambda: isinstance(app.screen, PlotsScreen) and "1 of 3" in text_of(app))
        screen = app.screen
        assert isinstance(screen, PlotsScreen)
        for back, forth in (("left_square_bracket", "right_square_bracket"), ("pageup", "pagedown")):
            await until(pilot, lambda: not screen.busy)
            await pilot.press(back)
            await until(pilot, lambda: "3 of 3" in text_of(app))
            field = screen.query_one("#plot-sweep", Input)
            assert field.has_focus
            before = field.value
            await pilot.press(forth)
            await until(pilot, lambda: "1 of 3" in text_of(app) and not screen.busy)
            await pilot.press(back)
            await until(pilot, lambda: "3 of 3" in text_of(app))
            await pilot.press(back)
            await until(pilot, lambda: "2 of 3" in text_of(app) and not screen.busy)
            await pilot.press(back)
            await until(pilot, lambda: "1 of 3" in text_of(app) and not screen.busy)
            assert field.value == before


@pytest.mark.parametrize("known", [frozen_lake_4x4(), enclosed(frozen_lake_4x4(), 0.01)], ids=["exact", "sound"])
def test_every_state_has_a_gap_or_a_reason(known: Oracle) -> None:
    """Counted state by state from the definition: drawn, tied, with one action, undecided, or without Q."""
    mdp, kinds = known.mdp, Counter[str]()
    for state in range(mdp.states):
        best = [Tri(int(known.facts.best[choice])) for choice in mdp.choices_of(state)]
        if set(best) == {Tri.UNDEFINED}:
            kinds["undefined"] += 1
        elif len(best) == 1:
            kinds["single"] += 1
        elif set(best) == {Tri.YES}:
            kinds["tied"] += 1
        else:
            kinds["drawn" if {Tri.YES, Tri.NO} <= set(best) else "undecided"] += 1
    out = left_out(mdp, known.facts)
    assert (out.undefined, out.single, out.tied) == (kinds["undefined"], kinds["single"], kinds["tied"])
    assert (out.undecided, out.infinite) == (kinds["undecided"], 0)
    found = gap_histogram(known)
    assert (int(found.counts.sum()), found.left_out) == (kinds["drawn"], mdp.states - kinds["drawn"])
    assert kinds["drawn" if known.exact else "undecided"] > 0


async def test_the_gap_plot_says_what_it_leaves_out() -> None:
    """Of 16 states the ties and the goal, with its reason each."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("P", "right_square_bracket")
        out = left_out(frozen_lake_4x4().mdp, frozen_lake_4x4().facts)
        assert out.tied > 0
        await until(pilot, lambda: f"{out.tied} with all actions tied" in text_of(app))
        assert "without Q (targets and such)" in text_of(app)


async def test_a_policys_own_mistakes_come_first(lake: Oracle, tmp_path: Path) -> None:
    """States with a wrong action before those that lose later; both are counted, and the word is in the help."""
    file = tmp_path / "right.json"
    file.write_text(json.dumps({"pos<15 & pos!=5 & pos!=7 & pos!=11 & pos!=12": "right"}))
    app = lake_app(oracle=lake)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        screen.open_policy(str(file))
        await until(pilot, lambda: isinstance(app.screen, PolicyScreen) and "not optimal in 11" in text_of(app))
        rows = [line for line in text_of(app).splitlines() if "%" in line or "never" in line]
        assert len(rows) == 11
        right = [choice for choice in range(lake.mdp.choices) if lake.mdp.action_name(choice) == "right"]
        wrong = sum(lake.facts.best[choice] == Tri.NO for choice in right)
        assert ["right here, loses later" in row for row in rows] == [False] * wrong + [True] * (11 - wrong)
        assert 0 < wrong < 11
        assert any("takes" in line and "gap" in line for line in text_of(app).splitlines())
        assert f"Policy: {wrong} wrong actions, {11 - wrong} lose later" in text_of(app)
        assert LATER in dict(SIGNS)


@pytest.mark.parametrize(
    ("probability", "text"),
    [(0.0, "never"), (1e-300, "<0.1%"), (0.0009, "<0.1%"), (0.001, "0.1%"), (0.5, "50.0%"), (1.0, "100.0%")],
)
def test_only_what_never_happens_is_called_so(probability: float, text: str) -> None:
    """A small share is not rounded to none."""
    assert how_often(probability) == text


words = st.text(alphabet="ab '\"\\$=/[]", min_size=1, max_size=40)


@given(st.lists(words, min_size=1, max_size=8), st.integers(min_value=12, max_value=70))
def test_a_wrapped_command_is_the_same_to_the_shell(arguments: list[str], width: int) -> None:
    """Pasted line by line, the shell sees the same words as on one line, and no line is longer than the box."""
    import shlex  # noqa: PLC0415 - only here

    lines = wrapped(shlex.join(arguments), width)
    said = subprocess.run(
        ["/bin/sh", "-c", 'printf "<%s>" ' + "\n".join(lines)], capture_output=True, text=True, check=True
    ).stdout
    assert said == "".join(f"<{argument}>" for argument in arguments)
    assert all(len(line) <= width for line in lines)
    assert all(line.endswith("\\") for line in lines[:-1])


def test_commands_are_broken_between_words() -> None:
    """Where every word fits into a line, no word is broken, and a comment stays whole."""
    command = "storm --prism /some/model.prism --constants K=2 --prop 'Pmax=? [F \"goal\"]' --exact"
    lines = wrapped(command, 40)
    assert " ".join(line.removesuffix(" \\") for line in lines) == command
    assert len(lines) == 3
    assert wrapped("# why there is no command " + "x" * 90, 40) == ["# why there is no command " + "x" * 90]


async def test_bounds_are_not_written_as_fractions() -> None:
    """D in sound mode says why nothing changes, and changes nothing."""
    app = lake_app(oracle=enclosed(frozen_lake_4x4(), 1e-9))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("d")
        await until(pilot, lambda: any("bounds, which have no fractions" in message for message in notices(app)))
        assert not screen.pane.view.decimal


async def test_a_hint_goes_when_it_is_over(lake: Oracle) -> None:
    """That losses are computed is not said any more once they are there."""
    app = lake_app(oracle=lake)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("L")
        await until(pilot, lambda: "Computing losses …" in notices(app))
        await until(pilot, lambda: any("loss above 0" in message for message in notices(app)))
        await until(pilot, lambda: "Computing losses …" not in notices(app))


async def test_no_hint_stays_over_a_dialog() -> None:
    """What was said before a dialog was opened does not cover it; what is said in it stays."""
    app = lake_app()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await explorer(pilot)
        await pilot.press("B")
        await until(pilot, lambda: any("has a bookmark" in message for message in notices(app)))
        await pilot.press("P")
        await until(pilot, lambda: isinstance(app.screen, PlotsScreen) and not notices(app))
        app.notify("said in the dialog")
        await until(pilot, lambda: notices(app) == ["said in the dialog"])


async def test_several_problems_are_one_notice() -> None:
    """It says how many there are and where they are listed, once; a problem that comes later is said."""
    problems = tuple(f"keys.wrong{number}: there is no such action" for number in range(9))
    app = lake_app(preferences=Preferences(problems=problems))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await explorer(pilot)
        await until(pilot, lambda: bool(notices(app)))
        (notice,) = notices(app)
        assert notice == "9 entries of settings and themes; f3 says which"
        app.take_preferences(Preferences(problems=problems[1:]))
        await pilot.pause()
        assert notices(app) == [notice]
        app.take_preferences(Preferences(problems=("keys.new: there is no such action",)))
        await until(pilot, lambda: notices(app)[1:] == ["1 entry of settings and themes; f3 says which"])


async def test_help_over_a_dialog_lists_all_its_keys() -> None:
    """Over a form and over a tool: its own keys first, then those of fields and buttons."""
    app = lake_app()
    async with app.run_test(size=(100, 120)) as pilot:
        screen = await explorer(pilot)
        for key, heading in (("o", "Forms"), ("P", "Tools")):
            await pilot.press(key)
            await until(pilot, lambda: app.screen is not screen)
            await pilot.press("f1")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            shown = text_of(app)
            own, fields, everywhere = (shown.find(head) for head in (heading, "Fields and buttons", "Everywhere"))
            assert 0 <= own < fields < everywhere
            for keys in ("tab, shift+tab", "^u, ^k, ^w", "space", "esc"):
                assert keys in shown[own:everywhere]
            assert "State table" not in shown
            await pilot.press("escape", "escape", "escape")
            await until(pilot, lambda: app.screen is screen)
        assert Fraction(14, 17) == screen.oracle.facts.value.at(0)
