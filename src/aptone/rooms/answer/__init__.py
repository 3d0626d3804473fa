"""Does a spoken answer fit how the question was asked? (ParaS2SBench)."""

from aptone.rooms.room import Room

ROOM = Room(
    name="answer",
    verb="answer",
    question="Does a spoken answer fit how the question was asked?",
    paper="ParaS2SBench",
    report="aptone.rooms.answer.report:REPORT",
)

__all__ = ["ROOM"]
