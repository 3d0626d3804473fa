"""Lines that people rated: CEAEval-D as released, other data sets with human scores, and our own manifests.

The files of a data set are read by `aptone.rooms.aptness.rated_files`. Its fields go by many names; these are known,
the first that a record has counts:

======================  ==============================================================================================
audio                   ``audio``, ``audio_path``, ``file_name``, ``wav``, ``wav_path``, ``path``: a path, or bytes in
                        a Parquet file
the line                ``refined_content``, ``line``, ``target_line``, ``spoken_content``, ``text``: what somebody
                        corrected goes before what was corrected
the lines before        ``refined_context``, ``context``, ``novel_context``, ``novel_context_lines``,
                        ``novel_context_text``
human score, 0 to 5     ``human_score``, ``overall_score``, ``overall_expressive_score``, ``expressive_score``,
                        ``expressive_appropriateness``, ``appropriateness_score``, ``appropriateness``,
                        ``actual_score``, ``score``; two that differ are an error
proxy score, 0 to 5     ``proxy_score``: it counts only where no line of the set has a human score
scores by rater         ``ratings``; or ``annotations``, a list of objects with ``annotator`` and the dimensions; a
                        dimension of the record's own goes before what its annotators say
where the line lies     ``start`` and ``end`` in seconds, or ``boundaries`` with both
the other dimensions    by the names in `aptone.types.DIMENSIONS`, English or Mandarin, and those in `DIMENSION_NAMES`,
                        also inside an object ``annotation``
======================  ==============================================================================================

The rest is as in `aptone.rooms.aptness.data`. Where no language is stated, the characters of the line decide. A field
that is not known is passed over and counted, since a data set may hold what a benchmark has no use for; so is an
annotation that is not one of its closed set.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aptone.errors import RecordError, UsageError
from aptone.rooms.aptness.data import read_record
from aptone.rooms.aptness.rated_files import RawRecord, read_raw_records
from aptone.rooms.aptness.story import language_of
from aptone.run.sources.manifest import refuse_doubles
from aptone.types import (
    DIMENSIONS,
    AgeBand,
    Annotation,
    ClosedSet,
    Intonation,
    Line,
    Rhythm,
    Sample,
    Segment,
    Sex,
    schema_name,
)

FIELD_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "utterance_id", "utt_id", "sample_id", "segment_id"),
    "audio": ("audio", "audio_path", "file_name", "wav", "wav_path", "path"),
    "line": ("refined_content", "line", "target_line", "spoken_content", "text"),
    "context": ("refined_context", "context", "novel_context", "novel_context_lines", "novel_context_text"),
    "following": ("following",),
    "language": ("language", "lang"),
    "role": ("role", "role_name", "speaker_role", "character"),
    "start": ("start", "start_time"),
    "end": ("end", "end_time"),
    "plan": ("plan",),
    "ideal_en": ("ideal_en",),
    "ideal_zh": ("ideal_zh",),
    "proxy_score": ("proxy_score",),
}
"""Names of the fields that a sample is made of."""

SCORE_NAMES = (
    "human_score",
    "overall_score",
    "overall_expressive_score",
    "expressive_score",
    "expressive_appropriateness",
    "appropriateness_score",
    "appropriateness",
    "actual_score",
    "score",
)

DIMENSION_NAMES: Mapping[str, tuple[str, ...]] = {
    "tts_difficulty": ("difficulty",),
    "intonation": ("actual_intonation",),
    "rhythm": ("actual_rhythm",),
    "emotion": ("actual_emotion",),
    "vocalisations": ("vocalizations", "paralinguistic_vocalizations", "paralinguistics", "linguistic_sounds"),
    "age": ("speaker_age",),
    "gender": ("sex", "speaker_gender"),
    "recording_condition": ("recording_conditions", "actual_record_condition", "record_condition", "sound_effects"),
    "background_music": ("bgm", "background_music_presence"),
    "sound_events": ("events",),
}
"""Other names of the dimensions, beside those of `Annotation` and the Mandarin ones."""

IDENTITIES = ("story", "novel", "book", "work", "chapter", "speaker", "system", "take")
"""Fields that are kept with the ids of a sample."""

STUDIO_COLUMNS = frozenset({"purpose", "raters", "adjudicated", "accepted", "story.lines", "item.boundaries"})
"""Further columns of the studio's exports, which are not used here."""

_CLOSED: Mapping[str, type[ClosedSet]] = {"intonation": Intonation, "rhythm": Rhythm, "age": AgeBand, "gender": Sex}
_YES, _NO = ("yes", "true", "1", "有"), ("no", "false", "0", "无")
_RATERS = ("annotator", "rater", "annotator_id", "rater_id")
_NESTED = ("annotation", "annotations")
_LONGEST_SUFFIX = re.compile(r"\.[a-z0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class RatedLine:
    """A spoken line, and what people wrote down about it.

    Args:
        sample: line with its human score and single ratings, where there are any.
        annotation: the fifteen dimensions, as far as they were answered; of several annotators, what most of them say.
    """

    sample: Sample
    annotation: Annotation = field(default_factory=Annotation)

    def score(self, *, proxy: bool) -> float:
        """Human score, or the proxy score in its place; NaN without either."""
        return self.sample.proxy_score if proxy else self.sample.human_score


@dataclass(frozen=True, slots=True)
class RatedSet:
    """Rated lines of a data set."""

    lines: tuple[RatedLine, ...]
    passed_over: Mapping[str, int] = field(default_factory=dict)
    source: str = ""

    @property
    def is_proxy(self) -> bool:
        """Return whether no line has a human score but some have proxy scores."""
        human, proxy = (any(not math.isnan(line.score(proxy=kind)) for line in self.lines) for kind in (False, True))
        return proxy and not human

    @property
    def rated_lines(self) -> tuple[RatedLine, ...]:
        """The lines with a score: people's, or where nobody rated any line, the proxy's."""
        return tuple(line for line in self.lines if not math.isnan(line.score(proxy=self.is_proxy)))


def read_rated(
    path: Path, *, split: str = "test", data_root: Path | None = None, unpack_to: Path | None = None
) -> RatedSet:
    """The rated lines of a data set or a manifest.

    Args:
        path: a file or a folder, see `aptone.rooms.aptness.rated_files`.
        data_root: root of relative paths; by default the folder of each file, or else that of the set.
        unpack_to: folder for recordings that are inside a Parquet file, named by their content.

    Raises:
        MissingExtraError: if a Parquet file needs a library that is not installed.
        RecordError: if a record cannot be understood; the message names the file and the place.
        UsageError: if there is nothing to read.
    """
    if data_root is not None and not data_root.is_dir():
        raise UsageError(f"--data-root {data_root}: no such folder.")
    passed_over: Counter[str] = Counter()
    lines: list[RatedLine] = []
    places: dict[str, str] = {}
    spoken = (*FIELD_NAMES["audio"], "target")
    for number, record in enumerate(read_raw_records(path, split=split, spoken=spoken), start=1):
        roots = [data_root] if data_root else [record.folder, *([path] if path.is_dir() else [])]
        reader = _Reader(record, roots=roots, unpack_to=unpack_to)
        lines.append(reader.line(number))
        passed_over.update(reader.passed_over)
        places[record.where] = lines[-1].sample.id
    refuse_doubles(places)
    return RatedSet(tuple(lines), dict(passed_over.most_common()), str(path))


def with_ratings(rated: RatedSet, ratings: Mapping[str, float]) -> RatedSet:
    """The set with other human scores, by the ids of its lines; a line that nobody rated has none.

    Raises:
        UsageError: if no line of the set is rated.
    """
    if not any(line.sample.id in ratings for line in rated.lines):
        raise UsageError(f"none of the {len(ratings)} ratings is of a line of {rated.source}; they are matched by id.")
    lines = (
        replace(line, sample=replace(line.sample, human_score=ratings.get(line.sample.id, math.nan), ratings={}))
        for line in rated.lines
    )
    return replace(rated, lines=tuple(lines))


class _Reader:
    """Reads one record, and notes what of it was passed over."""

    def __init__(self, record: RawRecord, *, roots: Sequence[Path], unpack_to: Path | None) -> None:
        self.passed_over: list[str] = []
        self._where = record.where
        self._fields = {name: value for name, value in record.fields.items() if not _is_missing(value)}
        self._roots = roots
        self._unpack_to = unpack_to

    def line(self, number: int) -> RatedLine:
        if self._fields.get("schema") == schema_name(Sample):
            root = self._roots[0]
            return RatedLine(read_record(self._fields, where=self._where, number=number, root=root))
        several = self._annotators()
        own = {name: value for name, value in self._fields.items() if name not in _NESTED}
        annotation = _majority([*several.values(), self._object("annotation")]) | _majority([own])
        given = {name: _first(self._fields, spellings) for name, spellings in FIELD_NAMES.items()}
        known: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        known["audio"], root = self._audio(known.get("audio"))
        if (ends := _times(annotation.get("boundaries"))) and not {"start", "end"} & set(known):
            known |= {"start": ends[0], "end": ends[1]}
        for name in ("start", "end", "proxy_score"):
            if name in known:
                known[name] = self._number(known[name], name)
        if ratings := self._ratings(several):
            known["ratings"] = ratings
        if (score := self._score({**self._object("annotation"), **self._fields})) is not None:
            known["human_score"] = score
        known.setdefault("language", language_of([Line(str(known.get("line", "")))]))
        known["ids"] = self._ids()
        self._note_unknown()
        sample = read_record(known, where=self._where, number=number, root=root)
        return RatedLine(sample, self._annotation(annotation, sample))

    def _object(self, name: str) -> Mapping[str, Any]:
        value = self._fields.get(name)
        return value if isinstance(value, Mapping) else {}

    def _annotators(self) -> dict[str, Mapping[str, Any]]:
        """Annotator to what they answered, where the record holds several."""
        answers = self._fields.get("annotations")
        if isinstance(answers, Mapping) and all(isinstance(answer, Mapping) for answer in answers.values()):
            return {str(rater): answer for rater, answer in answers.items()}
        if not isinstance(answers, Sequence) or isinstance(answers, str):
            return {}
        if not all(isinstance(answer, Mapping) for answer in answers):
            raise RecordError(f'{self._where}: "annotations" is a list of objects, one an annotator.')
        named = {str(_first(answer, _RATERS) or place): answer for place, answer in enumerate(answers, start=1)}
        if len(named) < len(answers):
            raise RecordError(f'{self._where}: two of the "annotations" are by one annotator.')
        return named

    def _ratings(self, several: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
        given = self._fields.get("ratings", {})
        if not isinstance(given, Mapping):
            raise RecordError(f'{self._where}: "ratings" is an object of raters and their scores from 0 to 5.')
        found = {str(rater): self._number(rating, "ratings") for rater, rating in given.items() if rating is not None}
        for rater, answer in several.items():
            if (score := self._score(answer)) is not None:
                found[rater] = score
        return found

    def _score(self, fields: Mapping[str, Any]) -> float | None:
        names = [name for name in (*SCORE_NAMES, DIMENSIONS["overall_score"].zh) if not _is_missing(fields.get(name))]
        values = {name: self._number(fields[name], name) for name in names}
        if len(set(values.values())) > 1:
            raise RecordError(f"{self._where}: {' and '.join(values)} differ; which one is the human score?")
        return next(iter(values.values()), None)

    def _number(self, value: Any, name: str) -> float:
        try:
            if isinstance(value, bool):
                raise ValueError
            return float(value)
        except (TypeError, ValueError):
            raise RecordError(f"{self._where}: {name} is a number, got {value!r}.") from None

    def _audio(self, audio: Any) -> tuple[str, Path]:
        """The path of the recording, and what it is relative to."""
        if isinstance(audio, Mapping):
            inside, named = audio.get("bytes"), audio.get("path")
            if isinstance(inside, bytes):
                return self._unpacked(inside, str(named or "")), self._roots[0]
            audio = named
        if isinstance(audio, bytes):
            return self._unpacked(audio, ""), self._roots[0]
        if not isinstance(audio, str) or not audio:
            raise RecordError(f'{self._where}: expected the path of a recording under "audio".')
        return audio, next((root for root in self._roots if (root / audio).is_file()), self._roots[0])

    def _unpacked(self, inside: bytes, named: str) -> str:
        if self._unpack_to is None:
            raise RecordError(f"{self._where}: the recording is inside the file; say where it may be unpacked to.")
        suffix = Path(named).suffix.lower()
        name = hashlib.sha256(inside).hexdigest() + (suffix if _LONGEST_SUFFIX.fullmatch(suffix) else "")
        path = self._unpack_to / name
        if not path.is_file():
            self._unpack_to.mkdir(parents=True, exist_ok=True)
            path.write_bytes(inside)
        return str(path.absolute())

    def _ids(self) -> dict[str, str]:
        given = self._fields.get("ids", {})
        if not isinstance(given, Mapping):
            raise RecordError(f'{self._where}: "ids" is an object of names and texts.')
        named = {name: str(self._fields[name]) for name in IDENTITIES if name in self._fields}
        return named | {str(name): str(value) for name, value in given.items()}

    def _note_unknown(self) -> None:
        known = {name for names in FIELD_NAMES.values() for name in names}
        known |= {*SCORE_NAMES, *IDENTITIES, *_NESTED, "ids", "ratings", "split", "schema"}
        known |= {name for dimension in DIMENSIONS for name in _names_of(dimension)} | STUDIO_COLUMNS
        self.passed_over += [f"field {name!r}" for name in self._fields if name not in known]

    def _annotation(self, fields: Mapping[str, Any], sample: Sample) -> Annotation:
        answers: dict[str, Any] = {"overall_score": sample.human_score, "refined_content": sample.target.text}
        answers |= {"refined_context": sample.context, "role": sample.target.role}
        for name in DIMENSIONS:
            value = fields.get(name)
            if name in answers or name == "boundaries" or value is None:
                continue
            answer = _parse_answer(name, value)
            if answer is None:
                self.passed_over.append(f"{name} {str(value)[:40]!r}")
            else:
                answers[name] = answer
        start, end = fields.get("start", fields.get("start_time")), fields.get("end", fields.get("end_time"))
        if ends := _times(fields.get("boundaries")):
            start, end = ends
        if start is not None and end is not None:
            try:
                answers["boundaries"] = Segment(self._number(start, "start"), self._number(end, "end"))
            except ValueError as error:
                raise RecordError(f"{self._where}: {error}") from error
        return Annotation(**answers)


def _times(value: Any) -> tuple[Any, Any] | None:
    """Start and end, where a value is both."""
    is_pair = isinstance(value, Sequence) and not isinstance(value, str | bytes) and len(value) == 2
    return (value[0], value[1]) if is_pair else None


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((fields[name] for name in names if not _is_missing(fields.get(name))), None)


def _names_of(dimension: str) -> tuple[str, ...]:
    return (dimension, *DIMENSION_NAMES.get(dimension, ()), DIMENSIONS[dimension].zh)


def _majority(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Each dimension as most of the answers have it; of equally many, as the first."""
    found: dict[str, Any] = {}
    for name in (*DIMENSIONS, "start", "end", "start_time", "end_time"):
        names = _names_of(name) if name in DIMENSIONS else (name,)
        values = [value for answer in answers if (value := _first(answer, names)) is not None]
        if values:
            counts = Counter(map(str, values))
            found[name] = max(values, key=lambda value: counts[str(value)])
    return found


def closed_answer(name: str, value: Any) -> ClosedSet | bool | None:
    """An answer to a closed dimension, whatever its spelling; ``None`` where it is none.

    >>> closed_answer("rhythm", "Low - paced"), closed_answer("background_music", "有")
    (<Rhythm.LOW_PACED: 'low-paced'>, True)
    """
    if name == "background_music":
        said = str(value).strip().casefold()
        return True if said in _YES else False if said in _NO else None
    try:
        return _CLOSED[name].parse(str(value))
    except RecordError:
        return None


def _parse_answer(name: str, value: Any) -> Any:
    """An answer to a dimension in its own type; ``None`` where it is none."""
    if name in _CLOSED or name == "background_music":
        return closed_answer(name, value)
    if name == "tts_difficulty":
        try:
            difficulty = float(value)
        except (TypeError, ValueError):
            return None
        return difficulty if 0 <= difficulty <= 5 else None
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    return str(value).strip()
