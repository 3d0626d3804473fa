"""Recordings that several people rated for valence and arousal, and SURABench's selection among them.

Segments of 3 to 8 seconds; a standard deviation of at most 1.5 over the raters for both valence and arousal; then a
10 × 10 grid over the plane from 1 to 7 and from each cell at most 15, those with the lowest variance first. The paper
does not say how two variances make one (we add them), which standard deviation it means (ours is the sample's, over
n - 1, so one rater has none), nor what breaks ties (the name).

Two kinds of corpora are read. MSP-Podcast as released: a folder with ``labels_consensus`` and ``labels_detailed`` (both
``.json``, or both ``.csv``, in it or in ``Labels/``) and its recordings in ``Audios/`` (or ``Audio/``)::

    labels_consensus.json  {"MSP-PODCAST_0001_0008.wav": {"EmoClass": "N", "Gender": "Female", "Split_Set": "Test1", …}}
    labels_detailed.json   {"MSP-PODCAST_0001_0008.wav": {"WORKER00000001": {"EmoAct": 3, "EmoVal": 4, "EmoDom": 3, …}}}
    labels_consensus.csv   FileName, EmoClass, Gender, Split_Set, …
    labels_detailed.csv    FileName, EmoAct, EmoVal, EmoDom, …: one row a rating; a column Worker or WorkerID, if any

And any table, ``.csv`` or ``.jsonl``, with one row a rating: ``file``, ``rater``, ``valence``, ``arousal`` and, where
there is one, ``dominance``; further, ``emotion``, ``sex``, ``age``, ``spoken`` (the language) and ``text``, which say
the same in every row of a file. All ratings are brought to the scale from 1 to 7.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aptone.errors import RecordError, UsageError
from aptone.run.sources.manifest import check_fields, manifest_records
from aptone.types import Json, loads

LOWEST, HIGHEST = 1.0, 7.0
"""Ends of the scale that the benchmark uses, MSP-Podcast's own."""
SPLIT = "Test1"
LABELS, AUDIOS = ("", "Labels"), ("Audios", "Audio", "")
CLASSES: Mapping[str, str] = dict(
    zip("ASHUFDN", ("angry", "sad", "happy", "surprise", "fear", "disgust", "neutral"), strict=True)
)
"""MSP-Podcast's classes that we have a name for; contempt, "other" and "no agreement" stay without one."""
SAID = ("emotion", "sex", "age", "spoken", "text")
_FIELDS = frozenset({"file", "rater", "valence", "arousal", "dominance", *SAID})


@dataclass(frozen=True, slots=True)
class Rating:
    """Rating of a recording by one person, from 1 to 7.

    Args:
        valence: rating from unpleasant to pleasant.
        arousal: rating from calm to excited.
        dominance: rating from weak to strong; NaN where nobody was asked.
    """

    valence: float
    arousal: float
    dominance: float = math.nan


@dataclass(frozen=True, slots=True)
class RatedClip:
    """A recording with the ratings of several people.

    Args:
        ratings: ratings in the order of the corpus; at least one.
        emotion, sex, age, spoken, text: labels as the corpus writes them; empty where it does not say.
    """

    id: str
    path: Path
    ratings: tuple[Rating, ...]
    emotion: str = ""
    sex: str = ""
    age: str = ""
    spoken: str = ""
    text: str = ""

    def mean(self, dimension: str) -> float:
        """The mean rating of valence, arousal or dominance; NaN if somebody gave none."""
        return math.fsum(getattr(one, dimension) for one in self.ratings) / len(self.ratings)

    def variance(self, dimension: str) -> float:
        """Sample variance over the raters (over n - 1); NaN for one rater.

        >>> RatedClip("a", Path("a.wav"), (Rating(2, 1), Rating(4, 1))).variance("valence")
        2.0
        """
        if len(self.ratings) < 2:
            return math.nan
        mean = self.mean(dimension)
        return math.fsum((getattr(one, dimension) - mean) ** 2 for one in self.ratings) / (len(self.ratings) - 1)


def read_ratings(table: Path, *, audio: Path | None = None, scale: tuple[float, float]) -> list[RatedClip]:
    """The recordings of a table with one row a rating, sorted by name.

    Args:
        audio: folder that files are relative to; by default that of the table.
        scale: lowest and highest rating that people could give.

    Raises:
        RecordError: if a row cannot be used; with its place.
        UsageError: if the scale is none.
    """
    low, high = scale
    if not low < high:
        raise UsageError(f"a scale has a lowest and a highest rating, got {low:g} and {high:g}.")
    ratings: dict[str, list[Rating]] = {}
    raters: dict[str, set[str]] = {}
    said: dict[str, dict[str, str]] = {}
    for where, row in manifest_records(table):
        try:
            name, rater, rating = _row(row, scale)
            if rater and rater in raters.setdefault(name, set()):
                raise RecordError(f"{rater!r} rates {name!r} a second time.")
            raters.setdefault(name, set()).add(rater)
            _agree(said.setdefault(name, {}), row, name)
        except RecordError as error:
            raise RecordError(f"{where}: {error}") from error
        ratings.setdefault(name, []).append(rating)
    root = (audio or table.parent).absolute()
    return [RatedClip(name, _inside(root, name, table), tuple(ratings[name]), **said[name]) for name in sorted(ratings)]


def read_msp_podcast(folder: Path, *, split: str = SPLIT) -> list[RatedClip]:
    """The recordings of one split of MSP-Podcast, as released, sorted by name.

    Raises:
        UsageError: if a file is missing, or the split has no recordings.
        RecordError: if a file is not as expected.
    """
    consensus = _labels(folder, "labels_consensus")
    detailed = _labels(folder, "labels_detailed")
    audio = next((folder / name for name in AUDIOS if name and (folder / name).is_dir()), folder).absolute()
    chosen = dict(_consensus(consensus))
    splits = sorted({str(one.get("Split_Set", "")) for one in chosen.values()})
    chosen = {name: one for name, one in chosen.items() if one.get("Split_Set") == split}
    if not chosen:
        raise UsageError(f"{consensus}: no recording belongs to {split!r}; it has {', '.join(splits) or 'no split'}.")
    ratings: dict[str, list[Rating]] = {}
    for where, name, given in _detailed(detailed):
        if name in chosen:
            try:
                parts = [_number(given, column) for column in ("EmoVal", "EmoAct", "EmoDom")]
                ratings.setdefault(name, []).append(Rating(*(_brought(part, (LOWEST, HIGHEST)) for part in parts)))
            except RecordError as error:
                raise RecordError(f"{where}: {error}") from error
    if lacking := sorted(set(chosen) - set(ratings)):
        raise RecordError(f"{detailed}: no rating of {lacking[0]!r} ({len(lacking)} such); expected every rater's.")
    clips = []
    for name in sorted(chosen):
        one = chosen[name]
        clip = RatedClip(name, _inside(audio, name, consensus), tuple(ratings[name]), spoken="en")
        sex = str(one.get("Gender", ""))
        emotion = CLASSES.get(str(one.get("EmoClass", "")), "")
        clips.append(replace(clip, emotion=emotion, sex=sex if sex.lower() in ("female", "male") else ""))
    return clips


def _labels(folder: Path, name: str) -> Path:
    for place in LABELS:
        for suffix in (".json", ".csv"):
            if (path := folder / place / f"{name}{suffix}").is_file():
                return path
    raise UsageError(f"{folder}: no {name}.json or .csv, here or in Labels/; expected MSP-Podcast as released.")


def _consensus(path: Path) -> Iterator[tuple[str, Mapping[str, Json]]]:
    for where, name, given in _by_file(path):
        if "Split_Set" not in given:
            raise RecordError(f"{where}: expected the field Split_Set, got {', '.join(given) or 'nothing'}.")
        yield name, given


def _detailed(path: Path) -> Iterator[tuple[str, str, Mapping[str, Json]]]:
    for where, name, given in _by_file(path):
        if path.suffix == ".csv":
            yield where, name, given
            continue
        for worker, one in given.items():
            if not isinstance(one, Mapping):
                raise RecordError(f"{where}, {worker}: expected an object with EmoVal and EmoAct.")
            yield f"{where}, {worker}", name, one


def _by_file(path: Path) -> Iterator[tuple[str, str, Mapping[str, Json]]]:
    if path.suffix == ".csv":
        for where, row in manifest_records(path):
            assert isinstance(row, Mapping)
            if not isinstance(name := row.get("FileName"), str):
                raise RecordError(f"{where}: expected the column FileName.")
            yield where, name, row
        return
    try:
        whole = loads(path.read_text(encoding="utf-8-sig"), what=str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read ({error}).") from error
    if not isinstance(whole, Mapping):
        raise RecordError(f"{path}: expected an object with a field for each file, got {type(whole).__name__}.")
    for name, given in whole.items():
        if not isinstance(given, Mapping):
            raise RecordError(f"{path}, {name}: expected an object, got {type(given).__name__}.")
        yield f"{path}, {name}", name, given


def _row(row: Json, scale: tuple[float, float]) -> tuple[str, str, Rating]:
    if not isinstance(row, Mapping):
        raise RecordError(f"expected an object, got {type(row).__name__}.")
    check_fields(row, _FIELDS)
    name = row.get("file")
    if not isinstance(name, str) or not name:
        raise RecordError(f'"file" is the name of a recording, got {name!r}.')
    parts = [_number(row, column) for column in ("valence", "arousal")]
    parts.append(_number(row, "dominance") if "dominance" in row else math.nan)
    return name, str(row.get("rater", "")), Rating(*(_brought(part, scale) for part in parts))


def _number(row: Mapping[str, Json], column: str) -> float:
    value = row.get(column)
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else math.nan
    except (OverflowError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise RecordError(f'"{column}" is a number, got {value!r}.')
    return number


def _brought(rating: float, scale: tuple[float, float]) -> float:
    """A rating on the scale from 1 to 7.

    >>> _brought(3.0, (1.0, 5.0))
    4.0
    """
    low, high = scale
    if not math.isnan(rating) and not low <= rating <= high:
        raise RecordError(f"a rating of {rating:g} lies outside the scale from {low:g} to {high:g}.")
    return LOWEST + (HIGHEST - LOWEST) * (rating - low) / (high - low)


def _agree(known: dict[str, str], row: Json, name: str) -> None:
    assert isinstance(row, Mapping)
    for column in SAID:
        value = str(row.get(column, "") or "")
        if value and known.setdefault(column, value) != value:
            raise RecordError(f"the {column} of {name!r} is {value!r} here and {known[column]!r} before.")


def _inside(root: Path, name: str, source: Path) -> Path:
    if not (root / name).resolve().is_relative_to(root.resolve()):
        raise RecordError(
            f"{source}: {name!r} is no file in {root}; put the table beside the recordings and name them from there."
        )
    return root / name


@dataclass(frozen=True, slots=True)
class SelectionSettings:
    """Criteria of the selection.

    Args:
        shortest, longest: seconds, both inclusive.
        largest_deviation: largest standard deviation of valence and of arousal, inclusive.
        grid: cells along each side of the plane.
        most_in_cell: recordings picked from one cell.

    Raises:
        UsageError: if nothing could be picked.
    """

    shortest: float = 3.0
    longest: float = 8.0
    largest_deviation: float = 1.5
    grid: int = 10
    most_in_cell: int = 15

    def __post_init__(self) -> None:
        if not 0 <= self.shortest <= self.longest or not self.largest_deviation >= 0:
            raise UsageError("the shortest length is not above the longest one, and the deviation not negative.")
        if self.grid < 1 or self.most_in_cell < 1:
            raise UsageError("the grid has at least one cell, and a cell at least one place.")


@dataclass(frozen=True, slots=True)
class Reject:
    """A recording that is not in the benchmark, and where it was lost: audio, length, agreement, grid or caption."""

    id: str
    step: str
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """Result of the selection.

    Args:
        clips: picked, cell by cell.
        rejects: the others, each with its reason.
        yields: counts in and out by step.
    """

    clips: tuple[RatedClip, ...]
    rejects: tuple[Reject, ...]
    yields: Mapping[str, Mapping[str, int]]


def cell_of(value: float, *, grid: int) -> int:
    """The cell of a mean rating along one side, from 0; the last one holds its upper end.

    >>> [cell_of(value, grid=10) for value in (1.0, 1.59, 1.6, 7.0)]
    [0, 0, 1, 9]
    """
    part = (value - LOWEST) / (HIGHEST - LOWEST)
    # a mean that lies on a border but for rounding counts as on it
    return min(grid - 1, math.floor(round(part * grid, 9)))


def select(clips: Sequence[RatedClip], seconds: Mapping[str, float | str], *, settings: SelectionSettings) -> Selection:
    """Pick recordings by ratings and seconds; text in place of seconds says why a recording cannot be read."""
    rejects: list[Reject] = []
    yields: dict[str, dict[str, int]] = {}

    def passed(step: str, among: Sequence[RatedClip], reasons: Mapping[str, str]) -> list[RatedClip]:
        rejects.extend(Reject(clip.id, step, reasons[clip.id]) for clip in among if reasons[clip.id])
        kept = [clip for clip in among if not reasons[clip.id]]
        yields[step] = {"in": len(among), "out": len(kept)}
        return kept

    unreadable = {clip.id: said if isinstance(said := seconds[clip.id], str) else "" for clip in clips}
    readable = passed("audio", clips, unreadable)
    fitting = passed("length", readable, {clip.id: _length(seconds[clip.id], settings) for clip in readable})
    agreed = passed("agreement", fitting, {clip.id: _agreement(clip, settings) for clip in fitting})
    cells: dict[tuple[int, int], list[RatedClip]] = {}
    for clip in sorted(agreed, key=lambda clip: (spread(clip), clip.id)):
        place = (cell_of(clip.mean("valence"), grid=settings.grid), cell_of(clip.mean("arousal"), grid=settings.grid))
        cells.setdefault(place, []).append(clip)
    reasons = {
        clip.id: _full(rank, len(there), place, settings)
        for place, there in cells.items()
        for rank, clip in enumerate(there, start=1)
    }
    picked = passed("grid", [clip for place in sorted(cells) for clip in cells[place]], reasons)
    yields["grid"]["cells filled"] = len(cells)
    return Selection(tuple(picked), tuple(rejects), yields)


def spread(clip: RatedClip) -> float:
    """Return the disagreement of raters on a recording: the variances of valence and arousal together."""
    return clip.variance("valence") + clip.variance("arousal")


def _length(seconds: float | str, settings: SelectionSettings) -> str:
    assert not isinstance(seconds, str)
    if settings.shortest <= seconds <= settings.longest:
        return ""
    return f"{seconds:.2f} s is not between {settings.shortest:g} and {settings.longest:g} s"


def _agreement(clip: RatedClip, settings: SelectionSettings) -> str:
    if len(clip.ratings) < 2:
        return "one rater has no deviation"
    for dimension in ("valence", "arousal"):
        deviation = math.sqrt(clip.variance(dimension))
        if deviation > settings.largest_deviation:
            return f"raters differ on {dimension}: standard deviation {deviation:.2f} > {settings.largest_deviation:g}"
    return ""


def _full(rank: int, count: int, place: tuple[int, int], settings: SelectionSettings) -> str:
    if rank <= settings.most_in_cell:
        return ""
    column, row = place
    return (
        f"cell {column + 1}, {row + 1} of valence and arousal is full: {rank} of {count} by variance, "
        f"{settings.most_in_cell} are picked"
    )
