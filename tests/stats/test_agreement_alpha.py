import csv
import math
from collections import defaultdict
from itertools import permutations
from pathlib import Path

import krippendorff
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aptone.errors import RecordError, UsageError
from aptone.stats import krippendorff_alpha
from aptone.stats.agreement import Level
from tests.tables import for_each

EMOBANK = Path(__file__).resolve().parents[2] / "../shared/data/text/emobank/individual_reader_ratings.csv"
GAP = math.nan
LEVELS: list[Level] = ["nominal", "ordinal", "interval"]

# Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), part C: four observers, twelve units
FOUR_OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, GAP, GAP, GAP],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, GAP, 3],
        [GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, GAP],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, GAP],
    ]
).T
TABLES = st.lists(
    st.lists(st.one_of(st.integers(0, 4), st.none()), min_size=4, max_size=4), min_size=2, max_size=12
).map(lambda rows: np.array(rows, dtype=np.float64))


def transcribed(table: npt.NDArray[np.float64], level: Level) -> float:
    """Alpha from the coincidence matrix, as in Krippendorff (2011): α = 1 - (n-1) Σ o δ² / Σ n n δ²."""
    units = [row[~np.isnan(row)].tolist() for row in table]
    values = sorted({value for unit in units if len(unit) > 1 for value in unit})
    o: dict[tuple[float, float], float] = defaultdict(float)
    for unit in units:
        for a, b in permutations(unit, 2):
            o[a, b] += 1 / (len(unit) - 1)
    n_of = {c: sum(o[c, k] for k in values) for c in values}
    n = sum(n_of.values())

    def squared(c: float, k: float) -> float:
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return (c - k) ** 2
        low, high = min(c, k), max(c, k)
        return (sum(n_of[g] for g in values if low <= g <= high) - (n_of[c] + n_of[k]) / 2) ** 2

    observed = sum(o[c, k] * squared(c, k) for c in values for k in values)
    expected = sum(n_of[c] * n_of[k] * squared(c, k) for c in values for k in values)
    return 1 - (n - 1) * observed / expected


@for_each(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_published_example_of_four_observers(level: Level, published: float) -> None:
    got = krippendorff_alpha(FOUR_OBSERVERS, level=level, seed=0)
    assert round(got.value, 3) == published
    assert got.count == 11  # unit 12 has one value only
    assert got.reason.startswith("1 of 12 items left out: fewer than two ratings")
    assert got.low < got.value < got.high <= 1


def test_the_published_example_of_two_observers_and_two_values() -> None:
    # Krippendorff (2011), part A: ten units, four mismatches; 14 zeros and 6 ones: 1 - 19·8/(2·14·6)= 0.095
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    got = krippendorff_alpha(np.array([first, second]).T, level="nominal", seed=0)
    assert got.value == pytest.approx(1 - 19 * 8 / (2 * 14 * 6))
    assert round(got.value, 3) == 0.095


def test_the_published_example_of_two_observers_and_five_values() -> None:
    # Krippendorff (2011), part B: twelve units, three mismatches, alpha 0.692
    first = ["a", "a", "b", "b", "d", "c", "c", "c", "e", "d", "d", "a"]
    second = ["b", "a", "b", "b", "b", "c", "c", "c", "e", "d", "d", "d"]
    got = krippendorff_alpha(list(zip(first, second, strict=True)), level="nominal", seed=0)
    assert round(got.value, 3) == 0.692


@pytest.mark.slow
@given(TABLES, st.sampled_from(LEVELS))
def test_alpha_equals_the_transcribed_formula_and_the_krippendorff_package(
    table: npt.NDArray[np.float64], level: Level
) -> None:
    pairable = table[(~np.isnan(table)).sum(axis=1) >= 2]
    assume(np.unique(pairable[~np.isnan(pairable)]).size > 1)
    got = krippendorff_alpha(table, level=level, seed=0, resamples=40).value
    assert got == pytest.approx(transcribed(table, level), abs=1e-10)
    assert got == pytest.approx(float(krippendorff.alpha(pairable.T, level_of_measurement=level)), abs=1e-10)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_the_size_of_the_unit_does_not_matter(scale: float) -> None:
    plain = krippendorff_alpha(FOUR_OBSERVERS, level="interval", seed=0)
    scaled = krippendorff_alpha(FOUR_OBSERVERS * scale, level="interval", seed=0)
    assert (scaled.value, scaled.low, scaled.high) == pytest.approx((plain.value, plain.low, plain.high))


def test_continuous_ratings_of_many_items_need_no_table_of_values() -> None:
    # 6,000 different values: a table of items × values × values would take 2,000 · 6,000² · 8 bytes = 576 GB
    generator = np.random.default_rng(0)
    table = generator.normal(size=(2000, 1)) + generator.normal(size=(2000, 3))
    got = krippendorff_alpha(table, level="interval", seed=0, resamples=40)
    assert got.value == pytest.approx(0.5, abs=0.05)  # variance of items 1 of 2


def test_the_bootstrap_equals_alpha_of_tables_drawn_one_by_one() -> None:
    # the fast form counts items by weight; here the drawn rows are really put together
    generator = np.random.default_rng(3)
    table = FOUR_OBSERVERS[(~np.isnan(FOUR_OBSERVERS)).sum(axis=1) >= 2]
    for level in LEVELS:
        drawn = []
        generator = np.random.default_rng(3)
        for _ in range(200):
            rows = table[generator.integers(0, len(table), size=len(table))]
            drawn.append(transcribed(rows, level))
        got = krippendorff_alpha(FOUR_OBSERVERS, level=level, seed=3, resamples=200)
        assert (got.low, got.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))


def test_trimming_drops_the_lowest_and_the_highest_rating_of_each_item() -> None:
    table: list[list[float]] = [[1, 2, 2, 2, 5], [5, 4, 4, 4, 0], [GAP, 1, 5, 3, 3]]
    # left: 2 2 2, 4 4 4, and 3 3
    got = krippendorff_alpha(table, level="interval", trim=1, seed=0)
    assert got.value == 1.0
    assert got.count == 3


def test_items_too_short_to_be_trimmed_are_left_out_and_counted() -> None:
    table: list[list[float]] = [[1, 2, 2, 3], [1, 3, 3, 5], [1, 2, 3, GAP]]
    got = krippendorff_alpha(table, level="ordinal", trim=1, seed=0)
    assert got.count == 2
    assert got.reason.startswith("1 of 3 items left out: fewer than two ratings after trimming")


def test_trimming_raises_alpha_even_of_pure_noise() -> None:
    # Five even random numbers in [0, 1], the middle three kept. Order statistics i, j of five have means i/6 and
    # covariance i(6-j)/252. About the common mean 1/2, pairs have mean covariance (6+4+6)/(3·252) - 1/(3·36) = 1/84,
    # ratings the mean variance (8+9+8)/(3·252) + 2/(3·36) = 13/252, so alpha tends to (1/84)/(13/252) = 3/13 = 0.23.
    table = np.random.default_rng(0).uniform(size=(20_000, 5))
    assert krippendorff_alpha(table, level="interval", seed=0, resamples=40).value == pytest.approx(0, abs=0.01)
    trimmed = krippendorff_alpha(table, level="interval", trim=1, seed=0, resamples=40)
    assert trimmed.value == pytest.approx(3 / 13, abs=0.015)


@pytest.mark.skipif(not EMOBANK.is_file(), reason="EmoBank's individual ratings are not here (see the data guide)")
@for_each("trim", [0, 1])
@for_each("column", ["V", "A", "D"])
def test_real_ratings_without_rater_ids_agree_with_the_transcribed_formula(column: str, trim: int) -> None:
    by_item: dict[str, list[float]] = defaultdict(list)
    with EMOBANK.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            by_item[row["id"]].append(float(row[column]))
    slots = max(map(len, by_item.values()))
    table = np.array([ratings + [GAP] * (slots - len(ratings)) for ratings in by_item.values()])
    kept = [sorted(ratings)[trim : len(ratings) - trim] for ratings in by_item.values()]
    expected_table = np.array([ratings + [GAP] * (slots - len(ratings)) for ratings in kept])
    for level in LEVELS[1:]:
        got = krippendorff_alpha(table, level=level, trim=trim, seed=0, resamples=40)
        assert got.value == pytest.approx(transcribed(expected_table, level), abs=1e-9)
        assert got.low <= got.value <= got.high


def test_undefined_cases_say_why() -> None:
    alone = krippendorff_alpha([[1, GAP], [GAP, 2]], level="interval", seed=0)
    assert math.isnan(alone.value)
    assert alone.reason == "2 of 2 items left out: fewer than two ratings"
    same = krippendorff_alpha([[3.0, 3.0], [3.0, 3.0], [1.0, GAP]], level="ordinal", seed=0)
    assert math.isnan(same.value)
    assert same.count == 2
    assert same.reason.endswith("all ratings are equal: nothing was told apart")
    assert krippendorff_alpha([], level="nominal", seed=0).reason == "no items"


def test_zero_ratings_only_are_equal_ratings() -> None:
    assert "all ratings are equal" in krippendorff_alpha([[0, 0], [0, 0]], level="interval", seed=0).reason


def test_wrong_input_and_options_are_refused() -> None:
    with pytest.raises(RecordError, match="ratings: expected rows of numbers"):
        krippendorff_alpha([["low", "high"]], level="ordinal", seed=0)
    with pytest.raises(RecordError, match="ratings: 1 values are infinite"):
        krippendorff_alpha([[1, math.inf]], level="interval", seed=0)
    with pytest.raises(UsageError, match="level is one of nominal, ordinal, interval; got 'ratio'"):
        krippendorff_alpha([[1, 2]], level="ratio", seed=0)  # type: ignore[arg-type]  # what a caller without types does
    with pytest.raises(UsageError, match="trim is a whole number from 0 upwards, got -1"):
        krippendorff_alpha([[1, 2]], level="ordinal", trim=-1, seed=0)
    with pytest.raises(UsageError, match=r"trim is a whole number from 0 upwards, got 1\.5"):
        krippendorff_alpha([[1, 2]], level="ordinal", trim=1.5, seed=0)  # type: ignore[arg-type]  # no types here either
    with pytest.raises(UsageError, match="needs ordered ratings; got 1 at level nominal"):
        krippendorff_alpha([[1, 2]], level="nominal", trim=1, seed=0)


def test_ratings_that_differ_by_rounding_are_two_ratings() -> None:
    # one pair of equal ratings and one that rounding tells apart: defined, and far from perfect
    assert krippendorff_alpha([[0.3, 0.3], [0.1 + 0.2, 0.3]], level="nominal", seed=0).value == 0.0  # 1 - 3·2/(16-10)
