"""Verdict cards as files, and answers as values while they come."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import frozen_lake_4x4
from tui_support import ACTIONS, FAILED, SAID_UP

from engine.explainers.base import Question
from engine.explainers.streaming import Piece
from engine.queries.case import Case
from engine.queries.spaces import OneOf
from engine.verdicts.verdict import Outcome
from engine.witnesses.likeliest import Path
from engine.witnesses.runs import Witness
from tui.asking.asking import Attempt, Attempts, Stage
from tui.asking.card import MOST_STEPS, card_of, path_text
from tui.exports import FORMATS, written
from tui.services.services import Asked

CASE = Case("c0ffee", "best-action", (6,), OneOf(ACTIONS), ("left", "right"), FAILED.numbers, None, {}, "manual")
QUESTION = Question(CASE, "You know Frozen Lake.", "Which action is optimal on tile 6?", {}, "plain")
ASKED = Asked("local", QUESTION, SAID_UP, FAILED)
EVIL = "\x1b]0;owned\x07<script>alert(1)</script> ```\n# heading [x](http://evil) | **bold** & \u202egnp {{ 7*7 }}"
HOSTILE = Asked(
    EVIL,
    replace(QUESTION, user=EVIL, variant=EVIL),
    replace(SAID_UP, text=EVIL, reasoning=EVIL),
    replace(FAILED, answer=EVIL, reason=EVIL, explanation=EVIL),
    edited=True,
)


class Texts(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Note the tag."""
        del attrs
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        """Note the text."""
        self.text += data


@pytest.mark.parametrize("ending", FORMATS)
def test_a_card_has_its_facts_in_every_format(ending: str) -> None:
    """The verdict, what was said, what is true and what it costs are in the file, and nothing on the network is."""
    lake = frozen_lake_4x4()
    witness = Witness("the likeliest run", Path((14, 15), (45,), Fraction(1, 3)))
    text = written(card_of(ASKED, [witness], lake.mdp), ending).replace("&#160;", " ").replace("\\", "")
    text = re.sub(r"</text><text[^>]*>", "", text)  # a picture sets each style apart
    for words in ("FAIL", "Q(6, up) = 14/51", "left or right", "13/51", "probability 1/3"):
        assert words in text
    assert "url(http" not in text.replace(chr(34), "")
    assert "https://cdn" not in text


@pytest.mark.parametrize("ending", FORMATS)
def test_hostile_text_stays_text_in_every_format(ending: str) -> None:
    """Control sequences, tags, fences, links and template signs of a model's answer do nothing in a file."""
    text = written(card_of(HOSTILE), ending)
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    if ending == "html":
        page = Texts()
        page.feed(text)
        assert "script" not in page.tags
        assert "<script>alert(1)</script>" in page.text
        assert "{{ 7*7 }}" in page.text
    elif ending == "svg":
        tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(text).iter()}  # noqa: S314 - our own text
        assert "script" not in tags
    else:
        fenced = False
        for line in text.splitlines():
            fenced ^= line.startswith("````")
            assert fenced or "<script>" not in line
            assert fenced or not line.startswith("# heading")
        assert not fenced


def test_a_long_path_keeps_its_ends() -> None:
    """The first and the last steps are written out, those between them are counted."""
    mdp = frozen_lake_4x4().mdp
    states = (0,) * 40
    text = path_text(mdp, Path(states, (0,) * 39, Fraction(1)))
    assert text.count("→") == MOST_STEPS
    assert f"… {39 - MOST_STEPS} more …" in text


@given(st.lists(st.builds(Piece, st.text(max_size=5), st.text(max_size=5), st.booleans()), max_size=12))
def test_an_answer_is_what_came_after_the_last_break(pieces: list[Piece]) -> None:
    """Pieces add up; one that begins again voids those before it."""
    attempt = Attempt("local", QUESTION, 0.0)
    for piece in pieces:
        attempt = attempt.growing(piece)
    last = max((place for place, piece in enumerate(pieces) if piece.again), default=0)
    assert attempt.text == "".join(piece.text for piece in pieces[last:])
    assert attempt.reasoning == "".join(piece.reasoning for piece in pieces[last:])
    assert attempt.stage.running


def test_what_is_over_is_never_changed_again() -> None:
    """A late piece or a second end leaves a cancelled answer and an arrived one as they are."""
    attempts = Attempts().and_also(Attempt("local", replace(QUESTION, sample=sample), 0.0) for sample in range(2))
    attempts = attempts.change(0, lambda each: replace(each, stage=Stage.DONE, asked=ASKED))
    assert attempts.running
    over = attempts.cancelled()
    assert [each.stage for each in over.all] == [Stage.DONE, Stage.CANCELLED]
    assert not over.running
    assert over.change(1, lambda each: replace(each, stage=Stage.DONE, asked=ASKED)) is over
    assert over.asked == (ASKED,)


def test_samples_are_numbered_on_for_each_wording() -> None:
    """An edited prompt is a wording of its own: its samples begin at 0, and its passes are counted apart."""
    passed = replace(ASKED, verdict=replace(FAILED, outcome=Outcome.PASS, answer="left", score=1.0))
    attempts = Attempts(
        tuple(
            Attempt("local", replace(QUESTION, sample=sample), 0.0, edited=edited, stage=Stage.DONE, asked=asked)
            for sample, edited, asked in ((0, False, ASKED), (1, False, passed), (0, True, ASKED))
        )
    )
    assert (attempts.next_sample("plain"), attempts.next_sample("plain, edited")) == (2, 1)
    found = {spread.variant: (spread.passes, spread.answered, spread.answers) for spread in attempts.spreads()}
    assert found == {"plain": (1, 2, {"up": 1, "left": 1}), "plain, edited": (0, 1, {"up": 1})}
