"""People of an English story: names of its cast, and whoever a noun describes: "the old keeper", "the men"."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from aptone.planner.reading.characters import Cast, sex_of_words
from aptone.planner.reading.mentions import NARRATOR, Mention, has_narrator
from aptone.planner.reading.person_nouns import GROUPS, MEN_NOUNS, PERSONS, WOMEN_NOUNS, described

_DETERMINER = r"(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Mm]y|[Oo]ur|[Yy]our|[Tt]heir|[Tt]his|[Tt]hat|[Aa]nother)"
_NOUNS = "|".join(sorted(PERSONS, key=len, reverse=True))
_BETWEEN = (
    r"(?!(?:and|or|of|to|in|on|at|with|for|from|by|as|was|is|had|his|her|the|a|an|he|she|it|they|that|who|which|than"
    r"|but)\b)"
)
_DESCRIBED = re.compile(
    rf"\b(?P<first>{_DETERMINER})\s+(?P<how>(?:{_BETWEEN}[\w’'-]+\s+){{0,2}}?)(?P<noun>(?i:{_NOUNS}))(?P<owns>[’']s?(?=\s))?"
    r"(?![\w’'-])"
)
_OWNED = re.compile(
    rf"\b(?P<owner>(?:(?:Mr|Mrs|Ms|Dr)\.?\s+)?[A-Z][\w-]*(?:\s+[A-Z][\w-]*)?)[’']s?\s+(?P<how>(?:{_BETWEEN}[a-z][\w-]*\s+){{0,2}}?)"
    rf"(?P<noun>(?:{_NOUNS}))(?P<owns>[’']s?(?=\s))?(?![\w’'-])"
)
"""Somebody of somebody: "Lin's husband"."""
_PRONOUN = re.compile(r"\b(?:(he|she|they|we|I)\b(?![’']s\b)|(His|Her|Their|My)\s+[a-z])", re.IGNORECASE)
_PRONOUN_SEX = {
    "he": "m",
    "she": "f",
    "they": "p",
    "we": "p",
    "i": "1",
    "his": "m",
    "her": "f",
    "their": "p",
    "my": "1",
}
_CLAUSE = (
    "and", "but", "as", "here", "when", "then", "while", "so", "for", "now", "again", "suddenly", "finally", "at last",
)  # fmt: skip
_CALLED_BEFORE = re.compile(
    r"(?:^|[“‘\"(,;!?.:—–…]|\b(?:O|Oh|dear|my|Ah|well|and|no|yes|hey))[\s“‘\"]*(?:\w+\.?\s)?$", re.I
)

RUN = 200
"""Most characters of a run of capitalised words that is read to its end."""


def english_sex(words: str) -> str:
    """Return the sex that a description states; p for a group.

    >>> english_sex("the men"), english_sex("her father"), english_sex("the keeper")
    ('p', 'm', '')
    """
    last = words.casefold().split()[-1:] or [""]
    if last[0] in GROUPS:
        return "p"
    if last[0] in WOMEN_NOUNS:
        return "f"
    return "m" if last[0] in MEN_NOUNS else sex_of_words(words)


@dataclass(frozen=True, slots=True)
class EnglishPeople:
    """People of an English story: its cast, and whoever a noun describes.

    Args:
        first_person: true if the story is told by an "I".
    """

    cast: Cast
    first_person: bool = False

    def mentions(self, sentence: str) -> list[Mention]:
        """Return the persons that a sentence of narration mentions, in order."""
        found: dict[int, Mention] = {}
        for one in self.cast.mentions(sentence):
            found[one.start] = Mention(
                one.start,
                one.start + len(one.name),
                one.name,
                self.sex_of(one.name),
                "name",
                _is_subject(sentence, one.start),
                one.owns,
            )
        inside: set[int] = set()
        owned: dict[int, Mention] = {}
        for match in _OWNED.finditer(sentence):
            inside.update(range(match.start(), match.end()))
            role = f"{self.cast.name_of(match['owner'])}'s {' '.join((match['how'] + match['noun']).split())}"
            owned[match.start()] = _noun_phrase(sentence, match, role)
        found = {start: one for start, one in found.items() if start not in inside} | owned
        for match in _DESCRIBED.finditer(sentence):
            if match.start() in found or match.end() - 1 in inside:
                continue
            role = described(match["first"], match["how"] + match["noun"])
            found[match.start()] = _noun_phrase(sentence, match, role)
        for match in _PRONOUN.finditer(sentence):
            word = (match[1] or match[2]).lower()
            sex = _PRONOUN_SEX[word]
            if match[2] and (match.start() in found or not _is_subject(sentence, match.start())):
                continue
            role = NARRATOR["en"] if sex == "1" and self.first_person else ""
            found[match.start()] = Mention(
                match.start(),
                match.end(),
                role,
                sex,
                "pronoun",
                _is_subject(sentence, match.start()),
                owns=bool(match[2]),
            )
        return [found[start] for start in sorted(found)]

    def called(self, speech: str) -> Iterator[tuple[str, bool]]:
        """Yield the persons whom a speech names, and whether it calls them."""
        for one in self.cast.mentions(speech):
            before = _CALLED_BEFORE.search(speech[max(0, one.start - 24) : one.start])
            rest = re.match(r"(?:[A-Z][\w’'-]*\.?\s*)+(.?)", speech[one.start : one.start + RUN])
            behind = rest[1] if rest is not None else ""
            yield one.name, before is not None and not one.owns and (not behind or behind in ',.!?;:—–…”’"-')

    def role_of(self, name: str) -> str:
        """Return the role that a name means."""
        return self.cast.name_of(name)

    def sex_of(self, role: str) -> str:
        """Return m, f, p or an empty text."""
        return "1" if role == NARRATOR["en"] else self.cast.sexes.get(role) or english_sex(role)


def _noun_phrase(sentence: str, match: re.Match[str], role: str) -> Mention:
    """Return the mention of a person by a noun phrase."""
    start = match.start()
    subject = _is_subject(sentence, start)
    return Mention(start, match.end(), role, english_sex(role), "noun", subject, owns=bool(match["owns"]))


def _is_subject(text: str, start: int) -> bool:
    before = text[max(0, start - 12) : start].rstrip()
    return not before or before[-1] in '.!?,;:—–…”’"' or before.split()[-1].lower() in _CLAUSE


def english_first_person(sentences: Iterable[str]) -> bool:
    """Return true if narration speaks of an "I" often enough to be told by one."""
    return has_narrator(sentences, re.compile(r"\b(?:I|my|me)\b"))
