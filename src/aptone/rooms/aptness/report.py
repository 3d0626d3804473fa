"""Spoken lines in reports: rankings of takes, chapters of books."""

from aptone.report.figures import Figure
from aptone.report.people_agreement import number_or_nan
from aptone.report.room_report import RoomReport
from aptone.rooms.aptness.books.report import book_figures, write_chapter_pages
from aptone.rooms.aptness.takes.display import ranking_figures
from aptone.rooms.aptness.takes.rank import rank_lines
from aptone.rooms.aptness.takes.ranking import LEAST_LEAD
from aptone.run import Run
from aptone.types import Language

LEAST_LEAD_SETTING = "least_lead"
"""Where the configuration of a run keeps the points by which a take must lead."""


def aptness_figures(run: Run, *, score: str = "", language: Language, lang: Language | None = None) -> list[Figure]:
    """What belongs above the items of a run, by the verb that made it; nothing for most.

    Args:
        run: whose items.
        score: that items are ranked by; the figures of this room have their own.
        language: of headings.
        lang: of the reasons of rankings; by default that of their stories.
    """
    if run.config.verb != "rank":
        return book_figures(run, language=language)
    least_lead = number_or_nan(run.config.settings.get(LEAST_LEAD_SETTING, LEAST_LEAD))
    ranked = rank_lines(run.entries, source=str(run.folder), least_lead=least_lead, lang=lang)
    return ranking_figures(ranked, language=language, folder=run.folder)


REPORT = RoomReport(figures=aptness_figures, pages=write_chapter_pages)
