"""Texts in English, Mandarin or both as units of a vocabulary: words, pieces of words, runs of Han characters, marks.

English words are looked up whole, else cut as BERT cuts them. Mandarin is written without spaces: at each place the
longest run of characters that the vocabulary knows is taken. What is in no vocabulary (other scripts, rare characters)
falls into one of a fixed number of buckets by its checksum, so that equal texts stay equal and none is lost.
"""

import functools
import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence

from aptone.models.text.word_pieces import longest_pieces

LONGEST_RUN = 4
"""Han characters in a unit at most."""
KEPT_WORDS = 1 << 16
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "…": "..."})
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNIT = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+|[^\s\w]|_")
_HAN_RUN = re.compile(rf"[{_HAN}]")


def runs(text: str) -> Iterator[str]:
    """Words, runs of Han characters and marks of a text, in lower case, without accents, in ordinary width.

    >>> list(runs("Café？她说：OK!"))
    ['cafe', '?', '她说', ':', 'ok', '!']
    """
    plain = text.translate(_PLAIN).lower()
    if not plain.isascii():
        folded = unicodedata.normalize("NFKD", plain).lower()
        plain = "".join(letter for letter in folded if unicodedata.category(letter) != "Mn")
    return iter(_UNIT.findall(plain))


def is_han(run: str) -> bool:
    """Whether a run, as `runs` gives it, is one of Han characters."""
    return _HAN_RUN.match(run) is not None


class TextUnits:
    """A vocabulary; a unit's number is its place in it, and the buckets come behind.

    Args:
        vocabulary: the units; those that go on within a word begin with ``##``.
        buckets: for what the vocabulary does not know.

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
        """The units of a text, in order; empty only where it holds nothing but spaces and accents.

        >>> TextUnits(["a", "very", "声音", "声"], buckets=1).numbers("A very 声音声")
        [0, 1, 2, 3]
        """
        return [number for run in runs(text) for number in self._of_run(run)]

    def words(self, text: str) -> Iterator[tuple[int, ...]]:
        """The units of each word of a text, marks left out; a unit of Han characters is a word.

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
