"""What a room is to the rest of the house."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Room:
    """A question about speech, and the verb that answers it.

    Args:
        name: of the room.
        verb: what users type after ``aptone``; the command behind it is registered under ``aptone.verbs``.
        question: that it answers, in one line.
        paper: the published system behind it.
    """

    name: str
    verb: str
    question: str
    paper: str
