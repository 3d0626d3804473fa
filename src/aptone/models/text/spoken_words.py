"""Texts as the words that are heard: without marks, case and digits, so that a transcript can be compared with them."""

import re

from aptone.types import Language

_ONES: tuple[str, ...] = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_DIGITS = "零一二三四五六七八九"
_ENGLISH = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)*")


def spoken_words(text: str, *, language: Language) -> list[str]:
    """The words of a text, or its characters in Mandarin; whole numbers below a thousand as they are said.

    >>> spoken_words("It's 42 euros — really!", language="en")
    ["it's", 'forty', 'two', 'euros', 'really']
    >>> spoken_words("“我有3只猫。”", language="zh")
    ['我', '有', '三', '只', '猫']
    """
    plain = text.casefold().replace("’", "'")
    if language == "zh":
        return [_DIGITS[int(one)] if one.isdecimal() else one for one in plain if one.isalnum()]
    words: list[str] = []
    for word in _ENGLISH.findall(plain):
        words += _said(int(word)) if word.isdecimal() and len(word) <= 3 else [word]
    return words


def _said(number: int) -> list[str]:
    if number >= 100:
        rest = number % 100
        return [_ONES[number // 100], "hundred", *(_said(rest) if rest else [])]
    if number >= 20:
        return [_TENS[number // 10 - 2], *([_ONES[number % 10]] if number % 10 else [])]
    return [_ONES[number]]
