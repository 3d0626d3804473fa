"""Files of human ratings: one rating a line, by item and rater.

The studio's `Rating` records are understood wherever ratings are: what people answered there needs no table in between.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from aptone.errors import RecordError
from aptone.run.sources.manifest import manifest_records
from aptone.types import Json, Rating, from_json, is_finite_number, schema_name

RATING, RATER = "rating", "rater"
RUN_RATINGS = "ratings.jsonl"
"""File in a run folder with the marks that people gave its verdicts, as `Rating` records."""


def studio_rating(data: Json) -> Rating | None:
    """Read a rating of the studio, ``None`` for another record; raises `RecordError` if it only says that it is one."""
    if not isinstance(data, Mapping) or data.get("schema") != schema_name(Rating):
        return None
    return from_json(Rating, data)


def rating_number(rating: Rating, *, control: str = "") -> float:
    """Return the number in a rating.

    Args:
        control: the question; empty for the only one that was answered with a number.

    Raises:
        RecordError: if there is none, or several and none is named.

    >>> rating_number(Rating("s3bench", "pair-1", "swift", {"fit": 4, "confidence": "high"}))
    4.0
    """
    numbers = {name: float(value) for name, value in rating.answers.items() if is_finite_number(value)}
    if control in numbers or (not control and len(numbers) == 1):
        return numbers[control] if control else next(iter(numbers.values()))
    asked = f"no number under {control!r}" if control else "expected one number"
    raise RecordError(f"{asked} among the answers about {rating.item!r}; there are {', '.join(numbers) or 'none'}.")


def read_ratings(path: Path, *, item: str, control: str = "") -> dict[str, dict[str, float]]:
    """Read ratings by item and rater, from a CSV file or JSON lines.

    Columns (or fields) are the one named by `item`, ``rating`` and, where several people rated, ``rater``. Records of
    the studio (`Rating`) name their item themselves.

    Args:
        item: column with the item ids, such as ``dialogue``.
        control: question of the studio's records; empty for the only one that asks for a number.

    Raises:
        RecordError: if the file cannot be understood, or one rater rates an item twice.
    """
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for where, row in _rows(path, item, control):
        name, rater = row.get(item), str(row.get(RATER) or "")
        try:
            rating = float(str(row.get(RATING)))
        except ValueError:
            rating = math.nan
        if not isinstance(name, str | int) or name == "" or not math.isfinite(rating):
            raise RecordError(f'{where}: expected "{item}" and a number under "{RATING}".')
        if rater in found[str(name)]:
            who = f"rater {rater!r}" if rater else "somebody without a name"
            raise RecordError(f"{where}: {who} has rated {name!r} before; name every rater in a column {RATER}.")
        found[str(name)][rater] = rating
    return dict(found)


def _rows(path: Path, item: str, control: str) -> Iterator[tuple[str, Mapping[str, Json]]]:
    is_table = path.suffix.lower() == ".csv"
    columns: set[str] = set()
    for where, record in manifest_records(path):
        if not isinstance(record, Mapping):
            raise RecordError(f"{where}: expected a JSON object with {item} and {RATING}.")
        try:
            if (rating := studio_rating(record)) is not None:
                yield where, {item: rating.item, RATER: rating.rater, RATING: rating_number(rating, control=control)}
                continue
        except RecordError as error:
            raise RecordError(f"{where}: {error}") from error
        row = {name.strip().casefold(): value for name, value in record.items()} if is_table else record
        columns |= set(row)
        if is_table and (missing := {item, RATING} - columns):
            raise RecordError(f"{where}: there is no column {sorted(missing)[-1]!r}, or nothing in it.")
        yield where, row
