"""Voices to clone, from folders of recorded speech: who speaks, of which sex and age, and what is said.

=============  ===================================================================================================
name           what is read
=============  ===================================================================================================
librispeech    ``SPEAKERS.TXT`` and ``<subset>/<speaker>/<chapter>/*.flac`` with ``*.trans.txt``; adults
common-voice   ``validated.tsv`` (or another list) beside ``clips/``: client_id, path, sentence, age, gender
nnces          children: recordings with their words in a ``.txt`` of the same name, or in a table with ``file`` and
               ``text`` (also path, transcription); the speaker is a column, or the folder of the recording
=============  ===================================================================================================
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aptone.audio import RECORDINGS
from aptone.errors import RecordError, UsageError
from aptone.models.speakers.voices import Reference
from aptone.types import AudioRef

ADULT, CHILD = "adult", "child"
_SEXES = {"m": "male", "f": "female", "male": "male", "female": "female"}
_GROWN = frozenset({"twenties", "thirties", "fourties", "forties", "fifties", "sixties", "seventies", "eighties"})
_LIBRISPEECH_LINE = re.compile(r"(\S+) (.+)")
_LISTS = ("validated.tsv", "train.tsv", "dev.tsv", "test.tsv")
_FILE, _WORDS = ("file", "path", "audio", "file_name", "filename"), ("text", "transcription", "transcript", "sentence")


@dataclass(frozen=True, slots=True)
class PoolVoice:
    """A clip of somebody who may be cloned.

    Args:
        speaker: id, with the name of the collection before it.
        age: ``adult`` or ``child``.
        sex: ``male``, ``female``, or empty where it is not known.
        reference: the clip and its words.
    """

    speaker: str
    age: str
    sex: str
    reference: Reference


def read_pool(name: str, folder: Path) -> list[PoolVoice]:
    """The voices of a folder, one clip a speaker: the first by name, so that the same folder gives the same pool.

    Args:
        name: how it is laid out; one of `LAYOUTS`.
        folder: where it is.

    Raises:
        UsageError: if there is no such layout or folder.
        RecordError: if there is no voice in it.
    """
    if name not in LAYOUTS:
        raise UsageError(f"there is no layout {name!r} of voices; choose one of {', '.join(LAYOUTS)}.")
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder; name one with the recordings of {name}.")
    voices: dict[str, PoolVoice] = {}
    for voice in LAYOUTS[name](folder):
        voices.setdefault(voice.speaker, voice)
    if not voices:
        raise RecordError(f"{folder}: no voice was found as {name} lays them out; see docs/rooms/answer-build.md.")
    return [voices[speaker] for speaker in sorted(voices)]


def _librispeech(folder: Path) -> Iterator[PoolVoice]:
    listed = folder / "SPEAKERS.TXT"
    sexes: dict[str, str] = {}
    for line in _lines(listed):
        cells = [cell.strip() for cell in line.split("|")]
        if not line.startswith(";") and len(cells) >= 2:
            sexes[cells[0]] = _SEXES.get(cells[1].lower(), "")
    for transcripts in sorted(folder.rglob("*.trans.txt")):
        for line in _lines(transcripts):
            match = _LIBRISPEECH_LINE.fullmatch(line.strip())
            if match is None:
                continue
            clip = transcripts.with_name(f"{match[1]}.flac")
            speaker = match[1].partition("-")[0]
            if clip.is_file():
                reference = Reference(AudioRef(str(clip.absolute())), match[2].capitalize())
                yield PoolVoice(f"librispeech:{speaker}", ADULT, sexes.get(speaker, ""), reference)


def _common_voice(folder: Path) -> Iterator[PoolVoice]:
    listed = next((folder / name for name in _LISTS if (folder / name).is_file()), None)
    if listed is None:
        raise RecordError(f"{folder}: expected one of {', '.join(_LISTS)} beside clips/.")
    for row in csv.DictReader(_lines(listed), delimiter="\t", quoting=csv.QUOTE_NONE):
        clip = folder / "clips" / Path(row.get("path") or "-").name
        words, speaker = (row.get("sentence") or "").strip(), (row.get("client_id") or "").strip()
        if words and speaker and row.get("age") in _GROWN and clip.is_file():
            sex = _SEXES.get((row.get("gender") or "").partition("_")[0], "")
            reference = Reference(AudioRef(str(clip.absolute())), words)
            yield PoolVoice(f"common-voice:{speaker}", ADULT, sex, reference)


def _nnces(folder: Path) -> Iterator[PoolVoice]:
    table = {_first(row, _FILE): row for path in sorted(folder.glob("*.csv")) for row in csv.DictReader(_lines(path))}
    clips = sorted(path for path in folder.rglob("*") if path.suffix.lower() in RECORDINGS)
    for clip in clips:
        row = table.get(clip.relative_to(folder).as_posix()) or table.get(clip.name) or {}
        beside = clip.with_suffix(".txt")
        words = _first(row, _WORDS) or (" ".join(_lines(beside)).strip() if beside.is_file() else "")
        speaker = row.get("speaker") or (clip.parent.name if clip.parent != folder else clip.stem.partition("_")[0])
        if words:
            sex = _SEXES.get((row.get("sex") or row.get("gender") or "").lower(), "")
            yield PoolVoice(f"nnces:{speaker}", CHILD, sex, Reference(AudioRef(str(clip.absolute())), words))


LAYOUTS: Mapping[str, Callable[[Path], Iterator[PoolVoice]]] = {
    "librispeech": _librispeech,
    "common-voice": _common_voice,
    "nnces": _nnces,
}


def _first(row: Mapping[str, str], names: Sequence[str]) -> str:
    return next((row[name].strip() for name in names if row.get(name)), "")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read ({error}); expected a text file of the collection.") from error
