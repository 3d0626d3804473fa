"""Is a caption of emotional speech true and complete? (EmoSURA, SURABench)."""

from aptone.rooms.room import Room

ROOM = Room(
    name="caption",
    verb="caption",
    question="Is a caption of emotional speech true and complete?",
    paper="EmoSURA",
    report="aptone.rooms.caption.report:REPORT",
    operations="aptone.rooms.caption.operations:OPERATIONS",
)

__all__ = ["ROOM"]
