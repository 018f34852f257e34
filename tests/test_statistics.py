"""Statistics against published figures and second sources: intervals, tests, and the three research questions."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from engine.verdicts.cell_files import read_cells
from engine.verdicts.paired import rank_test, sign_test
from engine.verdicts.research import MeanScore, PairedTest, ScoreCell, paired_test, rq1, rq2, rq3
from engine.verdicts.statistics import UNIT, effective_n, exact_sum, mean, share, variety, wilson

PUBLISHED = Path(__file__).with_name("data") / "published_cells.csv"
"""The 220 cells of the published evaluation (methods.md 1.5)."""

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
scores = st.fractions(0, 1, max_denominator=60)


@pytest.mark.parametrize(
    ("successes", "n", "lower", "upper"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_the_published_intervals(successes: int, n: int, lower: float, upper: float) -> None:
    """Newcombe 1998 (Statistics in Medicine 17, 857-872), table I, method 3."""
    assert wilson(successes, n) == pytest.approx((lower, upper), abs=5e-5)


@given(counts, st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_agrees_with_scipy(count: tuple[int, int], confidence: float) -> None:
    """The interval is that of another implementation, holds the share, and lies in [0, 1]."""
    successes, n = count
    lower, upper = wilson(successes, n, confidence=confidence)
    other = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    assert (lower, upper) == pytest.approx((other.low, other.high), abs=1e-12)
    assert 0 <= lower <= successes / n <= upper <= 1


def test_wilson_of_nothing_is_everything_and_nonsense_is_refused() -> None:
    """No answers tell nothing; more successes than answers are a mistake of the caller."""
    assert wilson(0, 0) == (0, 1)
    for successes, n, confidence in ((3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0)):
        with pytest.raises(ValueError, match="no share"):
            wilson(successes, n, confidence=confidence)


def _effective_n(clusters: list[tuple[int, int]]) -> float:
    """Give clusters as passes and answers."""
    passes, sizes = np.array(clusters, dtype=np.int64).T
    return effective_n(passes * UNIT, sizes)


def test_repeating_a_question_does_not_make_it_more_certain() -> None:
    """Ten questions with ten equal answers each are worth nine independent ones (ten, less one for the mean)."""
    assert _effective_n([(10 * (index % 2), 10) for index in range(10)]) == pytest.approx(9)


def test_independent_answers_keep_their_number() -> None:
    """One answer a state is worth one; answers that vary within a state as between states are worth all."""
    assert _effective_n([(index % 2, 1) for index in range(10)]) == 10
    assert _effective_n([(5, 10)] * 4) == 40


def test_unanimous_repetitions_are_worth_their_states() -> None:
    """If all answers pass, nothing shows that repetitions are independent, so they do not count."""
    assert _effective_n([(10, 10)] * 4) == 4
    assert _effective_n([(3, 10)]) == 1


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=60))
def test_a_share_is_exact_and_inside_its_interval(answers: list[tuple[int, bool]]) -> None:
    """The mean is the exact fraction, repetitions only widen the interval, and it holds the mean."""
    states, passed = np.array(answers, dtype=np.int64).T
    result = share(states, passed * UNIT)
    passes = int(passed.sum())
    assert result.value == Fraction(passes, len(answers))
    assert result.n == len(answers)
    assert 1 <= result.effective_n <= len(answers)
    assert result.lower <= float(result.value) + 1e-12
    assert result.upper >= float(result.value) - 1e-12
    alone = wilson(passes, len(answers))
    assert result.upper - result.lower >= alone[1] - alone[0] - 1e-9


def test_a_share_of_nothing_has_no_value() -> None:
    """A cell without answers shows no rate rather than 0."""
    nothing = np.array([], dtype=np.int64)
    result = share(nothing, nothing)
    assert (result.value, result.n, result.lower, result.upper) == (None, 0, 0, 1)


def test_variety_finds_the_constant_answer() -> None:
    """A model that always says "up" has one answer with share 1; ties go to the first in the alphabet."""
    constant = variety(["up"] * 3)
    assert (constant.different, constant.top, constant.top_share) == (1, "up", Fraction(1))
    mixed = variety(["up", "left", "up", "left", "down"])
    assert (mixed.different, mixed.top, mixed.top_share) == (3, "left", Fraction(2, 5))
    assert variety([]).top is None


def test_equal_scores_stay_equal_when_added() -> None:
    """Ten times 1/10 are 1 exactly, unlike in doubles; the sum is Python's own; a mean of nothing is none."""
    assert exact_sum({Fraction(1, 10): 10}) == 1
    assert sum([0.1] * 10) != 1
    thirds = {Fraction(1, 3): 2, Fraction(5, 6): 3, Fraction(2, 3): 1, Fraction(1, 7): 7, Fraction(0): 4}
    assert exact_sum(thirds) == sum((value * times for value, times in thirds.items()), Fraction(0))
    assert exact_sum({}) == 0
    assert mean([Fraction(1, 3), Fraction(2, 3)]) == Fraction(1, 2)
    assert mean([]) is None


# The published evaluation


def test_rq1_reproduces_the_published_test() -> None:
    """75 lower, 61 higher, 84 tied; p = 0.0347 on doubles as published, 0.0372 exactly (methods.md 1.5)."""
    tests = rq1(read_cells(PUBLISHED))
    everything = tests["all"]
    assert (everything.lower, everything.higher, everything.tied, everything.n) == (75, 61, 84, 220)
    assert everything.p == pytest.approx(0.0372, abs=5e-5)
    assert everything.p_floats == pytest.approx(0.0347, abs=5e-5)
    llms = tests["without baselines"]
    assert (llms.lower, llms.higher) == (48, 42)
    assert llms.p == pytest.approx(0.12, abs=5e-3)
    assert llms.p_floats == pytest.approx(0.11, abs=5e-3)
    assert set(tests) == {
        "all",
        "without baselines",
        *(f"explainer {name}" for name in ("Gemma 3 1B", "Qwen3.5", "Gemma 4 31B", "Random")),
    }


@pytest.mark.parametrize(
    ("explainer", "strategy", "published"),
    [
        ("Gemma 3 1B", "prioritized", 0.43),
        ("Qwen3.5", "prioritized", 0.85),
        ("Gemma 4 31B", "prioritized", 0.70),
        ("Random", "prioritized", 0.51),
        ("Random", "random", 0.54),
    ],
)
def test_rq2_reproduces_the_published_scores(explainer: str, strategy: str, published: float) -> None:
    """The mean over categories in each environment, then over environments."""
    score, environments = rq2(read_cells(PUBLISHED))[explainer, strategy]
    assert round(float(score.value), 2) == published
    assert len(environments) == 7
    assert score.lower is None


@pytest.mark.parametrize(
    ("category", "published"),
    [
        ("subset-has-dead-end", 0.593),
        ("safer", 0.595),
        ("worst-action", 0.596),
        ("subset-has-bottleneck", 0.634),
        ("which-is-bottleneck", 0.721),
    ],
)
def test_rq3_reproduces_the_published_scores(category: str, published: float) -> None:
    """The mean of a category's cells over environments, explainers and both strategies."""
    assert round(float(rq3(read_cells(PUBLISHED))[category].value), 3) == published


# Properties


@settings(max_examples=25)  # scipy goes through every permutation of few values
@given(st.lists(st.tuples(scores, scores), min_size=1, max_size=40))
def test_a_paired_test_counts_exactly_and_agrees_with_scipy(pairs: list[tuple[Fraction, Fraction]]) -> None:
    """Counts are exact, swapping the sides swaps them, and p is scipy's on the differences as whole numbers."""
    test = paired_test(pairs)
    swapped = paired_test([(random, prioritized) for prioritized, random in pairs])
    assert test.n == len(pairs)
    assert (test.lower, test.higher, test.tied) == (swapped.higher, swapped.lower, swapped.tied)
    scale = math.lcm(*(value.denominator for pair in pairs for value in pair))
    whole = [float((prioritized - random) * scale) for prioritized, random in pairs]
    if test.tied == test.n:
        assert (test.p, test.statistic, test.p_floats) == (None, None, None)
    else:
        other = stats.wilcoxon(whole, alternative="less", zero_method="wilcox")
        assert (test.p, test.statistic) == pytest.approx((other.pvalue, other.statistic))


def test_five_harder_cells_of_five_are_significant() -> None:
    """With five different differences, all in one direction, p is 1/2^5."""
    pairs = [(Fraction(0), Fraction(index, 10)) for index in range(1, 6)]
    assert paired_test(pairs) == PairedTest(5, 0, 0, 0.0, 1 / 32, 1 / 32)


def test_only_cells_with_both_strategies_are_compared() -> None:
    """A cell that has one strategy is not comparable; without any there is no test."""
    cells = [ScoreCell("lake", "m", category, "random", Fraction(1, 2)) for category in ("a", "b")]
    assert rq1(cells) == {}
    test = rq1([*cells, ScoreCell("lake", "m", "a", "prioritized", Fraction(1, 4))])
    assert set(test) == {"all", "explainer m"}
    assert (test["all"].lower, test["all"].n) == (1, 1)


def test_means_weigh_environments_equally() -> None:
    """An environment with one category weighs as much as one with two."""
    cells = [
        ScoreCell("lake", "m", "a", "random", Fraction(0)),
        ScoreCell("lake", "m", "b", "random", Fraction(1)),
        ScoreCell("pond", "m", "a", "random", Fraction(1)),
    ]
    score, environments = rq2(cells)["m", "random"]
    assert score == MeanScore(Fraction(3, 4), 3)
    assert environments["lake"] == MeanScore(Fraction(1, 2), 2)
    assert rq3(cells)["a"].value == Fraction(1, 2)


def test_the_interval_of_a_mean_is_recovered_from_its_cells() -> None:
    """One cell keeps its interval; of two alike the distance to each end shrinks by the square root of two."""
    cell = ScoreCell("lake", "m", "a", "random", Fraction(1, 2), 20, 0.3, 0.8)
    alone = rq3([cell])["a"]
    assert (alone.lower, alone.upper) == pytest.approx((0.3, 0.8))
    both = rq3([cell, cell])["a"]
    assert (both.lower, both.upper) == pytest.approx((0.5 - 0.2 / math.sqrt(2), 0.5 + 0.3 / math.sqrt(2)))


@pytest.mark.parametrize(
    ("other", "distance"),
    [({1: 0.1, 2: -0.1}, 0.2), ({3: 0.1, 4: -0.1}, 0.2 / math.sqrt(2)), ({1: -0.1, 2: 0.1}, 0.2 / math.sqrt(2))],
)
def test_cells_about_the_same_states_do_not_make_a_mean_more_certain(other: dict[int, float], distance: float) -> None:
    """Two cells that vary with the same states are worth one; with other states, or in opposite ways, they are two."""
    cells = [
        ScoreCell("lake", "m", "a", strategy, Fraction(1, 2), 20, 0.3, 0.7, deviations=deviations)
        for strategy, deviations in (("prioritized", {1: 0.1, 2: -0.1}), ("random", other))
    ]
    both = rq3(cells)["a"]
    assert (both.lower, both.upper) == pytest.approx((0.5 - distance, 0.5 + distance))


@pytest.mark.parametrize(("other", "worth"), [(range(10), 1), (range(10, 20), 2)])
@pytest.mark.parametrize("score", [0, 1])
def test_cells_without_a_miss_are_worth_their_states(other: range, worth: int, score: int) -> None:
    """Two cells at 0 or 1 about the same 10 states have the interval of 10 answers (Wilson: 0.722), not of 20."""
    z2 = NormalDist().inv_cdf(0.975) ** 2
    reach = z2 / (10 + z2)  # from the closed form of Wilson's interval at 0 and 1
    lower, upper = (0.0, reach) if score == 0 else (1 - reach, 1.0)
    cells = [
        ScoreCell("lake", "m", "a", name, Fraction(score), 10, lower, upper, deviations=dict.fromkeys(states, 0.0))
        for name, states in (("prioritized", range(10)), ("random", other))
    ]
    mean, distance = rq3(cells)["a"], reach / math.sqrt(worth)
    assert (mean.lower, mean.upper) == pytest.approx((0.0, distance) if score == 0 else (1 - distance, 1.0))


def test_a_cell_without_a_miss_leaves_the_others_as_they_are() -> None:
    """A cell at 1 never varies, so it does not vary together with one at 1/2: both distances below are squared."""
    cells = [
        ScoreCell("lake", "m", "a", "prioritized", Fraction(1), 2, 0.6, 1.0, deviations={1: 0.0, 2: 0.0}),
        ScoreCell("lake", "m", "a", "random", Fraction(1, 2), 2, 0.2, 0.8, deviations={1: 0.1, 2: -0.1}),
    ]
    mean = rq3(cells)["a"]
    assert (mean.lower, mean.upper) == pytest.approx((0.75 - math.hypot(0.2, 0.15), 0.75 + 0.15))


def test_chance_is_averaged_as_scores_are() -> None:
    """The chance level of a mean is that mean of the cells' levels, and unknown if one of them is."""
    cells = [
        ScoreCell("lake", "m", "a", "random", Fraction(0), chance=Fraction(1, 4)),
        ScoreCell("lake", "m", "b", "random", Fraction(0), chance=Fraction(1, 2)),
        ScoreCell("pond", "m", "a", "random", Fraction(0), chance=Fraction(1)),
    ]
    score, environments = rq2(cells)["m", "random"]
    assert environments["lake"].chance == Fraction(3, 8)
    assert score.chance == Fraction(11, 16)
    assert rq2([*cells, ScoreCell("pond", "m", "b", "random", Fraction(0))])["m", "random"][0].chance is None


# Two campaigns


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [(0, 0, None), (1, 0, 1.0), (2, 10, 158 / 4096), (0, 6, 2 / 64), (5, 5, 1.0)],
)
def test_the_sign_test_counts_coins(better: int, worse: int, p: float | None) -> None:
    """Two-sided tails of fair coins: 2·(1 + 12 + 66) of 4,096 for 2 of 12, 2 of 64 for 0 of 6."""
    assert sign_test(better, worse) == (None if p is None else pytest.approx(p))


def test_the_rank_test_reproduces_the_textbook() -> None:
    """Ranks 1 and 2 of eight against the rest: W = 3, and 10 of 256 sign patterns are as extreme in either way."""
    differences = [Fraction(-1, 100), Fraction(-2, 100), *(Fraction(size, 100) for size in range(3, 9))]
    # Subsets of 1…8 with a sum of at most 3: {}, {1}, {2}, {3}, {1, 2}.
    assert rank_test(differences) == pytest.approx((3, 2 * 5 / 256))
    assert rank_test([Fraction(0)] * 3) == (None, None)
