"""Reference of a phrase of feeling: the speaker, or another person.

There is no list of names. Names are words with a capital in the middle of a sentence, or before a verb of speaking; a
pronoun stands for the speaker unless something contradicts it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aptone.lexicon.feelings import FeltPhrase
from aptone.lexicon.phrases import Tokens, tokens
from aptone.planner.reading.person_nouns import EITHER, GROUPS, MEN, MEN_NOUNS, NO_NAMES, WOMEN, WOMEN_NOUNS
from aptone.planner.reading.scene import Scene, Sentence
from aptone.types import Language


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SAME, LIKELY, POSSIBLE, UNKNOWN, OTHER = 1.0, 0.8, 0.5, 0.4, 0.0
"""Certainties that a phrase is about the speaker."""

NEAR = 2
"""Largest distance in paragraphs at which a sentence that mentions nobody may be about the speaker."""

_SUBJECTS = {"he": "m", "she": "f", "they": "p", "i": "1", "we": "1", "you": "2", "it": "n"}
_OWNERS = {"his": "m", "her": "f", "their": "p", "my": "1", "our": "1", "your": "2", "its": "n"}
_MANDARIN = {
    "他们": "p",
    "她们": "p",
    "我们": "1",
    "咱们": "1",
    "你们": "2",
    "他": "m",
    "她": "f",
    "它": "n",
    "我": "1",
    "俺": "1",
}
_MANDARIN |= {"你": "2", "您": "2", "咱": "1"}
_MANDARIN_WOMEN = re.compile(r"[妈娘奶婆姨姑嫂姐妹妻女婶媳妃后]|太太|夫人|小姐")
_MANDARIN_MEN = re.compile(r"[爸爹爷公叔伯舅哥弟夫儿汉]|先生|老头|少爷|小伙")
_CROWDS = _words(
    "everyone everybody others people crowd audience class crew team guests children kids boys girls men women "
    "soldiers passengers spectators neighbours neighbors villagers workers students onlookers fans relatives parents"
)
_PREPOSITIONS = _words(
    "about above across after against around at before behind below beside by for from near of on over past to toward "
    "towards under with"
)
_NO_SUBJECT_AFTER = _PREPOSITIONS | _words("in at to with into of")
_SPEAKING_NOUNS = _words("voice voices whisper whispers answer reply words one rest")
"""Nouns that are no persons and whose deed is still somebody's speech."""
_MANDARIN_NAME = re.compile(
    r"(?:^|[，。！？：；”」\n])(?P<name>[\u4e00-\u9fff]{2,3}?)(?=(?:[^，。！？：；“”\n]{0,8})(?:说|道|问|答|喊|叫|嚷|骂|吼|喝|开口|笑|哭|叹))"
)
_MANDARIN_NOT = frozenset(
    "的了是在不着这那和就都把被让给个里又也说道问我你他她它们来去走过起到得看听想站坐转回拿指望一两几某每有没只突忽然后"
)


class Person(NamedTuple):
    """Person: a name in lower case, or empty; and m, f, p (several), 1 (the narrator), 2, n, or empty."""

    name: str
    sort: str


class _Mention(NamedTuple):
    place: int
    person: Person
    owns: bool


@dataclass(frozen=True, slots=True)
class Persons:
    """Persons around a target."""

    speaker: Person
    names: frozenset[str]
    language: Language

    def tells_of_speaker(self, sentence: Sentence, text: Tokens, source: str, phrase: FeltPhrase) -> float:
        """Return the certainty that a phrase of a sentence is about the speaker."""
        if sentence.region == "direction" or (sentence.region == "tag" and phrase.meaning.kind in ("verb", "manner")):
            return SAME
        found = list(mentions(text, source, self.names, self.language))
        if self.language == "en" and phrase.meaning.kind == "verb" and _deed_of_a_thing(text.words, phrase.start):
            return OTHER
        holder = _holder(found, phrase, text.words)
        if holder is None:
            return {"tag": SAME, "same": LIKELY}.get(sentence.region, UNKNOWN if sentence.distance <= NEAR else OTHER)
        if sentence.region == "tag" and holder is next((one for one in found if not one.owns), None):
            return SAME
        sure = _alike(holder.person, self.speaker)
        if sure == POSSIBLE and (sentence.region == "tag" or (sentence.region == "same" and not holder.person.name)):
            return LIKELY
        return sure


def _holder(found: Sequence[_Mention], phrase: FeltPhrase, words: Sequence[str]) -> _Mention | None:
    """Return the person of a phrase: the owner of what it names, else the nearest before it, else the first after."""
    inside = [one for one in found if one.owns and phrase.start - 2 <= one.place < phrase.end]
    if inside and not (phrase.meaning.kind in ("verb", "manner") and _is_object(words, inside[0].place, phrase.start)):
        return inside[0]
    before = [one for one in found if one.place < phrase.start]
    subjects = [one for one in before if not one.owns]
    if before:
        return (subjects or before)[-1]
    return next((one for one in found if one.place >= phrase.end and not one.owns), None)


def _deed_of_a_thing(words: Sequence[str], deed: int) -> bool:
    """Return whether the subject right before a deed is a thing: "the old house groaned", not "the old man groaned"."""
    for place in range(deed - 2, max(-1, deed - 5), -1):
        if words[place] in ("the", "a", "an"):
            noun = words[deed - 1]
            behind_preposition = place > 0 and words[place - 1] in _NO_SUBJECT_AFTER
            people = WOMEN_NOUNS | MEN_NOUNS | EITHER | GROUPS | _CROWDS | _SPEAKING_NOUNS
            return noun.isalpha() and not behind_preposition and noun not in people and _noun(words, place + 1) is None
        if not words[place].isalpha():
            return False
    return False


def _is_object(words: Sequence[str], place: int, deed: int) -> bool:
    """Return true if "her" before a deed is an object, not an owner: "the crowd around her screamed with joy"."""
    return 0 < place < deed and words[place] == "her" and words[place - 1] in _PREPOSITIONS


def persons_of(scene: Scene) -> Persons:
    """Return the persons around the target of a scene."""
    names = names_in(scene.passage.text, scene.language)
    role = scene.label or scene.passage.role
    if role:
        own = role.casefold().split()[-1] if scene.language == "en" else role
        names |= {own}
    else:
        own = ""
    speaker = Person(own, _sort(role, scene.language))
    if not speaker.name or not speaker.sort:
        narrated = _from_narration(scene, names)
        if narrated is not None and (not speaker.name or not narrated.name or narrated.name == speaker.name):
            speaker = Person(speaker.name or narrated.name, speaker.sort or narrated.sort)
    return Persons(speaker, frozenset(names), scene.language)


def _from_narration(scene: Scene, names: frozenset[str]) -> Person | None:
    """Return the speaker by the tag, or by the actor in the target's paragraph."""
    found: Person | None = None
    near = [one for one in scene.sentences if one.region == "tag"]
    same = [one for one in scene.sentences if one.region == "same"]
    before = [one for one in same if one.end <= scene.passage.start]
    near += [*before[-1:], *(one for one in same if one.start >= scene.passage.end)][:2]
    for sentence in near:
        source = scene.text(sentence)
        for one in mentions(tokens(source, scene.language), source, names, scene.language):
            if one.owns or one.person.sort == "n":
                continue
            if found is None:
                found = one.person
            elif found.name and not found.sort and not one.person.name:
                return Person(found.name, one.person.sort)
            elif found.sort and not found.name and one.person.name:
                return found
            break
    return found


def names_in(text: str, language: Language) -> frozenset[str]:
    """Return the names in a text, in lower case."""
    if language == "zh":
        return frozenset(
            match["name"] for match in _MANDARIN_NAME.finditer(text) if not set(match["name"]) & _MANDARIN_NOT
        )
    inside = re.findall(r"(?<=[a-z,;”\"] )[A-Z][a-z]+(?:-[A-Z][a-z]+)?", text)
    ahead = re.findall(
        r"(?:^|[.!?”\"]\s|\n)([A-Z][a-z]+) (?:said|asked|says|asks|looked|was|had|did|turned|shook|nodded)", text
    )
    return frozenset(name.casefold() for name in (*inside, *ahead)) - NO_NAMES


def mentions(text: Tokens, source: str, names: frozenset[str], language: Language) -> Iterator[_Mention]:
    """Return the persons that a sentence mentions, in order."""
    if language == "zh":
        yield from _mandarin_mentions(text, names)
        return
    for place, word in enumerate(text.words):
        start, end = text.places[place]
        owns_name = source[end - 2 : end] in ("'s", "’s") or source[end : end + 1] in ("'", "’")
        if word in _SUBJECTS:
            yield _Mention(place, Person("", _SUBJECTS[word]), owns=False)
        elif word in _OWNERS:
            yield _Mention(place, Person("", _OWNERS[word]), owns=True)
        elif word in names and source[start : start + 1].isupper():
            yield _Mention(place, Person(word, _title(text.words, place)), owns=owns_name)
        elif word in _CROWDS:
            yield _Mention(place, Person(word, "p"), owns=owns_name)
        elif word in ("the", "a", "an") and place + 1 < len(text.words):
            if (noun := _noun(text.words, place + 1)) is not None:
                yield _Mention(place, noun, owns=False)
        elif (word in WOMEN or word in MEN) and (
            place == 0 or text.words[place - 1] not in ("the", "a", "an", "old", "young", "little")
        ):
            yield _Mention(place, Person(word, "f" if word in WOMEN else "m"), owns=owns_name)


def _noun(words: Sequence[str], place: int) -> Person | None:
    """Return the person that a noun phrase after an article names."""
    for word in words[place : place + 3]:
        if word in WOMEN:
            return Person(word, "f")
        if word in MEN:
            return Person(word, "m")
        if word.endswith(
            ("er", "or", "keeper", "captain", "clerk", "guard", "cop", "chef", "child", "kid", "voice")
        ) and (
            word
            not in ("other", "never", "ever", "over", "water", "paper", "corner", "letter", "door", "floor", "under")
        ):
            return Person(word, "")
    return None


def _title(words: Sequence[str], place: int) -> str:
    before = words[place - 1] if place else ""
    before = words[place - 2] if before == "." and place > 1 else before
    return "f" if before in WOMEN else "m" if before in MEN else ""


def _mandarin_mentions(text: Tokens, names: frozenset[str]) -> Iterator[_Mention]:
    joined = "".join(text.words)
    if len(joined) != len(text.words):
        return
    place = 0
    while place < len(joined):
        name = next((name for name in names if joined.startswith(name, place)), "")
        if name:
            owns = joined[place + len(name) : place + len(name) + 1] == "的"
            yield _Mention(place, Person(name, _sort(name, "zh")), owns)
            place += len(name)
            continue
        for word, sort in _MANDARIN.items():
            if joined.startswith(word, place):
                owns = joined[place + len(word) : place + len(word) + 1] == "的"
                yield _Mention(place, Person("", sort), owns)
                place += len(word) - 1
                break
        place += 1


def _sort(role: str, language: Language) -> str:
    """Return m or f where a role names the sex."""
    if language == "zh":
        if _MANDARIN_WOMEN.search(role):
            return "f"
        return "m" if _MANDARIN_MEN.search(role) else ""
    words = set(re.findall(r"[a-z]+", role.casefold()))
    if role == "I":
        return "1"
    return "f" if words & WOMEN else "m" if words & MEN else ""


def _alike(one: Person, speaker: Person) -> float:
    """Return the certainty that two persons are the same."""
    if one.name and speaker.name:
        return SAME if one.name == speaker.name or one.name in speaker.name or speaker.name in one.name else OTHER
    if one.sort and speaker.sort:
        return SAME if one.sort == speaker.sort else OTHER
    if not speaker.name and not speaker.sort:
        return UNKNOWN
    return OTHER if "1" in (one.sort, speaker.sort) or "2" in (one.sort, speaker.sort) else POSSIBLE
