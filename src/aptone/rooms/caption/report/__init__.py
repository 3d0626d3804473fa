"""Captions in reports: claims marked in their texts, notes for the trust card, a table for the terminal."""

from aptone.report.room_report import RoomReport
from aptone.rooms.caption.report.evidence import caption_marks, caption_notes

REPORT = RoomReport(marks=caption_marks, notes=caption_notes)

__all__ = ["REPORT"]
