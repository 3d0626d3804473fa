"""Fit of a voice and a description of its style (Speech-CLAP, S3Bench)."""

from aptone.rooms.room import Room

ROOM = Room(
    name="style",
    verb="style",
    question="Does a voice fit a description of its style?",
    paper="Speech-CLAP, S3Bench",
    report="aptone.rooms.style.report:REPORT",
    operations="aptone.rooms.style.operations:OPERATIONS",
)

__all__ = ["ROOM"]
