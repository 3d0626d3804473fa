"""What an ear heard, in notebooks: the emotion in words and as bars, the voice over time, measures folded."""

from dataclasses import replace

from aptone.messages import words
from aptone.report.displays.fragment import render_display
from aptone.report.hearing.findings import Section, hearing_headline, hearing_phrase, hearing_sections
from aptone.report.hearing.plot import NARROW, WIDE, draw, is_over_time
from aptone.types import Language, Perception

MOST_FINDINGS = 40
"""Rows of a section: an ear from elsewhere may measure hundreds of things."""

MEDIUM = replace(WIDE, width=720, left=46, right=34)
"""Layout for the width of a notebook."""


def show_perception(perception: Perception, *, language: Language) -> str:
    """Return what was heard; it is drawn over time where tracks, trajectory or events are there."""
    heading = words(language, "report")("emotion")
    found = hearing_sections(perception, language=language)
    sections = [Section(one.title, one.findings[:MOST_FINDINGS]) for one in found]
    layouts = {"wide": MEDIUM, "narrow": NARROW} if is_over_time(perception) else {}
    return render_display(
        "displays/perception.html.j2",
        language=language,
        phrase=hearing_phrase(perception, language=language),
        headline=hearing_headline(perception, language=language),
        emotion=next((one.findings for one in sections if one.title == heading), ()),
        sections=[one for one in sections if one.title != heading],
        drawings={
            name: draw(perception, None, clip=None, language=language, layout=layout)
            for name, layout in layouts.items()
        },
    )
