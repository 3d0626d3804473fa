"""Plain features of a question and an answer: counts of the answer's words, and how near the two are word by word.

They see no word order, and so cannot tell who does what; but they hold for subjects that a small transformer has never
read of. The scorer (`aptone.rooms.answer.judge.content_model`) puts them together with its own reading.
"""

import math
import zlib
from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from aptone.models.text.built_in_embedder import load_static_vectors
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


def nearness(question: str, answer: str) -> tuple[float, float, float]:
    """How near two texts are by the built-in text embedder, each from -1 to 1; 0 where one has no words.

    The cosine of the texts, the mean over the question's words of the nearest word of the answer, and the reverse;
    words count by their weight in the embedder.
    """
    vectors = load_static_vectors()
    first, second = vectors.units(question), vectors.units(answer)
    if not first or not second:
        return 0.0, 0.0, 0.0
    one, other = (vectors.unit_vectors(units).astype(np.float64) for units in (first, second))
    lengths = [np.sqrt(np.square(rows).sum(axis=1)) for rows in (one, other)]
    plain = [rows / np.maximum(length, 1e-9)[:, np.newaxis] for rows, length in zip((one, other), lengths, strict=True)]
    matches = plain[0] @ plain[1].T
    weights = [np.square(length) / max(float(np.square(length).sum()), 1e-12) for length in lengths]
    sums = one.sum(axis=0), other.sum(axis=0)
    norm = float(np.sqrt(np.square(sums[0]).sum() * np.square(sums[1]).sum()))
    cosine = float(sums[0] @ sums[1]) / max(norm, 1e-12)
    return cosine, float(matches.max(axis=1) @ weights[0]), float(matches.max(axis=0) @ weights[1])
