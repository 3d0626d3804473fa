"""Caption metrics that count shared words and phrases: BLEU-4, ROUGE-L and CIDEr, as the COCO toolkit defines them.

They compare a caption with reference captions and never hear the recording. They are here as rivals, so that a table
can say what EmoSURA adds. `words_of` makes the words: lower case without punctuation, Mandarin by character.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

Tokens = Sequence[str]
Weights = Mapping[tuple[str, ...], float]

LONGEST = 4
"""Words in the longest phrases that are counted."""
ROUGE_BETA = 1.2
CIDER_SIGMA = 6.0
CIDER_SCALE = 10.0
TINY, SMALL = 1e-15, 1e-9
"""Constants that keep a caption without a shared phrase of four words from being 0 / 0; the toolkit's own numbers."""

_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:[-'’][^\W_\u3400-\u9fff]+)*")


def words_of(text: str) -> tuple[str, ...]:
    """The words of a caption, in lower case, without punctuation; each Chinese character is one.

    >>> words_of("Her low-pitched voice: 很低！")
    ('her', 'low-pitched', 'voice', '很', '低')
    """
    return tuple(_WORD.findall(text.lower()))


def bleu_4(candidate: Tokens, references: Sequence[Tokens]) -> float:
    """BLEU-4 of one caption (Papineni et al. 2002): the geometric mean of how many of its phrases the references hold.

    ``min(1, exp(1 - r / c)) · (p₁ p₂ p₃ p₄)^¼`` with pₙ the share of the caption's phrases of n words that a reference
    holds (each as often as in one reference at most), c its length and r that of the reference nearest in length. From
    0 to 1, higher is better; nearly 0 without a shared phrase of four words.

    Undefined (NaN) without a word in the references.

    >>> round(bleu_4("a b c d e".split(), ["a b c d f".split()]), 4)  # (4/5 · 3/4 · 2/3 · 1/2)^¼
    0.6687
    """
    if not any(references):
        return math.nan
    product = 1.0
    for size in range(1, LONGEST + 1):
        own = _ngrams(candidate, size)
        most: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            most |= _ngrams(reference, size)
        shared = sum((own & most).values())
        product *= (shared + TINY) / (own.total() + SMALL)
    nearest = min((abs(len(one) - len(candidate)), len(one)) for one in references)[1]
    ratio = (len(candidate) + TINY) / (nearest + SMALL)
    return float(product ** (1 / LONGEST) * math.exp(min(0.0, 1 - 1 / ratio)))


def rouge_l(candidate: Tokens, references: Sequence[Tokens]) -> float:
    """ROUGE-L (Lin 2004): how long a sequence of words a caption and a reference have in common, with gaps.

    With L the length of the longest common subsequence, P the highest ``L / length of the caption`` and R the highest
    ``L / length of the reference`` over the references: ``(1 + β²) P R / (R + β² P)``, β = 1.2. From 0 to 1, higher is
    better. A caption without words has 0.

    Undefined (NaN) without a word in the references.

    >>> round(rouge_l("a b c".split(), ["a x c d".split()]), 4)  # L = 2: P = 2/3, R = 1/2
    0.5571
    """
    if not any(references):
        return math.nan
    common = [longest_common(candidate, reference) for reference in references]
    if not any(common):
        return 0.0
    precision = max(common) / len(candidate)
    recall = max(length / len(reference) for length, reference in zip(common, references, strict=True) if reference)
    return (1 + ROUGE_BETA**2) * precision * recall / (recall + ROUGE_BETA**2 * precision)


def longest_common(first: Tokens, second: Tokens) -> int:
    """Length of the longest common subsequence.

    >>> longest_common("abcbdab", "bdcaba")
    4
    """
    row = [0] * (len(second) + 1)
    for word in first:
        before = 0
        for place, other in enumerate(second, start=1):
            before, row[place] = row[place], before + 1 if word == other else max(row[place], row[place - 1])
    return row[-1]


def cider(candidates: Sequence[Tokens], references: Sequence[Sequence[Tokens]]) -> list[float]:
    """CIDEr-D of every caption (Vedantam et al. 2015): shared phrases, rare ones weighing more.

    For phrases of n = 1 to 4 words, g(·) counts them, each weighted by the logarithm of how many times more reference
    sets there are than sets that hold it. For a caption c and a reference s:
    ``Σₙ min(g(c), g(s)) · g(s) / (|g(c)| |g(s)|) · exp(-(l_c - l_s)² / 2σ²) · 10 / 4``, averaged over the references,
    with l the length and σ = 6. From 0 to 10, higher is better.

    A score depends on the whole set: with one reference set every weight is 0. Undefined (NaN) without a word in the
    references.

    >>> [round(score, 2) for score in cider(["a b".split(), "a c".split()], [["a b".split()], ["a d".split()]])]
    [5.0, 0.0]
    """
    documents: Counter[tuple[str, ...]] = Counter()
    for texts in references:
        documents.update({ngram for text in texts for size in range(1, LONGEST + 1) for ngram in _ngrams(text, size)})
    whole = math.log(len(references)) if references else 0.0

    def weighted(text: Tokens) -> list[Weights]:
        return [
            {
                ngram: count * (whole - math.log(max(1, documents[ngram])))
                for ngram, count in _ngrams(text, size).items()
            }
            for size in range(1, LONGEST + 1)
        ]

    scores = []
    for candidate, texts in zip(candidates, references, strict=True):
        if not any(texts):
            scores.append(math.nan)
            continue
        own = weighted(candidate)
        similar = [_similarity(own, weighted(text), _pairs(candidate) - _pairs(text)) for text in texts]
        scores.append(CIDER_SCALE * sum(similar) / len(similar))
    return scores


def _similarity(own: Sequence[Weights], other: Sequence[Weights], longer: int) -> float:
    total = 0.0
    for mine, theirs in zip(own, other, strict=True):
        product = sum(min(weight, theirs.get(ngram, 0.0)) * theirs.get(ngram, 0.0) for ngram, weight in mine.items())
        size = math.hypot(*mine.values()) * math.hypot(*theirs.values())
        total += product / size if size else 0.0
    return total / LONGEST * math.exp(-(longer**2) / (2 * CIDER_SIGMA**2))


def _pairs(text: Tokens) -> int:
    """Neighbouring pairs, which the toolkit takes for the length."""
    return max(0, len(text) - 1)


def _ngrams(text: Tokens, size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(text[place : place + size]) for place in range(len(text) - size + 1))
