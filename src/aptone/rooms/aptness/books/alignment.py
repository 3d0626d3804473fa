"""Alignment of a text with a transcript, word by word, for texts of any length.

What is common to both is found first by *anchors*: runs of words that stand exactly once in the text and once in what
was heard, in the longest chain that goes forward in both. Between anchors the words are paired with the fewest edits
(Levenshtein 1966, weighted), exactly. So a book of a hundred thousand words takes seconds. Words of the text that
nobody read, and words that are not in the text, stay without a partner.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
    pieces = _PIECE.findall(_APOSTROPHES.sub("", plain))
    spelled = (_number(one, language) if one[0].isdigit() else [one.translate(_SAME)] for one in pieces)
    return list(chain.from_iterable(spelled))


def _number(piece: str, language: Language) -> list[str]:
    match = _NUMBER.match(piece)
    digits = match.group() if match else piece
    is_ordinal = len(piece) > len(digits)
    if _THOUSANDS.fullmatch(digits):
        digits = digits.replace(",", "")
    whole, *fractions = re.split(r"[.,]", digits)
    names, point, spell = (_UNITS, "point", _english) if language == "en" else (_DIGITS, "点", _mandarin)
    by_digit = len(whole) > LONGEST_NUMBER or (len(whole) > 1 and whole[0] == "0")
    words = [names[int(digit)] for digit in whole] if by_digit else spell(int(whole)) or [names[0]]
    if is_ordinal and language == "en":
        last = words[-1]
        words[-1] = _ORDINALS.get(last, last[:-1] + "ieth" if last.endswith("y") else last + "th")
    for fraction in fractions:
        words += [point, *(names[int(digit)] for digit in fraction)]
    return words


def _english(number: int) -> list[str]:
    """The words of a number; none for 0."""
    for size, name in _SCALES:
        if number >= size:
            return [*_english(number // size), name, *_english(number % size)]
    if number >= 20:
        return [_TENS[number // 10], *_english(number % 10)]
    return [_UNITS[number]] if number else []


def _mandarin(number: int) -> list[str]:
    """The characters of a number; none for 0."""
    groups = []
    while number:
        number, group = divmod(number, 10_000)
        groups.append(group)
    said = ""
    for place, group in reversed(list(enumerate(groups))):
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


Codes = npt.NDArray[np.int64]

ANCHOR = 5
"""Words of a run that anchors. Shorter ones come up by chance, longer ones are broken by every misheard word."""

FINER_ANCHORS = (3, 1)
"""For stretches between anchors that are too large to be paired word by word at once."""

LARGEST_TABLE = 4_000_000
"""Cells of the table of edits that is kept in memory; what needs more is halved first (Hirschberg 1975)."""

LEFT_OUT, CHANGED = 2, 3
"""Costs of leaving out or adding a word, and of replacing one. One word for another is
cheaper than one out and one in, but two such are dearer: so a word that was heard as it stands keeps its partner."""

SMALL_TABLE = 256
"""Cells below which plain loops are quicker than arrays."""


class Pair(NamedTuple):
    """A word of the text and the heard word that stands for it; they may differ (misheard, or misread)."""

    text: int
    heard: int


def align(text: Sequence[str], heard: Sequence[str]) -> list[Pair]:
    """Align the words of a text with the heard words, in order.

    >>> align("the cat sat on a mat".split(), "well the cat sat on the mat".split())
    [Pair(text=0, heard=1), Pair(text=1, heard=2), Pair(text=2, heard=3), Pair(text=3, heard=4), Pair(text=4, heard=5), Pair(text=5, heard=6)]
    """  # noqa: E501  (a doctest shows what comes, on one line)
    first, second = _coded(text, heard)
    return list(_aligned(first, second, (ANCHOR, *FINER_ANCHORS)))


def anchors_of(text: Sequence[str], heard: Sequence[str]) -> list[Pair]:
    """The anchors alone: where in a text something stands that was heard, without looking at every word."""
    first, second = _coded(text, heard)
    return anchored(first, second, size=ANCHOR)


def _coded(text: Sequence[str], heard: Sequence[str]) -> tuple[Codes, Codes]:
    """Words as numbers, the same for the same word."""
    codes: dict[str, int] = {}
    first = [codes.setdefault(word, len(codes)) for word in text]
    second = [codes.setdefault(word, len(codes)) for word in heard]
    return np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)


def _aligned(first: Codes, second: Codes, sizes: Sequence[int]) -> Iterator[Pair]:
    """Pairs of two stretches, by anchors of the first of some sizes while the table of edits would be large."""
    if not sizes or first.size * second.size <= SMALL_TABLE:
        yield from edit_pairs(first, second)
        return
    last = Pair(-1, -1)
    for anchor in [*anchored(first, second, size=sizes[0]), Pair(first.size, second.size)]:
        before, between = first[last.text + 1 : anchor.text], second[last.heard + 1 : anchor.heard]
        if before.size and between.size:
            finer = sizes[1:] if before.size * between.size > LARGEST_TABLE else ()
            for pair in _aligned(before, between, finer):
                yield Pair(pair.text + last.text + 1, pair.heard + last.heard + 1)
        if anchor.text < first.size:
            yield anchor
        last = anchor


def anchored(first: Codes, second: Codes, *, size: int) -> list[Pair]:
    """Words of runs that stand once in each, in the longest chain that goes forward in both."""
    in_second = _single_runs(second, size)
    found = [Pair(place, in_second[run]) for run, place in _single_runs(first, size).items() if run in in_second]
    pairs: list[Pair] = []
    for start in longest_chain(sorted(found)):
        for step in range(size):
            pair = Pair(start.text + step, start.heard + step)
            if not pairs or (pair.text > pairs[-1].text and pair.heard > pairs[-1].heard):
                pairs.append(pair)
    return pairs


def _single_runs(codes: Codes, size: int) -> dict[tuple[int, ...], int]:
    """Runs of so many words that stand exactly once, and where."""
    words = codes.tolist()
    places: dict[tuple[int, ...], int] = {}
    for place, run in enumerate(zip(*(words[step:] for step in range(size)), strict=False)):
        places[run] = -1 if run in places else place
    return {run: place for run, place in places.items() if place >= 0}


def longest_chain(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest part of some pairs, in order of the text, whose heard words are in order, too (patience sorting).

    >>> longest_chain([Pair(0, 5), Pair(1, 1), Pair(2, 2), Pair(3, 9)])
    [Pair(text=1, heard=1), Pair(text=2, heard=2), Pair(text=3, heard=9)]
    """
    ends: list[int] = []  # heard word with which the best chain of each length ends
    at: list[int] = []  # and which pair that is
    before: list[int] = []
    for place, pair in enumerate(pairs):
        length = bisect_left(ends, pair.heard)
        before.append(at[length - 1] if length else -1)
        ends[length : length + 1] = [pair.heard]
        at[length : length + 1] = [place]
    chain = []
    place = at[-1] if at else -1
    while place >= 0:
        chain.append(pairs[place])
        place = before[place]
    return chain[::-1]


def edit_pairs(first: Codes, second: Codes) -> list[Pair]:
    """The pairs of words in the cheapest way from one to the other: words left out, added, or taken for another one."""
    front = _common(first, second)
    back = _common(first[front:][::-1], second[front:][::-1])
    inner_first, inner_second = first[front : first.size - back], second[front : second.size - back]
    pairs = [Pair(place, place) for place in range(front)]
    pairs += [Pair(pair.text + front, pair.heard + front) for pair in _edited(inner_first, inner_second)]
    pairs += [Pair(first.size - place, second.size - place) for place in range(back, 0, -1)]
    return pairs


def _common(first: Codes, second: Codes) -> int:
    """Number of words that two stretches share from the beginning."""
    length = min(first.size, second.size)
    different = np.flatnonzero(first[:length] != second[:length])
    return int(different[0]) if different.size else length


def _edited(first: Codes, second: Codes) -> list[Pair]:
    if not first.size or not second.size:
        return []
    if (first.size + 1) * (second.size + 1) <= LARGEST_TABLE or first.size == 1:
        return _traced(_table(first, second), first, second)
    middle = first.size // 2
    ahead = deque(_rows(first[:middle], second), maxlen=1)[0]
    behind = deque(_rows(first[middle:][::-1], second[::-1]), maxlen=1)[0][::-1]
    cut = int(np.argmin(ahead + behind))
    later = _edited(first[middle:], second[cut:])
    return _edited(first[:middle], second[:cut]) + [Pair(pair.text + middle, pair.heard + cut) for pair in later]


def _table(first: Codes, second: Codes) -> list[list[int]] | npt.NDArray[np.int32]:
    """Least cost from each beginning of the one to each beginning of the other."""
    if first.size * second.size <= SMALL_TABLE:
        return _small_table(first.tolist(), second.tolist())
    table = np.empty((first.size + 1, second.size + 1), dtype=np.int32)
    for place, row in enumerate(_rows(first, second)):
        table[place] = row
    return table


def _small_table(first: Sequence[int], second: Sequence[int]) -> list[list[int]]:
    table = [list(range(0, LEFT_OUT * len(second) + 1, LEFT_OUT))]
    for place, word in enumerate(first, start=1):
        above, row = table[-1], [LEFT_OUT * place]
        for column, other in enumerate(second):
            changed = above[column] + (CHANGED if word != other else 0)
            row.append(min(changed, above[column + 1] + LEFT_OUT, row[column] + LEFT_OUT))
        table.append(row)
    return table


def _rows(first: Codes, second: Codes) -> Iterator[npt.NDArray[np.int32]]:
    """The rows of the table. What comes from the left is a running minimum, so that a row is a few array operations."""
    columns = LEFT_OUT * np.arange(second.size + 1, dtype=np.int32)
    row = columns.copy()
    yield row
    for place, word in enumerate(first.tolist(), start=1):
        reached = np.empty_like(row)
        reached[0] = LEFT_OUT * place
        changed = np.where(second == word, row[:-1], row[:-1] + np.int32(CHANGED))
        np.minimum(changed, row[1:] + np.int32(LEFT_OUT), out=reached[1:])
        row = np.minimum.accumulate(reached - columns) + columns
        yield row


def _traced(table: list[list[int]] | npt.NDArray[np.int32], first: Codes, second: Codes) -> list[Pair]:
    """The way back through a table; where several are as short, words that are the same come first."""
    pairs = []
    row, column = first.size, second.size
    one, other = first.tolist(), second.tolist()
    while row and column:
        here = table[row][column]
        same = one[row - 1] == other[column - 1]
        if table[row - 1][column - 1] + (0 if same else CHANGED) == here:
            row, column = row - 1, column - 1
            pairs.append(Pair(row, column))
        elif table[row - 1][column] + LEFT_OUT == here:
            row -= 1
        else:
            column -= 1
    return pairs[::-1]
