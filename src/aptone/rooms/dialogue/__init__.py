"""Does a dialogue system react to the user's feeling, turn by turn? (EMO-Reasoning)."""

from aptone.rooms.room import Room

ROOM = Room(
    name="dialogue",
    verb="dialogue",
    question="Does a dialogue system react to the user's feeling, turn by turn?",
    paper="EMO-Reasoning",
    report="aptone.rooms.dialogue.report:REPORT",
)

__all__ = ["ROOM"]
