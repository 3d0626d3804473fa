"""Plain features of an answer: weighted counts of its words.

They see no word order, and so cannot tell who does what; but they hold for subjects that a small transformer has never
read of. The scorer (`aptone.rooms.answer.judge.content_model`) puts them together with its own reading.
"""

import math
import zlib
from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from aptone.models.text.units import is_han, runs
from aptone.types import Language

Floats = npt.NDArray[np.float64]

BUCKETS = 1 << 14
"""Columns that word counts are hashed into."""
LONGEST_NGRAM = {"en": 2, "zh": 3}
"""Most words, in Mandarin characters, of an n-gram."""


def ngrams(text: str, language: Language) -> Iterator[str]:
    """Yield the n-grams of a text: single words and pairs, in Mandarin one to three characters of a run.

    >>> list(ngrams("Take care!", "en")), list(ngrams("别怕", "zh"))
    (['take', 'care', 'take care'], ['别', '怕', '别怕'])
    """
    words = [run for run in runs(text) if run[0].isalnum()]
    groups = [list(run) if is_han(run) else [run] for run in words] if language == "zh" else [words]
    for group in groups:
        for size in range(1, LONGEST_NGRAM[language] + 1):
            for start in range(len(group) - size + 1):
                yield ("" if language == "zh" else " ").join(group[start : start + size])


def counted(text: str, language: Language) -> dict[int, float]:
    """Weights of a text's n-grams by bucket, 1 + log(count)."""
    counts = Counter(zlib.crc32(one.encode("utf-8", "surrogatepass")) % BUCKETS for one in ngrams(text, language))
    return {bucket: 1.0 + math.log(count) for bucket, count in counts.items()}


def tf_idf(counts: dict[int, float], idf: Floats) -> tuple[npt.NDArray[np.int64], Floats]:
    """Buckets and values of a text at length 1; empty where it has no words."""
    buckets = np.fromiter(counts, dtype=np.int64, count=len(counts))
    values = np.fromiter(counts.values(), dtype=np.float64, count=len(counts)) * idf[buckets]
    return buckets, values / max(float(np.sqrt(np.square(values).sum())), 1e-12)
