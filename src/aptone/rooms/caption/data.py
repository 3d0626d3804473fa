"""Captions of recordings, the atomic units that they consist of, and the manifests that hold them.

A manifest has one JSON object a line (or is one JSON array, or a table with a heading):

=====================  ==================================================================================
``id``                 unique; by default the number of the record
``audio``              path, relative to the manifest
``start``, ``end``     seconds, when the clip is a part of the file
``caption``            the text that is judged
``reference``          a caption that is known to be true and complete, where there is one
``language``           of both texts, ``en`` or ``zh``; by default that of the caption's characters
``spoken``             code of the language that is spoken, such as ``de``; by default it is not known
``system``             whose caption it is
``human_score``        what people gave it; by default the mean of ``ratings``
``ratings``            the same by rater, ``{"rater": score}``
``ids``                what else identifies it
=====================  ==================================================================================
"""

import functools
import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from aptone.ear.claims.verification import Claim
from aptone.ear.describe import Attribute
from aptone.ear.describe.attributes import CLOSED_SETS, checked
from aptone.errors import RecordError
from aptone.files import file_hash
from aptone.messages import message
from aptone.ratings.tasks import JUDGE_SCORE
from aptone.run import write_whole
from aptone.run.sources.columns import NAMES as COMMON
from aptone.run.sources.manifest import check_fields, human_opinions, number_in_cell, read_identified
from aptone.run.sources.records import Reading, SourceOptions, identified, read_source
from aptone.types import (
    Audio,
    AudioRef,
    ClosedSet,
    Item,
    Json,
    Language,
    RatingItem,
    dumps,
    from_json,
    language_of_text,
    schema_name,
    to_json,
)

_OTHER_WORDS: Mapping[Attribute, str] = {
    "sex": "gender",
    "rate": "speed speaking_rate tempo",
    "volume": "loudness",
    "texture": "timbre voice_quality",
    "events": "vocal_event event",
    "music": "background_music",
}
_OTHER_NAMES = {name: attribute for attribute, names in _OTHER_WORDS.items() for name in names.split()}
_FIELDS = frozenset(
    {"id", "audio", "start", "end", "caption", "reference", "language", "spoken", "system"}
    | {"human_score", "ratings", "ids"}
)
NAMES: Mapping[str, tuple[str, ...]] = {
    **COMMON,
    "caption": ("caption", "description", "style_caption", "style_description"),
    "reference": ("reference", "reference_caption"),
    "spoken": ("spoken",),
}
"""Names that are understood as a field of a caption."""
_SAID_OF_IT = ("human_score", "ratings", "ids")
_NUMBERS = ("start", "end", "human_score")


@functools.lru_cache(maxsize=10_000)
def known_value(attribute: Attribute, value: str) -> ClosedSet | None:
    """The member of an attribute's closed set that a spelling means; ``None`` where it means none.

    >>> str(known_value("pitch", "deep"))
    'low'
    """
    try:
        return CLOSED_SETS[attribute].parse(value)
    except RecordError:
        return None


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that a caption claims about the recording: one value of one attribute.

    Args:
        fact: the claim as a sentence that can be understood alone.
        attribute: attribute that the unit is about.
        value: claimed value: the name of a value of the attribute's closed set, whatever spelling was given;
            other text stays as it is, and only a model can verify it.
        evidence: the words of the caption that say so: exactly ``caption[start:end]``.
        is_denied: whether the caption says that it does not hold ("not angry").
        is_hedged: whether the caption says it with care ("perhaps", 略带).
        becomes: value that takes the place of `value` in the course of the clip ("starts calm and ends furious");
            empty where the claim is not about a change.

    Raises:
        ValueError: if the fact, the value or the evidence is empty, or the evidence is not as long as its place.

    >>> Unit("The pitch is low.", "pitch", "deep", "deep", 4, 8).value
    'low'
    """

    fact: str
    attribute: Attribute
    value: str
    evidence: str
    start: int
    end: int
    is_denied: bool = False
    is_hedged: bool = False
    becomes: str = ""

    def __post_init__(self) -> None:
        if not (self.fact.strip() and self.value.strip() and self.evidence.strip()):
            raise ValueError("a unit has a fact, a value and the words of the caption that say so.")
        if self.start < 0 or self.end - self.start != len(self.evidence):
            raise ValueError(f"{len(self.evidence)} characters cannot stand from {self.start} to {self.end}.")
        if (known := self.known) is not None:
            object.__setattr__(self, "value", known.value)
        if self.becomes and (known := known_value(self.attribute, self.becomes)) is not None:
            object.__setattr__(self, "becomes", known.value)

    @property
    def known(self) -> ClosedSet | None:
        """The value as a member of its closed set; ``None`` where it is in other words."""
        return known_value(self.attribute, self.value)

    @property
    def claim(self) -> Claim | None:
        """The claim that an ear can check; ``None`` where the value is in words that have no measure."""
        known = self.known
        if known is None:
            return None
        if not self.becomes:
            return Claim(self.attribute, known, is_denied=self.is_denied)
        after = known_value(self.attribute, self.becomes)
        return None if after is None else Claim(self.attribute, known, is_denied=self.is_denied, becomes=after)


@dataclass(frozen=True, slots=True)
class CaptionSample:
    """A recording and what a caption says about it.

    Args:
        id: unique within its source.
        caption: the text that is judged. It may be empty: a captioner may say nothing, which is worth knowing.
        reference: a caption that is known to be true and complete; empty where there is none.
        language: language of both texts.
        spoken: code of the language that is spoken, for the norms of pitch and rate; empty where it is not known.
        human_score: people's score of the caption; NaN when nobody was asked.
        ratings: the ratings of the single raters behind `human_score`, rater to rating.
        ids: further identifiers: system, kind of caption, source.

    Raises:
        ValueError: if the id is empty.
    """

    id: str
    audio: Audio | AudioRef
    caption: str
    reference: str = ""
    language: Language = "en"
    spoken: str = ""
    human_score: float = math.nan
    ratings: Mapping[str, float] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("the id of a caption is empty.")


def attribute_named(name: str) -> Attribute:
    """The attribute of a name as people and models write it.

    >>> attribute_named("Gender"), attribute_named("pitch variation")
    ('sex', 'pitch_variation')

    Raises:
        UsageError: if there is none.
    """
    plain = "_".join(name.casefold().replace("-", " ").replace("_", " ").split())
    return _OTHER_NAMES.get(plain) or checked(plain)


def shown_attribute(attribute: Attribute) -> str:
    """The name of an attribute for readers, in English.

    >>> shown_attribute("sex"), shown_attribute("events"), shown_attribute("pitch_variation")
    ('gender', 'vocal event', 'pitch variation')
    """
    return {"sex": "gender", "events": "vocal event"}.get(attribute, attribute.replace("_", " "))


def checked_units(caption: str, units: Iterable[Unit]) -> tuple[tuple[Unit, ...], int]:
    """The units whose evidence stands in the caption where they say it does, each claim once, and how many do not.

    Of several units with the same claim the first one stays; the others are not counted as wrong.

    >>> deep = Unit("The pitch is low.", "pitch", "low", "deep", 2, 6)
    >>> [len(units) for units in (checked_units("A deep voice", [deep, deep])[0], checked_units("Deep", [deep])[0])]
    [1, 0]
    """
    kept: dict[tuple[Attribute, str, bool, str], Unit] = {}
    dropped = 0
    for unit in units:
        if caption[unit.start : unit.end] != unit.evidence:
            dropped += 1
        else:
            kept.setdefault((unit.attribute, unit.value, unit.is_denied, unit.becomes), unit)
    return tuple(sorted(kept.values(), key=lambda unit: (unit.start, unit.end))), dropped


def read_manifest(path: Path) -> list[CaptionSample]:
    """The samples of a manifest.

    Raises:
        RecordError: if a record cannot be understood; the message names the file and the line.
    """
    return read_identified(
        path, lambda data, number: _sample(data, number=number, root=path.parent), expected="captions of recordings"
    )


def read_captions(path: Path, options: SourceOptions | None = None) -> tuple[list[CaptionSample], Reading]:
    """The samples of a source of any kind, and how it was read.

    Raises:
        RecordError: as `read_manifest`, or if no record has a caption.
    """
    reading = read_source(path, NAMES, options)
    samples = identified(reading, lambda data, number: _sample(data, number=number, root=path.parent))
    if not any(sample.caption for sample in samples):
        raise RecordError(message("caption.no-captions", name=path, names=", ".join(NAMES["caption"])))
    return samples, reading


def write_manifest(path: Path, samples: Iterable[CaptionSample]) -> None:
    """Write samples so that `read_manifest` gives them back; recordings beside the manifest get relative paths.

    Raises:
        RunError: if the file cannot be written.
    """
    root = path.parent.absolute()
    write_whole(path, "".join(f"{dumps(to_json(_near(sample, root)))}\n" for sample in samples))


def with_ratings(
    samples: Iterable[CaptionSample], ratings: Mapping[str, Mapping[str, float]], *, source: Path
) -> list[CaptionSample]:
    """Samples with what people gave them, by the caption's id and the rater.

    Raises:
        RecordError: if a rating is of a caption that is not there.
    """
    known = list(samples)
    if unknown := sorted(set(ratings) - {sample.id for sample in known}):
        raise RecordError(f"{source}: there is no caption {unknown[0]!r}; ratings go by the ids of the captions.")
    return [
        replace(sample, ratings=given, human_score=math.fsum(given.values()) / len(given))
        if (given := ratings.get(sample.id))
        else sample
        for sample in known
    ]


def make_items(samples: Iterable[CaptionSample], *, hashes: Mapping[Path, str] | None = None) -> Iterator[Item]:
    """Samples as items, whose hash covers what a score depends on.

    That is the bytes of the recording and both texts, but not where it lies on the disk, nor what people said of it. A
    recording that cannot be read is not an error here: its item fails when it is worked on.

    Args:
        hashes: hashes of recordings that are known already, by path.
    """
    known = dict(hashes or {})  # one recording may have many captions
    for position, sample in enumerate(samples):
        placeless = sample
        if isinstance(sample.audio, AudioRef):
            path = Path(sample.audio.path)
            if path not in known:
                known[path] = file_hash(path)
            recording = replace(sample.audio, sha256=known[path])
            sample, placeless = replace(sample, audio=recording), replace(sample, audio=replace(recording, path="-"))
        content = {name: value for name, value in to_json(placeless).items() if name not in _SAID_OF_IT}
        digest = hashlib.sha256(dumps(content).encode()).hexdigest()
        yield Item(id=sample.id, payload=to_json(sample), content_hash=digest, position=position)


def _near(sample: CaptionSample, root: Path) -> CaptionSample:
    if not isinstance(sample.audio, AudioRef) or not Path(sample.audio.path).is_relative_to(root):
        return sample
    return replace(sample, audio=replace(sample.audio, path=str(Path(sample.audio.path).relative_to(root))))


def _placed(sample: CaptionSample, root: Path) -> CaptionSample:
    """The sample with an absolute path, so that a run does not depend on the folder in which commands are typed."""
    if not isinstance(sample.audio, AudioRef):
        return sample
    return replace(sample, audio=replace(sample.audio, path=str((root / sample.audio.path).absolute())))


def _sample(data: Json, *, number: int, root: Path) -> CaptionSample:
    if not isinstance(data, Mapping):
        raise RecordError(f"expected a JSON object, got {type(data).__name__}.")
    if data.get("schema") == schema_name(CaptionSample):
        return _placed(from_json(CaptionSample, data), root)
    check_fields(data, _FIELDS)
    given = {name: number_in_cell(value, name) if name in _NUMBERS else value for name, value in data.items()}
    caption, identity, system = given.get("caption", ""), given.get("id", number), given.get("system")
    if not isinstance(caption, str):
        raise RecordError(f'"caption" is text, got {type(caption).__name__}.')
    if not isinstance(identity, str | int) or isinstance(identity, bool) or identity == "":
        raise RecordError(f'"id" is text or a number, got {identity!r}.')
    ids = given.get("ids", {})
    if not isinstance(ids, Mapping) or not (system is None or isinstance(system, str)):
        raise RecordError('"ids" is an object of texts, and "system" is text.')
    recording = {"path": given.get("audio"), "start": given.get("start", 0.0), "end": given.get("end")}
    fields: dict[str, Json] = {
        "id": str(identity),
        "audio": to_json(from_json(AudioRef, recording)),
        "caption": caption,
        "reference": given.get("reference", ""),
        "language": given.get("language") or language_of_text(caption),
        "spoken": given.get("spoken", ""),
        **human_opinions(given),
        "ids": {**ids, "system": system} if system else ids,
    }
    return _placed(from_json(CaptionSample, fields), root)


TASK = "emosura-mos"
CLIP, CAPTION = "clip", "caption"


def opinion_item(sample: CaptionSample, judged: float = math.nan) -> RatingItem:
    """A recording and its caption, as raters get them: whose caption it is stays hidden.

    Raises:
        RecordError: if the sample has its sound in memory.
    """
    if not isinstance(sample.audio, AudioRef):
        raise RecordError(f"caption {sample.id!r}: its sound is not in a file; write it to one first.")
    hidden: dict[str, Json] = {**sample.ids, "language": sample.language}
    if not math.isnan(judged):
        hidden[JUDGE_SCORE] = judged
    return RatingItem(sample.id, audio={CLIP: sample.audio}, fields={CAPTION: sample.caption}, hidden=hidden)
