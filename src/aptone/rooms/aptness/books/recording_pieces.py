"""Long recordings cut at pauses, into pieces of speech that are kept on the disk."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aptone.audio import probe, speech_pieces, write_lossless
from aptone.errors import RecordError, RunError
from aptone.files import file_hash, make_folder
from aptone.rooms.aptness.step import JUDGED_RATE
from aptone.run import Display, Silent, Tally, write_whole
from aptone.types import (
    Segment,
    dumps,
    from_json,
    loads,
    to_json,
)

LONGEST_PIECE = 30.0
"""Seconds of speech that are transcribed at a time."""

LONGEST_PAUSE = 0.35
"""Seconds of silence within a phrase; chosen on lines of MELD's dev part read by a synthesiser."""

INDEX = "pieces.json"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a recording on the disk.

    Args:
        recording: number of the recording, from 0 on.
        file: name of the file.
        start: seconds where it begins in the recording.
        speech: where somebody speaks in it, in seconds of the recording.
    """

    recording: int
    file: str
    start: float
    speech: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Pieces:
    """All speech of some recordings.

    Args:
        recordings: SHA-256 of each.
        pieces: in order.
    """

    recordings: tuple[str, ...]
    pieces: tuple[Piece, ...]

    def speech(self) -> list[list[Segment]]:
        """For each recording, where somebody speaks."""
        found: list[list[Segment]] = [[] for _ in self.recordings]
        for piece in self.pieces:
            found[piece.recording].extend(piece.speech)
        return found


def cut_into_pieces(recordings: Sequence[Path], folder: Path, *, display: Display | None = None) -> Pieces:
    """All speech of some recordings in files of at most half a minute; what was cut before is not cut again.

    Args:
        recordings: of any length; they are decoded a little at a time.
        folder: where the files go.
        display: shows how many minutes of sound were gone through.

    Raises:
        AudioError: if a recording cannot be read.
        RunError: if the folder was made for other recordings.
    """
    hashes = tuple(file_hash(recording) for recording in recordings)
    if (known := _read_index(folder / INDEX, hashes)) is not None:
        return known
    make_folder(folder)
    lengths = [probe(recording).seconds / 60 for recording in recordings]
    tally, shown = Tally(total=math.ceil(sum(lengths)), before=0), display or Silent()
    shown.start(tally)
    pieces: list[Piece] = []
    for number, recording in enumerate(recordings):
        begun = folder / f"{number:03d}.json"
        there = _read_index(begun, hashes[number : number + 1])
        if there is None:
            found: list[Piece] = []
            for piece in speech_pieces(recording, rate=JUDGED_RATE, max_seconds=LONGEST_PIECE):
                file = write_lossless(folder / f"{number:03d}-{len(pieces) + len(found):06d}", piece.audio)
                found.append(Piece(number, file.name, piece.start, piece.speech))
                tally.now = round(sum(lengths[:number]) + piece.start / 60)
                shown.update(tally)
            there = Pieces(hashes[number : number + 1], tuple(found))
            write_whole(begun, dumps(to_json(there)))
        pieces += there.pieces
        tally.now = math.ceil(sum(lengths[: number + 1]))
        shown.update(tally)
    shown.stop(tally)
    whole = Pieces(hashes, tuple(pieces))
    write_whole(folder / INDEX, dumps(to_json(whole)))
    return whole


def _read_index(path: Path, hashes: tuple[str, ...]) -> Pieces | None:
    """What was cut before; ``None`` if that is nothing."""
    if not path.exists():
        return None
    try:
        known = from_json(Pieces, loads(path.read_bytes(), what=str(path)))
    except RecordError as error:
        raise RunError(f"{path}: damaged ({error}) Name a new folder for the run.") from error
    if known.recordings != hashes:
        raise RunError(f"{path.parent}: was made for other recordings. Name a new folder for the run.")
    return known


def phrases_of(piece: Piece) -> list[Segment]:
    """What is said in a piece between longer pauses, in seconds of the piece.

    >>> phrases_of(Piece(0, "a.flac", 10.0, (Segment(10.0, 11.0), Segment(11.2, 12.0), Segment(13.0, 14.0))))
    [Segment(start=0.0, end=2.0), Segment(start=3.0, end=4.0)]
    """
    phrases: list[Segment] = []
    for part in piece.speech:
        start, end = max(0.0, part.start - piece.start), max(0.0, part.end - piece.start)
        if phrases and start - phrases[-1].end < LONGEST_PAUSE:
            phrases[-1] = Segment(phrases[-1].start, end)
        else:
            phrases.append(Segment(start, end))
    return phrases
