"""Agreement of several raters on free text, by the vectors of what they wrote."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from aptone.errors import RecordError
from aptone.messages import message
from aptone.stats.arrays import FloatArray, Table, joined, matrix
from aptone.stats.intervals import bootstrap, check_resampling
from aptone.types import Estimate

_AT_ONCE = 512
"""Items of one shape that are held in memory together."""


def mean_pairwise_cosine(
    vectors: Sequence[Table], *, seed: int, resamples: int = 2000, confidence: float = 0.95
) -> Estimate:
    """Mean over items of the mean cosine of all pairs of raters: CEAEval's agreement on free text.

    ``cos(a, b) = a·b / (|a| |b|)``, from -1 to 1, higher is better. Where 0 lies depends on what made the vectors:
    sentence vectors of unrelated texts seldom come near it. The interval is a bootstrap over items.

    A row of NaN is a rater who did not answer, and is left out. An item is undefined with fewer than two answers, or if
    a vector is zero, since zero has no direction; such items are left out, `count` is the number of items that stayed,
    and `reason` counts the others by cause. Undefined (NaN) if none stays.

    Args:
        vectors: for each item, raters × dimensions.
        seed: of the bootstrap, from 0 upwards.
        resamples: of the bootstrap.
        confidence: coverage of the interval.

    Raises:
        RecordError: if an item is not a matrix, a vector is NaN in part, or numbers are infinite.
        UsageError: if an option makes no sense.

    >>> mean_pairwise_cosine([[[1, 0], [0, 1]], [[1, 0], [2, 0]]], seed=0).value  # cosines 0 and 1
    0.5
    """
    check_resampling(seed=seed, resamples=resamples, confidence=confidence)
    defined: list[FloatArray] = []
    undefined: Counter[str] = Counter()
    for position, rows in enumerate(vectors):
        answers = _answers(rows, name=f"vectors[{position}]")
        if len(answers) < 2:
            undefined[message("stats.fewer-two-vectors")] += 1
        elif not answers.any(axis=1).all():
            undefined[message("stats.vector-zero")] += 1
        else:
            defined.append(answers)
    remark = joined(
        *(
            message("stats.items-left-out", count=count, all=len(vectors), why=reason)
            for reason, count in undefined.items()
        )
    )
    if not defined:
        reason = remark or message("stats.no-items")
        return Estimate(math.nan, confidence=confidence, method=message("stats.bootstrap-percentile"), reason=reason)
    estimate = bootstrap(np.mean, _mean_cosines(defined), seed=seed, resamples=resamples, confidence=confidence)
    return replace(estimate, reason=joined(remark, estimate.reason))


def _answers(rows: Table, *, name: str) -> FloatArray:
    given = matrix(rows, name=name)
    gaps = np.isnan(given)
    absent = gaps.all(axis=1)
    if (gaps.any(axis=1) & ~absent).any():
        raise RecordError(f"{name}: a vector is NaN in part; a missing answer is NaN throughout.")
    return given[~absent]


def _mean_cosines(items: Sequence[FloatArray]) -> FloatArray:
    """The mean cosine of all pairs, item by item; those of one shape are worked on together."""
    means = np.empty(len(items))
    for shape in {answers.shape for answers in items}:
        places = [place for place, answers in enumerate(items) if answers.shape == shape]
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            answers = np.stack([items[place] for place in some])
            scaled = answers / np.abs(answers).max(axis=2, keepdims=True)  # so that squares neither overflow nor vanish
            units = scaled / np.linalg.norm(scaled, axis=2, keepdims=True)
            cosines = np.clip(units @ units.swapaxes(1, 2), -1.0, 1.0)
            first, second = np.triu_indices(shape[0], k=1)
            means[some] = cosines[:, first, second].mean(axis=1)
    return means
