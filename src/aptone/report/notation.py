"""Notation: numbers, names and strangers' text as people read them.

Numbers are short, never more exact than they are, undefined ones a dash. Names and units that records hold in English
(emotions, measures, sounds) are said in the language of the page; whatever is not known, a stranger's ear included, is
shown as it is.

Lines, rationales and raw replies come from manifests and models. Escaping for HTML stops tags, but not characters that
a browser or terminal *obeys*: an escape sequence that clears the screen, a right-to-left override that makes "0.5"
read "5.0", a lone surrogate that cannot be written to a file at all. Such characters are replaced by something that
can be seen, so that the reader knows they were there.
"""

import math
import re
import statistics
from collections.abc import Iterable, Sequence

from aptone.messages import LANGUAGES, name_in
from aptone.types import Estimate, Language, Score

_PROBABILITY = re.compile(r"(asked )?P\((.+)\)")

NARRATION, UNKNOWN_SPEAKER, UNTITLED, WHOLE_TEXT = "narration", "speaker", "untitled", "whole"
"""Groups of a book that have no name in it; a run keeps them in the language of the book."""

_GROUPS = {
    name_in(language, group, "names.group"): group
    for group in (NARRATION, UNKNOWN_SPEAKER, UNTITLED, WHOLE_TEXT)
    for language in LANGUAGES
}


def unnamed_group(group: str, language: Language) -> str:
    """Return how a group of a book is called that has no name in it.

    >>> unnamed_group(NARRATION, "en"), unnamed_group(WHOLE_TEXT, "zh")
    ('(narration)', '（全文）')
    """
    return name_in(language, group, "names.group")


def named(name: str, language: Language) -> str:
    """A name in the language of the page, if it is one of ours; underscores are spaces.

    >>> named("crying_baby", "en"), named("crying_baby", "zh"), named("angry", "zh"), named("wistful", "zh")
    ('crying baby', '婴儿哭声', '愤怒', 'wistful')
    >>> named("asked P(angry)", "en"), named("asked P(angry)", "zh")
    ('asked P(angry)', '要求的 P(愤怒)')
    """
    spaced = name.replace("_", " ")
    return _mandarin(spaced) or spaced if language == "zh" else spaced


def _mandarin(spaced: str) -> str:
    """The Mandarin name; empty if it is none of ours."""
    if found := _PROBABILITY.fullmatch(spaced):
        inner = _mandarin(found[2])
        return f"{name_in('zh', 'asked') + ' ' if found[1] else ''}P({inner})" if inner else ""
    known = name_in("zh", spaced)
    return known if known != spaced else ""


def score_name(name: str, language: Language) -> str:
    """The name of a score as a heading: in words if it is one of ours, else exactly as the run keeps it.

    >>> score_name("recording_condition", "en"), score_name("recording_condition", "zh"), score_name("my_own", "zh")
    ('recording condition', '录音状态', 'my_own')
    """
    return named(name, language) if _mandarin(name.replace("_", " ")) else name


def key_name(key: str, language: Language) -> str:
    """Return the heading for the key that items are grouped by; a key of the user's stays as it is.

    >>> key_name("role", "en"), key_name("role", "zh"), key_name("my_key", "zh")
    ('role', '角色', 'my_key')
    """
    return name_in(language, key, "names.key")


def group_name(name: str, language: Language) -> str:
    """The name of a group; that of one which has none in its book is ours, and said in the language of the page.

    >>> group_name("(narration)", "zh"), group_name("（旁白）", "en"), group_name("Mara", "zh")
    ('（旁白）', '(narration)', 'Mara')
    """
    group = _GROUPS.get(name)
    return name if group is None else unnamed_group(group, language)


def verb_name(verb: str, language: Language) -> str:
    """Return the name of a verb as the heading of a report.

    >>> verb_name("score", "en"), verb_name("score", "zh"), verb_name("bench ceaeval", "zh")
    ('score', '得当程度评分', 'bench ceaeval')
    """
    return name_in(language, verb, "names.verb")


_OBEYED = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters, all but tab, line feed and carriage return
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\ufeff"  # invisible marks and line separators
    "\u202a-\u202e\u2060-\u206f"  # overrides, embeddings, isolates, invisible operators
    "\ud800-\udfff\ufff0-\uffff"  # surrogates that stand alone, specials
    "\U000e0000-\U000e0fff"  # tags: whole sentences can hide in them
    "]"
)


def _stand_in(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)  # Unicode's own pictures of the control characters
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF or code == 0xFFFD:
        return "\ufffd"
    if character in "\u2028\u2029":
        return "\n"
    return f"⟨U+{code:04X}⟩"


def visible(text: str, *, limit: int | None = None) -> str:
    r"""The text with every character that a browser or terminal would obey replaced by one that can be seen.

    Control characters become their Unicode pictures, bidirectional and invisible marks become ``⟨U+202E⟩``, surrogates
    that stand alone become U+FFFD. Tabs and line feeds stay; other line ends become line feeds. Joiners (U+200C,
    U+200D) stay: Persian, Hindi and emoji need them.

    Args:
        limit: the most characters of the result; an ellipsis stands for what was cut. ``None`` keeps everything.

    Raises:
        ValueError: if the limit is below 1.

    >>> visible("0.5\u202e!")
    '0.5⟨U+202E⟩!'
    >>> visible("a\x1b[2Jb")
    'a␛[2Jb'
    >>> visible("a long sentence", limit=6)
    'a lon…'
    """
    if limit is not None:
        if limit < 1:
            raise ValueError(f"a limit is at least 1 character, got {limit}.")
        text = text[
            : 2 * limit + 2
        ]  # no more is looked at: the text may be long; twice, for line ends of two characters
    shown = _OBEYED.sub(_stand_in, text.replace("\r\n", "\n").replace("\r", "\n"))
    if limit is not None and len(shown) > limit:
        shown = shown[: limit - 1].rstrip() + "…"
    return shown


def one_line(text: str, *, limit: int | None = None) -> str:
    r"""The same, on one line: every run of white space becomes a single space.

    >>> one_line("two\n  lines")
    'two lines'
    """
    if limit is None:
        return " ".join(visible(text).split())
    # White space only shrinks, so a longer stretch is looked at before it is cut for good.
    return visible(" ".join(visible(text, limit=4 * limit).split()), limit=limit)


ORDINARY = 500
"""Binary exponents up to this size are left alone: squares of such numbers, and sums of many, are finite."""


def exponent_of(values: Iterable[float]) -> int:
    """The power of two that the largest of some finite numbers lies just below; 0 where it is of ordinary size.

    >>> exponent_of([3.0, -1e300]), exponent_of([3.0, 1e20]), exponent_of([5e-324]), exponent_of([])
    (997, 0, -1073, 0)
    """
    exponent = math.frexp(max(map(abs, values), default=0.0))[1]
    return exponent if abs(exponent) > ORDINARY else 0


def share(value: float, low: float, high: float) -> float:
    """Return the position of a number between `low` (0) and `high` (1); NaN when the two are equal.

    >>> share(0.0, -1e308, 1e308), share(4.0, 0.0, 5.0), share(1.0, 2.0, 2.0)
    (0.5, 0.8, nan)
    """
    if low == high:
        return math.nan
    exponent = exponent_of((value, low, high))
    value, low, high = (math.ldexp(number, -exponent) for number in (value, low, high))
    return (value - low) / (high - low) if low != high else math.nan


def between(low: float, high: float, part: float) -> float:
    """The number that lies a part from 0 to 1 on the way from `low` to `high`: the inverse of `share`.

    >>> between(-1e308, 1e308, 0.5), between(0.0, 5.0, 0.2)
    (0.0, 1.0)
    """
    return min(high, max(low, low * (1 - part) + high * part))


def mean(values: Sequence[float]) -> float:
    """The mean; NaN without values.

    >>> mean([1.0, 2.0]), mean([1.5e308, 1.5e308])
    (1.5, 1.5e+308)
    """
    if not values:
        return math.nan
    exponent = exponent_of(values)
    scaled = [math.ldexp(value, -exponent) for value in values]
    # Rounding may lift the mean of equal numbers over them, and the largest float has none above it.
    return math.ldexp(min(max(scaled), max(min(scaled), statistics.fmean(scaled))), exponent)


def median(values: Sequence[float]) -> float:
    """The median; NaN without values.

    >>> median([1.0, 2.0, 9.0]), median([1.5e308, 1.7e308])
    (2.0, 1.6e+308)
    """
    if not values:
        return math.nan
    lower, upper = statistics.median_low(values), statistics.median_high(values)
    return lower if lower == upper else mean([lower, upper])


def deviation(values: Sequence[float]) -> float:
    """The sample standard deviation (divisor n - 1) of two or more; NaN in the rare case that it is no finite float.

    >>> deviation([3.0, 5.0]) == math.sqrt(2), deviation([1.7e308, -1.7e308])
    (True, nan)
    """
    exponent = exponent_of(values)
    try:
        return math.ldexp(statistics.stdev(math.ldexp(value, -exponent) for value in values), exponent)
    except OverflowError:
        return math.nan


UNDEFINED = "–"

LONGEST_PLAIN = 1e6
"""Numbers from here on are written with an exponent: 1e+200 has two hundred digits and one that matters."""


def figure(value: float) -> str:
    """A number with at most two decimals; small and huge ones with few significant digits; NaN as a dash.

    >>> figure(3.5), figure(0.004), figure(12345.6), figure(1e200), figure(-0.0), figure(math.nan)
    ('3.5', '0.004', '12,346', '1e+200', '0', '–')
    """
    if math.isnan(value):
        return UNDEFINED
    if abs(value) >= LONGEST_PLAIN:
        return f"{value:.3g}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if value != 0 and abs(value) < 0.01:
        return f"{value:.2g}"
    return f"{value or 0.0:.2f}".rstrip("0").rstrip(".")


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
    """The interval of a statistic without a unit, such as a correlation, or a dash.

    >>> interval(Estimate(0.7, low=0.61, high=0.8))
    '[0.61, 0.80]'
    """
    if max(abs(estimate.low), abs(estimate.high)) < LONGEST_PLAIN and not math.isnan(estimate.low + estimate.high):
        return f"[{estimate.low:.2f}, {estimate.high:.2f}]"
    return interval_in_points(estimate)


def interval_in_points(estimate: Estimate) -> str:
    """The interval of a mean or a difference of scores, which may be of any size, or a dash.

    >>> interval_in_points(Estimate(2.5, low=1.5, high=3e200))
    '[1.5, 3e+200]'
    """
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return UNDEFINED
    return f"[{figure(estimate.low)}, {figure(estimate.high)}]"


LONGEST_UNIT = 60
"""Characters of a unit that are shown."""

SMALLEST_SPREAD = 0.05
"""Spread from which on it is shown beside a score."""


def value_figure(score: Score) -> str:
    """The number of a score. Where the scale is at least 1 wide, hundredths are fine enough; else digits are kept.

    >>> value_figure(Score(0.0019, range=(0.0, 5.0))), value_figure(Score(0.0019, range=(0.0, 0.01)))
    ('0', '0.0019')
    >>> value_figure(Score(0.0019))
    '0.0019'
    """
    coarse = score.range is not None and score.range[1] - score.range[0] >= 1
    return figure(round(score.value, 2) if coarse else score.value)


def score_figure(score: Score | None, language: Language = "en") -> str:
    """A score with its unit and the upper end of its range, where it has them.

    >>> score_figure(Score(3.5, range=(0.0, 5.0))), score_figure(Score(0.0019, range=(0.0, 5.0)))
    ('3.5 / 5', '0 / 5')
    >>> score_figure(Score(7.0, unit="semitones")), score_figure(Score(7.0, unit="semitones"), "zh"), score_figure(None)
    ('7 semitones', '7 半音', '–')
    >>> score_figure(Score(2.5, range=(0.0, 5.0), spread=1.13))
    '2.5 ± 1.1 / 5'
    """
    if score is None or not score.is_defined:
        return UNDEFINED
    parts = [value_figure(score)]
    if not math.isnan(score.spread) and score.spread >= SMALLEST_SPREAD:
        parts.append(f"± {figure(round(score.spread, 1))}")
    if score.range is not None and score.range[0] == 0:
        parts.append(f"/ {figure(score.range[1])}")
    if score.unit:
        parts.append(one_line(named(score.unit, language), limit=LONGEST_UNIT))
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
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def clock(seconds: float) -> str:
    """A place in a recording, from 0 on, as players show it.

    >>> clock(5.9), clock(83), clock(3725)
    ('0:05', '1:23', '1:02:05')
    """
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def goodness(score: Score | None) -> float:
    """Return the position of a score on its scale, from 0 (worst end) to 1 (best end).

    NaN when the score is undefined, its scale is open, or neither end is better.

    >>> goodness(Score(4.0, range=(0.0, 5.0))), goodness(Score(0.2, range=(0.0, 1.0), higher_is_better=False))
    (0.8, 0.8)
    """
    if score is None or not score.is_defined or score.range is None or score.higher_is_better is None:
        return math.nan
    place = share(score.value, *score.range)
    return place if score.higher_is_better else 1 - place


def band(score: Score | None) -> str:
    """Return the third of the scale that a score is in: ``low``, ``middle`` or ``high`` in goodness; empty if none."""
    place = goodness(score)
    if math.isnan(place):
        return ""
    return "low" if place < 1 / 3 else "middle" if place < 2 / 3 else "high"
