"""What the shipped ear hears in labelled clips, kept in a folder, so that a second look costs nothing."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from aptone.audio import read
from aptone.ear import load_ear
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.files import write_whole
from aptone.types import Perception, dumps, from_json, to_json

RATE = 16_000
Heard = list[tuple[LabelledClip, Perception]]


def heard_clips(data: Path, name: str, *, cache: Path, splits: Sequence[str] = ()) -> Heard:
    """Return the clips of a set with what the ear hears in them; clips without speech are left out.

    Args:
        data: folder with a folder for each set.
        name: the set.
        cache: folder that keeps what was heard, by ear and set; files of other ears in it are left alone.
        splits: splits that are wanted; by default all.
    """
    clips = [clip for clip in read_labels(data / name) if not splits or clip.split in splits]
    kept = _kept(cache, name)
    found = {str(clip.path.name): perception for clip, perception in zip(clips, _hear(clips, kept), strict=True)}
    if set(found) - set(kept):
        cache.mkdir(parents=True, exist_ok=True)
        records = {file: to_json(perception) for file, perception in {**kept, **found}.items()}
        write_whole(_file(cache, name), dumps(records))
    return [(clip, found[clip.path.name]) for clip in clips if found[clip.path.name].emotion]


def _hear(clips: Iterable[LabelledClip], kept: dict[str, Perception]) -> Iterable[Perception]:
    ear = load_ear("full")
    for clip in clips:
        yield kept[clip.path.name] if clip.path.name in kept else ear.perceive(read(clip.path, rate=RATE))


def ear_mark() -> str:
    """Twelve characters that stand for the ear in the names of kept files."""
    return hashlib.sha256(load_ear("full").signature.encode()).hexdigest()[:12]


def _file(cache: Path, name: str) -> Path:
    return cache / f"heard-{ear_mark()}-{name}.json"


def _kept(cache: Path, name: str) -> dict[str, Perception]:
    path = _file(cache, name)
    if not path.is_file():
        return {}
    records = json.loads(path.read_text(encoding="utf-8"))
    return {file: from_json(Perception, record) for file, record in records.items()}
