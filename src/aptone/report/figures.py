"""Numbers as they are written for people: short, never more exact than they are, undefined ones as a dash."""

import math

from aptone.types import Estimate, Score

UNDEFINED = "–"


def figure(value: float) -> str:
    """A number with at most two decimals; small ones with two significant digits; NaN as a dash.

    >>> figure(3.5), figure(0.004), figure(12345.6), figure(math.nan)
    ('3.5', '0.004', '12,346', '–')
    """
    if math.isnan(value):
        return UNDEFINED
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if value != 0 and abs(value) < 0.01:
        return f"{value:.2g}"
    return f"{value:.2f}".rstrip("0").rstrip(".")


def percent(part: float, whole: float) -> str:
    """A share as a percentage; a dash when there is no whole. Only all is 100 %, only none is 0 %.

    >>> percent(1, 3), percent(999, 1000), percent(0, 0)
    ('33 %', '99.9 %', '–')
    """
    if not whole:
        return UNDEFINED
    share = 100 * part / whole
    rounded = f"{share:.0f}"
    if (rounded == "100" and part != whole) or (rounded == "0" and part):
        rounded = f"{min(99.9, max(0.1, share)):.1f}"
    return f"{rounded} %"


def interval(estimate: Estimate) -> str:
    """The interval of an estimate, or a dash.

    >>> interval(Estimate(0.7, low=0.61, high=0.8))
    '[0.61, 0.80]'
    """
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return UNDEFINED
    return f"[{estimate.low:.2f}, {estimate.high:.2f}]"


def score_figure(score: Score | None) -> str:
    """A score with its unit and the upper end of its range, where it has them.

    On a bounded scale, hundredths are fine enough; on an open one, small numbers keep their digits.

    >>> score_figure(Score(3.5, range=(0.0, 5.0))), score_figure(Score(0.0019, range=(0.0, 5.0)))
    ('3.5 / 5', '0 / 5')
    >>> score_figure(Score(7.0, unit="semitones")), score_figure(None)
    ('7 semitones', '–')
    """
    if score is None or not score.is_defined:
        return UNDEFINED
    parts = [figure(score.value if score.range is None else round(score.value, 2))]
    if score.range is not None and score.range[0] == 0:
        parts.append(f"/ {figure(score.range[1])}")
    if score.unit:
        parts.append(score.unit)
    return " ".join(parts)


def duration(seconds: float) -> str:
    """Seconds in the largest fitting units.

    >>> duration(0.25), duration(83), duration(7260)
    ('0.2 s', '1 min 23 s', '2 h 1 min')
    """
    if math.isnan(seconds):
        return UNDEFINED
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def goodness(score: Score | None) -> float:
    """Where a score lies on its scale, from 0 (worst end) to 1 (best end).

    NaN when the score is undefined, its scale is open, or neither end is better.

    >>> goodness(Score(4.0, range=(0.0, 5.0))), goodness(Score(0.2, range=(0.0, 1.0), higher_is_better=False))
    (0.8, 0.8)
    """
    if score is None or not score.is_defined or score.range is None or score.higher_is_better is None:
        return math.nan
    low, high = score.range
    if high == low:
        return math.nan
    share = (score.value - low) / (high - low)
    return share if score.higher_is_better else 1 - share


def band(score: Score | None) -> str:
    """Which third of its scale a score lies in: ``low``, ``middle`` or ``high`` in goodness; empty when unknown."""
    place = goodness(score)
    if math.isnan(place):
        return ""
    return "low" if place < 1 / 3 else "middle" if place < 2 / 3 else "high"
