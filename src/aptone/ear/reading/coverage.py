"""Coverage of a text: which of its words were read into statements, and which content words were not.

Function words, and words that any description uses without claiming anything ("voice", "speaker", "sounds", 说话人;
``plain.en.txt``, ``plain.zh.txt``), count nowhere. All other words do: those that statements rest on, and those that
were understood without a claim (denials, people who are not the speaker), are read; what is left over is unread. In
Mandarin characters take the place of words.

    coverage = read / (read + unread)

A text is fully read where every unread word is known to be harmless (``harmless.en.txt``, ``harmless.zh.txt``): any
other may be a claim that nobody verified.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from aptone.lexicon.phrases import PhraseBook, Tokens, tokens
from aptone.types import Language

_READ, _FREE, _UNDERSTOOD = 1, 2, 3
_SEPARATOR = {"en": ", ", "zh": "，"}


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage of a text.

    Args:
        share: share of the content words that were read; NaN where there are none.
        read: number of them (in Mandarin, of characters).
        unread: places of the content words that were not read; neighbours stand together.
        doubtful: those of them that are not known to be harmless, and so may be claims.
    """

    share: float
    read: int
    unread: tuple[tuple[int, int], ...]
    doubtful: tuple[tuple[int, int], ...] = ()

    @property
    def is_complete(self) -> bool:
        """True if no word is left over that may be a claim."""
        return not self.doubtful

    def words(self, text: str) -> list[str]:
        """Return the unread words."""
        return [text[start:end] for start, end in self.unread]

    def doubtful_words(self, text: str) -> tuple[str, ...]:
        """Return the unread words that may be claims, each once."""
        said: dict[str, str] = {}
        for start, end in self.doubtful:
            said.setdefault(text[start:end].casefold(), text[start:end])
        return tuple(said.values())


def coverage(
    text: str,
    read: Iterable[tuple[int, int]],
    *,
    language: Language,
    understood: Iterable[tuple[int, int]] = (),
    quoted: Iterable[tuple[int, int]] = (),
) -> Coverage:
    """Return which words of a text were read.

    Args:
        read: places of what was read into statements.
        understood: places of words that were read without making a claim.
        quoted: places of what the speaker says, which count nowhere.
    """
    marks = bytearray(len(text))
    for places, mark in ((quoted, _FREE), (understood, _UNDERSTOOD), (read, _READ)):
        for start, end in places:
            marks[start:end] = bytes([mark]) * (end - start)
    words = tokens(text, language)
    free = plain_tokens(words, language)
    count, left = 0, []
    for number, (word, (start, _)) in enumerate(zip(words.words, words.places, strict=True)):
        if not word[:1].isalnum() or marks[start] == _FREE:
            continue
        if (number in free or word.isdigit()) and marks[start] != _READ:
            continue
        if marks[start]:
            count += 1
        else:
            left.append(number)
    share = count / (count + len(left)) if count or left else math.nan
    harmless = _tokens_of("harmless", words, language)
    places = [words.places[number] for number in left]
    doubtful = [words.places[number] for number in left if number not in harmless]
    return Coverage(share, count, tuple(_joined(places, language)), tuple(_joined(doubtful, language)))


def plain_tokens(words: Tokens, language: Language) -> set[int]:
    """Return the tokens of words that claim nothing and count nowhere."""
    return _tokens_of("plain", words, language)


def _joined(places: Sequence[tuple[int, int]], language: Language) -> Iterable[tuple[int, int]]:
    """Yield neighbouring places of characters as one; English words stay apart."""
    if language == "en":
        yield from places
        return
    begin = end = -1
    for start, stop in places:
        if start != end:
            if begin >= 0:
                yield begin, end
            begin = start
        end = stop
    if begin >= 0:
        yield begin, end


def _tokens_of(name: str, words: Tokens, language: Language) -> set[int]:
    """Return the tokens of a text that stand in a list."""
    return {number for hit in _book(name, language).find(words) for number in range(hit.start, hit.end)}


@functools.cache
def _book(name: str, language: Language) -> PhraseBook:
    text = (files("aptone.ear.reading") / f"{name}.{language}.txt").read_text(encoding="utf-8")
    words = [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]
    return PhraseBook([_SEPARATOR[language].join(words)], families={}, language=language)
