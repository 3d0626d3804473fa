"""Emotion from word counts in and around a line: hashed TF-IDF and logistic regression.

It ignores word order and persons, but is right often enough where the encoder is wrong that both together are better
than either.
"""

import functools
import io
import itertools
import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from aptone.planner.passage import Passage
from aptone.stats.logits import log_softmax
from aptone.types import Language

PLACES = 1 << 15
"""Hash buckets for the n-grams of a view."""
VIEWS = 3
"""Number of views: the line, the line with its surroundings, and its immediate surroundings."""
REACH: dict[Language, tuple[int, int, int]] = {"en": (500, 160, 90), "zh": (200, 70, 40)}
"""Characters before and after the line in the second view, and on both sides in the third."""
_WORD = re.compile(r"[\w']+|[!?.…]+")
_SAME = str.maketrans("’‘“”", "''\"\"")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Reader of a language by word counts.

    Args:
        rarity: inverse document frequencies, a row a view.
        weights: weight of each view, bucket and outcome.
        offsets: offset of each outcome.
        language: language of the n-grams.
    """

    rarity: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]
    offsets: npt.NDArray[np.float32]
    language: Language

    def log_shares(self, passage: Passage) -> Floats:
        """Return the log probability of every outcome."""
        scores = self.offsets.astype(np.float64)
        for view, counted in enumerate(counts(passage, self.language)):
            places = np.fromiter(counted.keys(), dtype=np.int64, count=len(counted))
            times = np.fromiter(counted.values(), dtype=np.float64, count=len(counted))
            values = (1.0 + np.log(times)) * self.rarity[view, places]
            if len(places):
                scores += (values / math.sqrt(float(values @ values))) @ self.weights[view, places]
        return log_softmax(scores)


def counts(passage: Passage, language: Language) -> list[Counter[int]]:
    """Count the n-grams of each view in each bucket."""
    text, start, end = passage.text, passage.start, passage.end
    before, after, beside = REACH[language]
    views = (
        text[start:end],
        text[max(0, start - before) : end + after],
        text[max(0, start - beside) : start] + " " + text[end : end + beside],
    )
    return [Counter(zlib.crc32(gram.encode()) % PLACES for gram in _grams(view, language)) for view in views]


def _grams(text: str, language: Language) -> Iterator[str]:
    """Yield words and pairs of words; of Mandarin one to three characters."""
    plain = text.lower().translate(_SAME)
    if language == "zh":
        plain = " ".join(plain.split())
        for size in (1, 2, 3):
            yield from (plain[place : place + size] for place in range(len(plain) - size + 1))
    else:
        words = _WORD.findall(plain)
        yield from words
        yield from map(" ".join, itertools.pairwise(words))


@functools.cache
def load_word_counts(language: Language) -> WordCounts:
    """Load the built-in reader of a language."""
    data = (files("aptone.planner") / "weights" / f"words.{language}.npz").read_bytes()
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        return WordCounts(
            rarity=stored["rarity"].astype(np.float32),
            weights=stored["weights"].astype(np.float32) * stored["scales"].astype(np.float32),
            offsets=stored["offsets"].astype(np.float32),
            language=language,
        )
