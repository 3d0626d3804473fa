"""Persons whom a sentence mentions: names, descriptions ("the old keeper", "her father", 那老者) and pronouns."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, Protocol

Kind = Literal["name", "noun", "pronoun"]
NARRATOR: Mapping[str, str] = {"en": "I", "zh": "我"}
"""Role of a narrator who speaks of himself, by language."""


class Mention(NamedTuple):
    """Mention of a person in a sentence.

    Args:
        person: role of the person; of a pronoun empty.
        sex: m, f, p (several), 1 (the narrator) or empty.
        is_subject: true if it stands where the subject of a clause does.
        owns: true if it only owns something: "Tom's hand".
    """

    start: int
    end: int
    person: str
    sex: str
    kind: Kind
    is_subject: bool
    owns: bool = False


class People(Protocol):
    """People of a story in one language."""

    def mentions(self, sentence: str) -> list[Mention]:
        """Return the persons that a sentence of narration mentions, in order."""

    def called(self, speech: str) -> Iterator[tuple[str, bool]]:
        """Yield the persons whom a speech names, and whether it calls them."""

    def role_of(self, name: str) -> str:
        """Return the role that a name means."""

    def sex_of(self, role: str) -> str:
        """Return m, f, p or an empty text."""


def has_narrator(sentences: Iterable[str], pattern: re.Pattern[str]) -> bool:
    """Return true if enough sentences match a pattern of the first person."""
    hits = total = 0
    for sentence in sentences:
        total += 1
        hits += pattern.search(sentence) is not None
    return hits >= 1 and hits >= 0.1 * total
