"""Dialogues from wherever they lie, and the items that are made of them.

============  =====================================================================================================
layout        what it is
============  =====================================================================================================
manifest      a ``.jsonl`` or ``.json`` file (`aptone.rooms.dialogue.sources.manifest`)
dailytalk     DailyTalk's folder: ``data/<dialogue>/<turn>_<speaker>_d<dialogue>.wav``, ``metadata.json``
folders       one folder a dialogue (or the folder of one) with a recording a turn, the user first
stereo        a recording with the user left and the agent right, or a folder of them, cut by who speaks
csv           the authors' files: ``<dialogue>/speaker_0/*.csv`` and ``speaker_1``, one a turn; or ``user/*.csv`` and
              ``agent/*.csv`` of the same names, one dialogue of one turn each
============  =====================================================================================================
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from aptone.audio import RECORDINGS, probe
from aptone.errors import RecordError, UsageError
from aptone.files import file_hash
from aptone.rooms.dialogue.records import Dialogue, Turn
from aptone.rooms.dialogue.sources.folders import (
    files_in,
    folders_in,
    is_dailytalk,
    read_csv_dialogue,
    read_csv_pairs,
    read_dailytalk,
    read_recordings,
    sides_of,
)
from aptone.rooms.dialogue.sources.manifest import read_manifest
from aptone.rooms.dialogue.sources.stereo import read_stereo
from aptone.types import Item, dumps, to_json

LAYOUTS = ("manifest", "dailytalk", "folders", "stereo", "csv")


def read_dialogues(source: Path, *, layout: str | None = None, step: float = 1.0) -> list[Dialogue]:
    """The dialogues of a file or folder.

    Args:
        source: where they are.
        layout: one of `LAYOUTS`; ``None`` to find it out.
        step: seconds between two rows of CSV files.

    Raises:
        UsageError: if the layout is unknown or cannot be found out.
        RecordError: if a file cannot be understood, or two dialogues have one id.
        AudioError: if a stereo recording cannot be read.
    """
    if layout is not None and layout not in LAYOUTS:
        raise UsageError(f"there is no layout {layout!r}; choose one of {', '.join(LAYOUTS)}.")
    if not source.exists():
        raise UsageError(f"{source}: there is no such file or folder; name dialogues that are there.")
    chosen = layout or find_layout(source)
    readers: Mapping[str, Callable[[], Iterable[Dialogue]]] = {
        "manifest": lambda: read_manifest(source),
        "dailytalk": lambda: read_dailytalk(source),
        "folders": lambda: _recordings(source),
        "stereo": lambda: [read_stereo(path) for path in _stereo_files(source)],
        "csv": lambda: _csv(source, step=step),
    }
    try:
        dialogues = list(readers[chosen]())
    except NotADirectoryError as error:
        raise UsageError(f"{source}: the layout {chosen} is a folder; this is a file.") from error
    if not dialogues:
        raise RecordError(f"{source}: no dialogue was found in the layout {chosen}; name another with --layout.")
    ids: set[str] = set()
    for dialogue in dialogues:
        if dialogue.id in ids:
            raise RecordError(f"{source}: two dialogues have the id {dialogue.id!r}; give each its own.")
        ids.add(dialogue.id)
    return dialogues


def find_layout(source: Path) -> str:
    """The layout of a file or folder, by what is in it.

    Raises:
        UsageError: if it is none of `LAYOUTS`.
    """
    if source.is_file():
        return "manifest" if source.suffix.lower() in (".jsonl", ".json") else "stereo"
    inner = folders_in(source)
    if is_dailytalk(source):
        return "dailytalk"
    if sides_of(source) or any(sides_of(folder) for folder in inner):
        return "csv"
    if recordings := files_in(source, RECORDINGS):
        return "stereo" if all(probe(path).channels == 2 for path in recordings) else "folders"
    if any(files_in(folder, RECORDINGS) for folder in inner):
        return "folders"
    raise UsageError(
        f"{source}: how are the dialogues laid out? Expected one of {', '.join(LAYOUTS)}; "
        "see docs/rooms/dialogue.md, and name it with --layout."
    )


def _recordings(source: Path) -> Iterator[Dialogue]:
    folders = [source] if files_in(source, RECORDINGS) else folders_in(source)
    for folder in folders:
        if files_in(folder, RECORDINGS):
            yield read_recordings(folder)


def _stereo_files(source: Path) -> list[Path]:
    return [source] if source.is_file() else files_in(source, RECORDINGS)


def _csv(source: Path, *, step: float) -> Iterator[Dialogue]:
    if (source / "user").is_dir() and (source / "agent").is_dir():
        yield from read_csv_pairs(source, step=step)
        return
    folders = [source] if sides_of(source) else [folder for folder in folders_in(source) if sides_of(folder)]
    for folder in folders:
        yield read_csv_dialogue(folder, step=step)


def make_items(dialogues: Iterable[Dialogue]) -> Iterator[Item]:
    """Dialogues as items, whose hash covers what a score depends on.

    That is the bytes of the recordings, trajectories and labels, but not where they lie on the disk, nor what people
    said of them. A recording that cannot be read is not an error here: its item fails when it is worked on.
    """
    known: dict[Path, str] = {}  # a stereo recording holds many turns
    for position, dialogue in enumerate(dialogues):
        turns = tuple(_hashed(turn, known) for turn in dialogue.turns)
        placeless = tuple(
            replace(turn, audio=replace(turn.audio, path="-")) if turn.audio is not None else turn for turn in turns
        )
        payload = to_json(replace(dialogue, turns=turns))
        content = {
            name: value
            for name, value in to_json(replace(dialogue, turns=placeless)).items()
            if name not in ("human_score", "ratings", "ids")
        }
        digest = hashlib.sha256(dumps(content).encode()).hexdigest()
        yield Item(id=dialogue.id, payload=payload, content_hash=digest, position=position)


def _hashed(turn: Turn, known: dict[Path, str]) -> Turn:
    if turn.audio is None:
        return turn
    path = Path(turn.audio.path)
    if path not in known:
        known[path] = file_hash(path)
    return replace(turn, audio=replace(turn.audio, sha256=known[path]))
