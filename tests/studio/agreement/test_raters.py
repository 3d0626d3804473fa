"""Each rater beside the rest."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from aptone.stats import bootstrap, pearson
from aptone.studio.agreement.overview import RESAMPLES, agreement_report, means_of_rest, shares_of_rest
from aptone.types import Rating, RatingTask
from tests.studio.compared import rated, rows


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(rated())
def test_a_rater_beside_the_rest_is_compared_by_stats(drawn: tuple[RatingTask, list[Rating]]) -> None:
    task, ratings = drawn
    report = agreement_report(task, ratings, seed=1)
    scores = rows(ratings, "score")
    for one in report.raters:
        own, others = [], []
        for by in scores.values():
            rest = [float(str(value)) for rater, value in by.items() if rater != one.rater]
            if one.rater in by and rest:
                own.append(float(str(by[one.rater])))
                others.append(sum(rest) / len(rest))
        measured = one.controls["score"]
        assert measured.bias is not None
        assert measured.deviation is not None
        assert measured.correlation is not None
        if not own:
            assert measured.bias.reason == measured.deviation.reason == "no item was rated by somebody else, too"
            continue
        differences = np.array(own) - np.array(others)
        bias = bootstrap(np.mean, differences, seed=1, resamples=RESAMPLES)
        assert measured.bias.value == pytest.approx(bias.value)
        assert measured.bias.count == bias.count
        assert measured.deviation.value == pytest.approx(math.sqrt(np.mean(differences**2)))
        assert measured.correlation.value == pytest.approx(pearson(own, others).value, nan_ok=True)


def test_those_set_aside_are_compared_with_the_others_and_nobody_with_them() -> None:
    aside = {"d": "why"}
    tones = {"i0": {"a": "flat", "b": "flat", "c": "rising", "d": "rising"}, "i1": {"a": "flat", "d": "flat"}}
    assert shares_of_rest(tones, aside) == {"a": [0.5], "b": [0.5], "c": [0.0], "d": [1 / 3, 1.0]}
    scores = {"i0": {"a": 1.0, "b": 2.0, "d": 5.0}, "i1": {"a": 3.0, "d": 0.0}}
    assert means_of_rest(scores, aside) == {"a": ([1.0], [2.0]), "b": ([2.0], [1.0]), "d": ([5.0, 0.0], [1.5, 3.0])}
