"""Ages in numbers: "mid-forties", "sixteen or so", "a 70-year-old", 四十上下, 三十好几, 年近七旬."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from aptone.types import AgeBand, Language

UP_TO: tuple[tuple[int, AgeBand], ...] = (
    (12, AgeBand.CHILD),
    (19, AgeBand.TEENAGER),
    (39, AgeBand.YOUNG_ADULT),
    (59, AgeBand.MIDDLE_AGED),
    (120, AgeBand.ELDERLY),
)
"""The last year of each age band."""

_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_TEENS = ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_DECADES = ["teens", "twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"]
_NUMBERS: Mapping[str, int] = {
    **{word: number for number, word in enumerate((*_ONES, *_TEENS), start=1)},
    **{word: 10 * number for number, word in enumerate(_TENS, start=2)},
    **{word: 10 * number + 5 for number, word in enumerate(_DECADES, start=1)},
}
_WORD = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_NUMBER = rf"(?P<{{}}>\d{{{{1,2}}}}|(?:{_WORD})(?:[ -](?:{'|'.join(_ONES[:9])}))?)"
_PART = r"(?:(?:in|is|well|into|somewhere|his|her|their|the|early|mid|late|very|to)[ -])*"
_PEOPLE = "girl boy lad lass man woman lady child kid gentleman guy youth person teenager male female"
_LOOKING_BACK = "|".join(f"(?<={person} )" for person in _PEOPLE.split())
_ENGLISH = (
    rf"\b{_PART}{_NUMBER.format('decade')}(?<=ies)\b",
    r"\b(?:(?:early|mid|late)[ -])?(?P<short>[1-9]0)['’]?s\b",
    rf"\b{_NUMBER.format('old')}(?:[ -]?(?:year|yr)s?(?:[ -]olds?)|[ -]?yo|[ -]?ish|[ -](?:something|odd)|,? or so)\b",
    rf"\baged?(?: about| around| roughly)? {_NUMBER.format('aged')}\b",
    rf"(?:{_LOOKING_BACK})of (?:about |around |roughly |maybe |perhaps |some )?{_NUMBER.format('of')}"
    rf"(?=\s*(?:[,.;:)]|$|or\b|and\b|who\b|with\b|years\b|speak|talk|whose\b|in\b|is\b|at\b))",
    rf"\b(?:about|around|roughly|maybe|perhaps|nearly|almost|past|over|under|say|probably)"
    rf" {_NUMBER.format('about')}(?=\s*(?:[,.;:)]|$))",
)
_DIGITS = "一二三四五六七八九"
_COUNT = rf"(?P<{{}}>\d{{{{1,2}}}}|[{_DIGITS}]{{{{0,2}}}}十[{_DIGITS}]{{{{0,2}}}}|[{_DIGITS}])"
_MANDARIN = (
    rf"(?:大概|大约|约|年约|年近|年过|看来|听着|快)?{_COUNT.format('years')}(?:多|来|几|好几|出头)?岁(?:上下|左右|出头|开外|的样子)?",
    rf"(?:大概|大约|约|年约|年近|年过|快)?{_COUNT.format('near')}(?:上下|出头|开外|好几|来岁)",
    rf"(?:年近|年过|年逾)?(?P<tens>[{_DIGITS}])旬",
)
_PATTERNS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile("|".join(_ENGLISH), re.IGNORECASE),
    "zh": re.compile("|".join(_MANDARIN)),
}
_OF_PEOPLE = ("aged", "of")
FEWEST_YEARS = 13
"""Years below which an English number is hardly an age, unless years are spoken of."""


class FoundAge(NamedTuple):
    """An age in a text, by its characters."""

    start: int
    end: int
    band: AgeBand


def find_ages(text: str, language: Language) -> Iterator[FoundAge]:
    """Yield the ages that a text gives in numbers, from left to right. Takes time linear in the text.

    >>> [str(one.band) for one in find_ages("A man, maybe mid-forties, not sixteen or so.", "en")]
    ['middle-aged', 'teenager']
    >>> [str(one.band) for one in find_ages("四十上下的女声，不是七十岁", "zh")]
    ['middle-aged', 'elderly']
    """
    for found in _PATTERNS[language].finditer(text):
        kind, said = next((name, value) for name, value in found.groupdict().items() if value)
        years = _english(said) if language == "en" else _mandarin(said) * (10 if kind == "tens" else 1)
        if (
            kind not in _OF_PEOPLE
            and language == "en"
            and years < FEWEST_YEARS
            and "y" not in found.group().casefold().removeprefix(said)
        ):
            continue
        yield FoundAge(found.start(), found.end(), next(band for last, band in UP_TO if years <= last))


def _english(said: str) -> int:
    if said.isdigit():
        return int(said)
    return sum(_NUMBERS[word] for word in re.split("[ -]", said.casefold()))


def _mandarin(said: str) -> int:
    """Return a number; the first of two: 十五六, 六七十."""
    if said.isdigit():
        return int(said)
    tens, ten, ones = said.partition("十")
    if not ten:
        return _DIGITS.index(said) + 1
    return 10 * (_DIGITS.index(tens[0]) + 1 if tens else 1) + (_DIGITS.index(ones[0]) + 1 if ones else 0)
