"""Mandarin lines as phrases: every run of one to four characters that the model's vocabulary knows.

Mandarin is written without spaces; runs of characters hold its words without a segmenter.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

LONGEST = 4
MOST_CHARACTERS = 120
_RUN = re.compile(r"[\u3400-\u9fff]+|[a-z]+|[0-9]+|[^\w\s]")
_HAN = re.compile(r"[\u3400-\u9fff]")


def phrases(text: str) -> Iterator[str]:
    """All runs of one to four characters, edges of a clause marked; words in Latin letters and marks whole.

    >>> list(phrases("好吗?"))
    ['好', '吗', '好吗', '<好', '吗>', '?']
    """
    plain = unicodedata.normalize("NFKC", text).lower()[:MOST_CHARACTERS]
    for run in _RUN.findall(plain):
        if not _HAN.match(run):
            yield run
            continue
        for length in range(1, min(LONGEST, len(run)) + 1):
            for start in range(len(run) - length + 1):
                yield run[start : start + length]
        yield "<" + run[:2] if len(run) > 2 else "<" + run[:1]
        yield run[-2:] + ">" if len(run) > 2 else run[-1:] + ">"


class PhraseTable:
    """The phrases that a model knows; a phrase's number is its place in the list."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._number = {phrase: number for number, phrase in enumerate(vocabulary)}

    def numbers(self, text: str) -> tuple[int, ...]:
        """The known phrases of a text, each as often as it occurs.

        >>> PhraseTable(["吗", "好"]).numbers("好吗")
        (1, 0)
        """
        return tuple(number for phrase in phrases(text) if (number := self._number.get(phrase)) is not None)
