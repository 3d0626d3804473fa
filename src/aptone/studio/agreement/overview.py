"""Agreement report of a task: people with each other, each with the rest, and the automatic judge with people.

Pure: `aptone.types.Rating` rows and a task in, one record out, fast enough to be asked for with every page. Calibration
items are apart from rated ones, since people see there what others think; tests and attention checks are in
neither.
"""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from aptone.errors import UsageError
from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.messages import message
from aptone.ratings import rules
from aptone.report.people_agreement import agreement_with_people, human_ceiling
from aptone.stats import bootstrap, icc_2_1, pearson
from aptone.stats.alpha import WORDS
from aptone.studio.agreement.controls import (
    HALF_WIDTH,
    ControlAgreement,
    Options,
    control_agreement,
    icc_figures,
    preferred_systems,
)
from aptone.studio.agreement.controls import Figure as Figure
from aptone.studio.agreement.feeling_places import read_lexicon as read_lexicon
from aptone.studio.agreement.items import Answers, ByItem, as_number, as_word
from aptone.types import Control, Estimate, Rating, RatingTask

ALONE = Estimate(math.nan, reason=message("studio.no-item-rated-somebody-else"))


@dataclass(frozen=True, slots=True)
class RaterControl:
    """Comparison of one rater's answers to one question with those of the others that count.

    Args:
        bias: mean signed difference on a scale: above 0 where the rater gives more than the others.
        deviation: root of the mean squared difference on a scale.
        correlation: Pearson's, of the rater's answers with the means of the others', on a scale.
        sides_with_rest: mean share of the others who gave the same answer, for a closed question.
    """

    bias: Estimate | None = None
    deviation: Estimate | None = None
    correlation: Estimate | None = None
    sides_with_rest: Estimate | None = None


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """Figures of one rater.

    Args:
        items: number of rated items, without tests and calibration.
        seconds: median time an item took; NaN where it is not known.
        outlier_share: share of outliers among scale answers; NaN without a rule, or where nobody else answered.
        set_aside: reason why the answers do not count; empty where they do.
    """

    rater: str
    items: int
    seconds: float = math.nan
    outlier_share: float = math.nan
    qualification: rules.Tally = field(default_factory=rules.Tally)
    attention: rules.Tally = field(default_factory=rules.Tally)
    set_aside: str = ""
    controls: Mapping[str, RaterControl] = field(default_factory=dict)


def rater_figures(
    task: RatingTask, ratings: Sequence[Rating], rated: Answers, *, aside: Mapping[str, str], seed: int, resamples: int
) -> tuple[RaterFigures, ...]:
    """Compute the figures of every rater, in the order of their names, from ratings without tests and calibration.

    Raters whose answers do not count (`aside`) are compared with the others, and nobody with them.
    """
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    items: defaultdict[str, int] = defaultdict(int)
    for rating in rated.ratings:
        items[rating.rater] += 1
        if not math.isnan(rating.seconds):
            seconds[rating.rater].append(rating.seconds)
    outliers = rules.task_outlier_shares(task, rated.ratings, leaving_out=tuple(aside))
    for rater in aside:  # beside those who count, not beside one another
        beside = rules.task_outlier_shares(task, rated.ratings, leaving_out=set(aside) - {rater})
        outliers |= {rater: beside[rater]} if rater in beside else {}
    tested, checked = rules.qualification_tallies(task, ratings), rules.attention_tallies(task, ratings)
    controls = _comparisons(task, rated, aside=aside, seed=seed, resamples=resamples)
    return tuple(
        RaterFigures(
            rater=rater,
            items=items[rater],
            seconds=statistics.median(seconds[rater]) if seconds[rater] else math.nan,
            outlier_share=outliers.get(rater, math.nan),
            qualification=tested.get(rater, rules.Tally()),
            attention=checked.get(rater, rules.Tally()),
            set_aside=aside.get(rater, ""),
            controls=controls.get(rater, {}),
        )
        for rater in sorted({rating.rater for rating in ratings})
    )


def _comparisons(
    task: RatingTask, rated: Answers, *, aside: Mapping[str, str], seed: int, resamples: int
) -> dict[str, dict[str, RaterControl]]:
    found: defaultdict[str, dict[str, RaterControl]] = defaultdict(dict)
    for control in task.controls:
        if control.kind == "scale":
            for rater, (own, others) in means_of_rest(rated.to(control, read=as_number), aside).items():
                found[rater][control.name] = _scale_comparison(own, others, seed=seed, resamples=resamples)
        elif control.kind in ("choice", "preference"):
            for rater, shares in shares_of_rest(rated.to(control, read=as_word), aside).items():
                mean = bootstrap(np.mean, shares, seed=seed, resamples=resamples) if shares else ALONE
                found[rater][control.name] = RaterControl(sides_with_rest=mean)
    return dict(found)


def means_of_rest(given: ByItem[float], aside: Mapping[str, str]) -> dict[str, tuple[list[float], list[float]]]:
    """Map rater to own answers and means of the others that count, over the items that others rated, too."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    for by in given.values():
        counted = [value for rater, value in by.items() if rater not in aside] if aside else list(by.values())
        total = math.fsum(counted)
        for rater, value in by.items():
            own, others = found.setdefault(rater, ([], []))
            is_counted = rater not in aside
            rest = len(counted) - is_counted
            if rest:
                own.append(value)
                others.append((total - value * is_counted) / rest)
    return found


def shares_of_rest(given: ByItem[str], aside: Mapping[str, str]) -> dict[str, list[float]]:
    """Map rater to the share of the others that count who gave the same answer, item by item."""
    found: dict[str, list[float]] = {}
    for by in given.values():
        votes = Counter(answer for rater, answer in by.items() if rater not in aside)
        for rater, answer in by.items():
            shares = found.setdefault(rater, [])
            is_counted = rater not in aside
            if rest := votes.total() - is_counted:
                shares.append((votes[answer] - is_counted) / rest)
    return found


def _scale_comparison(own: Sequence[float], others: Sequence[float], *, seed: int, resamples: int) -> RaterControl:
    if not own:
        return RaterControl(bias=ALONE, deviation=ALONE, correlation=ALONE)
    differences = np.array(own) - np.array(others)
    deviation = math.sqrt(float(np.mean(differences**2)))
    return RaterControl(
        bias=bootstrap(np.mean, differences, seed=seed, resamples=resamples),
        deviation=Estimate(deviation, count=len(own)),
        correlation=pearson(own, others),
    )


ICC, SHARE = "ICC(2,1)", "share"
HALF_A_POINT, TENTH = 0.5, 0.1
"""Tolerance of ACC: half a point, or a tenth of the scale where that is more."""


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of a judge with people on one question.

    Args:
        judge: the judge against the people's mean: ``LCC`` (Pearson), ``Spearman``, ``ACC`` (share within half a
            point), ``ICC(2,1)``; for a closed question ``share``, the mean share of people who gave the judge's answer.
        people: each person against the rest, by the same statistics; ``ICC(2,1)`` is that of the people.
    """

    control: str
    items: int
    judge: Mapping[str, Estimate]
    people: Mapping[str, Estimate]


def judge_agreement(task: RatingTask, control: Control, counted: Answers, *, options: Options) -> JudgeAgreement | None:
    """Agreement of a judge with people on one question; ``None`` without a judge, or where no measure applies.

    `Control.judged_by` names the hidden field of the items with the judge's answers.
    """
    if not control.judged_by:
        return None
    said = {item.id: item.hidden.get(control.judged_by) for item in task.items}
    if control.kind == "scale":
        numbers = {item: number for item, value in said.items() if (number := as_number(value)) is not None}
        given = counted.to(control, read=as_number)
        return _on_scale(control, numbers, {item: by for item, by in given.items() if item in numbers})
    if control.kind in ("choice", "preference"):
        words = {item: word for item, value in said.items() if (word := as_word(value)) is not None}
        labels = counted.to(control, read=as_word)
        if control.kind == "preference":
            words = {item: options.systems.get(item, {}).get(word, word) for item, word in words.items()}
            labels = preferred_systems(labels, options.systems)
        return _closed(control, words, {item: by for item, by in labels.items() if item in words}, options)
    return None


def _on_scale(control: Control, judged: Mapping[str, float], given: ByItem[float]) -> JudgeAgreement:
    items = list(given)
    if not items:
        return JudgeAgreement(control.name, 0, *_nothing(("LCC", "ACC", "Spearman", ICC)))
    means = {item: math.fsum(by.values()) / len(by) for item, by in given.items()}
    scores = {item: judged[item] for item in items}
    tolerance = max(HALF_A_POINT, TENTH * (control.high - control.low))
    judge = agreement_with_people(scores, means, tolerance=tolerance)
    judge[ICC] = icc_2_1([[scores[item], means[item]] for item in items])
    if off := [score for score in scores.values() if not control.low <= score <= control.high]:
        why = message("studio.judge-on-another-scale", score=off[0], low=control.low, high=control.high)
        judge |= {name: Estimate(math.nan, count=len(items), reason=why) for name in ("ACC", ICC)}
    raters: dict[str, dict[str, float]] = {}
    for item, by in given.items():
        for rater, value in by.items():
            raters.setdefault(rater, {})[item] = value
    people = human_ceiling(raters, tolerance=tolerance)
    if not people:
        return JudgeAgreement(
            control.name, len(items), judge, _undefined(tuple(judge), message("studio.no-item-two-raters"))
        )
    return JudgeAgreement(control.name, len(items), judge, people | {ICC: icc_figures(given)["icc_2_1"].estimate})


def _closed(control: Control, judged: Mapping[str, str], given: ByItem[str], options: Options) -> JudgeAgreement:
    if not given:
        return JudgeAgreement(control.name, 0, *_nothing((SHARE,)))
    shares = [sum(answer == judged[item] for answer in by.values()) / len(by) for item, by in given.items()]
    judge = {SHARE: bootstrap(np.mean, shares, seed=options.seed, resamples=options.resamples)}
    singles = [math.fsum(one) / len(one) for one in shares_of_rest(given, {}).values() if one]
    if not singles:
        return JudgeAgreement(
            control.name, len(given), judge, _undefined((SHARE,), message("studio.no-item-two-raters"))
        )
    method = message("studio.each-against-rest", count=len(singles), low=min(singles), high=max(singles))
    mean = math.fsum(singles) / len(singles)
    shared = sum(len(by) > 1 for by in given.values())
    people = Estimate(mean, count=shared, method=method, reason=message("studio.no-interval-pairs-share-raters"))
    return JudgeAgreement(control.name, len(given), judge, {SHARE: people})


def _undefined(names: Sequence[str], why: str) -> dict[str, Estimate]:
    return {name: Estimate(math.nan, reason=why) for name in names}


def _nothing(names: Sequence[str]) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    nothing = _undefined(names, message("studio.no-item-both-judge-answer"))
    return nothing, nothing


RESAMPLES = 200
"""Bootstrap resamples while raters are at work; use more for published intervals."""
SYSTEMS = "systems"
"""Hidden field of an A/B item: clip to the system whose it is."""


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Agreement report of a task.

    Args:
        items: number of items rated by at least one person, without calibration, tests and checks.
        set_aside: raters whose ratings do not count, and why; only α over everybody holds them.
        judge: agreement of the automatic judge with people on rated items, for the questions that name one.
        words: word for a headline to the value that the lower end of its interval must pass; ``none`` has no limit.
    """

    task: str
    items: int
    ratings: int
    people: int
    set_aside: Mapping[str, str]
    controls: tuple[ControlAgreement, ...]
    calibration: tuple[ControlAgreement, ...]
    raters: tuple[RaterFigures, ...]
    judge: tuple[JudgeAgreement, ...]
    words: Mapping[str, float] = field(default_factory=lambda: LIMITS)


LIMITS: Mapping[str, float] = {word: limit for word, limit in WORDS.items() if not math.isinf(limit)}


def agreement_report(
    task: RatingTask,
    ratings: Iterable[Rating],
    *,
    lexicon: FeelingLexicon | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    seconds: Mapping[str, Mapping[str, float]] | None = None,
    half_width: float = HALF_WIDTH,
) -> AgreementReport:
    """Compute the agreement on a task from the finished ratings so far.

    Args:
        lexicon: feeling lexicon (`read_lexicon`) in place of the built-in words and embedding.
        resamples: number of bootstrap resamples; at least 40.
        seconds: item to clip to its length: times on clips of different lengths are compared as shares of them.
        half_width: wanted half-width of the interval of a headline; the report says how many more ratings it takes.

    Raises:
        RecordError: if a rating is of another task's item, or somebody rated an item twice.
        UsageError: if the half-width is not above 0.
    """
    known = rules.checked_ratings(task, ratings)
    aside = rules.set_aside(task, known)
    apart, shared = rules.unrated_items(task), set(task.calibration)
    rated, counted = _answers([rating for rating in known if rating.item not in apart], aside)
    calibrating = _answers([rating for rating in known if rating.item in shared], aside)
    if not half_width > 0:
        raise UsageError(f"half_width is the half of an interval's width, above 0; got {half_width}.")
    longest = {item: max(clips.values()) for item, clips in (seconds or {}).items() if clips}
    records = {item.id: item for item in task.items}
    options = Options(lexicon, seed, resamples, systems_of(task), records, longest, half_width)
    judged = [judge_agreement(task, control, counted, options=options) for control in task.controls]
    return AgreementReport(
        task=task.name,
        items=len({rating.item for rating in rated.ratings}),
        ratings=len(rated.ratings),
        people=len({rating.rater for rating in rated.ratings}),
        set_aside=aside,
        controls=tuple(control_agreement(control, rated, counted, options=options) for control in task.controls),
        calibration=tuple(
            control_agreement(control, *calibrating, options=options, with_steps=False)
            for control in task.controls
            if calibrating[0].ratings
        ),
        raters=rater_figures(task, known, rated, aside=aside, seed=seed, resamples=resamples),
        judge=tuple(one for one in judged if one is not None),
    )


def _answers(ratings: Sequence[Rating], aside: Mapping[str, str]) -> tuple[Answers, Answers]:
    """Return all answers and the answers that count: the same object where all do."""
    everybody = Answers(ratings)
    if not aside:
        return everybody, everybody
    return everybody, Answers([rating for rating in ratings if rating.rater not in aside])


def systems_of(task: RatingTask) -> dict[str, dict[str, str]]:
    """Map item to clip to system, for items with a hidden system."""
    return {
        item.id: {clip: str(system) for clip, system in named.items()}
        for item in task.items
        if isinstance(named := item.hidden.get(SYSTEMS), Mapping)
    }
