"""Words as they are compared when a book is laid beside a transcript: without case, marks and spellings of numbers.

English is cut into words, Mandarin into characters. Numbers are written out in the language of the story, since one
side may have "21" where the other has "twenty-one".
"""

import re
import unicodedata
from collections.abc import Iterator

from aptone.types import Language

_APOSTROPHES = re.compile(r"[’'ʼ`´]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_PIECE = re.compile(r"[\u3400-\u9fff]|\d+(?:[.,]\d+)*(?:st|nd|rd|th)?|[^\W\d_\u3400-\u9fff]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_TO_TWELVE = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_UNITS = (*_TO_TWELVE, *_TEENS)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred"))
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_SIGNS = {"%": {"en": " percent ", "zh": " 百分之 "}, "&": {"en": " and ", "zh": " 和 "}}
_DIGITS = "零一二三四五六七八九"
_PLACES = ("", "十", "百", "千")
_MYRIADS = ("", "万", "亿")
_SAME = str.maketrans({"两": "二", "兩": "二", "〇": "零", "○": "零", "俩": "二"})

LONGEST_NUMBER = 12
"""Digits of a number that is said as one; a longer one is read digit by digit."""


def tokens_of(text: str, language: Language) -> list[str]:
    """The words of a text, or its characters in Mandarin, as they are compared.

    >>> tokens_of("“Don’t!” cried twenty-one men, on the 3rd of May.", "en")
    ['dont', 'cried', 'twenty', 'one', 'men', 'on', 'the', 'third', 'of', 'may']
    >>> tokens_of("他等了105天。", "zh")
    ['他', '等', '了', '一', '百', '零', '五', '天']
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    for sign, words in _SIGNS.items():
        plain = plain.replace(sign, words[language])
    plain = _APOSTROPHES.sub("", plain)
    return list(_tokens(plain, language))


def _tokens(plain: str, language: Language) -> Iterator[str]:
    for piece in _PIECE.findall(plain):
        if piece[0].isdigit():
            yield from _number(piece, language)
        else:
            yield piece.translate(_SAME)


def _number(piece: str, language: Language) -> list[str]:
    match = _NUMBER.match(piece)
    digits = match.group() if match else piece
    is_ordinal = len(piece) > len(digits)
    if _THOUSANDS.fullmatch(digits):
        digits = digits.replace(",", "")
    whole, *fractions = re.split(r"[.,]", digits)
    spell = _english if language == "en" else _mandarin
    words = spell(whole)
    if is_ordinal and language == "en":
        words[-1] = _ordinal(words[-1])
    for fraction in fractions:
        words += ["point" if language == "en" else "点"]
        words += [_UNITS[int(digit)] if language == "en" else _DIGITS[int(digit)] for digit in fraction]
    return words


def _english(digits: str) -> list[str]:
    if len(digits) > LONGEST_NUMBER or (len(digits) > 1 and digits[0] == "0"):
        return [_UNITS[int(digit)] for digit in digits]
    return _english_words(int(digits)) or ["zero"]


def _english_words(number: int) -> list[str]:
    for size, name in _SCALES:
        if number >= size:
            return [*_english_words(number // size), name, *_english_words(number % size)]
    if number >= 20:
        return [_TENS[number // 10], *_english_words(number % 10)]
    return [_UNITS[number]] if number else []


def _ordinal(word: str) -> str:
    return _ORDINALS.get(word, word[:-1] + "ieth" if word.endswith("y") else word + "th")


def _mandarin(digits: str) -> list[str]:
    if len(digits) > LONGEST_NUMBER or (len(digits) > 1 and digits[0] == "0"):
        return [_DIGITS[int(digit)] for digit in digits]
    number = int(digits)
    if number == 0:
        return ["零"]
    groups = []
    while number:
        number, group = divmod(number, 10_000)
        groups.append(group)
    said = ""
    for place in range(len(groups) - 1, -1, -1):
        group = groups[place]
        if group:
            gap = "零" if said and group < 1000 and not said.endswith("零") else ""
            said += gap + _mandarin_group(group) + _MYRIADS[place]
    return list(said[1:] if said.startswith("一十") else said)


def _mandarin_group(group: int) -> str:
    said, zero = "", False
    for power in (3, 2, 1, 0):
        digit = group // 10**power % 10
        if digit:
            said += ("零" if zero and said else "") + _DIGITS[digit] + _PLACES[power]
            zero = False
        else:
            zero = True
    return said
