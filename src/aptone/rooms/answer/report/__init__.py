"""Answers in reports: tables of systems, and contrast pairs with players."""

from aptone.report.room_report import RoomReport
from aptone.rooms.answer.report.figures import run_figures

REPORT = RoomReport(figures=run_figures)

__all__ = ["REPORT"]
