"""Wording of an answer by the table: words for and against a style, likeness to examples, simple and brief words.

Fixed lists: an answer that shows its understanding in other words gets less than it deserves, and one that uses them by
rote gets more. For the styles that the trained scorer knows, this is only a part of the wording.
"""

import functools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.models.text.units import is_han, runs
from aptone.rooms.answer.judge.terms import Complement
from aptone.types import Language

SIGN = 0.8
"""Weight of one sign, for or against; at most `MOST_SIGNS` of either kind count."""
MOST_SIGNS = 3
NEARNESS = 5.0
"""Weight of a cosine's lead over the other speaking styles."""
SIMPLICITY = 1.5
BREVITY = 0.5
START = -0.3
"""Bias of the fit: without evidence it lies a little below the middle."""

BRIEF, LONG = 14, 40
"""Words up to which an answer is brief, and from which on it is long; Han characters count half."""

Vector = npt.NDArray[np.float32]
_SENTENCE_END = re.compile(r"[.!?。！？;；]+")


@dataclass(frozen=True, slots=True)
class Wording:
    """Evidence in the words of an answer; its fit is from 0 to 1."""

    fit: float
    signs: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


def wording_fit(
    category: str, rows: Mapping[str, Complement], question: str, answer: str, *, language: Language
) -> Wording:
    """Score how well the words of an answer, at least one, fit a speaking style."""
    row = rows[category]
    signs = _found(row.signs[language], question, answer)
    opposite = dict.fromkeys(
        sign for other in row.opposes for sign in rows[other].signs[language] if sign not in row.signs[language]
    )
    wrong = _found(tuple(opposite), question, answer)
    evidence = START + SIGN * (min(len(signs), MOST_SIGNS) - min(len(wrong), MOST_SIGNS))
    evidence += NEARNESS * _lead(category, language, rows, answer)
    if row.simple:
        evidence += SIMPLICITY * (row.simple if row.simple > 0 else row.simple / 2) * (2.0 * simplicity(answer) - 1.0)
    if row.brief:
        length = _length(answer)
        evidence += BREVITY * ((length <= BRIEF) - (length >= LONG))
    return Wording(1.0 / (1.0 + math.exp(-evidence)), signs, wrong)


def simplicity(text: str) -> float:
    """Simplicity of a text, 0 to 1, by the length of its words and of its sentences.

    In English 3.5 letters a word and 6 words a sentence are as simple as can be, 6 and 20 not simple at all; in
    Mandarin 6 and 24 characters a sentence.

    >>> simplicity("The cat is big.") > simplicity("Particularly sophisticated considerations predominate.")
    True
    """
    words = [run for run in runs(text) if run[0].isalnum()]
    sentences = max(1, sum(bool(part.strip()) for part in _SENTENCE_END.split(text)))
    if not words:
        return 0.0
    if sum(map(is_han, words)) * 2 >= len(words):
        return _between(sum(len(word) for word in words) / sentences, best=6.0, worst=24.0)
    letters = sum(len(word) for word in words) / len(words)
    return (_between(letters, best=3.5, worst=6.0) + _between(len(words) / sentences, best=6.0, worst=20.0)) / 2.0


def _between(value: float, *, best: float, worst: float) -> float:
    return min(1.0, max(0.0, (worst - value) / (worst - best)))


def _length(text: str) -> float:
    return sum(len(run) / 2 if is_han(run) else 1.0 for run in runs(text) if run[0].isalnum())


def _found(signs: tuple[str, ...], question: str, answer: str) -> tuple[str, ...]:
    """Signs that the answer has and the question has not; one that is a part of another counts with it."""
    said, asked = _spaced(answer), _spaced(question)
    found = [sign for sign in signs if (plain := _spaced(sign)) in said and plain not in asked]
    return tuple(sign for sign in found if not any(_spaced(sign) in _spaced(other) for other in found if other != sign))


@functools.lru_cache(maxsize=2048)
def _spaced(text: str) -> str:
    """Words with a space on either side, Mandarin without: in both, a phrase is found as a part of the whole.

    >>> _spaced("I'm so sorry!"), " sorry " in _spaced("So sorry.")
    (" i ' m so sorry ", True)
    """
    words = [run for run in runs(text) if run[0].isalnum() or run == "'"]
    return "\n".join(words) if words and all(map(is_han, words)) else f" {' '.join(words)} "


def _lead(category: str, language: Language, rows: Mapping[str, Complement], answer: str) -> float:
    """Lead of an answer's similarity to the examples of a category over the mean of the others."""
    vector = load_static_vectors().embed([answer])[0]
    near = {
        name: max(float(np.dot(vector, example)) for example in _examples(row.examples[language]))
        for name, row in rows.items()
    }
    others = [value for name, value in near.items() if name != category]
    return near[category] - sum(others) / len(others)


@functools.cache
def _examples(texts: tuple[str, ...]) -> tuple[Vector, ...]:
    return tuple(load_static_vectors().embed(texts))
