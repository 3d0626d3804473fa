"""Phrases that a person can read and extend, found in a text without regular expressions.

A list of phrases is one string: English ones stand apart by ``, ``, Mandarin ones by ``，``. In a phrase

- ``shout~`` is a verb with its endings: shout, shouts, shouted, shouting;
- ``<device>`` is any word of the family of that name;
- ``...`` (Mandarin ``…``) is a gap of up to `GAP` words or characters, none of which ends a clause;
- ``#`` is the end of a clause, or of the text.

English is compared word by word, whatever its case; hyphens between words and endings such as 's do not count. Mandarin
is compared character by character. Phrases are looked up by their first word, so that a long list costs no more than a
short one.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aptone.types import Language

GAP: Mapping[Language, int] = {"en": 4, "zh": 8}
"""Most words (English) or characters (Mandarin) in a gap."""
SENTENCE_ENDS = frozenset(".!?。！？")
_JOINING = frozenset({"and", "but", "then", "while", "because", "although"})
"""Words behind which another clause begins."""
_DENYING = frozenset({"not", "never", "no", "nor", "without", "没", "未"})
"""Words that no gap holds."""
_SEPARATOR: Mapping[Language, str] = {"en": ",", "zh": "，"}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[^\w\s-]|_|(?<!\w)-|-(?!\w)")
_MANDARIN_PART = re.compile(r"<[^>]*>|\S")

Member = tuple[str, ...]
Element = Mapping[str, tuple[Member, ...]] | None | int
"""Words that may stand here, by their first token; None for the end of a clause; most tokens of a gap."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text in the pieces that phrases are compared with.

    Args:
        words: what is compared.
        places: where each begins and ends in the text.
    """

    words: tuple[str, ...]
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A phrase of a text.

    Args:
        key: the number of the list that it stands in.
        start, end: its tokens.
    """

    key: int
    start: int
    end: int


def tokens(text: str, language: Language) -> Tokens:
    """The words (English) or characters (Mandarin) of a text, and its marks.

    >>> tokens("He didn't half-whisper: “Mary’s here”", "en").words
    ('he', "didn't", 'half', 'whisper', ':', '“', 'mary', 'here', '”')
    """
    words, places = [], []
    if language == "zh":
        for place, character in enumerate(text):
            if not character.isspace():
                words.append(unicodedata.normalize("NFKC", character).casefold())
                places.append((place, place + 1))
        return Tokens(tuple(words), tuple(places))
    for match in _WORD.finditer(text):
        word = match.group().casefold().replace("’", "'")
        words.append(word if word.endswith("n't") else word.partition("'")[0] or word)
        places.append(match.span())
    return Tokens(tuple(words), tuple(places))


def ends_clause(word: str) -> bool:
    """Whether a token stands between two clauses: a mark, or a word that joins them.

    >>> [ends_clause(word) for word in (",", "and", "over", "远")]
    [True, True, False, False]
    """
    return word in _JOINING or not word[:1].isalnum()


def _ends_gap(word: str) -> bool:
    return word in _DENYING or word.endswith("n't") or ends_clause(word)


def inflections(verb: str) -> tuple[str, ...]:
    """A regular verb with its endings; both spellings where the last letter may be doubled.

    >>> inflections("sob")
    ('sob', 'sobs', 'sobed', 'sobing', 'sobbed', 'sobbing')
    >>> inflections("whine"), inflections("cry")
    (('whine', 'whines', 'whined', 'whining'), ('cry', 'cries', 'cried', 'crying'))
    """
    if verb.endswith("e"):
        return verb, verb + "s", verb + "d", verb[:-1] + "ing"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"
    plural = "es" if verb.endswith(("s", "sh", "ch", "x", "z")) else "s"
    last = verb[-1]
    return verb, verb + plural, verb + "ed", verb + "ing", verb + last + "ed", verb + last + "ing"


class PhraseBook:
    """Lists of phrases of one language, ready to be looked up.

    Args:
        lists: each a string of phrases.
        families: words that stand for each other, by name; each a string of phrases without gaps.
        language: of the phrases.
    """

    def __init__(self, lists: Sequence[str], *, families: Mapping[str, str], language: Language) -> None:
        self._language = language
        self._families: dict[str, Element] = {}
        for name, members in families.items():
            self._families[name] = _element(
                member for phrase in _split(members, language) for member in _members(phrase, language)
            )
        self._by_word: dict[str, list[tuple[int, tuple[Element, ...]]]] = {}
        for key, listed in enumerate(lists):
            for phrase in _split(listed, language):
                elements = tuple(self._elements(phrase))
                first = elements[0]
                if not isinstance(first, Mapping):
                    raise ValueError(f"the phrase {phrase!r} begins with a gap or an end; begin it with a word.")
                for word in first:
                    self._by_word.setdefault(word, []).append((key, elements))

    def find(self, text: Tokens) -> Iterator[Found]:
        """Every phrase in a text, from its beginning on; of each list the longest at a place."""
        for start, word in enumerate(text.words):
            longest: dict[int, int] = {}
            for key, elements in self._by_word.get(word, ()):
                end = _end(text.words, start, elements, 0)
                if end > longest.get(key, start):
                    longest[key] = end
            for key, end in longest.items():
                yield Found(key, start, end)

    def _elements(self, phrase: str) -> Iterator[Element]:
        parts = phrase.split() if self._language == "en" else _MANDARIN_PART.findall(phrase)
        for part in parts:
            if part in ("...", "…"):
                yield GAP[self._language]
            elif part == "#":
                yield None
            elif part.startswith("<"):
                name = part.strip("<>")
                if name not in self._families:
                    raise ValueError(f"the phrase {phrase!r} names a family {name!r} that is not listed.")
                yield self._families[name]
            else:
                yield _element(_members(part, self._language))


def _split(listed: str, language: Language) -> Iterator[str]:
    return filter(None, (phrase.strip() for phrase in listed.split(_SEPARATOR[language])))


def _members(phrase: str, language: Language) -> Iterator[Member]:
    """A phrase without gaps as tokens; one for each ending of a verb at its beginning."""
    if language == "zh":
        yield tuple(phrase.casefold())
        return
    first, *rest = phrase.split()
    for form in inflections(first[:-1]) if first.endswith("~") else (first,):
        yield (form, *rest)


def _element(members: Iterator[Member]) -> Element:
    by_first: dict[str, tuple[Member, ...]] = {}
    for member in members:
        by_first[member[0]] = (*by_first.get(member[0], ()), member)
    return by_first


def _end(words: Sequence[str], place: int, elements: Sequence[Element], number: int) -> int:
    """Where the phrase ends that begins at a place, the farthest; -1 if it does not stand there."""
    if number == len(elements):
        return place
    element = elements[number]
    if element is None:
        at_end = place == len(words) or not words[place][:1].isalnum()
        return _end(words, place, elements, number + 1) if at_end else -1
    if isinstance(element, int):
        for skipped in range(element + 1):
            end = _end(words, place + skipped, elements, number + 1)
            if end >= 0:
                return end
            if place + skipped >= len(words) or _ends_gap(words[place + skipped]):
                return -1
        return -1
    if place >= len(words):
        return -1
    ends = (
        _end(words, place + len(member), elements, number + 1)
        for member in element.get(words[place], ())
        if len(member) == 1 or tuple(words[place : place + len(member)]) == member
    )
    return max(ends, default=-1)
