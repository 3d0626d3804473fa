"""The two parts of real speech, read from the official releases by id; nothing of them is copied.

IEMOCAP: ``Session<n>/dialog/EmoEvaluation/*.txt`` has the labels, ``dialog/transcriptions`` the words,
``sentences/wav`` the recordings. MELD: ``<split>_sent_emo.csv`` has labels and words, beside folders with
``dia<n>_utt<m>.mp4`` (or another format).

The six emotions: IEMOCAP's excitement joins happiness. Neutral lines are left out, and so are IEMOCAP's frustration,
"other" and lines on which its raters did not agree.
"""

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aptone.audio import RECORDINGS
from aptone.errors import RecordError, UsageError
from aptone.rooms.answer.data import AnswerSample, Dimension, Prompt, Source
from aptone.types import AudioRef

IEMOCAP_FEELINGS: Mapping[str, str] = {
    "hap": "happy",
    "exc": "happy",
    "sur": "surprised",
    "sad": "sad",
    "ang": "angry",
    "fea": "fear",
    "dis": "disgust",
}
MELD_FEELINGS: Mapping[str, str] = {
    "joy": "happy",
    "surprise": "surprised",
    "sadness": "sad",
    "anger": "angry",
    "fear": "fear",
    "disgust": "disgust",
}
MELD_SPLITS: Mapping[str, tuple[str, ...]] = {
    "train": ("train_splits",),
    "dev": ("dev_splits_complete", "dev_splits"),
    "test": ("output_repeated_splits_test", "test_splits"),
}
"""Folders in which the releases of MELD keep the clips of a split."""
VIDEO = (*RECORDINGS, ".mkv", ".avi")
RELEASE_ID = "release_id"

_OLD_MARKS = {code: bytes([code]).decode("cp1252") for code in (0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97)}
"""Marks that MELD's tables have kept from an older encoding: one of them would be taken for the end of a line."""

_LABEL = re.compile(r"\[[\d.]+ - [\d.]+\]\t(\w+)\t(\w+)\t\[")
_WORDS = re.compile(r"(\w+) \[[\d.-]+\]:\s*(.*)")
_IEMOCAP_ID = re.compile(r"Ses0(\d)([FM])_\w+_[FM]\w?\d{3}")
_MELD_ID = re.compile(r"(train|dev|test)/dia(\d+)_utt(\d+)")


def read_iemocap(folder: Path, *, ids: Collection[str] | None = None) -> list[AnswerSample]:
    """The emotional lines of IEMOCAP, in the order of their ids.

    Args:
        folder: folder of the official release, with ``Session1`` and so on.
        ids: ids of lines; ``None`` for all with one of the six feelings.

    Raises:
        RecordError: if there are none, or an id that is asked for is not there.
    """
    words = {
        name: text
        for path in sorted(folder.glob("Session*/dialog/transcriptions/*.txt"))
        for name, text in _matches(_WORDS, path)
    }
    labels = {
        name: IEMOCAP_FEELINGS[feeling]
        for path in sorted(folder.glob("Session*/dialog/EmoEvaluation/*.txt"))
        for name, feeling in _matches(_LABEL, path)
        if feeling in IEMOCAP_FEELINGS and words.get(name, "").strip()
    }
    if not labels:
        raise RecordError(f"{folder}: no label of IEMOCAP was found; expected Session<n>/dialog/EmoEvaluation/*.txt.")
    return _samples(
        Source.IEMOCAP,
        {name: (words[name], feeling, _iemocap_speaker(name)) for name, feeling in sorted(labels.items())},
        ids,
        folder,
    )


def read_meld(folder: Path, *, split: str = "test", ids: Collection[str] | None = None) -> list[AnswerSample]:
    """The emotional lines of a split of MELD, in the order of its table.

    Args:
        folder: folder of the official release, with ``test_sent_emo.csv`` and so on, in it or below.
        split: train, dev or test.
        ids: ids of lines, as ``test/dia0_utt3``; ``None`` for all with one of the six feelings.

    Raises:
        UsageError: if there is no such split.
        RecordError: if there is no table, it lacks a column, or an id that is asked for is not there.
    """
    if split not in MELD_SPLITS:
        raise UsageError(f"MELD has the splits {', '.join(MELD_SPLITS)}, got {split!r}.")
    table = next(iter(sorted(folder.rglob(f"{split}_sent_emo.csv"))), None)
    if table is None:
        raise RecordError(f"{folder}: no {split}_sent_emo.csv was found; expected a release of MELD.")
    rows: dict[str, tuple[str, str, str]] = {}
    for number, row in enumerate(csv.DictReader(io.StringIO(_text(table), newline="")), start=2):
        try:
            name = f"{split}/dia{int(row['Dialogue_ID'])}_utt{int(row['Utterance_ID'])}"
            feeling, words = MELD_FEELINGS.get(row["Emotion"].strip().lower(), ""), row["Utterance"].strip()
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise RecordError(
                f"{table}, line {number}: expected Utterance, Emotion, Dialogue_ID and Utterance_ID ({error})."
            ) from error
        if feeling and words:
            rows[name] = (words, feeling, (row.get("Speaker") or "").strip())
    return _samples(Source.MELD, rows, ids, table)


def with_releases(samples: Sequence[AnswerSample], folders: Mapping[Source, Path]) -> list[AnswerSample]:
    """Samples of real speech with recordings found by id in releases that the user has; others stay without one.

    A recording that a release lacks, as some copies of MELD lack a few, is left open: that question fails by itself.

    Raises:
        RecordError: if a sample has no id of its release, or a release has none of the recordings.
    """
    placed = [
        _with_recording(one, folders[one.prompt.source]) if one.prompt.source in folders else one for one in samples
    ]
    for source, folder in folders.items():
        wanted = [one for one in placed if one.prompt.source is source]
        if wanted and not any(one.prompt.audio for one in wanted):
            first = f"{_release_id(wanted[0])!r} ({wanted[0].id})"
            raise RecordError(f"{folder}: the release has no recording of {first}, nor of any other.")
    return placed


def read_ids(path: Path) -> list[str]:
    """Ids of a list, one a line.

    Raises:
        RecordError: if it cannot be read, or is empty.
    """
    ids = [line.strip() for line in _lines(path) if line.strip() and not line.startswith("#")]
    if not ids:
        raise RecordError(f"{path}: the list is empty; expected one id a line.")
    return ids


def _samples(
    source: Source, rows: Mapping[str, tuple[str, str, str]], ids: Collection[str] | None, place: Path
) -> list[AnswerSample]:
    if ids is not None and (missing := [name for name in ids if name not in rows]):
        raise RecordError(
            f"{place}: there is no emotional line {missing[0]!r} ({len(missing)} of {len(ids)} are missing)."
        )
    chosen = rows if ids is None else dict.fromkeys(ids)
    return [
        AnswerSample(
            f"{source.value}-{name.replace('/', '-')}",
            Prompt(
                f"{source.value}-{name.replace('/', '-')}",
                rows[name][0],
                Dimension.EMOTION,
                rows[name][1],
                speaker=rows[name][2],
                source=source,
                ids={RELEASE_ID: name},
            ),
        )
        for name in chosen
    ]


def _with_recording(sample: AnswerSample, folder: Path) -> AnswerSample:
    path = _recording(sample.prompt.source, _release_id(sample), folder)
    if path is None or not path.is_file():
        return sample
    return replace(sample, prompt=replace(sample.prompt, audio=AudioRef(str(path.absolute()))))


def _release_id(sample: AnswerSample) -> str:
    name = sample.prompt.ids.get(RELEASE_ID) or sample.ids.get(RELEASE_ID, "")
    if not name:
        raise RecordError(f"{sample.id}: its ids name no {RELEASE_ID}, by which a release knows it.")
    return name


def _recording(source: Source, name: str, folder: Path) -> Path | None:
    """Path of a line in a release; ``None`` for an id that does not have the form of the release's."""
    if source is Source.IEMOCAP and (match := _IEMOCAP_ID.fullmatch(name)):
        return folder / f"Session{match[1]}" / "sentences" / "wav" / name.rpartition("_")[0] / f"{name}.wav"
    if source is Source.MELD and (match := _MELD_ID.fullmatch(name)):
        stem = f"dia{match[2]}_utt{match[3]}"
        places = [below for inner in MELD_SPLITS[match[1]] for below in (folder / inner, *folder.glob(f"*/{inner}"))]
        found = (place / f"{stem}{suffix}" for place in places for suffix in VIDEO)
        return next((path for path in found if path.is_file()), None)
    return None


def _iemocap_speaker(name: str) -> str:
    """Speaker of a line: the session and the letter of the turn; the dialogue's letter names who was filmed.

    >>> _iemocap_speaker("Ses01F_impro01_M003")
    'Ses01M'
    """
    session, _, line = name.partition("_")
    return session[:-1] + line.rpartition("_")[2][:1]


def _matches(pattern: re.Pattern[str], path: Path) -> Iterator[tuple[str, str]]:
    for line in _lines(path):
        if match := pattern.match(line):
            yield match[1], match[2].strip()


def _lines(path: Path) -> list[str]:
    return _text(path).replace("\r\n", "\n").split("\n")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace").translate(_OLD_MARKS)
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); expected a file of the release.") from error
