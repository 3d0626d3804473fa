"""EmoSURA's comparison of caption metrics: who orders captions as people do, or as their known truth does?

Every metric scores the same captions. Three agreements with the ratings are computed, as in the paper's Table 1:
Pearson's correlation, Kendall's τ-b over all captions, and the sample-wise τ over the captions of each recording. The
intervals are bootstraps over recordings, since the captions of one recording are not independent. Where nobody rated,
captions whose right order is known stand in (`aptone.rooms.caption.bench.four_captions`).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.messages import message
from aptone.rooms.caption.bench.four_captions import RIGHT_ORDER, Kind
from aptone.rooms.caption.bench.rivals import Captioned, MetricScores
from aptone.rooms.caption.data import CaptionSample
from aptone.stats import bootstrap, kendall, pearson, samplewise_tau, spearman
from aptone.types import Audio, Estimate, Json, to_json

FloatArray = npt.NDArray[np.float64]
EMOSURA = "EmoSURA"
RESAMPLES = 1000
NEAR = 0.05
"""Largest difference between a long and a concise caption of the same facts, on a scale from 0 to 1."""
SCALES: Mapping[str, float] = {"CIDEr": 10.0, "SPIDEr": 5.5}
"""The highest score of metrics that do not end at 1."""


@dataclass(frozen=True, slots=True)
class MetricResult:
    """Results of a metric.

    Args:
        reason: reason why it could not run; empty when it could.
        kendall: τ-b with the ratings over all captions.
        samplewise: τ-b over the captions of each recording, averaged.
        pairs: share of pairs of captions of one recording with different ratings that the metric orders alike; a tie
            of the metric counts half.
        length: rank correlation of the score with the number of characters, over captions that are equally right (with
            people's ratings, over all).
        means: mean scores by kind of caption, where kinds are known.
        apart: mean distance between the scores of the long and the concise caption of a recording, on a scale from 0 to
            1; undefined without kinds.
        near: share of recordings where that distance is at most 0.05.
    """

    name: str
    reason: str
    scored: int
    pearson: Estimate
    kendall: Estimate
    samplewise: Estimate
    pairs: Estimate
    length: Estimate
    means: Mapping[str, float]
    apart: Estimate
    near: Estimate


@dataclass(frozen=True, slots=True)
class Comparison:
    """Metrics on the same captions, with ratings of people or by a known order."""

    samples: tuple[CaptionSample, ...]
    scores: tuple[MetricScores, ...]
    results: tuple[MetricResult, ...]
    by_people: bool
    clips: int


def captioned(samples: Sequence[CaptionSample]) -> list[Captioned]:
    """The captions as the rivals take them."""
    return [
        Captioned(one.caption, (one.reference,), "" if isinstance(one.audio, Audio) else one.audio.path)
        for one in samples
    ]


def kind_of(sample: CaptionSample) -> Kind | None:
    """The kind of a caption of known order; ``None`` for others."""
    return next((kind for kind in Kind if kind == sample.ids.get("kind")), None)


def ratings_of(samples: Sequence[CaptionSample]) -> tuple[list[float], bool]:
    """Return the ratings that captions are compared with, and whether people gave them.

    Raises:
        UsageError: if some captions have neither a rating nor a known kind, or no reference.
    """
    if unreferenced := [one.id for one in samples if not one.reference.strip()]:
        raise UsageError(
            f"caption {unreferenced[0]!r} has no reference, which all metrics but one need; give every record one, "
            "or name folders with labels.csv instead."
        )
    by_people = any(not math.isnan(one.human_score) for one in samples)
    ratings = []
    for one in samples:
        kind = kind_of(one)
        known = math.nan if kind is None else RIGHT_ORDER[kind]
        ratings.append(one.human_score if by_people else known)
    if not by_people and (lost := [one.id for one, rating in zip(samples, ratings, strict=True) if math.isnan(rating)]):
        raise UsageError(f"caption {lost[0]!r} has no human_score, and its right place is not known either.")
    return ratings, by_people


def compare_metrics(
    samples: Sequence[CaptionSample], scores: Sequence[MetricScores], *, seed: int, resamples: int = RESAMPLES
) -> Comparison:
    """Measure how well metrics, given in the order of the captions, agree with ratings or a known order.

    Raises:
        UsageError: as `ratings_of`.
    """
    ratings, by_people = ratings_of(samples)
    groups = group_by_clip(samples)
    results = [
        _result(one, samples, np.array(ratings), groups, by_people=by_people, seed=seed, resamples=resamples)
        for one in scores
    ]
    return Comparison(tuple(samples), tuple(scores), tuple(results), by_people, len(groups))


def group_by_clip(samples: Sequence[CaptionSample]) -> list[list[int]]:
    """The places of the captions of each recording."""
    groups: dict[object, list[int]] = {}
    for place, sample in enumerate(samples):
        audio = sample.audio
        key = audio.hash if isinstance(audio, Audio) else (audio.path, audio.start, audio.end)
        groups.setdefault(key, []).append(place)
    return list(groups.values())


def _result(
    metric: MetricScores,
    samples: Sequence[CaptionSample],
    ratings: FloatArray,
    groups: Sequence[Sequence[int]],
    *,
    by_people: bool,
    seed: int,
    resamples: int,
) -> MetricResult:
    values = np.array(metric.values)
    clips = np.arange(len(groups))

    def over_clips(statistic: Callable[[FloatArray, FloatArray], float]) -> Estimate:
        def drawn(chosen: npt.NDArray[np.int64]) -> float:
            places = [place for clip in chosen for place in groups[int(clip)]]
            return statistic(values[places], ratings[places])

        if metric.reason:
            return Estimate(math.nan, reason=metric.reason)
        return bootstrap(drawn, clips, seed=seed, resamples=resamples)

    kinds = [kind_of(sample) for sample in samples]
    alike = [place for place, kind in enumerate(kinds) if by_people or kind is not Kind.SABOTAGED]
    characters = [float(len(samples[place].caption)) for place in alike]
    apart = _apart(metric, kinds, groups)
    return MetricResult(
        name=metric.name,
        reason=metric.reason,
        scored=int(np.isfinite(values).sum()),
        pearson=over_clips(lambda x, y: pearson(x, y).value),
        kendall=over_clips(lambda x, y: kendall(x, y).value),
        samplewise=samplewise_tau(
            [values[list(group)] for group in groups],
            [ratings[list(group)] for group in groups],
            seed=seed,
            resamples=resamples,
        ),
        pairs=_share([ordered_pairs(values[list(group)], ratings[list(group)]) for group in groups], seed, resamples),
        length=spearman(values[alike], characters),
        means={
            kind.value: float(np.nanmean(own))
            for kind in Kind
            if (
                own := [value for value, one in zip(values, kinds, strict=True) if one is kind and math.isfinite(value)]
            )
        },
        apart=_mean(apart, seed, resamples),
        near=_mean([float(distance <= NEAR) for distance in apart], seed, resamples),
    )


def ordered_pairs(values: Sequence[float] | FloatArray, ratings: Sequence[float] | FloatArray) -> tuple[float, int]:
    """Pairs with different ratings that the values order alike, a tie counting half, and how many such pairs there are.

    >>> ordered_pairs([0.9, 0.2, 0.2], [1.0, 0.0, 1.0])
    (1.5, 2)
    """
    right, count = 0.0, 0
    for one in range(len(values)):
        for other in range(one):
            truth = ratings[one] - ratings[other]
            found = values[one] - values[other]
            if truth and math.isfinite(truth) and math.isfinite(found):
                count += 1
                right += 0.5 if found == 0 else float((found > 0) == (truth > 0))
    return right, count


def _share(pairs: Sequence[tuple[float, int]], seed: int, resamples: int) -> Estimate:
    counted = np.array([pair for pair in pairs if pair[1]], dtype=float)
    if not counted.size:
        return Estimate(math.nan, reason=message("caption.no-pair"))
    return bootstrap(lambda rows: float(rows[:, 0].sum() / rows[:, 1].sum()), counted, seed=seed, resamples=resamples)


def _apart(metric: MetricScores, kinds: Sequence[Kind | None], groups: Sequence[Sequence[int]]) -> list[float]:
    distances = []
    for group in groups:
        by_kind = {kinds[place]: metric.values[place] for place in group}
        if Kind.LONG in by_kind and Kind.CONCISE in by_kind:
            distances.append(abs(by_kind[Kind.LONG] - by_kind[Kind.CONCISE]) / SCALES.get(metric.name, 1.0))
    return [distance for distance in distances if math.isfinite(distance)]


def _mean(values: Sequence[float], seed: int, resamples: int) -> Estimate:
    if not values:
        return Estimate(math.nan, reason=message("caption.no-long-and-concise"))
    return bootstrap(np.mean, list(values), seed=seed, resamples=resamples)


def comparison_json(compared: Comparison) -> dict[str, Json]:
    """The result for machines."""
    return {
        "captions": len(compared.samples),
        "recordings": compared.clips,
        "ratings": "people" if compared.by_people else "known order",
        "metrics": [to_json(result) for result in compared.results],
    }
