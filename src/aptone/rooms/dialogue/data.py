"""Dialogues from wherever they lie, and the items that are made of them.

============  =====================================================================================================
layout        what it is
============  =====================================================================================================
manifest      a ``.jsonl`` or ``.json`` file, one JSON object a line; see below
dailytalk     DailyTalk's folder: ``data/<dialogue>/<turn>_<speaker>_d<dialogue>.wav``, ``metadata.json``
folders       one folder a dialogue (or the folder of one) with a recording a turn, the user first
stereo        a recording with the user left and the agent right, or a folder of them, cut by who speaks
csv           the authors' files: ``<dialogue>/speaker_0/*.csv`` and ``speaker_1``, one a turn; or ``user/*.csv`` and
              ``agent/*.csv`` of the same names, one dialogue of one turn each
============  =====================================================================================================

A record of a manifest:

=====================  ==================================================================================
``id``                 unique; by default the number of the record
``turns``              a list, in the order in which they were spoken; see below
``system``             whose answers these are
``language``           ``en`` or ``zh``
``human_score``        what people gave it; by default the mean of ``ratings``
``ratings``            the same by rater, ``{"rater": score}``
``ids``                what else identifies it, such as the planned transition
=====================  ==================================================================================

A turn has ``role`` (``user`` or ``agent``; without one, the user begins and they take turns), and any of ``audio`` (a
path, relative to the manifest), ``start``, ``end`` (seconds), ``channel``, ``trajectory`` (``{"step": 1.0, "valence":
[…], "arousal": […], "dominance": […]}``), ``emotion`` and ``text``.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.audio import RECORDINGS, find_speech, probe, read_channels
from aptone.errors import AudioError, RecordError, UsageError
from aptone.files import file_hash
from aptone.messages import message
from aptone.rooms.dialogue.folders import (
    files_in,
    folders_in,
    is_dailytalk,
    read_csv,
    read_dailytalk,
    read_folders,
    sides_of,
)
from aptone.rooms.dialogue.records import Dialogue, Role, Turn
from aptone.run import write_whole
from aptone.run.sources.manifest import check_fields, human_opinions, manifest_records
from aptone.types import AudioRef, Item, Json, Segment, Trajectory, dumps, from_json, schema_name, to_json

LAYOUTS = ("manifest", "dailytalk", "folders", "stereo", "csv")


def read_dialogues(source: Path, *, layout: str | None = None, step: float = 1.0) -> list[Dialogue]:
    """The dialogues of a file or folder.

    Args:
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
        "folders": lambda: read_folders(source),
        "stereo": lambda: map(read_stereo, [source] if source.is_file() else files_in(source, RECORDINGS)),
        "csv": lambda: read_csv(source, step=step),
    }
    try:
        dialogues = list(readers[chosen]())
    except NotADirectoryError as error:
        raise UsageError(f"{source}: the layout {chosen} is a folder; this is a file.") from error
    if not dialogues:
        raise RecordError(f"{source}: no dialogue was found in the layout {chosen}; name another with --layout.")
    ids = [dialogue.id for dialogue in dialogues]
    if doubles := [one for one, count in Counter(ids).items() if count > 1]:
        raise RecordError(f"{source}: two dialogues have the id {doubles[0]!r}; give each its own.")
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


def make_items(dialogues: Iterable[Dialogue]) -> Iterator[Item]:
    """Dialogues as items, whose hash covers what a score depends on.

    That is the bytes of the recordings, trajectories and labels, but not where they lie on the disk, nor what people
    said of them. A recording that cannot be read is not an error here: its item fails when it is worked on.
    """
    known: dict[Path, str] = {}  # a stereo recording holds many turns
    for position, dialogue in enumerate(dialogues):
        turns = tuple(_hashed(turn, known) for turn in dialogue.turns)
        placeless = tuple(replace(turn, audio=turn.audio and replace(turn.audio, path="-")) for turn in turns)
        payload, content = (to_json(replace(dialogue, turns=kept)) for kept in (turns, placeless))
        hashed = {name: value for name, value in content.items() if name not in ("human_score", "ratings", "ids")}
        digest = hashlib.sha256(dumps(hashed).encode()).hexdigest()
        yield Item(id=dialogue.id, payload=payload, content_hash=digest, position=position)


def _hashed(turn: Turn, known: dict[Path, str]) -> Turn:
    if turn.audio is None:
        return turn
    path = Path(turn.audio.path)
    if path not in known:
        known[path] = file_hash(path)
    return replace(turn, audio=replace(turn.audio, sha256=known[path]))


_DIALOGUE = frozenset({"schema", "id", "turns", "system", "language", "human_score", "ratings", "ids"})
_TURN = frozenset({"role", "audio", "start", "end", "channel", "trajectory", "emotion", "text"})


def read_manifest(path: Path) -> list[Dialogue]:
    """The dialogues of a manifest.

    Raises:
        RecordError: if a record cannot be understood; the message names the file and the line.
    """
    dialogues = []
    for number, (where, data) in enumerate(manifest_records(path), start=1):
        try:
            dialogues.append(_dialogue(data, number=number, root=path.parent))
        except (RecordError, ValueError) as error:
            raise RecordError(f"{where}: {error}") from error
    return dialogues


def write_manifest(path: Path, dialogues: Iterable[Dialogue]) -> None:
    """Write dialogues so that `read_manifest` gives them back; recordings beside the manifest get relative paths.

    Raises:
        RunError: if the file cannot be written.
    """
    root = path.parent.absolute()
    rows = [dumps(to_json(replace(one, turns=tuple(_near(turn, root) for turn in one.turns)))) for one in dialogues]
    write_whole(path, "".join(f"{row}\n" for row in rows))


def _near(turn: Turn, root: Path) -> Turn:
    if turn.audio is None or not Path(turn.audio.path).is_relative_to(root):
        return turn
    return replace(turn, audio=replace(turn.audio, path=str(Path(turn.audio.path).relative_to(root))))


def _dialogue(data: Json, *, number: int, root: Path) -> Dialogue:
    if not isinstance(data, Mapping):
        raise RecordError(f"expected a JSON object, got {type(data).__name__}.")
    if data.get("schema") == schema_name(Dialogue):
        whole = from_json(Dialogue, data)
        return replace(whole, turns=tuple(_placed(turn, root) for turn in whole.turns))
    check_fields(data, _DIALOGUE)
    turns = data.get("turns")
    if not isinstance(turns, Sequence) or isinstance(turns, str) or not turns:
        raise RecordError('expected a list of turns under "turns".')
    identity = data.get("id", number)
    if not isinstance(identity, str | int) or isinstance(identity, bool):
        raise RecordError(f'"id" is text or a number, got {identity!r}.')
    ids = data.get("ids", {})
    system = data.get("system")
    if not isinstance(ids, Mapping) or not (system is None or isinstance(system, str)):
        raise RecordError('"ids" is an object of texts, and "system" is text.')
    fields: dict[str, Json] = {
        "id": str(identity),
        "turns": [to_json(_turn(turn, place, root)) for place, turn in enumerate(turns, start=1)],
        "language": data.get("language", "en"),
        **human_opinions(data),
        "ids": {**ids, "system": system} if system else ids,
    }
    return from_json(Dialogue, fields)


def _turn(data: Json, place: int, root: Path) -> Turn:
    if not isinstance(data, Mapping):
        raise RecordError(f"turn {place}: expected a JSON object, got {type(data).__name__}.")
    try:
        check_fields(data, _TURN)
        alternating = Role.USER if place % 2 else Role.AGENT
        audio = data.get("audio")
        recording = {"path": audio, "start": data.get("start", 0.0), "end": data.get("end")}
        trajectory = data.get("trajectory")
        fields: dict[str, Json] = {
            "role": data.get("role", alternating.value),
            "audio": None if audio is None else to_json(from_json(AudioRef, recording)),
            "channel": data.get("channel"),
            "trajectory": None if trajectory is None else to_json(from_json(Trajectory, trajectory)),
            "emotion": data.get("emotion", ""),
            "text": data.get("text", ""),
        }
        return _placed(from_json(Turn, fields), root)
    except (RecordError, ValueError) as error:
        raise RecordError(message("dialogue.turn", number=place, why=error)) from error


def _placed(turn: Turn, root: Path) -> Turn:
    """The turn with an absolute path, so that a run does not depend on the folder in which commands are typed."""
    if turn.audio is None:
        return turn
    return replace(turn, audio=replace(turn.audio, path=str((root / turn.audio.path).absolute())))


CUTTING_RATE = 16_000
CHANNELS = (Role.USER, Role.AGENT)

SHORTEST_TURN = 0.4
"""Seconds of speech below which a stretch that the other one talks over is a nod ("mhm"), and no turn."""

SAME_SOUND = 0.98
"""Correlation of two channels from which on they hold the same sound, louder or softer: mono that was saved as stereo.
Two voices that spill into each other's channels stay below it."""


def read_stereo(path: Path) -> Dialogue:
    """The turns of a stereo recording: user left, agent right.

    Raises:
        AudioError: if the recording cannot be read, has not two channels or the same sound on both, or the user does
            not speak in it.
    """
    channels = read_channels(path, rate=CUTTING_RATE)
    if len(channels) != len(CHANNELS):
        raise AudioError(message("dialogue.not-two-channels", name=path, count=len(channels)))
    if abs(_correlation(*(audio.samples for audio in channels))) > SAME_SOUND:
        raise AudioError(message("dialogue.same-channels", name=path))
    turns = tuple(
        Turn(role, audio=AudioRef(str(path.absolute()), segment.start, segment.end), channel=CHANNELS.index(role))
        for role, segment in turns_of(*map(find_speech, channels))
    )
    if not turns:
        raise AudioError(message("dialogue.left-silent", name=path))
    return Dialogue(id=path.stem, turns=turns)


def turns_of(user: Iterable[Segment], agent: Iterable[Segment]) -> list[tuple[Role, Segment]]:
    """Stretches of speech of the two as turns: what one says until the other begins is one turn.

    Short stretches within the other's speech are left out, and so is what the agent says before the user has spoken:
    it answers nothing.

    >>> turns = turns_of([Segment(0.0, 1.0), Segment(1.5, 3.0)], [Segment(1.1, 1.4), Segment(4.0, 6.0)])
    >>> [(role.value, segment.start, segment.end) for role, segment in turns]
    [('user', 0.0, 1.0), ('agent', 1.1, 1.4), ('user', 1.5, 3.0), ('agent', 4.0, 6.0)]
    """
    sides = {Role.USER: tuple(user), Role.AGENT: tuple(agent)}
    kept = [
        (role, segment)
        for role, segments in sides.items()
        for segment in segments
        if not _is_nod(segment, sides[Role.AGENT if role is Role.USER else Role.USER])
    ]
    turns: list[tuple[Role, Segment]] = []
    for role, segment in sorted(kept, key=lambda pair: pair[1].start):
        if not turns and role is Role.AGENT:
            continue
        if turns and turns[-1][0] is role:
            before = turns[-1][1]
            turns[-1] = (role, Segment(before.start, max(before.end, segment.end)))
        else:
            turns.append((role, segment))
    return turns


def _correlation(left: npt.NDArray[np.float32], right: npt.NDArray[np.float32]) -> float:
    """Return the correlation of two channels; 0 where one is silent."""
    first, second = (channel.astype(np.float64) - float(channel.mean()) for channel in (left, right))
    power = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / power if power > 0 else 0.0


def _is_nod(segment: Segment, others: Iterable[Segment]) -> bool:
    talked_over = any(other.start <= segment.start and segment.end <= other.end for other in others)
    return talked_over and segment.seconds < SHORTEST_TURN
