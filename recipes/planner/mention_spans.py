"""Places of a passage that mention the speaker of a line: what the encoder's pointer is trained to find.

Labels name the speaker as the text does ("Mr. Hale", "the old man", 王夫人). A name is found wherever it stands as a
word of its own, outside the line itself; of a name of several words its last and first word count too where they have
a capital. "I" is the narrator and counts outside quotations only.
"""

import re
from collections.abc import Iterator, Sequence

from aptone.planner.reading.mentions import NARRATOR
from aptone.planner.reading.person_nouns import MEN, WOMEN
from aptone.planner.reading.quotations import find_quotations
from aptone.types import Language

UNNAMED = "?"
"""Label of a speaker whom the text does not name."""
PRONOUNS = frozenset(
    [
        "he",
        "she",
        "they",
        "we",
        "it",
        "you",
        "one",
        "who",
        "somebody",
        "someone",
        "The",
        "他",
        "她",
        "它",
        "你",
        "他们",
        "她们",
    ]
)
"""Words in the place of a name that name nobody."""
_TITLES = (
    MEN
    | WOMEN
    | frozenset(
        [
            "the",
            "a",
            "an",
            "of",
            "and",
            "old",
            "young",
            "little",
            "dr",
            "st",
            "sir",
            "lady",
            "lord",
            "captain",
            "doctor",
            "professor",
        ]
    )
)
_EDGE = {"en": (r"(?<![\w’'])", r"(?![\w])"), "zh": ("", "")}


def mention_spans(
    text: str, start: int, end: int, speakers: Sequence[str], language: Language
) -> list[tuple[int, int]]:
    """Return the spans that mention a line's speaker, in order, none of them in the line itself.

    >>> mention_spans("Tom ran. “Stop!” Old Mr. Hale shook.", 10, 15, ["Mr. Hale"], "en")
    [(21, 29)]
    >>> mention_spans("I sat down. “I know.”", 13, 20, ["I"], "en")
    [(0, 1)]
    """
    found: set[tuple[int, int]] = set()
    for name in speakers:
        if name == NARRATOR[language]:
            found |= set(_narrator(text, language))
            continue
        for form in _forms(name, language):
            before, after = _EDGE[language]
            flags = re.IGNORECASE if form[:1].islower() and language == "en" else 0
            found |= {match.span() for match in re.finditer(before + re.escape(form) + after, text, flags)}
    outside = sorted(span for span in found if span[1] <= start or span[0] >= end)
    return [span for span in outside if not any(_holds(other, span) for other in outside if other != span)]


def _forms(name: str, language: Language) -> Iterator[str]:
    yield name
    if language == "en":
        words = name.split()
        for word in {words[0], words[-1]} if len(words) > 1 else ():
            if word[:1].isupper() and len(word) > 2 and word.strip(".").casefold() not in _TITLES:
                yield word


def _narrator(text: str, language: Language) -> Iterator[tuple[int, int]]:
    word = NARRATOR[language]
    pattern = re.compile(rf"\b{word}\b" if language == "en" else word)
    place = 0
    for row in text.split("\n"):
        quoted = [(one.start, one.end) for one in find_quotations(row)]
        for match in pattern.finditer(row):
            if not any(start <= match.start() < end for start, end in quoted):
                yield place + match.start(), place + match.end()
        place += len(row) + 1


def _holds(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[0] and other[1] <= one[1]
