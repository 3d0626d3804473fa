"""Dialogues in reports: systems side by side, and emotion over time."""

from aptone.report.room_report import RoomReport
from aptone.rooms.dialogue.report.figures import dialogue_figures

REPORT = RoomReport(figures=dialogue_figures)

__all__ = ["REPORT"]
