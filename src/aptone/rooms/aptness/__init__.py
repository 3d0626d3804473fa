"""Does this line sound as the story around it asks? (CEAEval)."""

from aptone.rooms.room import Room

ROOM = Room(
    name="aptness",
    verb="score",
    question="Does a spoken line sound as the story around it asks?",
    paper="CEAEval",
    other_verbs=("rank",),
    report="aptone.rooms.aptness.report:REPORT",
    operations="aptone.rooms.aptness.operations:OPERATIONS",
)

__all__ = ["ROOM"]
