"""The explorer's pure parts: safe text, figures, trail, states from text, tally, registry, themes."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import frozen_lake_4x4
from rich.cells import cell_len
from textual.color import Color
from tui_support import FakeServices

from engine.figures import bar, counted, full, short
from engine.oracle.numbers import Interval
from engine.queries.category import Scope
from tui.actions.registry import GROUPS, REGISTRY, of_group
from tui.appearance.themes import load_themes
from tui.explorer.colours import ANCHORS, contrast, scale
from tui.explorer.dimming import SHARE
from tui.explorer.states import candidates_of, example_of, parse_states, read_states, same_state
from tui.explorer.tile_text import tile_text
from tui.explorer.trail import Trail
from tui.text import REPLACEMENT, clean
from tui.widgets.verdict_card import question_of

if TYPE_CHECKING:
    from pathlib import Path

PROBABILITIES = st.fractions(min_value=0, max_value=1)


@given(st.text())
def test_cleaned_text_can_neither_move_the_cursor_nor_hide(text: str) -> None:
    """No control, format, surrogate or line-separating character survives, but for joiners within words."""
    shown = clean(text)
    for place, character in enumerate(shown):
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
            assert character in "\u200c\u200d"
            around = shown[place - 1 : place] + shown[place + 1 : place + 2]
            assert [unicodedata.category(each)[0] in "LM" for each in around] == [True, True]


def test_escape_sequences_become_visible() -> None:
    """An escape character is replaced, not dropped, so that an attempt can be seen; markup stays as written."""
    assert clean("\x1b[31mred\x9b2J [bold]x[/]") == f"{REPLACEMENT}[31mred{REPLACEMENT}2J [bold]x[/]"
    assert clean("a\nb\tc\r\nd") == "a b c d"
    assert clean("a\nb", lines=True) == "a\nb"
    assert clean("left\u202eright\u200b") == f"left{REPLACEMENT}right{REPLACEMENT}"
    assert clean("می\u200cخواهم \u200c") == f"می\u200cخواهم {REPLACEMENT}"


@given(PROBABILITIES, st.integers(min_value=6, max_value=20))
def test_short_numbers_fit_and_never_round_to_certainty(number: Fraction, width: int) -> None:
    """The text fits its width, is the fraction itself where that fits, and 1 and 0 are shown only for 1 and 0."""
    text = short(number, width)
    assert len(text) <= width
    if len(str(number)) <= width:
        assert text == str(number)
    else:
        shown = Fraction(text.removesuffix("…"))
        assert 0 < shown <= number
        assert text.endswith("…") == (shown != number)


def test_short_numbers_cut_digits() -> None:
    """Digits beyond the width are cut with an ellipsis, where there are any; enclosed numbers keep their sign."""
    assert short(Fraction(99999999, 100000001), 8) == "0.99999…"
    assert short(Fraction(14, 17), 8) == "14/17"
    assert short(Fraction(999999, 10**11), 8) == "9.99e-6…"
    assert short(Fraction(123456789, 2), 8) == "6.172e7…"
    assert short(Fraction(1, 10**400), 6) == "1e-400"
    assert short(Fraction(1, 3 * 10**400), 6) == "tiny"
    assert short(Interval(0.25, 0.2500001), 8).startswith("≈0.25")
    assert short(Fraction(1, 125000), 6) == "8e-6"
    assert short(Fraction(1234567, 1000), 10) == "1234.567"
    assert short(Fraction(10**12), 6) == "1e12"
    assert short(None) == "-"
    assert short(float("inf")) == "inf"


def test_full_numbers_show_fraction_and_decimal() -> None:
    """The state panel's figure has both; 14/17 is 0.8235294… in decimals."""
    assert full(Fraction(14, 17)) == "14/17 = 0.823529…"
    assert full(Fraction(1, 4)) == "1/4 = 0.25"
    assert full(Fraction(3)) == "3"
    assert full(Fraction(10**40)) == "1e40 (a number of 41 digits)"
    assert full(Interval(0.25, 0.5)) == "0.250000 to 0.500000"
    assert full(Interval(1 / 3, 2 / 3)) == "0.333333 to 0.666667"
    assert full(Interval(1 / 3, float("inf"))) == "at least 0.333333"
    assert full(Interval(1.0, 1.0)) == "1"
    assert full(None) == "not defined"


@given(PROBABILITIES)
def test_tiles_never_show_certainty_for_less(number: Fraction) -> None:
    """A tile's two digits are rounded, but only the values 0 and 1 read as 0 and 1."""
    value = float(number)
    assert (tile_text(value, 4) == "1") == (value == 1.0)
    assert (tile_text(value, 4) == "0") == (value == 0.0)
    assert len(tile_text(value, 4)) <= 4


def test_tiles_round() -> None:
    """9/17 is 0.529…, so .53; next to the ends a sign says that it is not quite 0 or 1."""
    assert [tile_text(value, 4) for value in (9 / 17, 0.999, 0.001)] == [".53", "<1", ">0"]


def test_no_digit_is_shown_that_the_bounds_do_not_support() -> None:
    """Both bounds round to 0.82, but not to the same third digit."""
    assert short(Interval(0.8180, 0.8230), 14) == "≈0.82"
    assert short(Interval(0.82352, 0.82354), 14) == "≈0.8235"


@given(st.floats(min_value=-1, max_value=2))
def test_bars_stay_in_their_width(share: float) -> None:
    """A bar never leaves its column, and only a share of nothing is invisible."""
    text = bar(share, 6)
    assert cell_len(text) <= 6
    assert bool(text) == (share > 0)


def test_counts_have_a_plural() -> None:
    """One is singular; thousands are grouped."""
    assert [counted(1, "state"), counted(1_257_000, "state")] == ["1 state", "1,257,000 states"]


def test_the_colour_scale_rises_in_lightness() -> None:
    """Lightness alone orders the scale, so that it survives grey and colour blindness; text on it contrasts."""
    lightness = [colour.brightness for colour in ANCHORS]
    assert lightness == sorted(lightness)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0, -1.0, 2.0):
        background, foreground = scale(share)
        assert contrast(background, foreground) >= 4.5


@pytest.mark.parametrize("name", ["storm-dark", "storm-light"])
def test_text_contrasts_with_every_background(name: str) -> None:
    """Every colour of words, and dim text, has a contrast of 4.5 or more on every background that it is drawn on."""
    theme = load_themes()[0][name]
    cursor = theme.variables["block-cursor-blurred-background"]
    assert theme.background
    assert theme.surface
    assert theme.panel
    assert theme.foreground
    text = Color.parse(theme.foreground)
    for behind in map(Color.parse, (theme.background, theme.surface, theme.panel, cursor)):
        assert contrast(behind.blend(text, SHARE), behind) >= 4.5
    words = (theme.success, theme.warning, theme.error, theme.accent, theme.primary)
    for behind in map(Color.parse, (theme.background, theme.surface, cursor)):
        assert not [word for word in words if contrast(Color.parse(word or ""), behind) < 4.5]
    assert contrast(Color.parse(theme.variables["footer-key-foreground"]), Color.parse(theme.panel)) >= 4.5


def test_the_trail_goes_back_and_forward() -> None:
    """Walking adds, browsing replaces, walking after going back forgets what lay ahead."""
    walked = Trail((0,)).visit(4).visit(8)
    assert [walked.back().current, walked.back().back().current, walked.back().back().back().current] == [4, 0, 0]
    assert walked.back().forward() == walked
    assert walked.forward() == walked
    assert walked.back().visit(5).states == (0, 4, 5)
    assert walked.browse(9).states == (0, 4, 9)
    assert walked.visit(8) == walked


def test_states_are_read_from_text() -> None:
    """Numbers with spaces, commas and an s are read in order."""
    assert parse_states(" s14, 3", 16, Scope.PAIR) == (14, 3)
    assert parse_states("15", 16, Scope.STATE) == (15,)
    assert parse_states("1 2 3 4", 16, Scope.SUBSET) == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("text", "scope", "message"),
    [
        ("", Scope.STATE, "asks about 1 state, not 0"),
        ("16", Scope.STATE, "the last one is 15"),
        ("1 2", Scope.STATE, "asks about 1 state, not 2"),
        ("3 3", Scope.PAIR, "named twice"),
        ("three", Scope.STATE, "no state number"),
        ("-1", Scope.STATE, "no state number"),
        ("²", Scope.STATE, "no state number"),
        ("9" * 5000, Scope.STATE, "there is no state"),
        ("1", Scope.SUBSET, "2 to 20 states"),
    ],
)
def test_bad_state_lists_say_what_is_wrong(text: str, scope: Scope, message: str) -> None:
    """Each mistake has its own sentence."""
    with pytest.raises(ValueError, match=message):
        parse_states(text, 16, scope)


def test_states_are_read_from_expressions() -> None:
    """An expression stands for the states that satisfy it; numbers and expressions are separated by a semicolon."""
    oracle = frozen_lake_4x4()

    def read(text: str, scope: Scope) -> tuple[int, ...]:
        return read_states(text, 16, scope, partial(FakeServices().select, oracle))

    assert read("pos=14", Scope.STATE) == (14,)
    assert read("pos=3; s14", Scope.PAIR) == (3, 14)
    assert read('"unsafe"', Scope.SUBSET) == (5, 7, 11, 12)
    assert read("3 14", Scope.PAIR) == (3, 14)
    for text, message in (("pos>3", "not 12"), ("pos=99", "no state satisfies pos=99")):
        with pytest.raises(ValueError, match=message):
            read(text, Scope.STATE)


def test_the_example_of_a_filter_is_about_the_model() -> None:
    """It names a variable and a label that the model has, and evaluates."""
    oracle = frozen_lake_4x4()
    assert example_of(oracle) == 'pos=0 & !"unsafe"'
    assert FakeServices().select(oracle, example_of(oracle)).sum() == 1


def test_states_are_the_same_by_valuation() -> None:
    """A state is found again by its variables, by number where there are none, and not at all in another model."""
    mdp = frozen_lake_4x4().mdp
    turned = replace(mdp, valuations={"pos": mdp.valuations["pos"][::-1]})
    assert [same_state(mdp, turned, state) for state in (0, 14)] == [15, 1]
    assert same_state(mdp, replace(mdp, valuations={"pos": mdp.valuations["pos"] + 1}), 0) is None
    assert same_state(mdp, replace(mdp, valuations={"pos": mdp.valuations["pos"] * 0}), 0) is None
    assert same_state(mdp, replace(mdp, valuations={"row": mdp.valuations["pos"]}), 0) is None
    bare = replace(mdp, valuations={})
    assert same_state(bare, bare, 14) == 14


@given(st.integers(2, 50), st.data(), st.sampled_from(Scope))
def test_suggested_states_are_valid(states: int, data: st.DataObject, scope: Scope) -> None:
    """Every suggestion begins with the selected states and is what the form accepts; none means too small a model."""
    number = st.integers(0, states - 1)
    selected = tuple(data.draw(st.lists(number, min_size=1, max_size=5, unique=True)))
    recent = data.draw(st.lists(number, max_size=5))
    found = list(candidates_of(states, selected, recent, scope))
    assert bool(found) == (states >= {Scope.STATE: 1, Scope.PAIR: 2, Scope.SUBSET: 4}[scope] or len(selected) > 1)
    for each in found:
        assert each[: len(selected)] == selected[: len(each)]
        assert parse_states(" ".join(map(str, each)), states, scope) == each


def test_the_registry_is_sound() -> None:
    """Ids are unique, every group has a name, and no key means two things in one place."""
    assert len({action.id for action in REGISTRY}) == len(REGISTRY)
    assert {action.group for action in REGISTRY} == set(GROUPS)
    for group in GROUPS:
        everywhere = [] if group == "app" else list(of_group("app"))
        keys = [set(action.keys.split(",")) for action in [*of_group(group), *everywhere]]
        assert all(not first & second for first, second in combinations(keys, 2)), group


def test_packaged_themes_load() -> None:
    """There is one light and one dark theme, and nothing was skipped."""
    loaded, skipped = load_themes()
    assert not skipped
    assert loaded["storm-dark"].dark
    assert not loaded["storm-light"].dark


def test_broken_themes_are_skipped_with_a_message(tmp_path: Path) -> None:
    """A file that is no TOML, one with a bad colour and one with an unknown key are named; a good one loads."""
    (tmp_path / "good.toml").write_text('dark = true\nprimary = "#ff0000"\nerror = "#aa0000"\n')
    (tmp_path / "text.toml").write_text("this is no theme")
    (tmp_path / "colour.toml").write_text('dark = true\nprimary = "#zzz"\n')
    (tmp_path / "key.toml").write_text('dark = true\nprimary = "red"\nshiny = true\n')
    loaded, skipped = load_themes([tmp_path])
    assert loaded["good"].variables["fail"] == "#aa0000"
    assert [message.split(":")[1].strip() for message in skipped] == ["colour.toml", "key.toml", "text.toml"]
    assert "no colour" in skipped[0]


def test_the_question_is_found_in_the_prompt() -> None:
    """The paragraph marked as the question is shown; without one, the last paragraph."""
    assert question_of("A lake.\n\nQuestion: Which action?\n\nReply with JSON.") == "Which action?"
    assert question_of("A lake.\n\nWhich action?") == "Which action?"
    assert question_of("") == ""
