"""How much rare labels are favoured: one number a label set, chosen on its dev part by weighted F1.

The share of each label in the training part, to the power of ``-strength``, multiplies its probability (logit
adjustment, Menon et al. 2021); strength 0 changes nothing.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

STRENGTHS = tuple(float(strength) for strength in np.linspace(0.0, 0.6, 13))


class Balance(NamedTuple):
    """What was chosen: the strength, what it adds to the logits, and the weighted F1 that it reaches on dev."""

    strength: float
    shift: npt.NDArray[np.float64]
    score: float


def weighted_f1(truth: npt.NDArray[np.int64], answer: npt.NDArray[np.int64]) -> float:
    """Mean of the labels' F1, each weighted by how often the label is true.

    ``F1 = 2 · hits / (true + answered)``, 0 where a label is neither. From 0 to 1, higher is better.

    >>> round(weighted_f1(np.array([0, 0, 1]), np.array([0, 1, 1])), 4)
    0.6667
    """
    size = int(max(truth.max(), answer.max())) + 1
    true = np.bincount(truth, minlength=size)
    answered = np.bincount(answer, minlength=size)
    hits = np.bincount(truth[truth == answer], minlength=size)
    return float(np.sum(true * 2 * hits / np.maximum(true + answered, 1)) / truth.size)


def choose_balance(
    logits: npt.NDArray[np.float32], truth: npt.NDArray[np.int64], shares: npt.NDArray[np.float64]
) -> Balance:
    """The strength with the highest weighted F1; of equal ones the lowest.

    Args:
        logits: [lines, labels] on the dev part.
        truth: number of each line's label.
        shares: of each label in the training part.
    """
    best = Balance(0.0, np.zeros(shares.size), -1.0)
    for strength in STRENGTHS:
        shift = -strength * np.log(np.maximum(shares, 1e-6))
        score = weighted_f1(truth, (logits + shift).argmax(axis=1))
        if score > best.score + 1e-9:
            best = Balance(strength, shift, score)
    return best
