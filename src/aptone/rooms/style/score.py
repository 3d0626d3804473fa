"""S3Bench's numbers: references, agreement of raters, correlation with them, retrieval, classification by prompts.

Pure functions of arrays. Undefined is NaN with a reason.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.messages import message
from aptone.rooms.style.data import StylePair
from aptone.stats import bootstrap, kendall, krippendorff_alpha, pearson, spearman
from aptone.stats.intervals import wilson_interval
from aptone.types import Estimate, Language

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

ALL = "all"
TRIM = 1
"""Number of highest and of lowest ratings that the trimmed reference leaves out."""


def rating_table(pairs: Sequence[StylePair]) -> Floats:
    """Pairs × slots, NaN where a pair has fewer ratings; who rated does not matter to it."""
    table = np.full((len(pairs), max([1, *(len(pair.ratings) for pair in pairs)])), math.nan)
    for row, pair in enumerate(pairs):
        table[row, : len(pair.ratings)] = list(pair.ratings.values())
    return table


def reference_scores(pairs: Sequence[StylePair], *, trim: int = 0) -> Floats:
    """Return people's score of each pair: the mean of its ratings, the `trim` highest and lowest left out.

    A pair that has no single ratings keeps its given mean where nothing is trimmed. NaN where there is no rating, or
    none is left.

    >>> from aptone.types import AudioRef
    >>> pair = StylePair("a", AudioRef("a.wav"), "calm", ratings={"1": 0, "2": 4, "3": 4, "4": 5, "5": 5})
    >>> reference_scores([pair])[0], round(float(reference_scores([pair], trim=1)[0]), 3)  # 18/5, (4 + 4 + 5)/3
    (np.float64(3.6), 4.333)
    """
    if trim < 0:
        raise UsageError(f"ratings are trimmed by 0 or more on either side, got {trim}.")
    scores = np.full(len(pairs), math.nan)
    for row, pair in enumerate(pairs):
        ratings = sorted(pair.ratings.values())[trim : len(pair.ratings) - trim or None]
        if len(pair.ratings) > 2 * trim:
            scores[row] = math.fsum(ratings) / len(ratings)
        elif not trim:
            scores[row] = pair.human_score
    return scores


@dataclass(frozen=True, slots=True)
class Agreement:
    """Inter-rater agreement, as in the paper's Table 2.

    Args:
        language: ``all``, ``zh`` or ``en``.
        level: ``interval`` or ``ordinal``.
        trimmed: alpha without the highest and the lowest rating of each pair: how much hangs on single raters.
    """

    language: str
    level: str
    raw: Estimate
    trimmed: Estimate


def rater_agreement(pairs: Sequence[StylePair], *, seed: int, resamples: int = 1000) -> list[Agreement]:
    """Krippendorff's alpha, raw and trimmed, interval and ordinal, for all pairs and for each language."""
    found = []
    for language, chosen in by_language([pair.language for pair in pairs]).items():
        table = rating_table(pairs)[chosen]
        for level in ("interval", "ordinal"):
            raw, trimmed = (
                krippendorff_alpha(table, level=level, seed=seed, trim=trim, resamples=resamples) for trim in (0, TRIM)
            )
            found.append(Agreement(language, level, raw, trimmed))
    return found


def by_language(languages: Sequence[Language]) -> dict[str, Flags]:
    """Flag the items of ``all`` and of each language that occurs, Mandarin first as in the paper.

    >>> {name: int(flags.sum()) for name, flags in by_language(["en", "zh", "en"]).items()}
    {'all': 3, 'zh': 1, 'en': 2}
    """
    given = np.array(languages, dtype=object)
    parts = {language: given == language for language in ("zh", "en") if language in languages}
    return {ALL: np.ones(len(languages), dtype=np.bool_), **(parts if len(parts) > 1 else {})}


@dataclass(frozen=True, slots=True)
class Correlations:
    """Correlations of a model's similarities with people's scores; Kendall's is tau-b."""

    language: str
    pearson: Estimate
    spearman: Estimate
    kendall: Estimate


def correlations(predicted: Floats, reference: Floats, languages: Sequence[Language]) -> list[Correlations]:
    """Pearson, Spearman and Kendall with their intervals, for all pairs and for each language.

    Pairs without a similarity or a reference are left out and counted in the reason.

    Raises:
        RecordError: if the three differ in length.
    """
    if not len(predicted) == len(reference) == len(languages):
        raise RecordError("expected a similarity, a reference and a language for each pair.")
    return [
        Correlations(language, *(one(predicted[chosen], reference[chosen]) for one in (pearson, spearman, kendall)))
        for language, chosen in by_language(languages).items()
    ]


def mean_of_repeats(repeats: Sequence[Sequence[Correlations]]) -> list[Correlations]:
    """Mean and middle 95 % of correlations of something random, one list a try with the same languages in order."""

    def over(estimates: Sequence[Estimate]) -> Estimate:
        values = np.array([one.value for one in estimates])
        known = values[~np.isnan(values)]
        if not known.size:
            return estimates[0]
        low, high = np.quantile(known, [0.025, 0.975])
        method = message("style.range-of-tries", count=len(known))
        return Estimate(float(known.mean()), float(low), float(high), estimates[0].count, 0.95, method)

    return [
        Correlations(
            tries[0].language,
            *(over([getattr(one, name) for one in tries]) for name in ("pearson", "spearman", "kendall")),
        )
        for tries in zip(*repeats, strict=True)
    ]


def recall_at(similarities: Floats, relevant: Flags, *, most: int) -> Estimate:
    """R@k: the share of queries for which something relevant is among the first `most` answers.

    A share from 0 to 1, higher is better; Wilson's interval over queries. Ties count against the model: what is
    irrelevant stands before what is relevant and equally similar, so that equal similarities find nothing.

    Queries with nothing relevant, or whose similarities are NaN, are left out and counted in `reason`; answers whose
    similarity is NaN are never found.

    Args:
        similarities: [queries, answers].
        relevant: flags of the right answers, likewise.

    Raises:
        RecordError: if the two differ in shape.
        UsageError: if `most` is less than 1.

    >>> recall_at(np.array([[0.9, 0.1], [0.8, 0.7]]), np.eye(2, dtype=bool), most=1).value
    0.5
    """
    if similarities.shape != relevant.shape or similarities.ndim != 2:
        raise RecordError(f"expected two equal tables, got {similarities.shape} and {relevant.shape}.")
    if most < 1:
        raise UsageError(f"recall is counted among the first 1 or more, got {most}.")
    heard = ~np.isnan(similarities)
    asked: Flags = np.asarray((relevant & heard).any(axis=1))
    reason = message("style.queries-left-out", count=int((~asked).sum()), all=len(asked)) if not asked.all() else ""
    count = int(asked.sum())
    if not count:
        return Estimate(math.nan, method=message("stats.wilson"), reason=reason or message("style.no-queries"))
    right = np.where(relevant & heard, similarities, -np.inf)[asked].max(axis=1, keepdims=True)
    before = (~relevant[asked] & heard[asked] & (similarities[asked] >= right)).sum(axis=1)
    return _share(int((before < most).sum()), count, reason)


def _share(hits: int, count: int, reason: str = "") -> Estimate:
    interval = wilson_interval(hits, count, confidence=0.95)
    return Estimate(hits / count, *interval, count, 0.95, message("stats.wilson"), reason)


@dataclass(frozen=True, slots=True)
class Classification:
    """Accuracy of zero-shot classification: how often the prompt that fits best is the right one.

    Args:
        accuracy: share of clips (weighted accuracy).
        recall: mean over classes of the share of their clips (unweighted average recall).
        confusion: right class to guessed class to count.
        left_out: clips without a guess.
    """

    accuracy: Estimate
    recall: Estimate
    confusion: Mapping[str, Mapping[str, int]]
    left_out: int


def standardised(similarities: Floats) -> Floats:
    """Standardise similarities, [clips, prompts], per prompt: distance from its mean in deviations; NaN stays NaN.

    Some prompts are near to everything, and a corpus may lie near to one of them as a whole: heard as angry throughout
    because it is loud. Compared with the other clips instead, a clip gets the class that fits it better than it fits
    them. That needs all clips at once and a mixture of classes among them, and no label.

    >>> standardised(np.array([[0.9, 0.1], [0.7, 0.3]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    heard = similarities[~np.isnan(similarities).any(axis=1)]
    if not len(heard):
        return similarities
    away: Floats = (similarities - heard.mean(axis=0)) / np.maximum(heard.std(axis=0), 1e-9)
    return away.round(9)  # what is equal stays equal


def classify(
    similarities: Floats, prompts: Sequence[str], truth: Sequence[str], *, seed: int, resamples: int = 1000
) -> Classification:
    """Zero-shot classification: each clip gets the class whose prompts fit it best on average.

    A clip whose similarities are NaN, or whose best two classes are exactly equal, has no guess: it counts as wrong,
    since leaving it out would reward models that say nothing.

    Args:
        similarities: [clips, prompts].
        prompts: the class of each prompt; a class may have several.
        truth: the class of each clip.

    Raises:
        RecordError: if the shapes do not match, or there is no clip.
        UsageError: if the truth holds a class without a prompt, or there is only one class.
    """
    if similarities.shape != (len(truth), len(prompts)) or not truth:
        raise RecordError(
            f"expected {len(truth)} × {len(prompts)} similarities of some clips, got {similarities.shape}."
        )
    classes = list(dict.fromkeys(prompts))
    if unknown := sorted(set(truth) - set(classes)):
        raise UsageError(f"there is no prompt for {unknown[0]!r}; give one, or leave its clips out.")
    if len(classes) < 2:
        raise UsageError("one class is no choice; give prompts for two or more.")
    owner = np.array(prompts, dtype=object)
    means = np.stack([similarities[:, owner == name].mean(axis=1) for name in classes], axis=1)
    ordered = np.sort(means, axis=1)
    unsure = np.isnan(means).any(axis=1) | (ordered[:, -1] == ordered[:, -2])
    guesses = ["" if blank else classes[best] for blank, best in zip(unsure, np.argmax(means, axis=1), strict=True)]
    right = np.array([guess == name for guess, name in zip(guesses, truth, strict=True)])
    codes = np.array([classes.index(name) for name in truth])
    confusion = {name: dict.fromkeys(classes, 0) for name in classes if name in truth}
    for guess, name in zip(guesses, truth, strict=True):
        if guess:
            confusion[name][guess] += 1
    return Classification(
        _share(int(right.sum()), len(truth)),
        bootstrap(unweighted_recall, right, codes, seed=seed, resamples=resamples),
        confusion,
        int(unsure.sum()),
    )


def unweighted_recall(right: npt.ArrayLike, classes: npt.ArrayLike) -> float:
    """The mean over classes of the share of their items that are right; classes that do not occur do not count.

    >>> unweighted_recall([True, False, True], [0, 0, 1])  # (1/2 + 1/1) / 2
    0.75
    """
    hits, codes = np.asarray(right, dtype=np.float64), np.asarray(classes)
    return float(np.mean([hits[codes == code].mean() for code in np.unique(codes)]))
