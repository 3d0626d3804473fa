import json
import math
import subprocess
import sys

import numpy as np
import pytest

from aptone.errors import RecordError, UsageError
from aptone.stats import icc_2_1
from tests.tables import for_each

SHROUT_FLEISS: list[list[float]] = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]

PINGOUIN = """
import json, sys, warnings
warnings.simplefilter("ignore")
import pandas, pingouin
ratings = json.load(sys.stdin)
rows = [(i, r, value) for i, row in enumerate(ratings) for r, value in enumerate(row)]
table = pandas.DataFrame(rows, columns=["item", "rater", "score"])
result = pingouin.intraclass_corr(table, targets="item", raters="rater", ratings="score").set_index("Type")
label = "ICC2" if "ICC2" in result.index else "ICC(A,1)"
interval = [column for column in result.columns if column.startswith("CI95")][0]
print(json.dumps([float(result.loc[label, "ICC"]), *map(float, result.loc[label, interval])]))
"""


def pingouin_icc(ratings: list[list[float]]) -> list[float]:
    # in a process of its own: its import is slow, and warns
    command = [sys.executable, "-c", PINGOUIN]
    done = subprocess.run(command, input=json.dumps(ratings), capture_output=True, text=True, check=True, timeout=300)
    numbers: list[float] = json.loads(done.stdout.splitlines()[-1])
    return numbers


def test_the_example_of_shrout_and_fleiss() -> None:
    # Shrout & Fleiss 1979, Table 4: ICC(2,1) = .29. Mean squares in Table 3: items 11.24, raters 32.49, rest 1.02, so
    # (11.24 - 1.02) / (11.24 + 3·1.02 + 4·(32.49 - 1.02)/6) = 0.29
    got = icc_2_1(SHROUT_FLEISS)
    assert got.value == pytest.approx((11.24 - 1.02) / (11.24 + 3 * 1.02 + 4 * (32.49 - 1.02) / 6), abs=0.001)
    assert (got.count, got.method, got.reason) == (6, "mcgraw-wong-f", "")


def test_value_and_interval_equal_those_of_pingouin() -> None:
    generator = np.random.default_rng(4)
    ratings = (
        generator.normal(size=(25, 1)) + 0.3 * generator.normal(size=(1, 5)) + 0.7 * generator.normal(size=(25, 5))
    )
    for table in (ratings.tolist(), [[float(score) for score in row] for row in SHROUT_FLEISS]):
        value, low, high = pingouin_icc(table)
        got = icc_2_1(table)
        assert got.value == pytest.approx(value, abs=1e-6)
        assert (got.low, got.high) == pytest.approx((low, high), abs=0.00501)  # pingouin rounds to two decimals


def coverage(*, items: int, raters: int, tables: int, seed: int) -> float:
    # items 1, raters 0.2, rest 0.5 in variance: the truth is 1/1.7
    generator = np.random.default_rng(seed)
    covered = 0
    for _ in range(tables):
        got = icc_2_1(
            generator.normal(size=(items, 1))
            + math.sqrt(0.2) * generator.normal(size=(1, raters))
            + math.sqrt(0.5) * generator.normal(size=(items, raters))
        )
        covered += got.low <= 1 / 1.7 <= got.high
    return covered / tables


def test_with_many_raters_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    # three standard errors of a share of 3,000 are 0.012
    assert coverage(items=30, raters=20, tables=3000, seed=2) == pytest.approx(0.95, abs=0.012)


def test_with_few_raters_the_interval_is_too_narrow_as_documented() -> None:
    # 20,000 tables gave 0.917; three standard errors of a share of 3,000 around that are 0.015
    assert coverage(items=100, raters=3, tables=3000, seed=2) == pytest.approx(0.917, abs=0.015)


def test_a_constant_bias_of_one_rater_lowers_absolute_agreement() -> None:
    # scores 1, 2, 3 and the same plus 1: MSR = 2, MSC = 1.5, MSE = 0, so 2 / (2 + 0 + 2·1.5/3) = 2/3
    assert icc_2_1([[1, 2], [2, 3], [3, 4]]).value == pytest.approx(2 / 3)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_the_size_of_the_unit_does_not_matter(scale: float) -> None:
    scaled = icc_2_1(np.array(SHROUT_FLEISS) * scale)
    plain = icc_2_1(SHROUT_FLEISS)
    assert (scaled.value, scaled.low, scaled.high) == pytest.approx((plain.value, plain.low, plain.high))


def test_disagreement_can_be_negative() -> None:
    got = icc_2_1([[1.0, 3.0, 2.0], [3.0, 1.0, 2.0], [2.0, 2.0, 1.5]])
    assert got.value < 0
    assert got.low < got.value < got.high


def test_missing_ratings_are_refused_unless_dropping_is_asked_for() -> None:
    ratings: list[list[float]] = [*SHROUT_FLEISS, [1, math.nan, 3, 4]]
    with pytest.raises(RecordError, match=r"1 of 7 items lack a rating.*drop_incomplete=True.*krippendorff_alpha"):
        icc_2_1(ratings)
    got = icc_2_1(ratings, drop_incomplete=True)
    assert got.value == icc_2_1(SHROUT_FLEISS).value
    assert (got.count, got.reason) == (6, "1 of 7 items left out: a rating is missing")


def test_perfect_agreement_has_no_interval() -> None:
    got = icc_2_1([[0.1, 0.1, 0.1], [0.2, 0.2, 0.2], [0.7, 0.7, 0.7]])
    assert got.value == pytest.approx(1.0)
    assert math.isnan(got.low)
    assert got.reason == "no interval: agreement is perfect"


@for_each(
    ("ratings", "reason"),
    [
        ([[1, 2]], "1 complete items and 2 raters, need 2 of each"),
        ([[1], [2]], "2 complete items and 1 raters, need 2 of each"),
        ([[3, 3], [3, 3]], "all ratings are equal: no variance to explain"),
        ([[1, 2], [2, 1]], "the variance components cancel out"),
    ],
)
def test_undefined_cases_say_why(ratings: list[list[float]], reason: str) -> None:
    got = icc_2_1(ratings)
    assert math.isnan(got.value)
    assert got.reason.startswith(reason)


def test_an_interval_without_degrees_of_freedom_is_undefined() -> None:
    # MSR = MSE makes the coefficient 0; with it the weight of the raters vanishes, and no rest means no freedom
    got = icc_2_1([[1, 2], [1, 2], [1, 2]])  # raters differ, items do not: MSR = MSE = 0
    assert got.value == 0.0
    assert math.isnan(got.low)
    assert got.reason == "no interval: the ratings leave no degrees of freedom"


def test_wrong_input_is_refused() -> None:
    with pytest.raises(RecordError, match="ratings: expected rows of numbers"):
        icc_2_1([1, 2, 3])
    with pytest.raises(RecordError, match="ratings: 1 values are infinite"):
        icc_2_1([[1.0, math.inf], [1.0, 2.0]])
    with pytest.raises(UsageError, match="confidence"):
        icc_2_1(SHROUT_FLEISS, confidence=2)
