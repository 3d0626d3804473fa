"""Single numbers in notebooks: a score of one item, and a statistic with its interval."""

from aptone.report.displays.fragment import render_display
from aptone.types import Estimate, Language, Score


def show_score(score: Score, *, language: Language) -> str:
    """Return a score with its scale and band, or the reason why it has no number."""
    return render_display("displays/score.html.j2", language=language, score=score)


def show_estimate(estimate: Estimate, *, language: Language) -> str:
    """Return a statistic with its interval and the number of items behind it, or why it is undefined."""
    return render_display("displays/estimate.html.j2", language=language, estimate=estimate)
