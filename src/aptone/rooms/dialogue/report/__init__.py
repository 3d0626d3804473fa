"""Dialogues in reports: systems side by side, and emotion over time."""

from aptone.report.room_report import RoomReport
from aptone.rooms.dialogue.bench import rating_tolerance
from aptone.rooms.dialogue.report.explained import dialogue_notes
from aptone.rooms.dialogue.report.figures import dialogue_figures

REPORT = RoomReport(figures=dialogue_figures, notes=dialogue_notes, tolerance=rating_tolerance)

__all__ = ["REPORT"]
