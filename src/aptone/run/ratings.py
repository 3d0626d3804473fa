"""What people gave the items of a run, in a file of their own: one rating a line, by item and rater."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from aptone.errors import RecordError
from aptone.run.manifest import manifest_records
from aptone.types import Json

RATING, RATER = "rating", "rater"


def read_ratings(path: Path, *, item: str) -> dict[str, dict[str, float]]:
    """Ratings by item and rater, from a CSV file or JSON lines.

    Columns (or fields) are the one named by `item`, ``rating`` and, where several people rated, ``rater``.

    Args:
        path: of the file.
        item: what an item is called there, such as ``dialogue``.

    Raises:
        RecordError: if the file cannot be understood, or one rater rates an item twice.
    """
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for where, row in _rows(path, item):
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


def _rows(path: Path, item: str) -> Iterator[tuple[str, Mapping[str, Json]]]:
    is_table = path.suffix.lower() == ".csv"
    columns: set[str] = set()
    for where, record in manifest_records(path):
        if not isinstance(record, Mapping):
            raise RecordError(f"{where}: expected a JSON object with {item} and {RATING}.")
        row = {name.strip().casefold(): value for name, value in record.items()} if is_table else record
        columns |= set(row)
        if is_table and (missing := {item, RATING} - columns):
            raise RecordError(f"{where}: there is no column {sorted(missing)[-1]!r}, or nothing in it.")
        yield where, row
