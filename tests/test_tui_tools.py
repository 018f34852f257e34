"""The explorer's tools: steps and the path, pictures' layers, compare, what if, runs, plots, commands, policies."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import Model, enclosed, frozen_lake_4x4, oracle
from textual.widgets import Input
from tui_support import explorer, hints_of, lake_app, text_of, until

from engine.mdp.paths import Runs
from engine.oracle.again import Swept
from engine.oracle.facts import Kind
from engine.oracle.numbers import Numbers
from tui.app import ExplorerApp
from tui.explorer.definitions import definitions
from tui.explorer.findings import Findings
from tui.explorer.layers import layers_of
from tui.explorer.numerals import Figures
from tui.explorer.plots import are_probabilities, curve, gap_histogram, histogram, value_histogram, value_range
from tui.explorer.trail import Trail
from tui.screens.compare import CompareScreen, comparison, larger_of
from tui.screens.plots import PlotsScreen
from tui.screens.policy import PolicyScreen
from tui.screens.reproduce import ReproduceScreen
from tui.screens.runs import RunsScreen, report
from tui.screens.what_if import WhatIfScreen
from tui.widgets.actions_panel import ActionsPanel
from tui.widgets.path_strip import PathStrip
from tui.widgets.picture import SHADES, Picture, shade
from tui.widgets.state_panel import StatePanel

if TYPE_CHECKING:
    from pathlib import Path

    from engine.oracle.facts import Oracle

ONE = Fraction(1)
CORRIDOR = Model([{"go": {1: ONE}}, {"go": {2: ONE}}, {"stay": {2: ONE}}], {"goal": {2}, "unsafe": set()})


def tile(known: Oracle, pos: int) -> int:
    """Return the state on a tile."""
    return int(known.mdp.valuations["pos"].tolist().index(pos))


def told(app: ExplorerApp) -> str:
    """Return what the app has notified of."""
    return "\n".join(hints_of(app))


async def test_steps_along_the_optimal_policy_are_a_path_with_its_probability() -> None:
    """N takes the best action; the strip names states and actions with the product of the probabilities."""
    app = lake_app(oracle=oracle(CORRIDOR))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        strip = screen.query_one(PathStrip)
        assert not strip.display
        await pilot.press("n")
        await until(pilot, lambda: screen.trail.current == 1)
        await pilot.press("n")
        await until(pilot, lambda: screen.trail.current == 2)
        assert "s0 go→ s1 go→ s2" in text_of(app)
        assert "2 steps, probability 1 " in text_of(app)
        await pilot.press("n")
        await until(pilot, lambda: "The run ends here." in told(app))
        await pilot.press("b")
        assert strip.path == ((0, 1), (0,))
        await pilot.press("home")
        await until(pilot, lambda: not strip.display)


async def test_walking_into_a_successor_multiplies_its_probability() -> None:
    """From 14 to the goal through the panel: 1/3, and again over the state itself 1/9."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("end", "k", "enter")
        panel = screen.query_one(ActionsPanel)
        await until(pilot, lambda: panel.has_focus and panel._listed == 14)
        panel.move_to_successor(14)
        await pilot.press("enter")
        await until(pilot, lambda: "1 step, probability 1/3" in text_of(app))
        panel.move_to_successor(15)
        await pilot.press("enter")
        await until(pilot, lambda: "2 steps, probability 1/9" in text_of(app))


async def test_enter_on_an_action_takes_it() -> None:
    """Chance draws the successor, which the action has, and the path notes the action."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("enter")
        panel = screen.query_one(ActionsPanel)
        await until(pilot, lambda: panel.has_focus)
        panel.move_to(min(panel._headings))
        await pilot.press("enter")
        await until(pilot, lambda: len(screen.trail.states) == 2)
        choice = screen.trail.choices[1]
        assert choice is not None
        assert screen.trail.current in {target for target, _ in screen.oracle.mdp.successors(choice)}


def test_a_path_ends_where_it_was_left() -> None:
    """Walked steps form the path; a jump or another look begins a new one; back and forward move along it."""
    walked = Trail((0,)).visit(4, 1).visit(4, 16).visit(8, 17)
    assert walked.path == ((0, 4, 4, 8), (1, 16, 17))
    assert walked.back().path == ((0, 4, 4), (1, 16))
    assert walked.back().forward() == walked
    assert walked.visit(3).path == ((3,), ())
    assert walked.browse(9).path == ((9,), ())
    assert walked.back().browse(9).forward().path == ((8,), ())
    many = Trail((0,))
    for _ in range(Trail.limit + 5):
        many = many.visit(0, 2)
    assert len(many.states) == len(many.choices) == Trail.limit


async def test_the_picture_shows_danger_and_the_optimal_actions() -> None:
    """P turns from V to danger to arrows and back; ties of all actions say any."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        picture = screen.query_one(Picture)
        titles = []
        for _ in range(4):
            titles.append(picture.border_title)
            shown = text_of(app)
            await pilot.press("p")
        assert titles == ["V", "D", "Optimal actions", "V"]
        assert ".94" in shown


def test_layers_say_what_the_facts_say() -> None:
    """Arrows are the best actions of each tile, danger is D, and an undefined value has no share."""
    known = frozen_lake_4x4()
    value, danger, policy = layers_of(known, Findings())
    assert [layer.key for layer in (value, danger, policy)] == ["V", "D", "policy"]
    for state in range(16):
        choices = known.mdp.choices_of(state)
        best = {known.mdp.action_name(c) for c in choices if known.facts.best[c] == 1}
        text = policy.text(state, 8)
        if known.facts.target[state]:
            assert text == ""
        elif len(best) == len(choices) > 1:
            assert text == "any"
        else:
            arrows = {"left": "←", "right": "→", "up": "↑", "down": "↓", "stay": "·"}
            assert set(text) == {arrows[name] for name in best}
        assert danger.share(state) == pytest.approx(float(known.facts.danger.at(state)))  # type: ignore[union-attr]
    nothing = replace(value, values=np.array([np.nan]))
    assert nothing.share(0) == 0.0
    assert nothing.text(0, 3) == "·" or nothing.text is value.text


@given(st.floats(min_value=-1, max_value=2, allow_nan=False))
def test_shades_rise_with_the_share(share: float) -> None:
    """Every share has one of five signs, and a larger one never has a lighter sign."""
    assert shade(share) in SHADES
    assert SHADES.index(shade(share)) <= SHADES.index(shade(share + 0.1))


async def test_without_colours_signs_carry_the_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    """With NO_COLOR tiles are filled with signs of five densities, and the legend shows them."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        shown = text_of(app)
        assert "██ .82 ██" in shown
        assert "▒▒ .53 ▒▒" in shown
        legend = next(line for line in shown.splitlines() if "S start" in line)
        assert all(sign in legend for sign in SHADES)


async def test_definitions_are_one_key_away() -> None:
    """H explains V, D and the facts below each of them, for this objective; h again hides that."""
    app = lake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("h")
        await until(pilot, lambda: "the largest probability that any way of acting" in text_of(app))
        panel = screen.query_one(StatePanel)
        assert panel.has_focus
        text = "\n".join(line.plain for line in panel._lines)
        assert "the risk that no way of acting can avoid" in text
        await pilot.press("h")
        assert "the largest probability" not in text_of(app)


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_of_objective_has_its_definitions(kind: Kind) -> None:
    """Each fact has a sentence, and the dead ends of the four kinds are told apart."""
    facts = frozen_lake_4x4().facts
    found = definitions(replace(facts, objective=replace(facts.objective, kind=kind)))
    assert all(found.values())
    assert ("not defined" in found["dead end"]) == (kind is Kind.RMAX)
    assert ("not defined for objectives that minimise" in found["bottleneck"]) == (kind is Kind.PMIN)


async def test_two_marked_states_are_compared() -> None:
    """Side by side, with who is more promising and safer by exact comparison."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("end", "k", "space", "k", "space", "equals_sign")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        shown = text_of(app)
        assert "more promising: s14" in shown
        assert "≠ V            16/17" in shown


def test_compared_values_are_tied_exactly_or_undecided() -> None:
    """14/17 three times over is a tie; with bounds it is undecided; a difference is never called a tie."""
    known = frozen_lake_4x4()
    assert larger_of(known.facts.value, 0, 1, largest=True) == "tied"
    assert larger_of(enclosed(known, 1e-9).facts.value, 0, 1, largest=True) == "≈ undecided"
    assert larger_of(known.facts.value, 6, 14, largest=True) == 1
    assert larger_of(known.facts.value, 6, 14, largest=False) == 0
    undefined = Numbers.from_exact([None, ONE])
    assert larger_of(undefined, 0, 1, largest=True) == "not defined"
    lines = [line.plain for line in comparison(known, 0, 14, Figures(20))]
    assert any(line.startswith("≠ bottleneck") for line in lines)
    assert any("16/17" in line and "best" in line for line in lines)


async def test_comparing_needs_two_states() -> None:
    """At the start with nothing marked there is no second state, and the explorer says how to choose one."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("equals_sign")
        await until(pilot, lambda: "Mark another state" in told(app))


async def test_what_if_shows_v_before_and_after(lake: Oracle) -> None:
    """Blocking the bottleneck takes V at the start from 14/17 to 0; enter on a listed state goes there."""
    app = lake_app(oracle=lake)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        screen.go_to(tile(lake, 14))
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WhatIfScreen))
        await pilot.press("enter")
        await until(pilot, lambda: "V changes in 11 states of 16" in text_of(app))
        start = next(line for line in text_of(app).splitlines() if "start" in line and "→" in line and "14/17" in line)
        assert "14/17 → 0" in start
        await pilot.press("tab", "enter")
        await until(pilot, lambda: app.screen is screen)
        assert screen.trail.current == int(lake.mdp.initial[0])


async def test_what_if_explains_what_makes_no_sense(lake: Oracle) -> None:
    """With nothing changed, and with the only action forbidden, the dialog says what to do instead."""
    app = lake_app(oracle=lake)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        screen.go_to(tile(lake, 15))
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WhatIfScreen))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "nothing is changed" in text_of(app))
        await pilot.press("down", "space", "enter")
        await until(pilot, lambda: "no action would be left" in text_of(app))


async def test_runs_are_compared_with_v() -> None:
    """R samples with a seed that is shown; the share comes with its interval beside V."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("R")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        app.screen.query_one("#runs-count", Input).value = "2000"
        await pilot.press("enter")
        await until(pilot, lambda: "of 2,000 runs reached the target" in text_of(app))
        shown = text_of(app)
        assert "V = 14/17" in shown
        assert "seed 1: the same seed gives the same runs" in shown
        app.screen.query_one("#runs-count", Input).value = "many"
        await pilot.press("enter")
        await until(pilot, lambda: "'many' is no whole number" in text_of(app))


def test_a_report_says_when_the_value_is_missed() -> None:
    """An interval that does not cover V says so with how often chance does that; rewards compare their mean."""
    known = frozen_lake_4x4()
    missed = "\n".join(line.plain for line in report(known, 0, None, Runs(1000, 1, 500, 500, 0, 9.0), 0.1))
    assert "outside the interval" in missed
    close = "\n".join(line.plain for line in report(known, 0, None, Runs(1000, 1, 824, 170, 6, 9.0), 0.1))
    assert "inside the interval" in close
    assert "6 were not over after 100,000 steps" in close
    rewarded = replace(known, facts=replace(known.facts, objective=replace(known.facts.objective, kind=Kind.RMIN)))
    means = "\n".join(line.plain for line in report(rewarded, 0, None, Runs(9, 1, 9, 0, 0, 3.0, 14 / 17, 0.0), 0.1))
    assert "inside the interval" in means
    assert "0.8235 is the mean reward" in means


async def test_plots_turn_over_and_sweep_a_constant(lake: Oracle) -> None:
    """Brackets change the plot; the sweep checks each value and draws V against it."""
    app = lake_app(oracle=lake)
    async with app.run_test(size=(120, 40)) as pilot:
        await explorer(pilot)
        await pilot.press("P")
        await until(pilot, lambda: "1 of 3   States by V" in text_of(app) and "█" in text_of(app))
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "2 of 3" in text_of(app))
        screen = app.screen
        assert isinstance(screen, PlotsScreen)
        await until(pilot, lambda: not screen.busy)
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: "3 of 3" in text_of(app))
        screen.query_one("#plot-sweep", Input).value = "slip=0:1/3:1/3"
        await pilot.press("enter")
        await until(pilot, lambda: len(screen._rows) == 2)
        assert [row.initial.at(0) for row in screen._rows] == [1, Fraction(14, 17)]
        screen.query_one("#plot-sweep", Input).value = "nonsense"
        await pilot.press("enter")
        await until(pilot, lambda: "is no sweep" in text_of(app))


def test_histograms_count_every_finite_number() -> None:
    """Counts sum to the finite numbers; infinite ones are left out and said; one value alone has a bin."""
    known = frozen_lake_4x4()
    assert value_histogram(known).counts.sum() == 16
    assert gap_histogram(known).counts.sum() > 0
    some = histogram(np.array([1.0, 1.0, np.inf, np.nan]))
    assert (some.counts.sum(), some.reasons) == (2, (("infinite", 1), ("not defined", 1)))
    assert histogram(np.array([])).counts.sum() == 0
    assert len(some.middles) == len(some.counts)


def test_an_axis_of_probabilities_ends_at_one() -> None:
    """Where all values are 1 the axis goes from 0 to 1, of rewards around the value; several values make their own."""
    ones = np.ones(4)
    sure = histogram(ones, probabilities=True)
    assert (sure.edges[0], sure.edges[-1], sure.counts[-1]) == (0.0, 1.0, 4)
    assert (histogram(ones).edges[0], histogram(ones).edges[-1]) == (0.5, 1.5)
    assert value_range([1.0, 1.0], probabilities=True) == (0.0, 1.0)
    assert value_range([0.25, 0.5], probabilities=True) == (0.25, 0.5)
    assert are_probabilities(frozen_lake_4x4())


def test_a_curve_leaves_out_what_cannot_be_drawn() -> None:
    """Infinite and undefined values have no point."""
    values = [ONE / 2, float("inf"), None]
    rows = [Swept(str(at), 3, Numbers.from_exact([value])) for at, value in enumerate(values)]
    assert curve(rows) == ([0.0], [0.5])


async def test_the_command_for_the_state_is_copied(lake: Oracle) -> None:
    """X shows it for V and D; enter copies the whole command, not the line of the screen."""
    app = lake_app(oracle=lake)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        screen.go_to(tile(lake, 14))
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, ReproduceScreen))
        await pilot.press("enter")
        assert app.clipboard.startswith("storm --prism ")
        assert 'filter(min, Pmax=? [F "goal"], pos=14)' in app.clipboard


async def test_a_model_without_a_file_says_what_cannot_be_done() -> None:
    """Facts that came otherwise have no command and no losses, and the dialogs say so."""
    app = lake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await explorer(pilot)
        await pilot.press("x")
        await until(pilot, lambda: "no file that Storm could read again" in text_of(app))


async def test_a_loaded_policy_is_a_column_and_a_list(lake: Oracle, tmp_path: Path) -> None:
    """The file is checked; states where it is not optimal come by cost; enter goes there; the table has its value."""
    file = tmp_path / "right.json"
    file.write_text(json.dumps({"pos<15 & pos!=5 & pos!=7 & pos!=11 & pos!=12": "right"}))
    app = lake_app(oracle=lake)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("D")
        await until(pilot, lambda: isinstance(app.screen, PolicyScreen))
        assert """policy file: JSON, as in {"pos=0": "left", "1": …}""" in text_of(app)
        app.screen.query_one(Input).value = str(tmp_path / "missing.json")
        await pilot.press("enter")
        await until(pilot, lambda: "cannot be read" in text_of(app))
        app.screen.query_one(Input).value = str(file)
        await pilot.press("enter")
        await until(pilot, lambda: "right.json: not optimal in 11 states" in text_of(app))
        assert app.focused is not None
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.screen is screen)
        assert screen.trail.current != 0
        assert "Vπ" in text_of(app)
        assert [layer.key for layer in layers_of(lake, screen.findings)] == ["V", "D", "Vπ", "policy"]
        await pilot.press("D")
        await until(pilot, lambda: "not optimal in 11 states" in text_of(app))


async def test_losses_become_a_column_and_a_picture(lake: Oracle) -> None:
    """L computes them in the child; the bottleneck's is 1 in table and panel."""
    app = lake_app(oracle=lake)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await explorer(pilot)
        screen.go_to(tile(lake, 14))
        await pilot.press("L")
        await until(pilot, lambda: "states have a loss above 0" in told(app))
        assert screen.findings.loss is not None
        assert screen.findings.loss.at(tile(lake, 14)) == 1
        assert "loss 1" in text_of(app)


async def test_marks_and_view_survive_another_objective(lake: Oracle, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new explorer on the same model keeps the order, the marks and the state."""
    monkeypatch.setattr(ExplorerApp, "notify", lambda *_, **__: None)
    app = lake_app(oracle=lake)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await explorer(pilot)
        await pilot.press("down", "space", "greater_than_sign", "r")
        await until(pilot, lambda: screen.pane.view.descending)
        order = screen.pane.view.sort
        again = type(screen)(replace(lake, identity="again"), app.services, screen)
        await app.switch_screen(again)
        await until(pilot, lambda: again.pane.view.sort == order != "state" and again.pane.view.descending)
        assert again.pane.marks == (1,)
        assert again.trail.current == 1
