"""Dialogues in reports: systems side by side, and emotion over time."""

from aptone.report.room_report import RoomReport
from aptone.rooms.dialogue.report.figures import run_figures

REPORT = RoomReport(figures=run_figures)

__all__ = ["REPORT"]
