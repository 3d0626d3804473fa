"""Trust card, terminal tables, and the report as one HTML file."""

from aptone.report.groups import count_reasons
from aptone.report.notation import one_line, visible
from aptone.report.repeat_spread import RepeatSpread, repeat_probe
from aptone.report.room_report import Figure
from aptone.report.run_report import render_html
from aptone.report.terminal import DoctorRow, comparison_table, doctor_table, trust_panel, verdict_table
from aptone.report.trust import repeat_spread, trust_card

__all__ = [
    "DoctorRow",
    "Figure",
    "RepeatSpread",
    "comparison_table",
    "count_reasons",
    "doctor_table",
    "one_line",
    "render_html",
    "repeat_probe",
    "repeat_spread",
    "trust_card",
    "trust_panel",
    "verdict_table",
    "visible",
]
