"""Manifests of dialogues: one JSON object a line.

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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aptone.errors import RecordError
from aptone.messages import message
from aptone.rooms.dialogue.records import Dialogue, Role, Turn
from aptone.run import write_whole
from aptone.run.sources.manifest import check_fields, human_opinions, manifest_records
from aptone.types import AudioRef, Json, Trajectory, dumps, from_json, schema_name, to_json

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
