"""Recordings with ratings over time: a plain layout, and MSP-Conversation as it is delivered.

**plain**: a manifest, one JSON object a line: ``{"audio": "talk.wav", "ratings": "talk.csv", "part": "train"}``, with
``start`` and ``end`` in seconds for a part of a recording, and a ``name``. The CSV file has columns valence, arousal
and dominance in any order, one row a step, -1 to 1; an empty cell is not rated.

**msp-conversation**: the folder of the corpus (version 1.1). Its layout is not documented in public; this is what
others' public scripts read:

- ``Audio/MSP-Conversation_0002.wav``: a conversation, which begins with its first part.
- ``Time_Labels/conversation_parts.txt``: ``MSP-Conversation_0002_1;12.5;312.5``: a part with its begin and end in
  seconds of the podcast that the conversation was cut from; ``Time_Labels/conversations.txt`` has the same for whole
  conversations, and gives the beginning of the recording. Without it, the recording begins with the first part.
- ``Annotations/Arousal/MSP-Conversation_0002_1_003.csv``: the trace of annotator 003: some lines about the session, a
  line of percent signs, then ``seconds,value`` from the beginning of the part, -100 to 100. Further columns, which one
  file has, are ignored.
- ``partitions.txt``: ``MSP-Conversation_0002;Train``, ``Validation`` (or ``Development``) or ``Test``.

As in EMO-Reasoning each trace is averaged second by second, then over annotators, and divided by 100. A second in which
an annotator did not move has no sample in some traces: it is averaged over the others.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.rooms.dialogue.folders import folders_in, read_trajectory
from aptone.run.sources.manifest import manifest_records
from aptone.stats.steps import step_count, step_means
from aptone.types import AudioRef, Json, from_json

PARTS = ("train", "dev", "test")
LAYOUTS = ("plain", "msp-conversation")
SCALE = 100.0
"""Divisor of MSP-Conversation's ratings."""

_FIELDS = frozenset({"audio", "ratings", "part", "name", "start", "end"})
_PARTITIONS = {"train": "train", "validation": "dev", "development": "dev", "test": "test"}
_MARK = "%%%"
_DIMENSIONS = ("Valence", "Arousal", "Dominance")


@dataclass(frozen=True, slots=True, eq=False)
class RatedRecording:
    """A recording that people rated over time.

    Args:
        targets: [steps, 3]: valence, arousal, dominance, -1 to 1; NaN for unrated steps.
    """

    name: str
    audio: AudioRef
    part: str
    targets: npt.NDArray[np.float32]


def read_rated_recordings(source: Path, *, layout: str, step: float) -> list[RatedRecording]:
    """Return the rated recordings of a corpus.

    Args:
        source: manifest, or folder of MSP-Conversation.
        step: seconds between two ratings.

    Raises:
        UsageError: if there is no such layout, or nothing is found.
        RecordError: if a file cannot be parsed; the message names it.
    """
    if layout not in LAYOUTS:
        raise UsageError(f"there is no layout {layout!r}; choose one of {', '.join(LAYOUTS)}.")
    found = list(_read_plain(source, step=step) if layout == "plain" else _read_msp(source, step=step))
    if not found:
        raise UsageError(f"{source}: no rated recording was found in the layout {layout}.")
    names = [one.name for one in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise RecordError(f"{source}: two recordings are called {twice[0]!r}; give each its own name.")
    return found


def _read_plain(path: Path, *, step: float) -> Iterator[RatedRecording]:
    for where, data in manifest_records(path):
        try:
            yield _plain(data, root=path.parent, step=step)
        except (RecordError, ValueError) as error:
            raise RecordError(f"{where}: {error}") from error


def _plain(data: Json, *, root: Path, step: float) -> RatedRecording:
    if not isinstance(data, Mapping):
        raise RecordError(f"expected a JSON object, got {type(data).__name__}.")
    if unknown := sorted(set(data) - _FIELDS):
        raise RecordError(f"unknown field {unknown[0]!r}; known are {', '.join(sorted(_FIELDS))}.")
    audio, ratings, part = (data.get(name) for name in ("audio", "ratings", "part"))
    if not isinstance(audio, str) or not isinstance(ratings, str) or part not in PARTS:
        raise RecordError(f'expected paths under "audio" and "ratings", and one of {", ".join(PARTS)} under "part".')
    ref = from_json(
        AudioRef, {"path": str((root / audio).absolute()), "start": data.get("start", 0.0), "end": data.get("end")}
    )
    points = read_trajectory(root / ratings, step=step)
    targets = np.array([points.valence, points.arousal, points.dominance], dtype=np.float32).T.reshape(-1, 3)
    if np.isnan(targets).all():
        raise RecordError(f"{root / ratings}: nothing is rated.")
    return RatedRecording(str(data.get("name", ratings)), ref, str(part), targets)


def _read_msp(root: Path, *, step: float) -> Iterator[RatedRecording]:
    if not root.is_dir():
        raise UsageError(f"{root}: MSP-Conversation is a folder with Audio, Annotations and Time_Labels.")
    labels, audio = _inner(root, "Time_Labels"), _inner(root, "Audio")
    annotations = _inner(root, "Annotations")
    traces = {name: _by_part(_inner(annotations, name)) for name in _DIMENSIONS}
    partitions = {row[0]: row[1].strip().lower() for row in _rows(root / "partitions.txt", cells=2)}
    parts = [(name, *_times(path, begin, end)) for path, (name, begin, end) in _parts(labels)]
    begins = _begins(labels, parts)
    for name, begin, end in parts:
        conversation = name.rpartition("_")[0]
        partition = partitions.get(conversation, "")
        if partition not in _PARTITIONS:
            raise RecordError(
                f"{root / 'partitions.txt'}: {conversation} belongs to {partition or 'no partition'}; expected one of "
                f"{', '.join(_PARTITIONS)}."
            )
        columns = [_mean_trace(traces[one].get(name, ()), seconds=end - begin, step=step) for one in _DIMENSIONS]
        targets = np.stack(columns, axis=1).astype(np.float32)
        if np.isnan(targets).all():
            raise RecordError(f"{annotations}: nobody rated {name}; take its line out of {labels}.")
        offset = begins[conversation]
        ref = AudioRef(str((audio / f"{conversation}.wav").absolute()), start=begin - offset, end=end - offset)
        yield RatedRecording(name, ref, _PARTITIONS[partition], targets)


def _mean_trace(traces: Sequence[Path], *, seconds: float, step: float) -> npt.NDArray[np.float64]:
    """Return the mean over annotators of their means per step, scaled to -1 to 1."""
    means = [_trace_means(path, seconds=seconds, step=step) for path in traces]
    if not means:
        return np.full(step_count(seconds, step), np.nan)
    stacked = np.stack(means)
    counted = (~np.isnan(stacked)).sum(axis=0)
    sums = np.nansum(stacked, axis=0)
    return np.where(counted > 0, sums / np.maximum(counted, 1), np.nan) / SCALE


def _trace_means(path: Path, *, seconds: float, step: float) -> npt.NDArray[np.float64]:
    samples = np.array(list(_trace(path)), dtype=np.float64).reshape(-1, 2)
    if not np.isfinite(samples).all() or np.abs(samples[:, 1]).max(initial=0.0) > SCALE:
        raise RecordError(f"{path}: ratings lie between -{SCALE:g} and {SCALE:g}; another one is there.")
    within = samples[(samples[:, 0] >= 0.0) & (samples[:, 0] < seconds)]
    return step_means(within[:, 1:], within[:, 0], seconds=seconds, step=step)[:, 0]


def _trace(path: Path) -> Iterator[tuple[float, float]]:
    """Yield time and value of each sample after the line of percent signs."""
    lines = _text(path).splitlines()
    marks = [number for number, line in enumerate(lines) if line.startswith(_MARK)]
    if not marks:
        raise RecordError(f"{path}: no line of percent signs before the samples; is that a trace of MSP-Conversation?")
    for number, line in enumerate(lines[marks[0] + 1 :], start=marks[0] + 2):
        if not line.strip():
            continue
        try:
            time, value = (float(cell) for cell in line.split(",")[:2])
        except ValueError:
            raise RecordError(f"{path}, line {number}: expected seconds and a rating, got {line[:40]!r}.") from None
        yield time, value


def _by_part(folder: Path) -> dict[str, list[Path]]:
    """Return the traces of each part; ``…_0002_1_003.csv`` is annotator 003 on part ``…_0002_1``."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*.csv")):
        found.setdefault(path.stem.rpartition("_")[0], []).append(path)
    return found


def _parts(labels: Path) -> Iterator[tuple[Path, list[str]]]:
    path = labels / "conversation_parts.txt"
    for row in _rows(path, cells=3):
        yield path, row


def _begins(labels: Path, parts: Sequence[tuple[str, float, float]]) -> dict[str, float]:
    """Return the beginning of each conversation's recording, in seconds of its podcast."""
    begins: dict[str, float] = {}
    for name, begin, _ in parts:
        conversation = name.rpartition("_")[0]
        begins[conversation] = min(begin, begins.get(conversation, math.inf))
    path = labels / "conversations.txt"
    if path.exists():
        begins |= {name: _times(path, begin, end)[0] for name, begin, end in _rows(path, cells=3)}
    return begins


def _times(path: Path, begin: str, end: str) -> tuple[float, float]:
    try:
        first, last = float(begin), float(end)
    except ValueError:
        raise RecordError(f"{path}: expected seconds, got {begin[:40]!r} and {end[:40]!r}.") from None
    if not (math.isfinite(last) and 0.0 <= first < last):
        raise RecordError(f"{path}: nothing lasts from {begin} to {end} seconds.")
    return first, last


def _rows(path: Path, *, cells: int) -> Iterator[list[str]]:
    for number, line in enumerate(_text(path).splitlines(), start=1):
        row = [cell.strip() for cell in line.split(";")]
        if not line.strip():
            continue
        if len(row) != cells:
            raise RecordError(f"{path}, line {number}: expected {cells} cells between semicolons, got {len(row)}.")
        yield row


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: not UTF-8 text ({error.reason}).") from error


def _inner(folder: Path, name: str) -> Path:
    """Return a folder by name, also with a space for its underscore, or nested in one of the same name."""
    plain = re.sub(r"[ _]", "", name).lower()
    for inner in folders_in(folder):
        if re.sub(r"[ _]", "", inner.name).lower() == plain:
            again = inner / inner.name
            return again if again.is_dir() else inner
    raise UsageError(f"{folder}: there is no folder {name}; expected MSP-Conversation as it is delivered.")
