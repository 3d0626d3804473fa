"""Figures of each rater: bias, deviation and correlation against the rest, speed, and results of the checks."""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from aptone.messages import message
from aptone.ratings.rules import Tally, attention_tallies, qualification_tallies, task_outlier_shares
from aptone.stats import bootstrap, pearson
from aptone.studio.agreement.tables import Answers, ByItem, as_number, as_word
from aptone.types import Estimate, Rating, RatingTask

ALONE = message("studio.no-item-rated-somebody-else")


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
        controls: question to comparison with the others.
    """

    rater: str
    items: int
    seconds: float = math.nan
    outlier_share: float = math.nan
    qualification: Tally = field(default_factory=Tally)
    attention: Tally = field(default_factory=Tally)
    set_aside: str = ""
    controls: Mapping[str, RaterControl] = field(default_factory=dict)


def rater_figures(
    task: RatingTask, ratings: Sequence[Rating], rated: Answers, *, aside: Mapping[str, str], seed: int, resamples: int
) -> tuple[RaterFigures, ...]:
    """Compute the figures of every rater, in the order of their names.

    Args:
        rated: ratings without tests and calibration.
        aside: raters whose answers do not count; they are compared with the others, and nobody with them.
    """
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    items: defaultdict[str, int] = defaultdict(int)
    for rating in rated.ratings:
        items[rating.rater] += 1
        if not math.isnan(rating.seconds):
            seconds[rating.rater].append(rating.seconds)
    outliers = task_outlier_shares(task, rated.ratings, leaving_out=tuple(aside))
    for rater in aside:  # beside those who count, not beside one another
        outliers |= {
            name: share
            for name, share in task_outlier_shares(task, rated.ratings, leaving_out=set(aside) - {rater}).items()
            if name == rater
        }
    tested, checked = qualification_tallies(task, ratings), attention_tallies(task, ratings)
    controls = _comparisons(task, rated, aside=aside, seed=seed, resamples=resamples)
    return tuple(
        RaterFigures(
            rater=rater,
            items=items[rater],
            seconds=statistics.median(seconds[rater]) if seconds[rater] else math.nan,
            outlier_share=outliers.get(rater, math.nan),
            qualification=tested.get(rater, Tally()),
            attention=checked.get(rater, Tally()),
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
                found[rater][control.name] = _on_scale(own, others, seed=seed, resamples=resamples)
        elif control.kind in ("choice", "preference"):
            for rater, shares in shares_of_rest(rated.to(control, read=as_word), aside).items():
                mean = bootstrap(np.mean, shares, seed=seed, resamples=resamples) if shares else _alone()
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


def _on_scale(own: Sequence[float], others: Sequence[float], *, seed: int, resamples: int) -> RaterControl:
    if not own:
        return RaterControl(bias=_alone(), deviation=_alone(), correlation=_alone())
    differences = np.array(own) - np.array(others)
    deviation = math.sqrt(float(np.mean(differences**2)))
    return RaterControl(
        bias=bootstrap(np.mean, differences, seed=seed, resamples=resamples),
        deviation=Estimate(deviation, count=len(own)),
        correlation=pearson(own, others),
    )


def _alone() -> Estimate:
    return Estimate(math.nan, reason=ALONE)
