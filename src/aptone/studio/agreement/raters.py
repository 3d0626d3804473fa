"""Each rater beside the rest: how far above or below, how far away, how fast, and how the checks went."""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from aptone.messages import message
from aptone.ratings.rules import (
    Tally,
    attention_tallies,
    qualification_tallies,
    task_outlier_shares,
)
from aptone.stats import bootstrap, pearson
from aptone.studio.agreement.tables import Answers, ByItem, as_number, as_word
from aptone.types import Estimate, Rating, RatingTask

ALONE = message("studio.no-item-rated-somebody-else")


@dataclass(frozen=True, slots=True)
class RaterControl:
    """One rater's answers to one question beside the mean of those of the others that count.

    Args:
        bias: mean signed difference on a scale: above 0 where the rater gives more than the others.
        deviation: root of the mean squared difference on a scale.
        correlation: Pearson's, of the rater's answers with the means of the others', on a scale.
        sides_with_rest: for a closed question, the mean share of the others who gave the same answer.
    """

    bias: Estimate | None = None
    deviation: Estimate | None = None
    correlation: Estimate | None = None
    sides_with_rest: Estimate | None = None


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """One rater.

    Args:
        rater: by pseudonym.
        items: how many were rated; tests and calibration not among them.
        seconds: median time an item took; NaN where it is not known.
        outlier_share: of the answers on scales; NaN without a rule, or where nobody else answered.
        qualification: right answers in the test.
        attention: right answers in the checks that are mixed in.
        set_aside: why the answers do not count; empty where they do.
        controls: beside the others, by question.
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
    """Everybody who rated anything, in the order of their names.

    Args:
        task: what was asked.
        ratings: of everybody.
        rated: those of them that are of no test and no calibration.
        aside: raters whose answers do not count; they are compared with the others, and nobody with them.
        seed: of the bootstraps.
        resamples: of the bootstraps.
    """
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    items: defaultdict[str, int] = defaultdict(int)
    for rating in rated.ratings:
        items[rating.rater] += 1
        if not math.isnan(rating.seconds):
            seconds[rating.rater].append(rating.seconds)
    strays = task_outlier_shares(task, rated.ratings, leaving_out=tuple(aside))
    for rater in aside:  # beside those who count, not beside one another
        strays |= {
            name: share
            for name, share in task_outlier_shares(task, rated.ratings, leaving_out=set(aside) - {rater}).items()
            if name == rater
        }
    tested, checked = qualification_tallies(task, ratings), attention_tallies(task, ratings)
    controls = _beside_the_rest(task, rated, aside=aside, seed=seed, resamples=resamples)
    return tuple(
        RaterFigures(
            rater=rater,
            items=items[rater],
            seconds=statistics.median(seconds[rater]) if seconds[rater] else math.nan,
            outlier_share=strays.get(rater, math.nan),
            qualification=tested.get(rater, Tally()),
            attention=checked.get(rater, Tally()),
            set_aside=aside.get(rater, ""),
            controls=controls.get(rater, {}),
        )
        for rater in sorted({rating.rater for rating in ratings})
    )


def _beside_the_rest(
    task: RatingTask, rated: Answers, *, aside: Mapping[str, str], seed: int, resamples: int
) -> dict[str, dict[str, RaterControl]]:
    found: defaultdict[str, dict[str, RaterControl]] = defaultdict(dict)
    for control in task.controls:
        if control.kind == "scale":
            for rater, (own, others) in beside_the_mean(rated.to(control, read=as_number), aside).items():
                found[rater][control.name] = _on_scale(own, others, seed=seed, resamples=resamples)
        elif control.kind in ("choice", "preference"):
            for rater, shares in beside_the_shares(rated.to(control, read=as_word), aside).items():
                mean = bootstrap(np.mean, shares, seed=seed, resamples=resamples) if shares else _alone()
                found[rater][control.name] = RaterControl(sides_with_rest=mean)
    return dict(found)


def beside_the_mean(given: ByItem[float], aside: Mapping[str, str]) -> dict[str, tuple[list[float], list[float]]]:
    """Rater to own answers and the means of the others' that count, over the items that others rated, too."""
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


def beside_the_shares(given: ByItem[str], aside: Mapping[str, str]) -> dict[str, list[float]]:
    """Rater to the share of the others that count who gave the same answer, item by item."""
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
