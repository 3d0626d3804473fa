"""Words of feeling as points of valence, arousal and dominance, by the user's lexicon or the built-in one.

The lexicon that comes with Aptone knows words of feeling in English and Mandarin, their strengths and negations
(`aptone.judge.aspects.feelings`). A text without a known word lies where the known words next to it in meaning lie, by
the built-in text embedder, if one of them is near. With one word taken out at a time, 94 % of 515 are placed so, and
their places correlate with their own by 0.97, 0.98 and 0.98 (valence, arousal, dominance); if its synonyms are taken
out with it, 49 % are placed, with correlations of 0.75, 0.63 and 0.61 (``benchmarks/feeling_places.py``).

A lexicon of the user (the NRC VAD Lexicon, for instance, which may not be passed on) takes the place of all that; what
it does not know has no place.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.judge.aspects.feelings import FeelingLexicon, read_feeling
from aptone.lexicon.feelings import feeling_words
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.types import TYPICAL_VAD, Vad

NEIGHBOURS = 8
NEAREST_COSINE = 0.5
"""Least cosine of the nearest known word."""
SHARPNESS = 0.1
"""Neighbours at cosine c weigh exp(c / this)."""

DIMENSIONS = ("valence", "arousal", "dominance")


def read_lexicon(path: Path, *, scale: tuple[float, float] | None = None) -> FeelingLexicon:
    """Read a lexicon from a table with word, valence, arousal and dominance a line, in the layout of NRC-VAD.

    Columns are separated by tabs or, in a ``.csv`` file, by commas; a first line without numbers is the heading.

    Args:
        scale: ends of its scale; by default -1 to 1 where a number is negative, and else 0 to 1.

    Raises:
        RecordError: if a line cannot be understood, or a number lies outside of the scale; the message names the line.
    """
    try:
        lines = path.read_bytes().decode("utf-8-sig").splitlines()
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); check the path.") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: not UTF-8 text ({error.reason}); save the lexicon as UTF-8.") from error
    mark = "," if path.suffix.lower() == ".csv" else "\t"
    rows: dict[str, tuple[int, tuple[float, float, float]]] = {}
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip().strip('"') for cell in line.split(mark)]
        if not line.strip() or (number == 1 and _numbers(cells[1:4]) is None):
            continue
        numbers = _numbers(cells[1:4])
        if len(cells) < 4 or not cells[0] or numbers is None:
            raise RecordError(f"{path}, line {number}: expected a word and three numbers, got {line[:60]!r}.")
        rows[cells[0]] = (number, numbers)
    if not rows:
        raise RecordError(f"{path}: there is no word in it; expected word, valence, arousal and dominance a line.")
    negative = any(value < 0 for _, numbers in rows.values() for value in numbers)
    low, high = scale or ((-1.0, 1.0) if negative else (0.0, 1.0))
    if not low < high:
        raise UsageError(f"the scale of a lexicon has a lower and an upper end, got {low:g} and {high:g}.")
    places = {}
    for word, (number, numbers) in rows.items():
        if not all(low <= value <= high for value in numbers):
            raise RecordError(f"{path}, line {number}: {word!r} lies outside of {low:g} to {high:g}; name the scale.")
        places[word] = Vad(*(2 * (value - low) / (high - low) - 1 for value in numbers))
    return FeelingLexicon.of(places)


def _numbers(cells: Sequence[str]) -> tuple[float, float, float] | None:
    try:
        valence, arousal, dominance = map(float, cells)
    except ValueError:
        return None
    return (valence, arousal, dominance) if math.isfinite(valence + arousal + dominance) else None


def feeling_places(texts: Sequence[str], *, lexicon: FeelingLexicon | None = None) -> dict[str, Vad | None]:
    """Map each text to its place, by the built-in words and embedding or a lexicon; ``None`` where it is unknown."""
    found: dict[str, Vad | None] = {}
    unknown = []
    for text in dict.fromkeys(texts):
        feeling = read_feeling(text, lexicon=lexicon) if lexicon is not None else _known(text)
        found[text] = feeling.vad if feeling is not None else None
        if feeling is None and lexicon is None:
            unknown.append(text)
    return {**found, **_near(unknown)}


_known = functools.lru_cache(maxsize=100_000)(read_feeling)


def _near(texts: Sequence[str]) -> Mapping[str, Vad | None]:
    """Map texts to their places by the nearest known words."""
    vectors = load_static_vectors()
    meant = [text for text in texts if vectors.units(text)]
    if not meant:
        return {}
    known, places = known_words()
    cosines = vectors.embed(meant) @ known.T
    return {text: place_by_neighbours(row, places) for text, row in zip(meant, cosines, strict=True)}


def place_by_neighbours(cosines: npt.NDArray[np.floating], places: npt.NDArray[np.float64]) -> Vad | None:
    """Place of a text by its nearest known words, weighted by similarity; ``None`` where none is near.

    Rows of `places` are valence, arousal and dominance of the known words; NaN where a word has none.
    """
    nearest = np.argsort(-cosines, kind="stable")[:NEIGHBOURS]
    if cosines[nearest[0]] < NEAREST_COSINE:
        return None
    weights = np.exp((cosines[nearest] - cosines[nearest[0]]) / SHARPNESS)[:, None] * ~np.isnan(places[nearest])
    totals = weights.sum(axis=0)
    sums = (weights * np.nan_to_num(places[nearest])).sum(axis=0)
    return Vad(*(float(s / t) if t else math.nan for s, t in zip(sums, totals, strict=True)))


@functools.cache
def known_words() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    """Vectors of the words whose places are known, and these places."""
    words: dict[str, Vad] = {**feeling_words("en"), **feeling_words("zh")}
    for emotion, place in TYPICAL_VAD.items():
        words |= {emotion.value: place, emotion.zh: place}
    places = np.array([[place.valence, place.arousal, place.dominance] for place in words.values()])
    return load_static_vectors().embed(list(words)), places
