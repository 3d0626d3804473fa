"""Rater agreement on one question, by the statistics that fit its kind; every number is one of `aptone.stats`.

The headline is corrected for chance (`agreement/headline.py`); the measures beside it:

==============  ======================================================================================================
kind            measures
==============  ======================================================================================================
``scale``       ``icc_2_1`` with its interval; Krippendorff's α at the interval level: ``alpha`` over everybody,
                ``alpha_trimmed`` without those set aside, ``alpha_without_extremes`` with the lowest and the highest
                answer of each item dropped
``choice``      ``percent`` (share that sides with the majority) and ``alpha``, ``alpha_trimmed`` at the nominal level
``text``        ``cosine`` of what was written, pair by pair, by the built-in text embedder
``text``, vad   ``valence``, ``arousal``, ``dominance`` (ICC(2,1) of the places) and ``vad``, their mean
``boundaries``  ``seconds_apart`` (mean of both ends) and ``overlap`` (intersection over union), pair by pair
``edit``        ``character_error_rate``, pair by pair, the mean of both directions
``ratings``     as ``scale``, with each clip of a set as an item; ``ranking`` by the places, ``best-worst`` by 1, 0, -1
``preference``  ``percent``, ``alpha``, ``alpha_trimmed``, and ``share:<system>`` of the answers with Wilson's interval
==============  ======================================================================================================

Everything but ``alpha`` rests on the ratings that count. ICC(2,1) needs a full table: where not everybody rated
everything, it is that of the largest block of raters and items without a gap, and `Figure` says how large that is;
``icc_2_1_pairs`` stands beside it then, the mean of the ICCs of pairs of raters, weighted by the items they share.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.messages import joined, known_name, message
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.stats import bootstrap, icc_2_1, krippendorff_alpha, majority_agreement, mean_pairwise_cosine
from aptone.stats.alpha import bootstrap_alpha
from aptone.stats.intervals import wilson_interval
from aptone.studio.agreement.feeling_places import DIMENSIONS, feeling_places
from aptone.studio.agreement.headline import (
    HEADLINES,
    Direction,
    Material,
    alpha_sample,
    direction,
    headline_word,
    is_corrected,
)
from aptone.studio.agreement.items import (
    Answers,
    ByItem,
    RatingTable,
    Value,
    answer_slots,
    as_clip_numbers,
    as_number,
    as_text,
    as_times,
    as_word,
    clip_numbers,
    complete_block,
    overlap,
    rating_table,
    seconds_apart,
    shared_items,
    text_distance,
)
from aptone.studio.agreement.next_steps import NextSteps, next_steps
from aptone.types import Control, Estimate, Json, RatingItem
from aptone.types.rating import SAME

Vector = npt.NDArray[np.float32]
MOST_KEPT = 50_000
"""Texts whose vectors are kept, of a kilobyte each; beyond that the cache is emptied."""

_kept: dict[str, Vector] = {}


def text_vectors(texts: Iterable[str]) -> Mapping[str, Vector]:
    """Map each text to its vector; all NaN for a text without letters, digits or known units."""
    wanted = list(dict.fromkeys(texts))
    found = {text: kept for text in wanted if (kept := _kept.get(text)) is not None}
    static = load_static_vectors()
    fresh = [text for text in wanted if text not in found]
    meant = [text for text in fresh if any(character.isalnum() for character in text) or static.units(text)]
    made: dict[str, Vector] = dict.fromkeys(fresh, np.full(static.size, np.nan, dtype=np.float32))
    if meant:
        made |= dict(zip(meant, static.embed(meant), strict=True))
    if len(_kept) + len(made) > MOST_KEPT:
        _kept.clear()
    _kept.update(made)
    return {**found, **made}


HALF_WIDTH = 0.1
"""Half-width of a headline's interval that is asked for by default."""
FEWEST_SHARED = 3
"""Items that two raters must share for their ICC to count among the pairs."""
MOST_PAIRS = 400
"""Pairs of raters that are compared; of more, those that share the most items."""
LEAST_FOR_EXTREMES = 4
"""Answers an item needs so that two are left when the lowest and the highest go."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure of agreement.

    Args:
        estimate: its value with interval, or why there is none; ``count`` is the number of items it rests on.
        how: part of an incomplete table that was used, in words; empty where it was all of it.
        direction: whether higher or lower values mean more agreement; empty where neither does.
        corrected: whether random answers give 0.
    """

    estimate: Estimate
    raters: int
    how: str = ""
    direction: Direction = "higher"
    corrected: bool = True


@dataclass(frozen=True, slots=True)
class ControlAgreement:
    """Rater agreement on one question.

    Args:
        kind: kind of control; ``vad`` for words of feeling.
        main: name of the headline measure, which is corrected for chance; empty where nobody answered.
        word: word for the headline, by the lower end of its interval (`aptone.stats.alpha.WORDS`); ``too-few`` below
            five items, empty where it is undefined.
        next_steps: items and raters to look at, and ratings needed; ``None`` without answers, and for calibration.
    """

    control: str
    kind: str
    main: str
    figures: Mapping[str, Figure]
    word: str = ""
    next_steps: NextSteps | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of the agreement statistics.

    Args:
        systems: item to clip to system, for preferences.
        items: item to its record, for what people were given to correct.
        seconds: item to the length of its clip, as far as it is known.
        half_width: wanted half-width of the interval of a headline.
    """

    lexicon: FeelingLexicon | None
    seed: int
    resamples: int
    systems: Mapping[str, Mapping[str, str]]
    items: Mapping[str, RatingItem] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    half_width: float = HALF_WIDTH

    @property
    def material(self) -> Material:
        """What samples need besides the answers."""
        return Material(self.items, self.seconds, text_vectors, self.lexicon)


def control_agreement(
    control: Control, ratings: Answers, counted: Answers, *, options: Options, with_steps: bool = True
) -> ControlAgreement:
    """Compute the agreement on one question; `counted` is the same object where all ratings count."""
    kind = control.agreement or control.kind
    read, measures = _KINDS[kind]
    everybody, kept = ratings.to(control, read=read), counted.to(control, read=read)
    figures = measures(everybody, kept, options) if everybody else {}
    if not figures:
        return ControlAgreement(control.name, kind, "", {})
    main, material = HEADLINES[kind], options.material
    if main not in figures:
        sample = alpha_sample(control, kept, material)
        alpha = bootstrap_alpha(sample, seed=options.seed, resamples=options.resamples)
        figures = {main: Figure(alpha, _raters(kept)), **figures}
    figures = {
        name: replace(one, direction=direction(name), corrected=is_corrected(name)) for name, one in figures.items()
    }
    estimate = figures[main].estimate
    steps = next_steps(control, kept, estimate, material, half_width=options.half_width) if with_steps else None
    return ControlAgreement(control.name, kind, main, figures, headline_word(estimate), steps)


def _raters(given: ByItem[Value]) -> int:
    return len({rater for by in given.values() for rater in by})


def _scale(everybody: ByItem[float], kept: ByItem[float], options: Options) -> dict[str, Figure]:
    figures = icc_figures(kept)
    raw = _interval_alpha(everybody, options)
    figures["alpha"] = raw
    figures["alpha_trimmed"] = raw if kept is everybody else _interval_alpha(kept, options)
    figures["alpha_without_extremes"] = _interval_alpha(kept, options, trim=1)
    return figures


def _clips(*, missing: float | None = None) -> Callable[[Any, Any, Options], dict[str, Figure]]:
    """Measures of a scale for answers about a set, each clip of it an item."""

    def measures(everybody: Any, kept: Any, options: Options) -> dict[str, Figure]:
        whole = clip_numbers(everybody, missing=missing)
        return _scale(whole, whole if kept is everybody else clip_numbers(kept, missing=missing), options)

    return measures


def _interval_alpha(given: ByItem[float], options: Options, *, trim: int = 0) -> Figure:
    if not given or (trim and all(len(by) < LEAST_FOR_EXTREMES for by in given.values())):
        why = message("studio.nobody-answers-count")
        if given:
            why = message("studio.no-item-answers", count=LEAST_FOR_EXTREMES)
        return Figure(Estimate(math.nan, reason=why), _raters(given))
    return _alpha(given, "interval", options, trim=trim)


def _alpha(given: ByItem[Any], level: Literal["interval", "nominal"], options: Options, *, trim: int = 0) -> Figure:
    slots = answer_slots(given)
    alpha = krippendorff_alpha(slots, level=level, seed=options.seed, resamples=options.resamples, trim=trim)
    return Figure(alpha, _raters(given))


def icc_figures(given: ByItem[float]) -> dict[str, Figure]:
    """ICC(2,1) of the largest full block and, where that is not everything, of the pairs of raters."""
    whole = rating_table(given)
    block = complete_block(whole)
    count = int((~np.isnan(whole.table)).sum())
    if not block.raters:
        why = message("studio.no-pair-shares-two-items") if count else message("studio.nobody-answers-count")
        return {"icc_2_1": Figure(Estimate(math.nan, reason=why), 0)}
    full = Figure(icc_2_1(block.table), len(block.raters))
    if block.table.size == count:
        return {"icc_2_1": full}
    how = message(
        "studio.raters-items-all-rated",
        kept=len(block.raters),
        all=len(whole.raters),
        items=len(block.items),
        total=len(whole.items),
    )
    return {"icc_2_1": Figure(full.estimate, full.raters, how), "icc_2_1_pairs": _pairs_icc(whole)}


def _pairs_icc(whole: RatingTable) -> Figure:
    """Mean ICC of pairs of raters, weighted by the items that they share."""
    given = ~np.isnan(whole.table)
    together = shared_items(whole.table)
    firsts, seconds = np.nonzero(together >= FEWEST_SHARED)
    most = np.argsort(-together[firsts, seconds], kind="stable")[:MOST_PAIRS]
    values, weights, people = [], [], set()
    for first, second in zip(firsts[most].tolist(), seconds[most].tolist(), strict=True):
        estimate = icc_2_1(whole.table[given[:, first] & given[:, second]][:, [first, second]])
        if estimate.is_defined:
            values.append(estimate.value)
            weights.append(int(together[first, second]))
            people |= {first, second}
    if not values:
        return Figure(Estimate(math.nan, reason=message("studio.no-pair-with-icc", count=FEWEST_SHARED)), 0)
    value = float(np.average(values, weights=weights))
    items = int((given.sum(axis=1) >= 2).sum())
    spread = {"fewest": min(weights), "most": max(weights), "low": min(values), "high": max(values)}
    how = message("studio.pairs-of-raters", pairs=len(values), **spread)
    if firsts.size > MOST_PAIRS:
        how = message("studio.most-sharing-pairs", pairs=len(values), all=int(firsts.size), **spread)
    return Figure(
        Estimate(value, count=items, reason=message("studio.no-interval-pairs-share-raters")), len(people), how
    )


def _label_figures(everybody: ByItem[str], kept: ByItem[str], options: Options) -> dict[str, Figure]:
    percent = majority_agreement(answer_slots(kept), seed=options.seed, resamples=options.resamples)
    raw = _alpha(everybody, "nominal", options)
    trimmed = raw if kept is everybody else _alpha(kept, "nominal", options)
    return {"percent": Figure(percent, _raters(kept)), "alpha": raw, "alpha_trimmed": trimmed}


def _preference(chosen: ByItem[str], counted: ByItem[str], options: Options) -> dict[str, Figure]:
    everybody = preferred_systems(chosen, options.systems)
    kept = everybody if counted is chosen else preferred_systems(counted, options.systems)
    figures = _label_figures(everybody, kept, options)
    votes = Counter(system for by in kept.values() for system in by.values())
    total = sum(votes.values())
    known = {system for named in options.systems.values() for system in named.values()}
    for system in sorted({*known, *votes}):
        low, high = wilson_interval(votes[system], total, confidence=0.95) if total else (math.nan, math.nan)
        share = votes[system] / total if total else math.nan
        why = "" if total else message("studio.nobody-answers-count")
        estimate = Estimate(share, low, high, count=total, method=message("studio.wilson-over-answers"), reason=why)
        figures[f"share:{system}"] = Figure(
            estimate, _raters(kept), message("studio.share-of-answers", count=votes[system], all=total)
        )
    return figures


def preferred_systems(chosen: ByItem[str], systems: Mapping[str, Mapping[str, str]]) -> ByItem[str]:
    """Map item to rater to preferred system; the clip's own name where the system is unknown."""
    return {
        item: {
            rater: answer if answer == SAME else systems.get(item, {}).get(answer, answer)
            for rater, answer in by.items()
        }
        for item, by in chosen.items()
    }


def _text(_: ByItem[str], given: ByItem[str], options: Options) -> dict[str, Figure]:
    if not given:
        return {}
    vectors = text_vectors([text for by in given.values() for text in by.values()])
    tables = [[vectors[text] for text in by.values()] for by in given.values()]
    estimate = mean_pairwise_cosine(tables, seed=options.seed, resamples=options.resamples)
    return {"cosine": Figure(estimate, _raters(given))}


def _feelings(_: ByItem[str], given: ByItem[str], options: Options) -> dict[str, Figure]:
    if not given:
        return {}
    texts = [text for by in given.values() for text in by.values()]
    places = feeling_places(texts, lexicon=options.lexicon)
    unplaced = sum(places[text] is None for text in texts)
    about = message("studio.texts-without-known-feeling", count=unplaced, all=len(texts)) if unplaced else ""
    figures: dict[str, Figure] = {}
    for dimension in DIMENSIONS:
        numbers = {
            item: {
                rater: getattr(place, dimension)
                for rater, text in by.items()
                if (place := places[text]) is not None and not math.isnan(getattr(place, dimension))
            }
            for item, by in given.items()
        }
        for name, figure in icc_figures({item: by for item, by in numbers.items() if by}).items():
            how = joined(filter(None, (figure.how, about)))
            figures[name.replace("icc_2_1", dimension)] = Figure(figure.estimate, figure.raters, how)
    single = [figures[dimension] for dimension in DIMENSIONS]
    undefined = [name for name in DIMENSIONS if not figures[name].estimate.is_defined]
    mean = math.nan if undefined else math.fsum(one.estimate.value for one in single) / len(single)
    why = joined(message("studio.dimension-undefined", dimension=known_name(name)) for name in undefined)
    why = why or message("studio.no-interval-mean-three")
    smallest = min(single, key=lambda one: one.estimate.count)
    figures["vad"] = Figure(Estimate(mean, count=smallest.estimate.count, reason=why), smallest.raters, smallest.how)
    return figures


def _pairwise_figures(**distances: Callable[[Any, Any], float]) -> Callable[[Any, Any, Options], dict[str, Figure]]:
    return lambda _, given, options: (
        {name: _pairwise(given, distance, options) for name, distance in distances.items()} if given else {}
    )


def _pairwise(given: ByItem[Value], distance: Callable[[Value, Value], float], options: Options) -> Figure:
    """Mean over items of the mean over pairs of raters, with a bootstrap over items."""
    means = []
    for by in given.values():
        pairs = [distance(first, second) for first, second in itertools.combinations(by.values(), 2)]
        if pairs:
            means.append(math.fsum(pairs) / len(pairs))
    if not means:
        return Figure(Estimate(math.nan, reason=message("studio.no-item-two-answers")), _raters(given))
    return Figure(bootstrap(np.mean, means, seed=options.seed, resamples=options.resamples), _raters(given))


_KINDS: Mapping[str, tuple[Callable[[Json], Any], Callable[[Any, Any, Options], dict[str, Figure]]]] = {
    "scale": (as_number, _scale),
    "choice": (as_word, _label_figures),
    "preference": (as_word, _preference),
    "text": (as_word, _text),
    "vad": (as_word, _feelings),
    "boundaries": (as_times, _pairwise_figures(seconds_apart=seconds_apart, overlap=overlap)),
    "ratings": (as_clip_numbers, _clips()),
    "ranking": (as_clip_numbers, _clips()),
    "best-worst": (as_clip_numbers, _clips(missing=0.0)),
    "edit": (as_text, _pairwise_figures(character_error_rate=text_distance)),
}
"""Kind to the type of its answers, and its measures besides the headline (of all answers, and of those that count)."""
