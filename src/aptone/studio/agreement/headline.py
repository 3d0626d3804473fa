"""Headline of a question: agreement corrected for chance, with an interval and a word, whatever the kind of question.

Every kind has a Krippendorff alpha with the distance that fits its answers, so that random answers give 0 and no kind
looks better than another by what is counted:

==============================  ================  ======================================================================
kind                            measure           distance of two answers
==============================  ================  ======================================================================
``scale``                       alpha_trimmed     squared difference
``choice``                      alpha_trimmed     equal or not
``preference``                  alpha_symmetric   equal or not; chance takes either clip as often
``text``                        alpha_meaning     squared distance of the unit vectors of the texts (twice 1 - cosine)
``text``, vad                   alpha_feeling     squared distance of the places in valence, arousal and dominance
``boundaries``                  alpha_times       squared distance of both ends, as shares of the clip, from those given
``edit``                        alpha_edits       by tokens of the given text: kept, or what took its place
``ratings``, ``ranking``, …     alpha_sets        squared difference, each clip of a set as a unit, sets drawn whole
==============================  ================  ======================================================================

Shares, distances and error rates are beside it, each with its direction, and never a headline.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from aptone.stats.alpha import (
    AlphaSample,
    ChoiceSample,
    LabelSample,
    PointSample,
    agreement_word,
)
from aptone.studio.agreement.edits import edit_units
from aptone.studio.agreement.feeling_places import DIMENSIONS, feeling_places
from aptone.studio.agreement.items import ByItem, as_text, as_times, clip_numbers
from aptone.types import Control, Estimate, Json, RatingItem
from aptone.types.rating import SAME

FEWEST_ITEMS = 5
"""Items with two answers that a word needs: of fewer, raters who draw lots too often agree on all."""

Direction = Literal["higher", "lower", ""]
HEADLINES: Mapping[str, str] = {
    "scale": "alpha_trimmed",
    "choice": "alpha_trimmed",
    "preference": "alpha_symmetric",
    "text": "alpha_meaning",
    "vad": "alpha_feeling",
    "boundaries": "alpha_times",
    "edit": "alpha_edits",
    "ratings": "alpha_sets",
    "ranking": "alpha_sets",
    "best-worst": "alpha_sets",
}
"""Kind of question to the measure that is its headline."""
LOWER_IS_BETTER = frozenset({"seconds_apart", "character_error_rate"})
NEITHER = "share:"
"""Prefix of measures without a direction: how often a system was preferred."""
UNCORRECTED = frozenset({"percent", "cosine", "overlap", *LOWER_IS_BETTER})
"""Measures whose value for random answers is not 0: they depend on the question, and are no agreement by themselves."""


def direction(measure: str) -> Direction:
    """Direction in which a measure means more agreement; empty where it means none.

    >>> direction("seconds_apart"), direction("alpha"), direction("share:old")
    ('lower', 'higher', '')
    """
    if measure.startswith(NEITHER):
        return ""
    return "lower" if measure in LOWER_IS_BETTER else "higher"


def is_corrected(measure: str) -> bool:
    """Return whether a measure is 0 for random answers."""
    return measure not in UNCORRECTED and not measure.startswith(NEITHER)


def headline_word(estimate: Estimate) -> str:
    """Word for a headline, ``too-few`` below five items, empty where it is undefined."""
    if not estimate.is_defined:
        return ""
    return "too-few" if estimate.count < FEWEST_ITEMS else agreement_word(estimate) or "none"


@dataclass(frozen=True, slots=True)
class Material:
    """What samples need besides the answers.

    Args:
        items: item to its record, for what people were given.
        seconds: item to the length of its clip; items without one are compared in seconds.
        vectors: texts to unit vectors, NaN for texts without meaning.
        lexicon: of words of feeling; ``None`` for the built-in one.
    """

    items: Mapping[str, RatingItem]
    seconds: Mapping[str, float]
    vectors: Callable[[Sequence[str]], Mapping[str, Any]]
    lexicon: Any = None


def alpha_sample(control: Control, given: ByItem[Any], material: Material) -> AlphaSample:
    """Sample of the answers to a question, by the distance of its kind; `given` as the kind's reader returns it."""
    kind = control.agreement or control.kind
    return _SAMPLES[kind](control, given, material)


def _numbers(control: Control, given: ByItem[float], material: Material) -> AlphaSample:
    return PointSample.of([np.array(list(by.values()))[:, None] for by in given.values()], list(given))


def _labels(control: Control, given: ByItem[str], material: Material) -> AlphaSample:
    return LabelSample.of([list(by.values()) for by in given.values()], list(given))


def _choices(control: Control, given: ByItem[str], material: Material) -> AlphaSample:
    return ChoiceSample.of([list(by.values()) for by in given.values()], list(given), same=SAME)


def _texts(control: Control, given: ByItem[str], material: Material) -> AlphaSample:
    vectors = material.vectors([text for by in given.values() for text in by.values()])
    rows = []
    for by in given.values():
        known = [vector for text in by.values() if not np.isnan(vector := vectors[text]).any() and vector.any()]
        rows.append(np.array([vector / np.linalg.norm(vector) for vector in known], dtype=np.float64))
    return PointSample.of(rows, list(given))


def _feelings(control: Control, given: ByItem[str], material: Material) -> AlphaSample:
    texts = [text for by in given.values() for text in by.values()]
    places = feeling_places(texts, lexicon=material.lexicon)
    rows = []
    for by in given.values():
        points = [
            [getattr(place, name) for name in DIMENSIONS] for text in by.values() if (place := places[text]) is not None
        ]
        rows.append(np.array([point for point in points if not any(map(math.isnan, point))], dtype=np.float64))
    return PointSample.of(rows, list(given))


def _times(control: Control, given: ByItem[tuple[float, float]], material: Material) -> AlphaSample:
    rows = []
    for item, by in given.items():
        first = as_times(_field(control, item, material)) or (0.0, 0.0)
        length = material.seconds.get(item, math.nan)
        scale = length if length > 0 else 1.0
        rows.append((np.array(list(by.values()), dtype=np.float64) - np.array(first)) / scale)
    return PointSample.of(rows, list(given))


def _edits(control: Control, given: ByItem[str], material: Material) -> AlphaSample:
    texts = {item: as_text(_field(control, item, material)) or "" for item in given}
    units, items = edit_units(given, texts)
    return LabelSample.of(units, items)


def _sets(*, missing: float | None = None) -> Callable[[Control, Any, Material], AlphaSample]:
    def sample(control: Control, given: ByItem[Mapping[str, float]], material: Material) -> AlphaSample:
        numbers = clip_numbers(given, missing=missing)
        rows = [np.array(list(by.values()))[:, None] for by in numbers.values()]
        return PointSample.of(rows, [name.partition("\n")[0] for name in numbers])

    return sample


def _field(control: Control, item: str, material: Material) -> Json:
    record = material.items.get(item)
    return record.fields.get(control.prefill) if record and control.prefill else None


_SAMPLES: Mapping[str, Callable[[Control, Any, Material], AlphaSample]] = {
    "scale": _numbers,
    "choice": _labels,
    "preference": _choices,
    "text": _texts,
    "vad": _feelings,
    "boundaries": _times,
    "edit": _edits,
    "ratings": _sets(),
    "ranking": _sets(),
    "best-worst": _sets(missing=0.0),
}
