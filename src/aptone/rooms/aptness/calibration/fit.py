"""Fit a judge's scores to a person's ratings, and say honestly what that is worth.

Candidates, from the plainest: the score as it is; ``a + b · score``; a curve that never falls; ``a + b · score + Σ w ·
aspect`` with weights that are not negative, shrunk towards 0 by one of several penalties. Which one is taken is decided
by cross-validation, and what it is worth by another one around that (nested, repeated): no rating is predicted by a
mapping that was fitted, or chosen, with it. Lines of one story, or one speaker, stay together in a fold where the items
say so. Without a gain that is sure, the score stays as it is.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.judge.calibration import RAW, Calibration, Kind
from aptone.messages import message
from aptone.stats import bootstrap, isotonic
from aptone.types import Estimate

FEWEST_RATINGS = 20
"""Below this, five folds leave too little to fit on and too little to judge by."""

FEWEST_GROUPS = 4
"""Stories or speakers, below which folds cannot keep them apart."""

TOLERANCE = 1.0
"""Points by which a score may miss a rating and still count as right, as in CEAEval."""

FOLDS = 5
REPEATS = 5
RESAMPLES = 1000
PENALTIES = (0.3, 3.0, 30.0, 300.0)
"""On the squares of the aspects' weights, in units of the squared error of one rating."""

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rated:
    """A line that a judge and people have scored.

    Args:
        id: of the item.
        score: of the judge.
        aspects: scores of the aspects that have one.
        rating: of people, 0 to 5.
        group: what it must share a fold with; empty for nothing.
    """

    id: str
    score: float
    aspects: Mapping[str, float]
    rating: float
    group: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to fit: what kind of mapping, and how strongly its weights are held back."""

    kind: Kind
    penalty: float = 0.0


CANDIDATES: tuple[Candidate, ...] = (
    Candidate("identity"),
    Candidate("affine"),
    Candidate("isotonic"),
    *(Candidate("aspects", penalty) for penalty in PENALTIES),
)


@dataclass(frozen=True, slots=True)
class Fitted:
    """What came of it.

    Args:
        calibration: the mapping to use, with the figures: the identity where no gain is sure, unless forced.
        chosen: the candidate that cross-validation prefers.
        groups: how many groups the folds kept together; 0 when every item stood alone.
        has_gain: whether the mean error falls for sure: the whole interval of the fall lies above 0.
        shares: how often each kind was chosen in the outer folds.
    """

    calibration: Calibration
    chosen: Candidate
    groups: int
    has_gain: bool
    shares: Mapping[str, float]


def fit_calibration(
    items: Sequence[Rated], *, judge: str, planner: str = "", seed: int = 0, force: bool = False, version: str = ""
) -> Fitted:
    """Fit a mapping, choose its kind, and measure it on ratings that it did not see.

    Args:
        items: scored and rated lines.
        judge: signature of the judge.
        planner: signature of its planner.
        seed: of folds and intervals.
        force: take the preferred mapping even if no gain is sure.
        version: of aptone, for the record.

    Raises:
        UsageError: if there are too few ratings, or they are all alike.
    """
    if len(items) < FEWEST_RATINGS:
        raise UsageError(
            f"{len(items)} of the run's scored items have a rating, and a calibration needs at least {FEWEST_RATINGS} "
            f"(better 100): rate {FEWEST_RATINGS - len(items)} more."
        )
    if len({item.rating for item in items}) < 2:
        raise UsageError(f"all {len(items)} ratings are {items[0].rating:g}: there is nothing to fit to.")
    groups = _groups(items)
    rated = np.array([item.rating for item in items])
    raw = np.array([item.score for item in items])
    held_out = np.empty((REPEATS, len(items)))
    kinds: list[str] = []
    for repeat in range(REPEATS):
        for fold in make_folds(groups, folds=FOLDS, seed=seed + repeat):
            others = np.setdiff1d(np.arange(len(items)), fold)
            inner = choose([items[place] for place in others], seed=seed + repeat)
            kinds.append(inner.kind)
            mapping = fit([items[place] for place in others], inner, judge=judge)
            held_out[repeat, fold] = predict(mapping, [items[place] for place in fold])
    own = raw[np.newaxis]
    measure = partial(_measured, groups=groups, rated=rated, seed=seed)
    gain = measure(_fall, np.vstack([own, held_out]))
    has_gain = gain.is_defined and gain.low > 0.0
    chosen = choose(items, seed=seed)
    kept = chosen if has_gain or force else Candidate("identity")
    calibration = replace(
        fit(items, kept, judge=judge),
        planner=planner,
        ratings=len(items),
        before={name: measure(statistic, own) for name, statistic in FIGURES.items()},
        after={name: measure(statistic, held_out) for name, statistic in FIGURES.items()},
        gain=gain,
        forced=force and not has_gain and kept.kind != "identity",
        version=version,
    )
    shares = {kind: kinds.count(kind) / len(kinds) for kind in dict.fromkeys(kinds)}
    number = len(groups) if len(groups) < len(items) else 0
    return Fitted(calibration, chosen, groups=number, has_gain=has_gain, shares=shares)


def fit(items: Sequence[Rated], candidate: Candidate, *, judge: str) -> Calibration:
    """The mapping of one kind with the least squared error over some items."""
    raw = np.array([item.score for item in items])
    rated = np.array([item.rating for item in items])
    if candidate.kind == "identity":
        return Calibration("identity", judge)
    if candidate.kind == "isotonic":
        return Calibration("isotonic", judge, knots=isotonic(raw, rated))
    names = aspect_names(items) if candidate.kind == "aspects" else ()
    columns = np.array([[item.score, *(_filled(item, name) for name in names)] for item in items])
    penalties = np.array([0.0] + [candidate.penalty] * len(names))
    intercept, (slope, *weights) = _non_negative(columns, rated, penalties)
    return Calibration(
        candidate.kind, judge, intercept=intercept, slope=slope, weights=dict(zip(names, weights, strict=True))
    )


def predict(mapping: Calibration, items: Sequence[Rated]) -> Floats:
    """The scores that a mapping gives some items."""
    return np.array([mapping.apply(item.score, item.aspects) for item in items])


def choose(items: Sequence[Rated], *, seed: int) -> Candidate:
    """The plainest candidate that is about as good as the best on folds that it was not fitted on.

    About as good: its squared errors exceed those of the best, item by item, by no more on average than one standard
    error of that average (Breiman et al. 1984).
    """
    folds = make_folds(_groups(items), folds=FOLDS, seed=seed)
    errors = np.empty((len(CANDIDATES), len(items)))
    for number, candidate in enumerate(CANDIDATES):
        for fold in folds:
            others = np.setdiff1d(np.arange(len(items)), fold)
            mapping = fit([items[place] for place in others], candidate, judge="")
            missed = predict(mapping, [items[place] for place in fold]) - [items[place].rating for place in fold]
            errors[number, fold] = missed**2
    excess = errors - errors[np.argmin(errors.mean(axis=1))]
    allowed = excess.std(axis=1) / np.sqrt(len(items))
    return next(
        candidate
        for candidate, more, most in zip(CANDIDATES, excess.mean(axis=1), allowed, strict=True)
        if more <= most
    )


def make_folds(groups: Sequence[Places], *, folds: int, seed: int) -> list[Places]:
    """Places of items in folds of about one size; a group is never cut.

    >>> [fold.tolist() for fold in make_folds([np.array([0, 1]), np.array([2]), np.array([3])], folds=2, seed=0)]
    [[0, 1], [2, 3]]
    """
    order = np.random.default_rng(seed).permutation(len(groups))
    largest_first = sorted(order.tolist(), key=lambda group: -len(groups[group]))
    parts: list[list[int]] = [[] for _ in range(min(folds, len(groups)))]
    for group in largest_first:
        min(parts, key=len).extend(groups[group].tolist())
    return [np.array(sorted(part)) for part in parts]


def aspect_names(items: Sequence[Rated]) -> tuple[str, ...]:
    """Aspects that at least half of the items have a score for."""
    counts: defaultdict[str, int] = defaultdict(int)
    for item in items:
        for name in item.aspects:
            counts[name] += name != RAW
    return tuple(sorted(name for name, count in counts.items() if 2 * count >= len(items)))


def _filled(item: Rated, name: str) -> float:
    return item.aspects.get(name, item.score)


def _groups(items: Sequence[Rated]) -> list[Places]:
    """Places of the items of each group; one for each item where the groups are too few to keep apart."""
    members: defaultdict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        members[item.group or f"item {place}"].append(place)
    if len(members) < FEWEST_GROUPS:
        return [np.array([place]) for place in range(len(items))]
    return [np.array(places) for places in members.values()]


def _non_negative(columns: Floats, rated: Floats, penalties: Floats) -> tuple[float, list[float]]:
    """Intercept and weights of 0 or more with the least Σ (rating - prediction)² + Σ penalty · weight²."""
    from scipy.optimize import nnls

    means, middle = columns.mean(axis=0), float(rated.mean())
    held_back = np.diag(np.sqrt(penalties))
    stacked = np.vstack([columns - means, held_back])
    weights, _ = nnls(stacked, np.concatenate([rated - middle, np.zeros(len(penalties))]))
    return middle - float(means @ weights), [float(weight) for weight in weights]


def _correlation(predicted: Floats, rated: Floats) -> float:
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = [np.corrcoef(row, rated)[0, 1] for row in predicted]
    return float(np.mean(rows))


def _error(predicted: Floats, rated: Floats) -> float:
    return float(np.abs(predicted - rated).mean())


def _accuracy(predicted: Floats, rated: Floats) -> float:
    return float((np.abs(predicted - rated) <= TOLERANCE + 1e-9).mean())


FIGURES: Mapping[str, Callable[[Floats, Floats], float]] = {"LCC": _correlation, "MAE": _error, "ACC": _accuracy}
"""Linear correlation, mean absolute error, share within the tolerance; each a mean over the repeats."""


def _fall(predicted: Floats, rated: Floats) -> float:
    """How far the mean error falls from the first row, the judge's own scores, to the others."""
    return _error(predicted[:1], rated) - _error(predicted[1:], rated)


def _measured(
    figure: Callable[[Floats, Floats], float],
    predicted: Floats,
    *,
    groups: Sequence[Places],
    rated: Floats,
    seed: int,
) -> Estimate:
    """A figure over all items, with an interval by drawing whole groups."""

    def statistic(drawn: Places) -> float:
        places = np.concatenate([groups[group] for group in drawn])
        return figure(predicted[:, places], rated[places])

    estimate = bootstrap(statistic, np.arange(len(groups)), seed=seed, resamples=RESAMPLES)
    reason = estimate.reason if estimate.is_defined else message("aptness.no-variance")
    return replace(estimate, count=rated.size, reason=reason)
