"""Fit a judge's scores to a person's ratings, and say honestly what that is worth.

Candidates, from the plainest: the score as it is; ``a + b · score``; a curve that never falls; ``a + b · score + Σ w ·
aspect`` with weights that are not negative, shrunk towards 0 by one of several penalties. Which one is taken is decided
by cross-validation, and what it is worth by another one around that (nested, repeated): no rating is predicted by a
mapping that was fitted, or chosen, with it. Lines of one story, or one speaker, stay together in a fold where the items
say so. Without a gain that is sure, the score stays as it is.
"""

import csv
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.judge.calibration import RAW, Calibration, Kind
from aptone.messages import message
from aptone.ratings.storage import read_ratings as read_studio_ratings
from aptone.report.groups import counted_score
from aptone.report.people_agreement import human_scores
from aptone.rooms.aptness.data import read_manifest
from aptone.rooms.aptness.text_files import read_utf8
from aptone.run import Run
from aptone.run.sources.manifest import delimiter_of, json_records
from aptone.stats import bootstrap, isotonic
from aptone.stats.regression import non_negative_least_squares
from aptone.types import Entry, Estimate, Rating, schema_name

FEWEST_RATINGS = 20
"""Below this, five folds leave too little to fit on and too little to judge by."""

FEWEST_GROUPS = 4
"""Stories or speakers, below which folds cannot keep them apart."""

TOLERANCE = 1.0
"""Points by which a score may miss a rating and still count as right, as in CEAEval."""

FOLDS, REPEATS, RESAMPLES = 5, 5, 1000
PENALTIES = (0.3, 3.0, 30.0, 300.0)
"""On the squares of the aspects' weights, in units of the squared error of one rating."""

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RatedItem:
    """A line that a judge and people (0 to 5) have scored; those of one `group` share a fold, empty for none."""

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
class CalibrationResult:
    """Result of a calibration.

    Args:
        calibration: the mapping to use, with the figures: the identity where no gain is sure, unless forced.
        groups: number of groups that folds keep together; 0 without groups.
        has_gain: whether the mean error falls for sure: the whole interval of the fall lies above 0.
        shares: share of the outer folds in which each kind was chosen.
    """

    calibration: Calibration
    chosen: Candidate
    groups: int
    has_gain: bool
    shares: Mapping[str, float]


def fit_calibration(
    items: Sequence[RatedItem], *, judge: str, planner: str = "", seed: int = 0, force: bool = False, version: str = ""
) -> CalibrationResult:
    """Fit a mapping, choose its kind, and measure it on ratings that it did not see.

    Args:
        force: take the preferred mapping even if no gain is sure.

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
    gain = measure(_error_reduction, np.vstack([own, held_out]))
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
    return CalibrationResult(calibration, chosen, groups=number, has_gain=has_gain, shares=shares)


def fit(items: Sequence[RatedItem], candidate: Candidate, *, judge: str) -> Calibration:
    """The mapping of one kind with the least squared error over some items."""
    raw = np.array([item.score for item in items])
    rated = np.array([item.rating for item in items])
    if candidate.kind == "identity":
        return Calibration("identity", judge)
    if candidate.kind == "isotonic":
        return Calibration("isotonic", judge, knots=isotonic(raw, rated))
    names = aspect_names(items) if candidate.kind == "aspects" else ()
    columns = np.array([[item.score, *(item.aspects.get(name, item.score) for name in names)] for item in items])
    intercept, (slope, *weights) = _non_negative(columns, rated, np.array([0.0] + [candidate.penalty] * len(names)))
    return Calibration(
        candidate.kind, judge, intercept=intercept, slope=slope, weights=dict(zip(names, weights, strict=True))
    )


def predict(mapping: Calibration, items: Sequence[RatedItem]) -> Floats:
    """The scores that a mapping gives some items."""
    return np.array([mapping.apply(item.score, item.aspects) for item in items])


def choose(items: Sequence[RatedItem], *, seed: int) -> Candidate:
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
    return CANDIDATES[int(np.argmax(excess.mean(axis=1) <= allowed))]


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


def aspect_names(items: Sequence[RatedItem]) -> tuple[str, ...]:
    """Aspects that at least half of the items have a score for."""
    counts = Counter(name for item in items for name in item.aspects if name != RAW)
    return tuple(sorted(name for name, count in counts.items() if 2 * count >= len(items)))


def _groups(items: Sequence[RatedItem]) -> list[Places]:
    """Places of the items of each group; one for each item where the groups are too few to keep apart."""
    members: defaultdict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        members[item.group or f"item {place}"].append(place)
    if len(members) < FEWEST_GROUPS:
        return [np.array([place]) for place in range(len(items))]
    return [np.array(places) for places in members.values()]


def _non_negative(columns: Floats, rated: Floats, penalties: Floats) -> tuple[float, list[float]]:
    """Intercept and weights of 0 or more with the least Σ (rating - prediction)² + Σ penalty · weight²."""
    means, middle = columns.mean(axis=0), float(rated.mean())
    stacked = np.vstack([columns - means, np.diag(np.sqrt(penalties))])
    weights = non_negative_least_squares(stacked, np.concatenate([rated - middle, np.zeros(len(penalties))]))
    return middle - float(means @ weights), [float(weight) for weight in weights]


def _correlation(predicted: Floats, rated: Floats) -> float:
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.mean([np.corrcoef(row, rated)[0, 1] for row in predicted]))


def _error(predicted: Floats, rated: Floats) -> float:
    return float(np.abs(predicted - rated).mean())


def _accuracy(predicted: Floats, rated: Floats) -> float:
    return float((np.abs(predicted - rated) <= TOLERANCE + 1e-9).mean())


FIGURES: Mapping[str, Callable[[Floats, Floats], float]] = {"LCC": _correlation, "MAE": _error, "ACC": _accuracy}
"""Linear correlation, mean absolute error, share within the tolerance; each a mean over the repeats."""


def _error_reduction(predicted: Floats, rated: Floats) -> float:
    """Return the fall of the mean error from the first row, the judge's own scores, to the others."""
    return _error(predicted[:1], rated) - _error(predicted[1:], rated)


def _measured(
    figure: Callable[[Floats, Floats], float], predicted: Floats, *, groups: Sequence[Places], rated: Floats, seed: int
) -> Estimate:
    """A figure over all items, with an interval by drawing whole groups."""

    def statistic(sampled: Places) -> float:
        places = np.concatenate([groups[group] for group in sampled])
        return figure(predicted[:, places], rated[places])

    estimate = bootstrap(statistic, np.arange(len(groups)), seed=seed, resamples=RESAMPLES)
    reason = estimate.reason if estimate.is_defined else message("aptness.no-variance")
    return replace(estimate, count=rated.size, reason=reason)


RATING_NAMES = ("rating", "score", "human_score")
"""Names of the column of ratings."""

GROUP_KEYS = ("story", "speaker", "book", "actor")
"""Default ids that keep items together in a fold: the first that the items name."""

LOWEST, HIGHEST = 0.0, 5.0
OVERALL = "overall_score"
"""The question of the studio's task whose answer is the rating."""


def read_ratings(path: Path) -> dict[str, float]:
    """Item id to rating; the mean where several people rated an item.

    A table (``.csv``, ``.tsv``) has the columns ``id`` and ``rating`` (or ``score``, ``human_score``), one row for each
    rating; a manifest (``.jsonl``, ``.json``) has ``human_score`` or ``ratings``; ratings of the studio (``.jsonl``)
    answer ``overall_score``.

    Raises:
        RecordError: if it cannot be understood; the message names the row.
    """
    if path.suffix.lower() in (".json", ".jsonl"):
        _, first = next(json_records(read_utf8(path, what="ratings"), path), ("", None))
        if isinstance(first, Mapping) and first.get("schema") == schema_name(Rating):
            return _studio_ratings(path)
        samples = read_manifest(path, needs_audio=False)
        return {sample.id: sample.human_score for sample in samples if not math.isnan(sample.human_score)}
    text = read_utf8(path, what="ratings")
    rows = csv.DictReader(text.splitlines(), delimiter=delimiter_of(text))
    names = [name.strip() for name in rows.fieldnames or ()]
    column = next((name for name in RATING_NAMES if name in names), None)
    if "id" not in names or column is None:
        hint = " A table of the studio? Export its ratings as JSON lines (--format jsonl)." if OVERALL in names else ""
        came = ", ".join(names) or "an empty file"
        raise RecordError(f'{path}: expected a heading with the columns "id" and "rating", got {came}.{hint}')
    given: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        cells = {(name or "").strip(): value for name, value in row.items() if isinstance(value, str)}
        given[cells.get("id", "").strip()].append(_rating(cells.get(column, ""), f"{path}, line {rows.line_num}"))
    return {item: math.fsum(ratings) / len(ratings) for item, ratings in given.items()}


def _studio_ratings(path: Path) -> dict[str, float]:
    """Item to the mean of what people gave it in the studio."""
    given = read_studio_ratings(path, item="id", control=OVERALL)
    for item, by in given.items():
        for rating in by.values():
            _rating(str(rating), f"{path}, item {item!r}")
    return {item: math.fsum(by.values()) / len(by) for item, by in given.items()}


def _rating(text: str, where: str) -> float:
    try:
        rating = float(text)
    except ValueError:
        rating = math.nan
    if not LOWEST <= rating <= HIGHEST:
        raise RecordError(f"{where}: a rating is a number from {LOWEST:g} to {HIGHEST:g}, got {text.strip()[:40]!r}.")
    return rating


def rated_items(run: Run, ratings: Mapping[str, float] | None, *, group_by: str | None = None) -> list[RatedItem]:
    """The scored items of a run that have a rating.

    Args:
        run: run; the first verdict on each item counts.
        ratings: item id to rating; ``None`` for those that the items bring along.
        group_by: key of the items' ``ids`` whose values stay together; ``None`` for the first of `GROUP_KEYS` that they
            name, ``"none"`` for nothing.

    Raises:
        UsageError: if no rating belongs to an item of the run, or no item names the key.
    """
    first = [entry for entry in run.entries if entry.repeat == 0]
    given = human_scores(first) if ratings is None else ratings
    if not given:
        hint = "its items bring none along, so give a table (--ratings)."
        raise UsageError(f"{run.folder}: there are no ratings; {hint}")
    if not {entry.item.id for entry in first} & set(given):
        given_as = f"none of the {len(given)} ratings (such as {next(iter(given))!r})"
        raise UsageError(f"{run.folder}: {given_as} belongs to an item of this run.")
    key, score = _group_key(first, group_by), run.main_score
    found = []
    for entry in first:
        overall = counted_score(entry, score)
        if overall is None or not overall.is_defined or entry.item.id not in given:
            continue
        aspects = {name: one.value for name, one in entry.outcome.scores.items() if name != score and one.is_defined}
        found.append(RatedItem(entry.item.id, overall.value, aspects, given[entry.item.id], group=_id_of(entry, key)))
    return found


def _group_key(entries: Sequence[Entry], group_by: str | None) -> str:
    if group_by == "none":
        return ""
    if group_by is not None:
        if not any(_id_of(entry, group_by) for entry in entries):
            raise UsageError(f"--group-by {group_by}: no item of the run names it in its ids.")
        return group_by
    values = {key: {_id_of(entry, key) for entry in entries} - {""} for key in GROUP_KEYS}
    return next((key for key, named in values.items() if len(named) >= FEWEST_GROUPS), "")


def _id_of(entry: Entry, key: str) -> str:
    ids = entry.item.payload.get("ids")
    return str(ids.get(key, "")) if isinstance(ids, Mapping) else ""
