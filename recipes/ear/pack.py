"""Make a pack of a data folder, once: speech segments of each clip, rooms for augmentation, and pieces of music."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.audio import find_speech, probe, read, room_response, write
from aptone.ear.labelled_clips import TABLE, read_labels
from aptone.ear.network.filter_bank import RATE
from aptone.errors import UsageError
from aptone.types import Audio
from recipes.ear.data import EMOTION_SETS, PLAIN_SETS, SOUND_SETS

SETS = (*EMOTION_SETS, *PLAIN_SETS, *SOUND_SETS)
"""Sets in the order of the index."""
MUSIC_START, MUSIC_SECONDS = 15.0, 30.0
MUSIC = (".flac", ".mp3", ".ogg", ".opus", ".wav")
ROOM_SEED = 7
ROOM_SECONDS = 1.0

Rooms = npt.NDArray[np.float16]


class Span(NamedTuple):
    """Range of a uniform distribution."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RoomKind:
    """Distribution of rooms: sides and distance in metres, reverberation time in seconds."""

    count: int
    length: Span
    width: Span
    height: Span
    rt60: Span
    distance: Span


FAR = RoomKind(110, Span(3.5, 11), Span(3.2, 8), Span(2.3, 4), Span(0.3, 1.3), Span(1.6, 5.5))
NEAR = RoomKind(50, Span(2.5, 9), Span(2.5, 7), Span(2.2, 4), Span(0.1, 0.35), Span(0.15, 0.6))


class Prepared(NamedTuple):
    """Contents of a pack."""

    sets: tuple[str, ...]
    clips: int
    music: int
    far_rooms: int
    near_rooms: int


def prepare(data: Path, music: Path, out: Path, *, far: RoomKind = FAR, near: RoomKind = NEAR) -> Prepared:
    """Make a pack.

    Args:
        data: folder with a folder for each of `SETS`, or for some of them.
        music: folder with recordings of music without speech.
        out: folder for the pack. The clips are not copied: `pack.json` names the data folder.
        far: number of rooms with a distant speaker.
        near: number of rooms with a close speaker.

    Raises:
        UsageError: if there is no set, or no music.
        RecordError: if a table lacks a column.
        AudioError: if a clip cannot be read.
    """
    sets = tuple(name for name in SETS if (data / name / TABLE).is_file())
    if not sets:
        raise UsageError(f"{data}: no set in this folder; expected {', '.join(SETS)}, each with a {TABLE}.")
    tunes = sorted(path for path in _files(music) if path.suffix.lower() in MUSIC)
    if not tunes:
        raise UsageError(f"{music}: no music in this folder; expected files that end in {', '.join(MUSIC)}.")
    (out / "music").mkdir(parents=True, exist_ok=True)
    (out / "pack.json").write_text(json.dumps({"data": str(data.resolve())}) + "\n", encoding="utf-8")
    generator = np.random.default_rng(ROOM_SEED)
    rooms_far = draw_rooms(far, generator)
    rooms_near = draw_rooms(near, generator)
    np.savez_compressed(out / "rooms.npz", near=rooms_near, far=rooms_far)
    cut = cut_music(tunes, out / "music")
    clips = write_index(data, sets, out / "index.jsonl")
    return Prepared(sets, clips, cut, len(rooms_far), len(rooms_near))


def _files(folder: Path) -> Iterator[Path]:
    return folder.iterdir() if folder.is_dir() else iter(())


def write_index(data: Path, sets: Iterable[str], index: Path) -> int:
    """Detect the speech in every clip, write one JSON line with its labels each, and return their number."""
    count = 0
    with index.open("w", encoding="utf-8") as out:
        for name in sets:
            for clip in read_labels(data / name):
                speech = find_speech(read(clip.path, rate=RATE))
                spans = [[round(span.start, 3), round(span.end, 3)] for span in speech]
                row = {"file": clip.path.relative_to(data / name).as_posix(), **asdict(clip), "set": name}
                del row["path"]
                out.write(json.dumps({**row, "speech": spans}, ensure_ascii=False) + "\n")
                count += 1
    return count


def draw_rooms(kind: RoomKind, generator: np.random.Generator) -> Rooms:
    """Return impulse responses of random rooms: their first second, of unit energy, [rooms, samples].

    Impossible rooms (a distance that does not fit, a decay that is too short) are sampled again.
    """
    found: list[Rooms] = []
    while len(found) < kind.count:
        room = (generator.uniform(*kind.length), generator.uniform(*kind.width), generator.uniform(*kind.height))
        rt60, distance = generator.uniform(*kind.rt60), generator.uniform(*kind.distance)
        seed = int(generator.integers(1_000_000))
        try:
            response = room_response(rate=RATE, rt60=rt60, distance=distance, seed=seed, room=room)
        except UsageError:
            continue
        first = np.zeros(int(ROOM_SECONDS * RATE))
        kept = response[: first.size]
        first[: kept.size] = kept / np.sqrt(np.sum(kept**2))
        found.append(first.astype(np.float16))
    return np.array(found, dtype=np.float16).reshape(kind.count, -1)


def cut_music(tunes: Sequence[Path], out: Path) -> int:
    """Cut half a minute of every recording, from its 15th second or from the beginning; return their number."""
    for path in tunes:
        write(out / f"{path.stem}.ogg", _excerpt(path))
    return len({path.stem for path in tunes})


def _excerpt(path: Path) -> Audio:
    seconds = probe(path).seconds
    start = MUSIC_START if seconds >= MUSIC_START + 1.0 else 0.0
    end = start + MUSIC_SECONDS
    piece = read(path, rate=RATE, channel="mix", start=start, end=end if end < seconds else None).samples
    loudest = float(np.abs(piece).max())  # resampling overshoots where a recording touches full scale
    return Audio(piece / np.float32(max(loudest, 1.0)), rate=RATE, source=str(path))
