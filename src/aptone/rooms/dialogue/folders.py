"""Dialogues as folders of files: recordings in turn, DailyTalk's recordings, or the authors' CSV files.

Columns of CSV files are found by name, wherever they stand.
"""

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, zip_longest
from pathlib import Path

from aptone.audio import RECORDINGS
from aptone.errors import RecordError
from aptone.files import natural_order
from aptone.rooms.dialogue.records import Dialogue, Role, Turn
from aptone.types import AudioRef, Json, Trajectory, loads

COLUMNS = ("valence", "arousal", "dominance")


def read_rows(path: Path, *, needed: tuple[str, ...]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The rows of a CSV file by the names of their columns (in small letters), each behind words for its place.

    Raises:
        RecordError: if the file cannot be read, or a needed column is missing.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); expected a CSV file.") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: not UTF-8 text ({error.reason}); save the file as UTF-8.") from error
    try:
        rows = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as error:
        raise RecordError(f"{path}: not a CSV file ({error}).") from error
    names = [name.strip().lower() for name in rows[0]] if rows else []
    if missing := [name for name in needed if name not in names]:
        raise RecordError(
            f"{path}: there is no column {missing[0]!r}; expected {', '.join(needed)} in any order, "
            f"got {', '.join(names)[:200] or 'an empty file'}."
        )
    if len(set(names)) < len(names):
        raise RecordError(f"{path}: two columns have one name; rename one of {', '.join(names)[:200]}.")
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(names):
            raise RecordError(f"{path}, line {number}: expected {len(names)} cells, got {len(row)}.")
        yield f"{path}, line {number}", dict(zip(names, row, strict=True))


def read_trajectory(path: Path, *, step: float = 1.0) -> Trajectory:
    """The trajectory in a CSV file: one row a point; an empty cell or ``nan`` is undefined.

    Args:
        path: file with columns valence, arousal and dominance among others, in any order.
        step: seconds between two rows.

    Raises:
        RecordError: if the file cannot be read, a column is missing, or a value is no number from -1 to 1.
    """
    points = [[_value(row[name], where, name) for name in COLUMNS] for where, row in read_rows(path, needed=COLUMNS)]
    return Trajectory(step, *(tuple(point[column] for point in points) for column in range(len(COLUMNS))))


def _value(cell: str, where: str, name: str) -> float:
    if not cell.strip():
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        raise RecordError(f"{where}: {name} is a number, got {cell[:40]!r}.") from None
    if not (math.isnan(value) or -1 <= value <= 1):
        raise RecordError(f"{where}: {name} lies between -1 and 1, got {value:g}; divide by the end of its scale.")
    return value


SIDES = (("speaker_0", "speaker_1"), ("user", "agent"))
"""Names of the two folders that hold the user's files and the agent's."""

_DAILYTALK_FILE = re.compile(r"(?P<turn>\d+)_(?P<speaker>\d+)_d(?P<dialogue>\d+)\.wav")
_NAMED_ROLE = re.compile(r"(?:^|[^a-z])(user|agent)(?:[^a-z]|$)")


def files_in(folder: Path, endings: Sequence[str]) -> list[Path]:
    """The files of a folder that end so, in natural order, hidden ones left out."""
    found = (path for path in folder.iterdir() if path.name.lower().endswith(tuple(endings)))
    return sorted((path for path in found if path.is_file() and not path.name.startswith(".")), key=natural_order)


def folders_in(folder: Path) -> list[Path]:
    """The folders in a folder, in natural order, hidden ones left out."""
    return sorted(
        (path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")), key=natural_order
    )


def is_dailytalk(folder: Path) -> bool:
    """Return True if a folder is laid out as DailyTalk's: ``data/<dialogue>/<turn>_<speaker>_d<dialogue>.wav``."""
    for inner in folders_in(_dailytalk_root(folder))[:1]:
        return any(_DAILYTALK_FILE.fullmatch(path.name) for path in files_in(inner, (".wav",)))
    return False


def read_dailytalk(folder: Path) -> Iterator[Dialogue]:
    """DailyTalk's dialogues: the one who begins is the user, the other one's recorded answers are the agent's.

    Texts and emotions come from ``metadata.json`` where it is there. Its emotions were given to the written lines.

    Raises:
        RecordError: if a folder does not hold turns of two speakers, or the metadata cannot be read.
    """
    root = _dailytalk_root(folder)
    metadata = _metadata(folder if root != folder else folder.parent)
    for inner in folders_in(root):
        matches = [_DAILYTALK_FILE.fullmatch(path.name) for path in files_in(inner, (".wav",))]
        turns = sorted((match for match in matches if match), key=lambda match: int(match["turn"]))
        if len({match["speaker"] for match in turns}) != 2:
            raise RecordError(f"{inner}: expected recordings of two speakers, named as 0_1_d{inner.name}.wav.")
        first = turns[0]["speaker"]
        roles = [Role.USER if match["speaker"] == first else Role.AGENT for match in turns]
        made = (_dailytalk_turn(inner, match, role, metadata) for match, role in zip(turns, roles, strict=True))
        yield Dialogue(id=inner.name, turns=tuple(made), ids={"source": "DailyTalk"})


def _dailytalk_root(folder: Path) -> Path:
    return folder / "data" if (folder / "data").is_dir() else folder


def _metadata(folder: Path) -> Mapping[str, Json]:
    path = folder / "metadata.json"
    if not path.is_file():
        return {}
    data = loads(path.read_bytes(), what=str(path))
    if not isinstance(data, Mapping):
        raise RecordError(f"{path}: expected an object of dialogues, got {type(data).__name__}.")
    return data


def _dailytalk_turn(folder: Path, match: re.Match[str], role: Role, metadata: Mapping[str, Json]) -> Turn:
    dialogue = metadata.get(match["dialogue"])
    entry = dialogue.get(match["turn"]) if isinstance(dialogue, Mapping) else None
    known = entry if isinstance(entry, Mapping) else {}
    emotion, audio = str(known.get("emotion", "")).strip(), AudioRef(str((folder / match.string).absolute()))
    label = "neutral" if emotion.lower() in ("no emotion", "none", "0") else emotion
    return Turn(role, audio=audio, emotion=label, text=str(known.get("text", "")))


def read_recordings(folder: Path) -> Dialogue:
    """One dialogue: the recordings of a folder in natural order.

    A file whose name holds ``user`` or ``agent`` says who speaks; where none does, the user begins and they take turns.

    Raises:
        RecordError: if only some of the files say who speaks.
    """
    files = files_in(folder, RECORDINGS)
    named = [_NAMED_ROLE.search(path.stem.lower()) for path in files]
    if any(named) and not all(named):
        silent = next(path for path, match in zip(files, named, strict=True) if not match)
        raise RecordError(f"{silent}: does its name mean the user or the agent? Put one of the two into every name.")
    roles = [Role(match[1]) for match in named if match] or cycle(Role)
    turns = [Turn(role, audio=AudioRef(str(path.absolute()))) for path, role in zip(files, roles, strict=False)]
    try:
        return Dialogue(id=folder.name, turns=tuple(turns))
    except ValueError as error:
        raise RecordError(f"{folder}: {error}") from error


def read_folders(source: Path) -> Iterator[Dialogue]:
    """The dialogues of folders with recordings: of one, or of those in it."""
    for folder in [source] if files_in(source, RECORDINGS) else folders_in(source):
        if files_in(folder, RECORDINGS):
            yield read_recordings(folder)


def sides_of(folder: Path) -> tuple[Path, Path] | None:
    """The folders of the user's and the agent's CSV files, if they lie in this one."""
    for names in SIDES:
        user, agent = (folder / name for name in names)
        if user.is_dir() and agent.is_dir() and files_in(user, (".csv",)):
            return user, agent
    return None


def read_csv(source: Path, *, step: float) -> Iterator[Dialogue]:
    """The dialogues of CSV files: pairs in ``user`` and ``agent``, or one folder a dialogue."""
    if (source / "user").is_dir() and (source / "agent").is_dir():
        yield from read_csv_pairs(source, step=step)
        return
    for folder in [source] if sides_of(source) else folders_in(source):
        if sides_of(folder):
            yield read_csv_dialogue(folder, step=step)


def read_csv_dialogue(folder: Path, *, step: float) -> Dialogue:
    """One dialogue of several turns: ``speaker_0`` and ``speaker_1`` (or ``user`` and ``agent``) with a file a turn.

    Raises:
        RecordError: if a file is no trajectory, or a side has none.
    """
    sides = sides_of(folder)
    if sides is None:
        raise RecordError(f"{folder}: expected the folders speaker_0 and speaker_1 with CSV files.")
    exchanges = zip_longest(*(files_in(side, (".csv",)) for side in sides))
    spoken = [(role, file) for files in exchanges for role, file in zip(Role, files, strict=True) if file is not None]
    turns = tuple(Turn(role, trajectory=read_trajectory(file, step=step)) for role, file in spoken)
    return Dialogue(id=folder.name, turns=turns)


def read_csv_pairs(folder: Path, *, step: float) -> Iterator[Dialogue]:
    """Dialogues of one turn each: files of the same name in the folders ``user`` and ``agent``.

    Labels are taken from ``user.csv`` and ``agent.csv`` beside the folders (columns Filename and Emotion), if they are
    there.

    Raises:
        RecordError: if a file has no counterpart, or is no trajectory.
    """
    user, agent = folder / "user", folder / "agent"
    users, agents = ({path.name: path for path in files_in(side, (".csv",))} for side in (user, agent))
    if lonely := sorted(set(users) ^ set(agents)):
        raise RecordError(f"{folder}: {lonely[0]} is in one of the folders user and agent only; add its counterpart.")
    labels = {side.name: _labels(side.with_suffix(".csv")) for side in (user, agent)}
    for name, path in users.items():
        stem = Path(name).stem
        turns = (
            Turn(role, trajectory=read_trajectory(file, step=step), emotion=labels[role].get(stem, ""))
            for role, file in ((Role.USER, path), (Role.AGENT, agents[name]))
        )
        yield Dialogue(id=stem, turns=tuple(turns))


def _labels(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    rows = read_rows(path, needed=("filename", "emotion"))
    return {Path(row["filename"].strip()).stem: row["emotion"].strip() for _, row in rows}
