"""Spoken lines in their stories: reading manifests, and making items of them.

A manifest has one JSON object a line (or is one JSON array). Our own names and those of the public CEAEval release are
both understood:

=====================  ==================================================================================
``id``                 unique; by default the number of the line
``audio``              path, relative to the manifest or to a data root (release: ``audio_path``)
``line``               what is spoken (release: ``target_line``, ``spoken_content``)
``role``               who speaks
``context``            the lines before, a list or one text (release: ``novel_context``, ``…_lines``, ``…_text``)
``following``          the lines after
``language``           ``en`` or ``zh`` (release: ``lang``)
``plan``               how it should sound (release: ``ideal_en``, ``ideal_zh``)
``human_score``        what people gave it, 0 to 5; by default the mean of ``ratings``
``ratings``            the same by rater, ``{"rater": score}``
``proxy_score``        what a formula gave it that stands in for people, 0 to 5; never taken for theirs
``start``, ``end``     seconds, when the clip is a part of the file
``ids``                what else identifies it: story, take, system
``weak``               what machines say of it (`aptone.types.WeakAnnotation`); never taken for people's
=====================  ==================================================================================
"""

import difflib
import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aptone.errors import RecordError, UsageError
from aptone.files import file_hash
from aptone.messages import labelled, message
from aptone.rooms.aptness.books.formats.timed_text import cue_lines, read_cues
from aptone.rooms.aptness.story import LineContext, Story, language_of, load_story, make_story
from aptone.rooms.aptness.subtitles import Cue
from aptone.rooms.aptness.text_files import read_utf8
from aptone.run.sources.manifest import json_records, refuse_doubles
from aptone.types import (
    AudioRef,
    Intonation,
    Item,
    Json,
    Language,
    Line,
    Plan,
    Rhythm,
    Sample,
    dumps,
    from_json,
    schema_name,
    to_json,
)

_ALIASES = {
    "audio": ("audio", "audio_path"),
    "line": ("line", "target_line", "spoken_content"),
    "context": ("context", "novel_context", "novel_context_lines", "novel_context_text"),
    "language": ("language", "lang"),
}
_CONDITION = ("recording_condition", "recording condition", "sound_effects")
_SAID_OF_IT = ("human_score", "ratings", "proxy_score", "ids", "weak")
_PLAIN = ("id", "role", "following", *_SAID_OF_IT, "start", "end", "plan", "ideal_en", "ideal_zh")
_OURS = sorted([*(names[0] for names in _ALIASES.values()), *_PLAIN[:-2]])
_KNOWN = frozenset([*_PLAIN, *(name for names in _ALIASES.values() for name in names)])

UNSPOKEN = "-"
"""Stands for the path of a recording where a line is only planned: no planner listens."""


def is_manifest(path: Path) -> bool:
    """Return whether a file has records of spoken lines, and not just the lines of a story.

    Raises:
        RecordError: if it cannot be read.
    """
    if path.suffix.lower() not in (".jsonl", ".json"):
        return False
    _, first = next(json_records(read_utf8(path, what="a manifest"), path), ("", None))
    return isinstance(first, Mapping) and any(first.get(name) is not None for name in (*_ALIASES["line"], "target"))


def read_manifest(path: Path, *, data_root: Path | None = None, needs_audio: bool = True) -> list[Sample]:
    """The samples of a manifest.

    Args:
        data_root: root of relative audio paths; by default the manifest's folder.

    Raises:
        RecordError: if a record cannot be understood; the message names the file and the line.
    """
    records = list(json_records(read_utf8(path, what="a manifest"), path))
    if not records:
        raise RecordError(f"{path}: the manifest is empty; expected one JSON object a line.")
    if data_root is not None and not data_root.is_dir():
        raise UsageError(f"--data-root {data_root}: no such folder.")
    samples = [
        read_record(data, where=where, number=number, root=data_root or path.parent, needs_audio=needs_audio)
        for number, (where, data) in enumerate(records, 1)
    ]
    refuse_doubles({where: sample.id for sample, (where, _) in zip(samples, records, strict=True)})
    return samples


def read_record(data: Json, *, where: str, number: int | str, root: Path, needs_audio: bool = True) -> Sample:
    """The sample of one record of a manifest, with our names or the release's; `number` is its id where it has none.

    Raises:
        RecordError: if it cannot be understood.
    """
    if not isinstance(data, Mapping):
        raise RecordError(f"{where}: expected a JSON object, got {type(data).__name__}.")
    if data.get("schema") == schema_name(Sample):
        return _checked(data, where=where, root=root)
    if unknown := sorted(set(data) - _KNOWN):
        near = difflib.get_close_matches(unknown[0], _KNOWN, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(_OURS)}."
        raise RecordError(f"{where}: unknown field {unknown[0]!r}; {hint}")
    language = "en" if (given := _one(data, _ALIASES["language"], where)) is None else given
    if language not in ("en", "zh"):
        raise RecordError(f"{where}: the language is en or zh, got {language!r}.")
    audio, line = _one(data, _ALIASES["audio"], where), _one(data, _ALIASES["line"], where)
    if audio is None and not needs_audio:
        audio = UNSPOKEN
    if not isinstance(audio, str) or not audio:
        raise RecordError(f'{where}: expected the path of a recording under "audio".')
    if not isinstance(line, str) or not line.strip():
        raise RecordError(f'{where}: expected the spoken words under "line".')
    plan = data.get("plan") or data.get(f"ideal_{language}") or data.get("ideal_en") or data.get("ideal_zh")
    identity = data.get("id", number)
    if not isinstance(identity, str | int) or identity == "":
        raise RecordError(f'{where}: "id" is text or a number, got {identity!r}.')
    context = tuple(_lines(_one(data, _ALIASES["context"], where), where))
    following = tuple(_lines(data.get("following"), where))
    fields: dict[str, Json] = {
        "id": str(identity),
        "audio": {
            "schema": schema_name(AudioRef),
            "path": audio,
            "start": data.get("start", 0.0),
            "end": data.get("end"),
        },
        "target": {"text": line, "role": data.get("role", "")},
        "language": language,
        "plan": None if plan is None else to_json(read_plan(plan, where=where)),
        **_scores(data, where),
        "ids": data.get("ids", {}),
        "weak": data.get("weak"),
    }
    return replace(_checked(fields, where=where, root=root), context=context, following=following)


def _scores(data: Mapping[str, Json], where: str) -> dict[str, Json]:
    """Return the human or proxy scores of a record."""
    ratings = data.get("ratings", {})
    if not isinstance(ratings, Mapping) or not all(_is_rating(rating) for rating in ratings.values()):
        raise RecordError(f'{where}: "ratings" is an object of raters and their scores from 0 to 5.')
    for name in ("human_score", "proxy_score"):
        if (given := data.get(name)) is not None and not _is_rating(given):
            raise RecordError(f'{where}: "{name}" lies between 0 and 5, got {given!r}.')
    human = data.get("human_score")
    if human is None and ratings:
        human = math.fsum(float(str(rating)) for rating in ratings.values()) / len(ratings)
    return {"human_score": human, "ratings": ratings, "proxy_score": data.get("proxy_score")}


def _checked(fields: Mapping[str, Json], *, where: str, root: Path) -> Sample:
    """The sample of a whole record.

    Its recording gets an absolute path, so that a run does not depend on the folder in which commands are typed.
    """
    try:
        sample = from_json(Sample, fields)
        if isinstance(sample.audio, AudioRef):
            return replace(sample, audio=replace(sample.audio, path=str((root / sample.audio.path).absolute())))
    except (RecordError, ValueError) as error:
        raise RecordError(f"{where}: {error}") from error
    return sample


def _is_rating(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 5


def read_plan(data: Json, *, where: str) -> Plan:
    """A plan as people write it: an object with emotion, rhythm, intonation, recording condition, in either language.

    Raises:
        RecordError: if a closed field has an unknown value.
    """
    if not isinstance(data, Mapping):
        raise RecordError(message("aptness.plan-no-object", where=where))
    if data.get("schema") == schema_name(Plan):
        return from_json(Plan, data)
    allowed = {"emotion", "rhythm", "intonation", *_CONDITION}
    if unknown := sorted(set(data) - allowed):
        raise RecordError(
            message("aptness.plan-unknown-field", where=where, what=repr(unknown[0]), names=", ".join(sorted(allowed)))
        )
    texts = {name: value for name, value in data.items() if value is not None}
    if not all(isinstance(value, str) for value in texts.values()):
        raise RecordError(message("aptness.plan-not-text", where=where))
    rhythm, intonation = str(texts.get("rhythm", "")), str(texts.get("intonation", ""))
    condition = _one(texts, _CONDITION, where)
    try:
        return Plan(
            emotion=str(texts.get("emotion", "")),
            rhythm=Rhythm.parse(rhythm) if rhythm.strip() else None,
            intonation=Intonation.parse(intonation) if intonation.strip() else None,
            recording_condition=str(condition or "").strip(),
        )
    except RecordError as error:
        raise RecordError(labelled(where, str(error))) from error


def read_story(path: Path, *, line: str, occurrence: int | None = None) -> LineContext:
    """A line of a story by its words, with what stands before and after it; see `aptone.rooms.aptness.story`.

    Args:
        occurrence: number of the line among several that hold them, from 1 on.

    Raises:
        RecordError: if the file cannot be understood.
        UsageError: if no line holds them, or several do and none was chosen.
    """
    story = load_story(path)
    return story.around_words(story.find(line, occurrence=occurrence), line)


def subtitled_story(subtitles: Path, *, language: Language | None = None) -> tuple[tuple[Cue, ...], Story]:
    """The subtitles of a file in the order of time, and the story that they tell, a line for each.

    Raises:
        RecordError: if the subtitles cannot be understood.
    """
    cues, voices = read_cues(subtitles)
    lines = cue_lines(cues, voices)
    return cues, make_story(lines, language=language, times=[cue.time for cue in cues], source=str(subtitles))


def line_sample(
    around: LineContext,
    *,
    id: str,
    audio: str,
    role: str | None = None,
    language: Language | None = None,
    plan: Plan | None = None,
) -> Sample:
    """A line of a story as a sample with a recording at a path; role and language are the story's by default."""
    target = around.target if role is None else replace(around.target, role=role)
    return Sample(
        id,
        AudioRef(audio),
        target,
        context=around.before,
        following=around.after,
        language=language or language_of([*around.before, target, *around.after]),
        plan=plan,
    )


def make_items(samples: Iterable[Sample], *, hashes: dict[Path, str] | None = None) -> Iterator[Item]:
    """Samples as items.

    Their hash covers what a score depends on: the bytes of the recording and the texts around it, but not its place on
    the disk, nor what people said of it.

    A recording that cannot be read is not an error here: its item fails when it is worked on, and the others go on.

    Args:
        hashes: hashes of recordings by path; new ones are added, for callers that make items of the same recordings
            several times.
    """
    known = {} if hashes is None else hashes  # a long file may hold many lines
    for position, sample in enumerate(samples):
        if isinstance(sample.audio, AudioRef):
            path = Path(sample.audio.path)
            if path not in known:
                known[path] = file_hash(path)
            sample = replace(sample, audio=replace(sample.audio, sha256=known[path]))
        payload = to_json(sample)
        hashed = {name: value for name, value in payload.items() if name not in _SAID_OF_IT}
        if isinstance(sample.audio, AudioRef):
            hashed["audio"] = to_json(replace(sample.audio, path="-"))
        if sample.is_narration:  # the one identity that a score depends on
            hashed["kind"] = sample.ids["kind"]
        content = hashlib.sha256(dumps(hashed).encode()).hexdigest()
        yield Item(id=sample.id, payload=payload, content_hash=content, position=position)


def _one(data: Mapping[str, Json], names: Sequence[str], where: str) -> Json:
    """The value under any of the names of a field; two names with different values clash."""
    values = [data[name] for name in names if data.get(name) is not None]
    if any(value != values[0] for value in values[1:]):
        raise RecordError(f"{where}: {' and '.join(names)} differ; give one of them.")
    return values[0] if values else None


def _lines(data: Json, where: str) -> list[Line]:
    if data is None:
        return []
    if isinstance(data, str):
        return [Line(text.strip()) for text in data.split("\n") if text.strip()]
    if not isinstance(data, Sequence):
        raise RecordError(f"{where}: context lines are a list or one text, got {type(data).__name__}.")
    try:
        return [Line(entry) if isinstance(entry, str) else from_json(Line, entry) for entry in data]
    except RecordError as error:
        raise RecordError(f"{where}: {error}") from error
