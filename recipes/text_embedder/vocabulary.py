"""Units of the built-in text embedder, their frequencies and their initial vectors.

English units are the plain pieces of MiniLM's vocabulary and further words of the texts; they start at the teacher's
vector for the piece alone. Mandarin units are the most frequent words and characters that have a vector in the word2vec
file; a linear map, fitted to pairs of words with one meaning, takes those vectors to the teacher's. All are scaled by
the weight a / (a + frequency) of Arora et al. 2017, so that "the" and 的 hardly count.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.models.text.units import CONTINUED, LONGEST_RUN, TextUnits, is_han, runs
from recipes.text_embedder.data import Pair

Floats = npt.NDArray[np.float32]

BUCKETS = 256
EXTRA_COUNT = 4
"""Smallest count of an English word that becomes a unit of its own, where the pieces do not know it."""
RARE = 1e-3
"""Constant of the weights: a unit of this frequency has half of a rare unit's weight."""
BUCKET_LENGTH = 0.5
RIDGE = 1.0


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Units and their frequencies.

    Args:
        units: units in order, English first.
        english: number of English units.
        frequency: share of each unit among all occurrences in its language.
    """

    units: tuple[str, ...]
    english: int
    frequency: npt.NDArray[np.float64]

    @property
    def cutter(self) -> TextUnits:
        """Splitter of texts into these units."""
        return TextUnits(self.units, buckets=BUCKETS)


def plain_pieces(vocabulary: Sequence[str]) -> list[str]:
    """Return the pieces of an encoder's vocabulary that English is written with; of numbers only the short ones."""
    plain = (piece for piece in vocabulary if piece.isascii() and not piece.startswith("["))
    return [piece for piece in plain if len(piece) <= 2 or not piece.removeprefix(CONTINUED).isdecimal()]


def choose_units(
    pieces: Sequence[str],
    english: Sequence[str],
    mandarin: Sequence[str],
    *,
    wanted: Iterable[str],
    vectors: Sequence[str],
    counts: Counter[str],
    mandarin_units: int,
) -> Vocabulary:
    """Choose the units from texts.

    Args:
        pieces: pieces of the teacher, from `plain_pieces`.
        english: English texts.
        mandarin: Mandarin lines.
        wanted: wordings of pairs and descriptions in both languages, whose words are all included.
        vectors: Mandarin words that have a vector, the most frequent first.
        counts: frequencies of Mandarin words.
        mandarin_units: number of Mandarin units, besides those of `wanted`.
    """
    taken = [run for text in wanted for run in runs(text)]
    words = Counter(run for text in english for run in runs(text) if not is_han(run))
    known = set(pieces)
    extra = [word for word, count in words.items() if count >= EXTRA_COUNT and word not in known]
    extra += [run for run in taken if not is_han(run) and run not in known]
    english_units = list(dict.fromkeys([*pieces, *extra]))
    short = [word for word in vectors if is_han(word) and len(word) <= LONGEST_RUN and all(map(is_han, word))]
    rank = {word: place for place, word in enumerate(short)}
    short.sort(key=lambda word: (-counts[word] / len(word) ** 0.5, rank[word]))
    characters = once(letter for line in (*mandarin, *short[:mandarin_units]) for letter in line if is_han(letter))
    han = once(
        [*short[:mandarin_units], *characters, *(run for run in taken if is_han(run) and len(run) <= LONGEST_RUN)]
    )
    units = (*english_units, *han)
    cutter = TextUnits(units, buckets=BUCKETS)
    seen = np.zeros(len(cutter), dtype=np.float64)
    for text in english:
        np.add.at(seen, cutter.numbers(text), 1.0)
    spoken = np.zeros(len(cutter), dtype=np.float64)
    for line in mandarin:
        np.add.at(spoken, cutter.numbers(line), 1.0)
    written = np.array([0.0] * len(english_units) + [float(counts[unit]) for unit in han] + [0.0] * BUCKETS)
    written *= spoken.sum() / max(written.sum(), 1.0)
    first = len(english_units)
    frequency = np.concatenate([_shares(seen[:first]), _shares(spoken[first:] + written[first:])])
    return Vocabulary(units, english=first, frequency=frequency)


def once(values: Iterable[str]) -> list[str]:
    """Return the values without repetitions, in their order."""
    return list(dict.fromkeys(values))


def _shares(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    shares: npt.NDArray[np.float64] = counts / max(float(counts.sum()), 1.0)
    return shares


def first_vectors(
    vocabulary: Vocabulary,
    *,
    meaning: Callable[[Sequence[str]], Floats],
    pairs: Sequence[Pair],
    words: Sequence[str],
    vectors: Floats,
    seed: int,
) -> Floats:
    """Return the initial vectors of all units: [units and buckets, size].

    Args:
        vocabulary: the units.
        meaning: returns the teacher's vectors of English words and phrases, without their mean.
        pairs: pairs that the map is fitted to.
        words: words that have a Mandarin vector.
        vectors: vectors of those words.
        seed: random seed of the buckets' vectors.
    """
    english = _unit(meaning([unit.removeprefix(CONTINUED) for unit in vocabulary.units[: vocabulary.english]]))
    unit_vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    place = {word: row for row, word in enumerate(words)}
    meant: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.mandarin in place:
            meant.setdefault(pair.mandarin, []).append(pair.english)
    flat = once(text for texts in meant.values() for text in texts)
    number = {text: row for row, text in enumerate(flat)}
    trained = meaning(flat)
    target = np.stack([trained[[number[text] for text in texts]].mean(axis=0) for texts in meant.values()])
    given = _with_one(unit_vectors[[place[word] for word in meant]])
    mapping = np.linalg.solve(given.T @ given + RIDGE * np.eye(given.shape[1]), given.T @ target)
    direct = dict(zip(meant, target, strict=True))
    mapped = _with_one(unit_vectors) @ mapping
    of_letter: dict[str, list[int]] = {}
    for row, word in enumerate(words):
        for letter in set(word):
            of_letter.setdefault(letter, []).append(row)
    dice = np.random.default_rng(seed)
    rows = np.zeros((len(vocabulary.units) + BUCKETS, english.shape[1]), dtype=np.float32)
    rows[: vocabulary.english] = english
    for row, unit in enumerate(vocabulary.units[vocabulary.english :], start=vocabulary.english):
        near = [place[unit]] if unit in place else of_letter.get(unit, [])[:50]
        guess = _unit(mapped[near].mean(axis=0)) if near else BUCKET_LENGTH * _unit(dice.normal(size=english.shape[1]))
        rows[row] = _unit(guess + _unit(direct[unit])) if unit in direct else guess
    rows[len(vocabulary.units) :] = BUCKET_LENGTH * _unit(dice.normal(size=(BUCKETS, english.shape[1])))
    weights = RARE / (RARE + vocabulary.frequency)
    scaled: Floats = (rows * weights[:, np.newaxis]).astype(np.float32)
    return scaled


def _with_one(rows: Floats) -> Floats:
    widened: Floats = np.concatenate([rows, np.ones((len(rows), 1), dtype=np.float32)], axis=1)
    return widened


def _unit(rows: npt.ArrayLike) -> Floats:
    wide = np.asarray(rows, dtype=np.float32)
    unit: Floats = wide / np.maximum(np.linalg.norm(wide, axis=-1, keepdims=True), 1e-9)
    return unit
