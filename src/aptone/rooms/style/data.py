"""Pairs of clips and descriptions from wherever they lie, and the items that are made of them.

========  ==========================================================================================================
layout    what it is
========  ==========================================================================================================
records   a ``.jsonl`` or ``.json`` file, one object a pair
table     a ``.csv`` file, one row a pair; ratings in columns ``rating_1``, ``rating_2``, … or ``rating_<rater>``
folder    one of the two under a usual name (``pairs``, ``manifest``, ``metadata``, ``s3bench``, ``index``), and
          ``ratings.csv`` or ``ratings.jsonl`` beside it where the pairs do not hold them: one rating a row
========  ==========================================================================================================

A pair has ``audio`` (a path, relative to the file) and ``description``, and may have ``id``, ``language`` (``en``,
``zh``), ``transcript``, ``start`` and ``end`` (seconds), ``ratings`` and ``human_score``, and ``speaker``, ``voice`` or
``system``, which say whose voice it is. Sets of other people call the same things otherwise; `NAMES` lists what is
understood. ``ratings`` is ``{"rater": 4}``, a plain list of numbers, or a list of objects with ``rater``, ``score`` and
``confidence``. What else a pair holds is left alone.
"""

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from aptone.audio import SpeechPiece
from aptone.ear.referenced import VOICE_IDS
from aptone.errors import RecordError, UsageError
from aptone.files import file_hash
from aptone.ratings.storage import rating_number, studio_rating
from aptone.run import write_whole
from aptone.run.sources.columns import NAMES as COMMON
from aptone.run.sources.manifest import manifest_records, refuse_doubles
from aptone.run.sources.records import Reading, SourceOptions, identified, read_source
from aptone.types import (
    AudioRef,
    Item,
    Json,
    Language,
    Segment,
    dumps,
    from_json,
    language_of_text,
    schema_name,
    to_json,
)

LOWEST, HIGHEST = 0.0, 5.0
"""Ends of the scale on which people rate: nothing of the description is heard, all of it is."""

Confidence = Literal["high", "medium", "low"]
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")


@dataclass(frozen=True, slots=True)
class StylePair:
    """A clip and a description that may or may not fit it.

    Args:
        id: unique within a set.
        language: language of the description; the clip is spoken in it, too, unless the set says otherwise.
        transcript: words of the clip; only the text-only baseline reads it.
        ratings: ratings by rater, from 0 (nothing fits) to 5 (everything fits).
        confidences: confidence of each rater.
        human_score: the mean of the ratings, or what a set gives in its place; NaN without either.
        ids: further properties of the pair, such as its source; never shown to raters.

    Raises:
        ValueError: if the id or the description is empty, or a rating, their mean or a confidence is none.
    """

    id: str
    audio: AudioRef
    description: str
    language: Language = "en"
    transcript: str = ""
    ratings: Mapping[str, float] = field(default_factory=dict)
    confidences: Mapping[str, str] = field(default_factory=dict)
    human_score: float = math.nan
    ids: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("the id of a pair is empty.")
        if not self.description.strip():
            raise ValueError("the description is empty: there is nothing that a voice could fit.")
        for rater, rating in self.ratings.items():
            if not LOWEST <= rating <= HIGHEST:
                raise ValueError(f"ratings go from {LOWEST:g} to {HIGHEST:g}; rater {rater!r} gave {rating:g}.")
        if not (math.isnan(self.human_score) or LOWEST <= self.human_score <= HIGHEST):
            raise ValueError(f"ratings go from {LOWEST:g} to {HIGHEST:g}; their mean cannot be {self.human_score:g}.")
        if unknown := [word for word in self.confidences.values() if word not in CONFIDENCES]:
            raise ValueError(f"a confidence is {', '.join(CONFIDENCES)}; got {unknown[0]!r}.")
        if math.isnan(self.human_score) and self.ratings:
            object.__setattr__(self, "human_score", math.fsum(self.ratings.values()) / len(self.ratings))


def piece_times(piece: SpeechPiece) -> Segment:
    """Return start and end of a piece, in whole milliseconds that lie within it.

    A recording that was resampled may seem a sample longer than it is; its last millisecond is not asked for.
    """
    end = piece.start + piece.audio.seconds - 1.0 / piece.audio.rate
    return Segment(math.ceil(piece.start * 1000.0) / 1000.0, max(0.0, math.floor(end * 1000.0) / 1000.0))


NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "pair", "pair_id", "item", "item_id"),
    "audio": ("audio", "file", "path", "wav", "clip", "audio_path", "audio_file", "filename"),
    "description": ("description", "caption", "style", "style_caption", "style_description", "prompt", "text"),
    "language": ("language", "lang"),
    "transcript": ("transcript", "transcription", "content", "spoken"),
    "ratings": ("ratings", "annotations", "human_annotations", "scores"),
    "human_score": ("human_score", "mean", "mean_rating", "reference"),
    "start": ("start",),
    "end": ("end",),
}
"""Names that are understood as a field of a pair, in the order in which they are looked for."""

_RATING_NAMES: Mapping[str, tuple[str, ...]] = {
    "pair": ("pair", "pair_id", "id", "item", "item_id"),
    "rater": ("rater", "rater_id", "annotator", "worker"),
    "score": ("score", "rating", "value"),
    "confidence": ("confidence",),
}
_LANGUAGES: Mapping[str, Language] = {
    **dict.fromkeys(("en", "eng", "english", "en-us", "en-gb"), "en"),
    **dict.fromkeys(("zh", "zho", "chinese", "mandarin", "zh-cn", "cn", "cmn", "中文"), "zh"),
}
_STEMS = ("pairs", "manifest", "metadata", "s3bench", "index")
_SETS = tuple((stem, end) for stem in _STEMS for end in ("jsonl", "json", "csv"))
_RATING_COLUMN = re.compile(r"(?:rating|score|annotator|rater)(?:[ _-](?!ids?$|count$|mean$|names?$)(\w+)|(\d+))")

PAIRS = "pairs.jsonl"
RATINGS = "ratings"
FIT = "fit"
"""The question of the rating task whose answer is the score."""

Ratings = dict[str, dict[str, tuple[float, str]]]
"""Pair to rater to score and confidence."""


def read_pairs(source: Path) -> list[StylePair]:
    """The pairs of a file or folder, in their order; how they are laid out is found out.

    Raises:
        UsageError: if there is nothing of the kind there.
        RecordError: if a record cannot be understood, or two pairs have one id; the message names the place.
    """
    listed = pairs_file(source)
    rows = list(manifest_records(listed))
    pairs: list[StylePair] = []
    places: dict[str, str] = {}
    for number, (where, data) in enumerate(rows, start=1):
        try:
            pairs.append(_pair(data, number=number, root=listed.parent))
        except (RecordError, ValueError) as error:
            raise RecordError(f"{where}: {error}") from error
        places[where] = pairs[-1].id
    if not pairs:
        raise RecordError(f"{listed}: there is no pair in it; expected clips with descriptions.")
    refuse_doubles(places)
    beside = _ratings_beside(listed)
    if source.is_dir() and beside is not None:
        return with_ratings(pairs, read_ratings(beside), source=beside)
    return pairs


def read_listed_pairs(source: Path, options: SourceOptions) -> tuple[list[StylePair], Reading]:
    """The pairs of a source of any kind, and how it was read; errors as `read_pairs`.

    A folder with a list of pairs under a usual name is that list, with its ratings beside it.
    """
    is_set = (
        source.is_dir() and options.kind is None and any((source / f"{stem}.{end}").is_file() for stem, end in _SETS)
    )
    listed = pairs_file(source) if is_set else source
    names = {name: (*own, *COMMON.get(name, ())) for name, own in {**COMMON, **NAMES, "voice": ("voice",)}.items()}
    reading = read_source(listed, names, options, passed=f"(?i){_RATING_COLUMN.pattern}", words="transcript")
    pairs = identified(reading, lambda data, number: _pair(data, number=number, root=listed.parent))
    beside = _ratings_beside(listed) if is_set else None
    return pairs if beside is None else with_ratings(pairs, read_ratings(beside), source=beside), reading


def _ratings_beside(listed: Path) -> Path | None:
    endings = (".csv", ".jsonl")
    return next((path for suffix in endings if (path := listed.with_name(RATINGS + suffix)).is_file()), None)


def pairs_file(source: Path) -> Path:
    """The file that lists the pairs of a source: itself, or the one under a usual name in a folder.

    Raises:
        UsageError: if there is none, or a folder has two.
    """
    if source.is_file():
        return source
    if not source.is_dir():
        raise UsageError(f"{source}: there is no such file or folder; name a set of pairs that is there.")
    found = [
        path
        for stem in _STEMS
        for suffix in (".jsonl", ".json", ".csv")
        if (path := source / f"{stem}{suffix}").is_file()
    ]
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise UsageError(
            f"{source}: expected one list of pairs, {PAIRS} or {', '.join(_STEMS[1:])} as .jsonl, .json or .csv; found "
            f"{names}. Name the file itself."
        )
    return found[0]


def read_ratings(path: Path) -> Ratings:
    """Ratings by pair and rater, from a CSV file or JSON lines; what a rating task brought home included.

    Raises:
        RecordError: if the file cannot be understood, or somebody rates a pair twice.
    """
    found: defaultdict[str, dict[str, tuple[float, str]]] = defaultdict(dict)
    for where, data in manifest_records(path):
        if not isinstance(data, Mapping):
            raise RecordError(f"{where}: expected an object with pair, rater and score.")
        try:
            pair, rater, score, confidence = _rating(data)
        except (RecordError, ValueError) as error:
            raise RecordError(f"{where}: {error}") from error
        if rater in found[pair]:
            raise RecordError(f"{where}: rater {rater!r} has rated {pair!r} before; keep one of the two.")
        found[pair][rater] = (score, confidence)
    return dict(found)


def with_ratings(pairs: Sequence[StylePair], ratings: Ratings, *, source: Path | str) -> list[StylePair]:
    """Pairs with these ratings in place of their own.

    Raises:
        RecordError: if a rating names a pair that is not there, or lies outside of the scale.
    """
    if unknown := sorted(set(ratings) - {pair.id for pair in pairs}):
        raise RecordError(f"{source}: there is no pair {unknown[0]!r}; ratings go by the ids of the pairs.")
    rated = []
    for pair in pairs:
        given = ratings.get(pair.id, {})
        scores = {rater: score for rater, (score, _) in given.items()}
        sure = {rater: confidence for rater, (_, confidence) in given.items() if confidence}
        try:
            rated.append(replace(pair, ratings=scores, confidences=sure, human_score=math.nan) if given else pair)
        except ValueError as error:
            raise RecordError(f"{source}, pair {pair.id!r}: {error}") from error
    return rated


def write_pairs(path: Path, pairs: Iterable[StylePair]) -> None:
    """Write pairs so that `read_pairs` gives them back; clips below the file's folder get relative paths.

    Raises:
        RunError: if the file cannot be written.
    """
    root = path.parent.absolute()
    write_whole(path, "".join(f"{dumps(to_json(replace(one, audio=_near(one.audio, root))))}\n" for one in pairs))


def make_items(pairs: Iterable[StylePair], *, hashes: Mapping[Path, str] | None = None) -> Iterator[Item]:
    """Pairs as items, whose hash covers what a score depends on: the clip's bytes and the description.

    A clip that cannot be read is not an error here: its item fails when it is worked on.

    Args:
        hashes: hashes of clips that are known already, by path.
    """
    known = dict(hashes or {})  # one clip may stand in many pairs
    for position, pair in enumerate(pairs):
        path = Path(pair.audio.path)
        if path not in known:
            known[path] = file_hash(path)
        hashed = replace(pair, audio=replace(pair.audio, sha256=known[path]))
        content: list[Json] = [known[path], pair.audio.start, pair.audio.end, pair.description]
        digest = hashlib.sha256(dumps(content).encode()).hexdigest()
        yield Item(id=pair.id, payload=to_json(hashed), content_hash=digest, position=position)


def _pair(data: Json, *, number: int, root: Path) -> StylePair:
    if not isinstance(data, Mapping):
        raise RecordError(f"expected an object with audio and description, got {type(data).__name__}.")
    if data.get("schema") == schema_name(StylePair):
        whole = from_json(StylePair, data)
        return replace(whole, audio=_placed(whole.audio, root))
    audio, description = _named(data, "audio"), _named(data, "description")
    if not isinstance(audio, str) or not audio or not isinstance(description, str):
        lacking = "audio" if not isinstance(audio, str) or not audio else "description"
        there = [*(name for name in data if name != "ids"), *_ids(data)]
        raise RecordError(
            f"expected text under {lacking!r} (or {', '.join(NAMES[lacking][1:])}), got {_named(data, lacking)!r}; "
            f"the fields are {', '.join(there)[:200]}. Name its column with --map {lacking}=COLUMN."
        )
    identity = _named(data, "id")
    ratings = _ratings(_named(data, "ratings")) or _columns(data)
    end = _named(data, "end")
    return StylePair(
        id=str(identity) if identity not in (None, "") else f"{number:04}",
        audio=_placed(AudioRef(audio, start=_number(_named(data, "start"), 0.0), end=_number(end, None)), root),
        description=description,
        language=_language(_named(data, "language"), description),
        transcript=str(_named(data, "transcript") or ""),
        ratings={rater: score for rater, (score, _) in ratings.items()},
        confidences={rater: confidence for rater, (_, confidence) in ratings.items() if confidence},
        human_score=math.nan if ratings else _number(_named(data, "human_score"), math.nan),
        ids={**_ids(data), **{name: str(data[name]) for name in VOICE_IDS if data.get(name)}},
    )


def _ids(data: Mapping[str, Json]) -> dict[str, str]:
    given = data.get("ids")
    return {name: str(value) for name, value in given.items()} if isinstance(given, Mapping) else {}


def _named(data: Mapping[str, Json], field: str) -> Json:
    return next((data[name] for name in NAMES[field] if name in data), None)


def _language(given: Json, description: str) -> Language:
    if given in (None, ""):
        return language_of_text(description)
    try:
        return _LANGUAGES[str(given).strip().lower()]
    except KeyError:
        raise RecordError(f"the language is en or zh, got {given!r}.") from None


def _number(value: Json, default: Any) -> Any:
    if value in (None, ""):
        return default
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise RecordError(f"expected a number, got {value!r}.")
    return number


def _ratings(given: Json) -> dict[str, tuple[float, str]]:
    """The ratings inside a record: by rater, or in a list."""
    if given in (None, ""):
        return {}
    if isinstance(given, str):
        given = list(filter(None, re.split(r"[\s,;\[\]]+", given)))  # "[4, 5, 5]" or "4 5 5" in a cell of a table
    if isinstance(given, Mapping):
        return {rater: (_number(score, math.nan), "") for rater, score in given.items()}
    if not isinstance(given, Sequence):
        raise RecordError(f"ratings are an object of raters, or a list, got {given!r}.")
    found: dict[str, tuple[float, str]] = {}
    for place, one in enumerate(given, start=1):
        if isinstance(one, Mapping):
            rater = str(next((one[name] for name in _RATING_NAMES["rater"] if name in one), place))
            score = next((one[name] for name in _RATING_NAMES["score"] if name in one), None)
            value, sure = _number(score, math.nan), _confidence(one.get("confidence"))
        else:
            rater, value, sure = str(place), _number(one, math.nan), ""
        if rater in found or math.isnan(value):
            raise RecordError(f"rating {place}: expected one score of one rater, got {one!r}.")
        found[rater] = (value, sure)
    return found


def _columns(data: Mapping[str, Json]) -> dict[str, tuple[float, str]]:
    """Ratings in columns of their own: ``rating_1``, ``rating_anna``."""
    found = ((_RATING_COLUMN.fullmatch(name.lower()), value) for name, value in data.items())
    columns = {match[1] or match[2]: value for match, value in found if match is not None}
    return {rater: (_number(value, math.nan), "") for rater, value in columns.items() if value not in (None, "")}


def _rating(data: Mapping[str, Json]) -> tuple[str, str, float, str]:
    if (whole := studio_rating(data)) is not None:
        score = rating_number(whole, control=FIT if FIT in whole.answers else "")
        return whole.item, whole.rater, score, _confidence(whole.answers.get("confidence"))
    values = {
        field: next((data[name] for name in names if name in data), None) for field, names in _RATING_NAMES.items()
    }
    score = _number(values["score"], math.nan)
    if values["pair"] in (None, "") or values["rater"] in (None, "") or math.isnan(score):
        raise RecordError("expected pair, rater and a number under score.")
    return str(values["pair"]), str(values["rater"]), score, _confidence(values["confidence"])


def _confidence(given: Json) -> str:
    word = str(given or "").strip().lower()
    if word and word not in CONFIDENCES:
        raise RecordError(f"a confidence is {', '.join(CONFIDENCES)}; got {given!r}.")
    return word


def _placed(audio: AudioRef, root: Path) -> AudioRef:
    """Make the path absolute, so that a run does not depend on the folder in which commands are typed."""
    return replace(audio, path=str((root / audio.path).absolute()))


def _near(audio: AudioRef, root: Path) -> AudioRef:
    path = Path(audio.path)
    return replace(audio, path=str(path.relative_to(root))) if path.is_relative_to(root) else audio
