"""Statistics of a set of rated lines: CEAEval's Figure 2 as numbers."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from aptone.audio import probe
from aptone.errors import AptoneError
from aptone.lexicon.plan_words import normalise_condition, normalise_emotion
from aptone.planner import LARGEST_WINDOW, context_window
from aptone.rooms.aptness.rated_lines import RatedLine, RatedSet
from aptone.types import Annotation, Audio, AudioRef, Language, Plan

BANDS = ("0–1", "1–2", "2–3", "3–4", "4–5")
"""CEAEval's bands of the score; each holds its lower end, the last one also its upper end."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A distribution in five numbers, `low` and `high` the quartiles; NaN where there is nothing."""

    count: int
    mean: float
    low: float
    median: float
    high: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """The distribution of some numbers.

        >>> Spread.of([1.0, 2.0, 3.0]).median
        2.0
        """
        if not values:
            return cls(0, *[math.nan] * 6)
        least, low, median, high, most = (float(value) for value in np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
        return cls(len(values), float(np.mean(values)), low, median, high, least, most)


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Lines by class, the most frequent first; `planned` where plans give the classes, for want of annotations."""

    counts: Mapping[str, int]
    unanswered: int
    planned: bool = False


@dataclass(frozen=True, slots=True)
class SetStatistics:
    """Statistics of a set of rated lines.

    Args:
        context_characters: context size to the characters of such contexts, as appendix B cuts them; without roles and
            without the target line.
        whole_contexts: context size to the lines whose story is long enough for it.
        passed_over: ignored contents of records, with counts.
    """

    lines: int
    rated: int
    context_characters: Mapping[str, Spread]
    whole_contexts: Mapping[str, int]
    classes: Mapping[str, ClassCounts]
    scores: Spread
    bands: Mapping[str, int]
    seconds: Spread
    unreadable: int
    raters: int
    passed_over: Mapping[str, int] = field(default_factory=dict)


def set_statistics(
    rated: RatedSet, *, context_sizes: Iterable[int] = range(LARGEST_WINDOW + 1), language: Language = "en"
) -> SetStatistics:
    """Count what a set is made of."""
    samples = [line.sample for line in rated.lines]
    windows = {
        size: [context_window(sample.context, sample.following, size=size) for sample in samples]
        for size in sorted(set(context_sizes))
    }
    scores = [line.score(proxy=rated.is_proxy) for line in rated.rated_lines]
    bands = [min(len(BANDS) - 1, math.floor(score)) for score in scores]
    seconds = [_seconds(sample.audio) for sample in samples]
    known = [length for length in seconds if not math.isnan(length)]
    return SetStatistics(
        lines=len(samples),
        rated=len(scores),
        context_characters={
            str(size): Spread.of(
                [float(sum(len(line.text) for line in (*window.before, *window.after))) for window in found]
            )
            for size, found in windows.items()
        },
        whole_contexts={str(size): sum(window.size == size for window in found) for size, found in windows.items()},
        classes=_classes(rated.lines, language),
        scores=Spread.of(scores),
        bands={band: bands.count(place) for place, band in enumerate(BANDS)},
        seconds=Spread.of(known),
        unreadable=len(seconds) - len(known),
        raters=len({rater for sample in samples for rater in sample.ratings}),
        passed_over=rated.passed_over,
    )


def _seconds(audio: Audio | AudioRef) -> float:
    if isinstance(audio, Audio):
        return audio.seconds
    if audio.end is not None:
        return audio.end - audio.start
    try:
        return max(0.0, probe(audio.path).seconds - audio.start)
    except AptoneError:
        return math.nan


def _classes(lines: Sequence[RatedLine], language: Language) -> dict[str, ClassCounts]:
    normalised = {"emotion": normalise_emotion, "recording_condition": normalise_condition}

    def label(one: Annotation | Plan, name: str) -> str:
        value = getattr(one, name)
        if name in normalised:
            return normalised[name](value, language=language) if value.strip() else ""
        return value.label(language) if value else ""

    heard = [line.annotation for line in lines]
    planned = [line.sample.plan or Plan("") for line in lines]
    found = {
        name: _counted([label(one, name) for one in heard], [label(one, name) for one in planned])
        for name in ("emotion", "rhythm", "intonation", "recording_condition")
    }
    found["language"] = _counted([line.sample.language for line in lines])
    found |= {name: _counted([label(one, name) for one in heard]) for name in ("gender", "age")}
    return {name: counted for name, counted in found.items() if counted.counts}


def _counted(heard: Sequence[str], planned: Sequence[str] = ()) -> ClassCounts:
    """The classes that annotators heard; where they heard nothing at all, those of the plans."""
    if any(planned) and not any(heard):
        return replace(_counted(planned), planned=True)
    counts = Counter(filter(None, heard))
    return ClassCounts(dict(counts.most_common()), len(heard) - counts.total())
