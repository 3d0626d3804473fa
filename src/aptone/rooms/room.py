"""Interface of a room to the other packages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Room:
    """A question about speech, and the verbs that answer it.

    Args:
        verb: word that users type after ``aptone``; the command behind it is registered under ``aptone.verbs``.
        other_verbs: further verbs whose runs are the room's.
        report: ``module:attribute`` of the `aptone.report.room_report.RoomReport` that its runs get; empty for none.
        operations: ``module:attribute`` of a tuple of `aptone.rooms.operation.Operation`, what can be asked of it over
            HTTP; empty for none.
    """

    name: str
    verb: str
    question: str
    paper: str
    other_verbs: tuple[str, ...] = ()
    report: str = ""
    operations: str = ""

    @property
    def verbs(self) -> tuple[str, ...]:
        """All verbs of the room, the main one first."""
        return (self.verb, *self.other_verbs)
