"""Characters of an English story: names with their aliases, and whether a name is a man's or a woman's.

There is no list of names: a name is a word with a capital within sentences, which does or says something. "Mr. Grey",
"John Grey" and "Grey" are one person where only one fits. Sex comes from titles, nouns, and the pronouns that follow.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, NamedTuple

from aptone.planner.reading.first_words import is_first_word
from aptone.planner.reading.person_nouns import MEN, WOMEN
from aptone.planner.reading.person_nouns import NO_NAMES as NEVER_NAMES

Sex = Literal["m", "f", ""]

NO_NAMES = NEVER_NAMES - {"may", "april", "june", "august"}
"""Words that are no names, though they have a capital; some months are names, too."""

FEWEST_MENTIONS = 3
"""Fewest mentions within sentences that make a capitalised word a name, where no tag names it."""

SHORT = 60
"""Paragraphs up to which two mentions are enough: a short story names its people once or twice."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FEMALE_TITLES = _words("mrs ms miss lady madam madame mademoiselle aunt mother sister queen princess duchess")
MALE_TITLES = _words(
    "mr sir lord uncle father brother king prince captain colonel col major general sergeant monsieur duke count "
    "baron squire herr master"
)
OTHER_TITLES = _words("dr doctor professor inspector detective judge m saint st old young little poor dear")
_TITLES = FEMALE_TITLES | MALE_TITLES | OTHER_TITLES
_ABBREVIATED = _words("mr mrs ms dr st m")
_WORD = r"[A-Z][A-Za-zÀ-ÿ]*(?:[’'-][A-Za-zÀ-ÿ]+)*"
_SURFACE = re.compile(
    rf"\b(?:(?:Mr|Mrs|Ms|Dr|Col|St|M)\.?\s+)?{_WORD}(?:\s+(?:(?:de|von|van|du|la|le)\s+)?{_WORD}){{0,3}}"
)
_DESCRIBED = re.compile(r"\b[Tt]he\s+((?:[\w-]+\s+){0,2}[\w-]+)")
_AFTER = re.compile(r"[’']?s?,?\s+(?:\w+ly\s+)?([a-z]+)")
_PRONOUN = re.compile(r"\b(he|him|his|himself|she|her|hers|herself)\b", re.IGNORECASE)
_STARTS = re.compile(r"(?:^|[.!?…:;][”’\"')]*\s+|[“‘\"(—–]\s*)$")


class Mention(NamedTuple):
    """Mention of a character in a text.

    Args:
        start: index of its first character.
        name: name of the character.
        owns: true if it only owns something: "Tom's hand".
    """

    start: int
    name: str
    owns: bool


@dataclass(frozen=True, slots=True)
class Cast:
    """Characters of a story.

    Args:
        names: surface of a name to the name of the character.
        sexes: name of the character to the sex, where known.
    """

    names: Mapping[str, str]
    sexes: Mapping[str, Sex]

    def name_of(self, surface: str) -> str:
        """Return the name of the character that a surface means; the surface itself where it is none."""
        return self.names.get(plain_surface(surface), surface)

    def sex_of(self, name: str) -> Sex:
        """Return the sex of a character; empty where unknown."""
        return self.sexes.get(name) or sex_of_words(name)

    def mentions(self, text: str) -> Iterator[Mention]:
        """Yield the characters that a text mentions by name, in order."""
        for match in _DESCRIBED.finditer(text):
            words = match.group(1).split()
            for length in (3, 2, 1):
                if (name := self.names.get(f"the {' '.join(words[:length])}")) is not None:
                    yield Mention(match.start(), name, words[min(length, len(words)) - 1].endswith(("’s", "'s")))
                    break
        for match in _SURFACE.finditer(text):
            for start, surface in _parts(match.start(), match.group()):
                if (name := self.names.get(plain_surface(surface))) is not None:
                    behind = text[start + len(surface) : start + len(surface) + 2]
                    yield Mention(start, name, surface.endswith(("’s", "'s")) or behind in ("’s", "'s"))
                    break


def plain_surface(surface: str) -> str:
    """Return a surface without a possessive and the points of titles.

    >>> plain_surface("Mr. Grey's")
    'Mr Grey'
    """
    return re.sub(r"[’']s?$", "", surface.strip()).replace(".", "").replace("’", "'")


def sex_of_words(words: str) -> Sex:
    """Return the sex that the words of a name or description state.

    >>> sex_of_words("Mrs. Grey"), sex_of_words("the old king"), sex_of_words("Tom")
    ('f', 'm', '')
    """
    found = {word.casefold() for word in re.findall(r"[A-Za-z]+", words)}
    if found & (FEMALE_TITLES | WOMEN):
        return "f"
    return "m" if found & (MALE_TITLES | MEN) else ""


def _parts(start: int, words: str) -> Iterator[tuple[int, str]]:
    """Yield a run of capitalised words, then without its first ones: "Then Tom" is Tom."""
    yield start, words
    for match in re.finditer(r"\s+", words):
        yield start + match.end(), words[match.end() :]


def find_cast(
    narration: Sequence[str],
    tagged: Counter[str],
    common: Set[str] = frozenset(),
    called: Counter[str] | None = None,
) -> Cast:
    """Return the characters of a story.

    Args:
        narration: all that is no speech, by paragraph.
        tagged: names that tags state, and how often.
        common: words that the story also writes without a capital, so that they are no names.
        called: names by which speech calls somebody, and how often; a short story names people there alone.
    """
    counted, deeds, written = _surfaces(narration)
    fewest, needed = (FEWEST_MENTIONS, 2) if len(narration) > SHORT else (2, 1)
    once: Mapping[str, str] = {}
    if len(narration) <= SHORT:
        once = {**{plain_surface(name): name for name in called or ()}, **_named_once(narration)}
        written = {**once, **written}
    surfaces = Counter({plain_surface(name): 3 * count for name, count in tagged.items() if not _is_description(name)})
    for surface, count in counted.items():
        if surface in surfaces:
            surfaces[surface] += count
        elif count >= fewest and deeds[surface] >= needed and surface.casefold() not in common | _ABBREVIATED:
            surfaces[surface] = count
    surfaces.update({surface: 1 for surface in once if surface not in surfaces and surface.casefold() not in common})
    clusters = _clusters(surfaces)
    stated = {plain_surface(name): name for name in tagged}
    written |= stated
    names: dict[str, str] = {}
    for members in clusters:
        best = max(members, key=lambda one: (one in stated, surfaces[one], len(one)))
        names |= dict.fromkeys(members, written.get(best, best))
    for name in sorted(name for name in tagged if _is_description(name)):
        words = name.split()
        start = next((place for place, word in enumerate(words) if word[0].isupper()), len(words))
        inner = plain_surface(" ".join(words[start:]))
        names[name] = names.get(inner, name) if start > 1 else name  # "the trembling Christina" is Christina
        if start == 1 and inner in names and inner not in tagged:
            names[inner] = name  # Scarecrow is "the Scarecrow"
    return Cast(names, _sexes(narration, names))


def _is_description(name: str) -> bool:
    return name[:1].islower()


def _surfaces(narration: Sequence[str]) -> tuple[Counter[str], Counter[str], dict[str, str]]:
    """Return of runs of capitalised words: how often within sentences, how often before a deed, and as written."""
    counted: Counter[str] = Counter()
    deeds: Counter[str] = Counter()
    written: dict[str, str] = {}
    for text in narration:
        for match in _SURFACE.finditer(text):
            surface = plain_surface(match.group())
            words = surface.casefold().split()
            if words[0] in NO_NAMES - _TITLES:
                surface = " ".join(surface.split()[1:])
                words = words[1:]
            shown = " ".join(match.group().split()[-len(words) :]) if words else ""
            if not words or set(words) & (NO_NAMES - _TITLES) or set(words) <= _TITLES or len(surface) < 2:
                continue
            written.setdefault(surface, re.sub(r"[’']s?$", "", shown))
            if not _STARTS.search(text[max(0, match.start() - 4) : match.start()]) or len(words) > 1:
                counted[surface] += 1
            after = _AFTER.match(text, match.end())
            if after is not None and (after[1].endswith("ed") or after[1] in _DEEDS):
                deeds[surface] += 1
                counted[surface] += 1
    return counted, deeds, written


def _named_once(narration: Sequence[str]) -> dict[str, str]:
    """Return what may be a name though it stands once: within a sentence, or before a deed at its beginning."""
    found: dict[str, str] = {}
    for text in narration:
        for match in _SURFACE.finditer(text):
            words = match.group().split()
            before = text[max(0, match.start() - 12) : match.start()]
            starts = _STARTS.search(before) is not None
            while words and words[0].casefold() in NO_NAMES - _TITLES:
                words, starts = words[1:], False
            shown = re.sub(r"[’']s?$", "", " ".join(words))
            plain = [word.casefold().rstrip(".") for word in shown.split()]
            if not plain or len(shown) < 2 or set(plain) & (NO_NAMES - _TITLES) or set(plain) <= _TITLES - _NAMED_KIN:
                continue
            if len(plain) == 1 and (shown.isupper() or is_first_word(shown) or _NO_PERSON_BEFORE.search(before)):
                continue
            after = _AFTER.match(text, match.end())
            does = after is not None and (after[1].endswith("ed") or after[1] in _DEEDS)
            if does or not starts or text[match.end() - 2 : match.end()] in ("’s", "'s"):
                found.setdefault(plain_surface(shown), shown)
    return found


_NAMED_KIN = _words("mother father grandmother grandfather")
_NO_PERSON_BEFORE = re.compile(r"\b(?:in|at|near|on|a|an|last|next|every|this|per)\s+$", re.IGNORECASE)
_CALL = re.compile(
    rf"(?:[,;—–]\s+|\b(?:[Dd]ear|[Hh]ello|[Hh]i|[Hh]ey|[Oo]h),?\s+)(?P<behind>(?:(?:Mr|Mrs|Ms|Miss|Dr)\.?\s+)?{_WORD})"
    rf"(?=[,.!?;…—–]|$)|^[“‘\"「'\s]*(?P<first>(?:(?:Mr|Mrs|Ms|Miss|Dr)\.?\s+)?{_WORD})(?=[,!?…])"
)


def names_called(speech: Iterable[str]) -> Counter[str]:
    """Return the names by which people call each other: between commas, or at the beginning.

    >>> sorted(names_called(["“Two for you, Eric, and a parcel.”", "“Magnus! Well, look at that.”"]).items())
    [('Eric', 1), ('Magnus', 1)]
    """
    found: Counter[str] = Counter()
    for text in speech:
        for match in _CALL.finditer(text):
            name = match["behind"] or match["first"]
            plain = set(name.casefold().replace(".", "").split())
            is_no_name = plain & (NO_NAMES - _TITLES) or plain <= _TITLES - _NAMED_KIN
            if not is_no_name and not any(is_first_word(word) for word in name.split()):
                found[name] += 1
    return found


_DEEDS = _words(
    "didn doesn isn wasn couldn won wouldn hadn hasn can will says looks stands sits goes comes sees takes gives "
    "makes feels turns knows thinks begins runs speaks tells keeps leaves puts lets gets finds hears holds shakes "
    "laughs smiles nods shrugs walks opens closes stares leans pulls picks waits stops asks starts watches sighs "
    "points pushes drops raises reaches steps moves was had did said looked stood sat went came saw took gave "
    "made felt turned rose knew thought could would began ran spoke told kept left put let got found heard held "
    "drew shook threw caught laughed smiled is has does knelt lay bent crept swung wept met read lit hid fell "
    "broke shut cut hung slid dug set slept wore bought sold paid taught built sent "
    "spun sprang sank bit blew wrote rode drove"
)


def _clusters(surfaces: Counter[str]) -> list[list[str]]:
    """Return names that mean the same person: the words of one are those of another, and no third fits as well."""
    keys = {surface: (frozenset(_plain_words(surface)), _title_sex(surface)) for surface in surfaces}
    parent = {surface: surface for surface in surfaces}
    by_word: dict[str, list[str]] = {}
    for surface, (words, _) in keys.items():
        for word in words:
            by_word.setdefault(word, []).append(surface)
    for surface in sorted(surfaces, key=lambda one: (-len(keys[one][0]), -surfaces[one])):
        words, sex = keys[surface]
        if not words:
            continue
        longer = [
            other
            for other in by_word[next(iter(words))]
            if other != surface
            and words <= keys[other][0]
            and (not sex or not keys[other][1] or sex == keys[other][1])
            and (words < keys[other][0] or bool(keys[other][1]) >= bool(sex))
        ]
        roots = {_root(parent, other) for other in longer}
        if len(roots) == 1:
            parent[_root(parent, surface)] = roots.pop()
    found: dict[str, list[str]] = {}
    for surface in surfaces:
        found.setdefault(_root(parent, surface), []).append(surface)
    return [sorted(one) for one in found.values()]


def _root(parent: dict[str, str], name: str) -> str:
    while parent[name] != name:
        name = parent[name]
    return name


def _plain_words(surface: str) -> list[str]:
    return [word for word in surface.casefold().split() if word not in _TITLES]


def _title_sex(surface: str) -> Sex:
    words = set(surface.casefold().split())
    return "f" if words & FEMALE_TITLES else "m" if words & MALE_TITLES else ""


def _sexes(narration: Sequence[str], names: Mapping[str, str]) -> dict[str, Sex]:
    """Return the sex of names by their titles, else by the pronouns that follow them in their sentence."""
    counted: dict[str, Counter[str]] = {}
    cast = Cast(names, {})
    for text in narration:
        for sentence in re.split(r"(?<=[.!?])\s+", text):
            found = list(cast.mentions(sentence))
            if len({one.name for one in found}) != 1:
                continue
            for pronoun in _PRONOUN.findall(sentence[found[0].start :])[:3]:
                kind = "f" if pronoun.lower().startswith(("she", "her")) else "m"
                counted.setdefault(found[0].name, Counter())[kind] += 1
    sexes: dict[str, Sex] = {}
    for surface, name in names.items():
        if title := _title_sex(surface):
            sexes[name] = title
    for name, count in counted.items():
        if name not in sexes and max(count["m"], count["f"]) >= 2 * min(count["m"], count["f"]) + 1:
            sexes[name] = "m" if count["m"] > count["f"] else "f"
    return sexes
