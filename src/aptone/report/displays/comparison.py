"""Comparisons of two runs in notebooks: the difference with its interval, and the items that changed most."""

import math

from aptone.messages import translate, words
from aptone.report.displays.fragment import render_display
from aptone.report.plots.geometry import histogram
from aptone.report.terminal import verdict_on
from aptone.run.compare import Comparison
from aptone.types import Language, Score

MOST_CHANGES = 8
"""Items that are listed, those that changed most."""

MOST_WARNINGS = 6


def show_comparison(comparison: Comparison, *, language: Language) -> str:
    """Return the comparison of run B with run A."""
    differences = [Score(one.difference) for one in comparison.changes if math.isfinite(one.difference)]
    verdict = verdict_on(comparison.difference, comparison.p_value, "B", comparison.higher_is_better, language)
    return render_display(
        "displays/comparison.html.j2",
        language=language,
        one=comparison,
        verdict=verdict,
        plot=histogram(words(language, "report")("difference", first="A", second="B"), differences),
        changes=comparison.changes[:MOST_CHANGES],
        warnings=[translate(one, language) for one in comparison.warnings[:MOST_WARNINGS]],
    )
