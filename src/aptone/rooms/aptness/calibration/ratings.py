"""What people gave the items of a run: from a table, a manifest, or the run itself."""

import csv
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from aptone.errors import RecordError, UsageError
from aptone.ratings.storage import read_ratings as read_studio_ratings
from aptone.report.people_agreement import human_scores
from aptone.report.scored import counted_score
from aptone.rooms.aptness.calibration.fit import FEWEST_GROUPS, Rated
from aptone.rooms.aptness.data import read_manifest
from aptone.rooms.aptness.text_file import read_utf8
from aptone.run import Run
from aptone.run.sources.manifest import delimiter_of, json_records
from aptone.types import Entry, Rating, schema_name

RATING_NAMES = ("rating", "score", "human_score")
"""How the column of the ratings may be called."""

GROUP_KEYS = ("story", "speaker", "book", "actor")
"""What keeps items together in a fold unless told otherwise: the first that the items name."""

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
            return _of_the_studio(path)
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


def _of_the_studio(path: Path) -> dict[str, float]:
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


def rated_items(run: Run, ratings: Mapping[str, float] | None, *, group_by: str | None = None) -> list[Rated]:
    """The scored items of a run that have a rating.

    Args:
        run: whose first verdict on each item counts.
        ratings: item id to rating; ``None`` for those that the items bring along.
        group_by: key of the items' ``ids`` whose values stay together; ``None`` for the first of `GROUP_KEYS` that they
            name, ``"none"`` for nothing.

    Raises:
        UsageError: if no rating belongs to an item of the run, or no item names the key.
    """
    first = [entry for entry in run.entries if entry.repeat == 0]
    given = human_scores(first) if ratings is None else ratings
    known = {entry.item.id for entry in first}
    if not given:
        raise UsageError(
            f"{run.folder}: there are no ratings; its items bring none along, so give a table (--ratings)."
        )
    if not known & set(given):
        raise UsageError(
            f"{run.folder}: none of the {len(given)} ratings (such as {next(iter(given))!r}) belongs to an item of "
            "this run."
        )
    key = _group_key(first, group_by)
    score = run.main_score
    found = []
    for entry in first:
        overall = counted_score(entry, score)
        if overall is None or not overall.is_defined or entry.item.id not in given:
            continue
        aspects = {name: one.value for name, one in entry.outcome.scores.items() if name != score and one.is_defined}
        found.append(Rated(entry.item.id, overall.value, aspects, given[entry.item.id], group=_id_of(entry, key)))
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
