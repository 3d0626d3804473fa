"""Which emotion the words in and around a line are usually found with: hashed TF-IDF and logistic regression.

It knows nothing of order or of persons. It is the plainest reader of the three, and right often enough where the
encoder is not that both together are better than either.
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
"""Places that n-grams of a view are hashed into."""
VIEWS = 3
"""The line, what stands near it with it, and what stands right before and behind it."""
REACH: dict[Language, tuple[int, int, int]] = {"en": (500, 160, 90), "zh": (200, 70, 40)}
"""Characters before and after the line that the second view reads, and on both sides that the third one reads."""
_WORD = re.compile(r"[\w']+|[!?.…]+")
_SAME = str.maketrans("’‘“”", "''\"\"")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WordCounts:
    """A reader of a language.

    Args:
        rarity: inverse document frequencies, a row a view.
        weights: for each view, place and outcome.
        offsets: of the outcomes.
        language: whose n-grams it counts.
    """

    rarity: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]
    offsets: npt.NDArray[np.float32]
    language: Language

    def log_shares(self, passage: Passage) -> Floats:
        """The logarithm of the probability of every outcome."""
        scores = self.offsets.astype(np.float64)
        for view, counted in enumerate(counts(passage, self.language)):
            places = np.fromiter(counted.keys(), dtype=np.int64, count=len(counted))
            times = np.fromiter(counted.values(), dtype=np.float64, count=len(counted))
            values = (1.0 + np.log(times)) * self.rarity[view, places]
            if len(places):
                scores += (values / math.sqrt(float(values @ values))) @ self.weights[view, places]
        return log_softmax(scores)


def counts(passage: Passage, language: Language) -> list[Counter[int]]:
    """How often n-grams fall on each place, a view each."""
    text, start, end = passage.text, passage.start, passage.end
    before, after, beside = REACH[language]
    views = (
        text[start:end],
        text[max(0, start - before) : end + after],
        text[max(0, start - beside) : start] + " " + text[end : end + beside],
    )
    return [Counter(zlib.crc32(gram.encode()) % PLACES for gram in _grams(view, language)) for view in views]


def _grams(text: str, language: Language) -> Iterator[str]:
    """Words and pairs of words; of Mandarin one to three characters."""
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
    """The reader of a language that comes with Aptone."""
    data = (files("aptone.planner") / "weights" / f"words.{language}.npz").read_bytes()
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        return WordCounts(
            rarity=stored["rarity"].astype(np.float32),
            weights=stored["weights"].astype(np.float32) * stored["scales"].astype(np.float32),
            offsets=stored["offsets"].astype(np.float32),
            language=language,
        )
