"""Another planner for the ablation: a logistic regression over hashed words and character n-grams, fitted on MELD.

The paper's row 5 uses another model than its own for the plan. Here that is this text classifier, which reads the line
alone; rhythm, intonation and recording are the built-in planner's.
"""

import itertools
import math
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from aptone.planner.labelled_dialogues import OURS, Dialogue
from aptone.types import Emotion

BUCKETS = 1 << 15
RUNS = (2, 3, 4)
"""Lengths of the character n-grams."""
PENALTY = 2.0
STEPS = 60

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LineClassifier:
    """A logistic regression over hashed words.

    Args:
        emotions: classes.
        weights: (buckets, emotions).
    """

    emotions: tuple[Emotion, ...]
    weights: Floats

    def emotion(self, text: str) -> Emotion:
        """Return the likeliest emotion of a line."""
        answers = np.asarray(_rows([text]) @ self.weights)[0]
        return self.emotions[int(answers.argmax())]


def fit_line_classifier(dialogues: Sequence[Dialogue], *, penalty: float = PENALTY) -> LineClassifier:
    """Fit a classifier to labelled dialogues."""
    lines = [(line.line.text, OURS[next(iter(line.labels))]) for one in dialogues for line in one.lines]
    emotions = tuple(sorted({emotion for _, emotion in lines}))
    rows = _rows([text for text, _ in lines])
    answers = np.array([emotions.index(emotion) for _, emotion in lines])
    truth = np.zeros((len(lines), len(emotions)))
    truth[np.arange(len(lines)), answers] = 1.0

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(BUCKETS, len(emotions))
        logits = np.asarray(rows @ weights)
        logits -= logits.max(axis=1, keepdims=True)
        shares = np.exp(logits)
        shares /= shares.sum(axis=1, keepdims=True)
        missed = -float(np.log(np.maximum(shares[np.arange(len(lines)), answers], 1e-12)).sum())
        slope = np.asarray(rows.T @ (shares - truth)) + penalty * weights
        return missed + penalty / 2.0 * float(np.square(weights).sum()), slope.ravel()

    found = minimize(loss, np.zeros(BUCKETS * len(emotions)), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return LineClassifier(emotions, found.x.reshape(BUCKETS, len(emotions)))


def _rows(texts: Sequence[str]) -> csr_matrix:
    """Return each text as a row of unit length over the buckets."""
    starts = [0]
    buckets: list[int] = []
    values: list[float] = []
    for text in texts:
        counts: dict[int, int] = {}
        for unit in _units(text):
            bucket = zlib.crc32(unit.encode()) % BUCKETS
            counts[bucket] = counts.get(bucket, 0) + 1
        length = math.sqrt(math.fsum((1.0 + math.log(count)) ** 2 for count in counts.values())) or 1.0
        buckets += counts
        values += [(1.0 + math.log(count)) / length for count in counts.values()]
        starts.append(len(buckets))
    return csr_matrix((values, buckets, starts), shape=(len(texts), BUCKETS))


def _units(text: str) -> list[str]:
    words = re.findall(r"[\w']+|[!?.…]+", text.lower())
    pairs = [f"{first} {second}" for first, second in itertools.pairwise(words)]
    runs = [
        f"#{word[place : place + size]}"
        for word in (f" {word} " for word in words)
        for size in RUNS
        for place in range(len(word) - size + 1)
    ]
    return [*words, *pairs, *runs]
