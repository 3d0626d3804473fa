"""Strengths from choices against a logistic regression and a direct transcription of the likelihood."""

import itertools

import numpy as np
import pytest
import statsmodels.api as sm  # type: ignore[import-untyped]
from scipy.optimize import minimize

from aptone.errors import RecordError
from aptone.stats.choices import PRIOR, BestWorst, bradley_terry, max_diff


def test_bradley_terry_is_the_logistic_regression_of_who_won() -> None:
    wins = np.array([[0, 30, 22, 40], [14, 0, 25, 31], [18, 21, 0, 29], [6, 12, 15, 0]])
    rows, won = [], []
    for first, second in itertools.combinations(range(4), 2):
        design = np.zeros(4)
        design[first], design[second] = 1, -1
        rows += [design] * int(wins[first, second] + wins[second, first])
        won += [1] * int(wins[first, second]) + [0] * int(wins[second, first])
    fitted = sm.Logit(won, np.array(rows)[:, :3]).fit(disp=0)  # the last system is 0
    expected = np.append(fitted.params, 0.0)
    assert bradley_terry(wins.tolist()) == pytest.approx(expected - expected.mean(), abs=2e-3)  # but for the weak prior


def test_a_system_that_always_won_has_a_finite_strength() -> None:
    strengths = bradley_terry([[0, 20], [0, 0]])
    assert 2 < strengths[0] < 10
    assert strengths.sum() == pytest.approx(0)


def simulated(seed: int, true: list[float], *, count: int) -> list[BestWorst]:
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        shown = tuple(int(one) for one in generator.choice(len(true), size=4, replace=False))
        pairs = [(i, j) for i in shown for j in shown if i != j]
        odds = np.exp([true[i] - true[j] for i, j in pairs])
        best, worst = pairs[int(generator.choice(len(pairs), p=odds / odds.sum()))]
        found.append(BestWorst(shown, best, worst))
    return found


def test_max_diff_maximises_the_likelihood_as_it_is_written() -> None:
    choices = simulated(0, [1.0, 0.5, 0.0, -0.5, -1.0], count=150)

    def loss(strengths: np.ndarray) -> float:
        total = PRIOR / 2 * float((strengths**2).sum())
        for one in choices:
            pairs = [(i, j) for i in one.shown for j in one.shown if i != j]
            log = np.log(sum(np.exp(strengths[i] - strengths[j]) for i, j in pairs))
            total -= strengths[one.best] - strengths[one.worst] - log
        return float(total)

    expected = minimize(loss, np.zeros(5), method="BFGS").x
    assert max_diff(choices, count=5) == pytest.approx(expected - expected.mean(), abs=1e-4)


def test_max_diff_finds_the_strengths_that_made_the_choices() -> None:
    true = [1.0, 0.5, 0.0, -0.5, -1.0]
    assert max_diff(simulated(1, true, count=4000), count=5) == pytest.approx(true, abs=0.1)


def test_what_is_no_choice_is_refused() -> None:
    with pytest.raises(RecordError, match="names two"):
        max_diff([BestWorst((0, 1), 0, 0)], count=2)
    with pytest.raises(RecordError, match="names two"):
        max_diff([BestWorst((0, 1), 0, 2)], count=3)
    with pytest.raises(RecordError, match="square"):
        bradley_terry([[0, 1]])
    with pytest.raises(RecordError, match="diagonal"):
        bradley_terry([[1, 1], [0, 0]])
