"""Tokenisation of English, Mandarin or both: words, word pieces, runs of Han characters, punctuation.

English words are looked up whole, else cut as BERT cuts them. In Mandarin, the longest known run of characters is taken
at each place. Unknown units (other scripts, rare characters) fall into one of a fixed number of buckets by their
checksum, so that equal texts stay equal and none is lost.
"""

import functools
import re
import unicodedata
import zlib
from collections.abc import Iterator, Mapping, Sequence

from aptone.types import Language

_ONES: tuple[str, ...] = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_DIGITS = "零一二三四五六七八九"
_ENGLISH = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)*")


def spoken_words(text: str, *, language: Language) -> list[str]:
    """Return the words of a text, or its characters in Mandarin; integers below a thousand are spelled out.

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


CONTINUED = "##"
LONGEST_WORD = 40
_APOSTROPHES = str.maketrans({"\x92": "'", "\x91": "'", "’": "'", "‘": "'", "“": '"', "”": '"', "…": "..."})
_WORD = re.compile(r"[^\W_]+|[^\s\w]|_")


def words(text: str) -> list[str]:
    """Return words and punctuation of a text, in lower case and without accents.

    >>> words("Why’d you do THAT?!")
    ['why', "'", 'd', 'you', 'do', 'that', '?', '!']
    """
    plain = unicodedata.normalize("NFD", text.translate(_APOSTROPHES).lower())
    return _WORD.findall("".join(letter for letter in plain if unicodedata.category(letter) != "Mn"))


def longest_pieces(word: str, number: Mapping[str, int]) -> list[int] | None:
    """Cut a word into the longest pieces of a vocabulary, from left to right; ``None`` where a part is unknown.

    >>> longest_pieces("trembling", {"tremble": 0, "trembl": 1, "##ing": 2, "##i": 3})
    [1, 2]
    """
    if len(word) > LONGEST_WORD:
        return None
    found: list[int] = []
    start = 0
    while start < len(word):
        prefix = CONTINUED if start else ""
        for end in range(len(word), start, -1):
            known = number.get(prefix + word[start:end])
            if known is not None:
                found.append(known)
                start = end
                break
        else:
            return None
    return found


LONGEST_RUN = 4
"""Most Han characters in a unit."""
KEPT_WORDS = 1 << 16
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "…": "..."})
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNIT = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+|[^\s\w]|_")
_HAN_RUN = re.compile(rf"[{_HAN}]")


def runs(text: str) -> Iterator[str]:
    """Yield words, runs of Han characters and punctuation, in lower case, without accents, in ordinary width.

    >>> list(runs("Café？她说：OK!"))
    ['cafe', '?', '她说', ':', 'ok', '!']
    """
    plain = text.translate(_PLAIN).lower()
    if not plain.isascii():
        folded = unicodedata.normalize("NFKD", plain).lower()
        plain = "".join(letter for letter in folded if unicodedata.category(letter) != "Mn")
    return iter(_UNIT.findall(plain))


def is_han(run: str) -> bool:
    """Return true for a run of Han characters."""
    return _HAN_RUN.match(run) is not None


class TextUnits:
    """Vocabulary of units (``##`` continues a word); a unit's number is its index, and the buckets follow.

    Raises:
        ValueError: if there is no bucket.
    """

    def __init__(self, vocabulary: Sequence[str], *, buckets: int) -> None:
        if buckets < 1:
            raise ValueError(f"what is unknown needs at least one bucket, got {buckets}.")
        self._number = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
        self._first_bucket = len(vocabulary)
        self._buckets = buckets
        self._of_run = functools.lru_cache(maxsize=KEPT_WORDS)(self._cut)

    def __len__(self) -> int:
        return self._first_bucket + self._buckets

    def numbers(self, text: str) -> list[int]:
        """Return the units of a text, in order; empty only for spaces and accents.

        >>> TextUnits(["a", "very", "声音", "声"], buckets=1).numbers("A very 声音声")
        [0, 1, 2, 3]
        """
        return [number for run in runs(text) for number in self._of_run(run)]

    def words(self, text: str) -> Iterator[tuple[int, ...]]:
        """Yield the units of each word of a text, without punctuation; a unit of Han characters is a word.

        >>> list(TextUnits(["glee", "##ful", "声音", ","], buckets=1).words("gleeful, 声音"))
        [(0, 1), (2,)]
        """
        for run in runs(text):
            if is_han(run):
                yield from ((unit,) for unit in self._of_run(run))
            elif run.isalnum():
                yield self._of_run(run)

    def _cut(self, run: str) -> tuple[int, ...]:
        known = self._number.get(run)
        if known is not None:
            return (known,)
        if is_han(run):
            return tuple(self._han(run))
        found = longest_pieces(run, self._number)
        return (self._bucket(run),) if found is None else tuple(found)

    def _han(self, run: str) -> Iterator[int]:
        start = 0
        while start < len(run):
            for end in range(min(start + LONGEST_RUN, len(run)), start, -1):
                known = self._number.get(run[start:end])
                if known is not None:
                    break
            else:
                known, end = self._bucket(run[start]), start + 1
            yield known
            start = end

    def _bucket(self, unknown: str) -> int:
        return self._first_bucket + zlib.crc32(unknown.encode("utf-8", "surrogatepass")) % self._buckets
