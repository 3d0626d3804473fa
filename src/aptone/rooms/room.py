"""What a room is to the rest of the house."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Room:
    """A question about speech, and the verb that answers it.

    Args:
        name: of the room.
        verbs: what users type after ``aptone``, the main one first; their commands are registered under
            ``aptone.verbs``.
        question: that it answers, in one line.
        paper: the published system behind it.
        report: ``module:attribute`` of the `aptone.report.room_report.RoomReport` that its runs get; empty for none.
    """

    name: str
    verbs: tuple[str, ...]
    question: str
    paper: str
    report: str = ""
