"""Reading descriptions by anybody: the words of `describe`, those of the shared lexicons, and forms derived from them.

Three vocabularies are read together: the ear's own words with their synonyms (`aptone.ear.describe.lexicon`), words
of people who describe voices (`aptone.lexicon.descriptions`) with ages in numbers (`aptone.lexicon.ages`), and the
feelings of stories (`aptone.lexicon.feelings`), of which only the emotion counts, or else the first quality of the
voice that has a value here. Where phrases overlap, the longest wins, then the vocabulary that stands first in this
list. English words that none of them has are read as what they derive from: "gleefully" as "gleeful", "grumpiness" as
"grumpy", "raspiest" as "raspy". Nouns of scales of which then nothing is known are read with the picture beside them
(`aptone.ear.reading.metaphors`).
"""

import functools
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aptone.ear.describe.attributes import (
    CLOSED_SETS,
    Attribute,
    Pitch,
    PitchVariation,
    Rate,
    Texture,
    VocalEvent,
    Volume,
    checked,
)
from aptone.ear.describe.lexicon import Change, Entry, Mention, OtherSense, Sense, mentions
from aptone.ear.reading.metaphors import find_pictures
from aptone.lexicon.ages import find_ages
from aptone.lexicon.descriptions import descriptions
from aptone.lexicon.feelings import Meaning, felt_phrases
from aptone.lexicon.phrases import Tokens, tokens
from aptone.types import ClosedSet, Emotion, Language, Sex

NOTHING = "nothing"
"""What a row of descriptions says of phrases that claim nothing."""
DENYING = "not "
"""Beginning of what a row says of words that deny by their form: "joyless", "unafraid"."""
LEADING_SHARE = 0.6
"""Share from which on the first emotion of a story's phrase is meant; below, one of several is."""
SHORTEST_STEM = 3
"""Letters of a word from which others are derived."""
_ENDINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("iest", ("y",)),
    ("ier", ("y",)),
    ("iness", ("y",)),
    ("ily", ("y",)),
    ("edly", ("ed",)),
    ("ingly", ("ing",)),
    ("ness", ("",)),
    ("ically", ("ic", "ical")),
    ("ly", ("", "le", "l")),
    ("est", ("", "e")),
    ("ish", ("", "e")),
    ("ed", ("", "e")),
    ("ing", ("", "e", "ed")),
    ("es", ("e", "")),
    ("s", ("",)),
)
"""Endings of English words, and what may stand in their place in the word that they derive from."""


class _Hit(NamedTuple):
    """A phrase by its characters; `rank` is that of its vocabulary."""

    start: int
    end: int
    rank: int
    entry: Entry


_VOICES: Mapping[str, Entry] = {
    **{
        name: Entry((Sense(attribute, value),))
        for name, attribute, value in (
            ("whisper", "texture", Texture.WHISPERED),
            ("quiet", "volume", Volume.SOFT),
            ("soft", "volume", Volume.SOFT),
            ("weak", "volume", Volume.SOFT),
            ("mumbling", "volume", Volume.SOFT),
            ("loud", "volume", Volume.LOUD),
            ("shout", "volume", Volume.VERY_LOUD),
            ("scream", "events", VocalEvent.SCREAM),
            ("hoarse", "texture", Texture.ROUGH),
            ("growling", "texture", Texture.ROUGH),
            ("breathless", "events", VocalEvent.BREATH),
            ("gasping", "events", VocalEvent.BREATH),
            ("slow", "rate", Rate.SLOW),
            ("fast", "rate", Rate.FAST),
            ("sobbing", "events", VocalEvent.SOB),
            ("laughing", "events", VocalEvent.LAUGHTER),
            ("sighing", "events", VocalEvent.SIGH),
            ("monotone", "pitch_variation", PitchVariation.MONOTONE),
            ("shrill", "pitch", Pitch.VERY_HIGH),
            ("smiling", "emotion", Emotion.HAPPY),
        )
        for attribute in (checked(attribute),)
    },
    "low": Entry(may_mean=(Sense("pitch", Pitch.LOW), Sense("volume", Volume.SOFT))),
    "trembling": Entry(may_mean=(Sense("emotion", Emotion.FEAR), Sense("emotion", Emotion.SAD))),
    "choked": Entry(may_mean=(Sense("emotion", Emotion.SAD), Sense("emotion", Emotion.FEAR))),
    **{
        name: Entry(others=(OtherSense("emotion", name),))
        for name in ("sarcastic", "hesitant", "firm", "cold", "warm", "sharp")
    },
}
"""Qualities of a voice in stories, and what they mean here; the others mean nothing that can be heard for itself."""
_SOUNDS = ("sobbing", "laughing", "sighing", "scream")
"""Qualities that are vocal events: a verb for one of them says what is heard rather than what is felt."""
_SAID = (*_SOUNDS, "whisper", "shout", "mumbling", "growling")
"""Qualities that a verb of speaking says plainly; "call" and "add" say nothing of a voice in a caption."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_DENIALS: frozenset[str] = _set("without no not nothing never neither nor free")
_DENYING = (
    "不",
    "没",
    "无",
    "毫无",
    "没有",
    "毫不",
    "并不",
    "并没有",
    "并未",
    "从不",
    "绝不",
    "一点不",
    "一点也不",
    "未",
)
"""Beginnings of Mandarin phrases that deny what follows."""


def read_mentions(text: str, *, language: Language) -> tuple[Mention, ...]:
    """Find what a text says of a voice, from left to right, without overlaps. Takes time linear in the text.

    Mentions of `aptone.ear.describe.mentions` and more: values beyond the closed sets, changes over time, and phrases
    that claim nothing although their words would.

    >>> [found.evidence for found in read_mentions("She bursts into tears, gleefully", language="en")]
    ['She', 'bursts into tears', 'gleefully']

    Raises:
        UsageError: if the language is not known.
    """
    words = tokens(text, language)
    hits = [
        *(_Hit(found.start, found.end, 0, found.entry) for found in mentions(text, language=language)),
        *_described(text, words, language),
        *(_Hit(one.start, one.end, 1, Entry((Sense("age", one.band),))) for one in find_ages(text, language)),
    ]
    hits += _not_across(_felt(text, words, language), hits, text)
    lengths = _lengths(text, hits)
    hits.sort(key=lambda hit: (-lengths[hit], hit.rank, hit.start))
    taken = bytearray(len(text))
    kept = []
    for hit in hits:
        if not any(taken[hit.start : hit.end]):
            taken[hit.start : hit.end] = b"\x01" * (hit.end - hit.start)
            kept.append(hit)
    if language == "en":
        for word, (start, end) in zip(words.words, words.places, strict=True):
            if not taken[start] and (entry := _derived(word) or _by_suffix(word)) is not None:
                kept.append(_Hit(start, _end_of_word(text, start, end), 3, entry))
    kept += _pictured(text, words, kept, language)
    kept.sort()
    return tuple(Mention(hit.start, hit.end, text[hit.start : hit.end], hit.entry) for hit in kept)


def _pictured(text: str, words: Tokens, kept: Sequence[_Hit], language: Language) -> Iterator[_Hit]:
    """Yield nouns of scales with a picture beside them, where neither is known."""
    known: dict[int, frozenset[Attribute]] = {}
    begins = [begin for begin, _ in words.places]
    for hit in kept:
        about = frozenset(sense.attribute for sense in (*hit.entry.means, *hit.entry.may_mean))
        if hit.entry.pronoun or hit.entry == Entry():
            continue
        for token in range(bisect_left(begins, hit.start), bisect_left(begins, hit.end)):
            known[token] = about
    taken = bytearray(len(text))
    for hit in kept:
        taken[hit.start : hit.end] = b"\x01" * (hit.end - hit.start)
    for found in find_pictures(words, known, language):
        hit = _placed(text, words, found.start, found.end, 3, Entry((found.sense,)))
        if not any(taken[hit.start : hit.end]):
            taken[hit.start : hit.end] = b"\x01" * (hit.end - hit.start)
            yield hit


_GENERIC = re.compile(r"[ -](?:voice|tone|delivery|speech|speaker|manner)$", re.IGNORECASE)


def _lengths(text: str, hits: Sequence[_Hit]) -> dict[_Hit, int]:
    """Return the length of each phrase; without a noun that any description has where an earlier phrase overlaps it.

    "Very soft" beats "soft voice", but "clear voice" beats "clear".
    """
    found: dict[_Hit, int] = {}
    reach = 0
    waiting: list[_Hit] = []
    for hit in sorted(hits):
        if waiting and waiting[0].start < hit.start:
            reach = max(reach, *(one.end for one in waiting))
            waiting = []
        waiting.append(hit)
        noun = _GENERIC.search(text, hit.start, hit.end) if reach > hit.start else None
        found[hit] = (hit.end if noun is None or reach < noun.start() else noun.start()) - hit.start
    return found


def _not_across(felt: Iterator[_Hit], known: Sequence[_Hit], text: str) -> Iterator[_Hit]:
    """Yield phrases of stories that neither cut a phrase of the other vocabularies in two nor hide a better one.

    "Voice is high" must leave "high-pitched" whole, and "with a nervous giggle" holds a giggle.
    """
    first, last = list(range(len(text) + 1)), list(range(len(text) + 1))
    for hit in known:  # the smallest start and the largest end of phrases around each character
        for place in range(hit.start, hit.end):
            first[place] = min(first[place], hit.start)
            last[place] = max(last[place], hit.end)
    inner = sorted(hit for hit in known if hit.entry.means or hit.entry.may_mean or hit.entry.others)
    starts = [hit.start for hit in inner]
    for hit in felt:
        if first[hit.start] < hit.start or last[hit.end - 1] > hit.end:
            continue
        held = inner[bisect_left(starts, hit.start) : bisect_left(starts, hit.end)]
        if not any(_says_better(one, hit, text) for one in held):
            yield hit


def _says_better(inner: _Hit, felt: _Hit, text: str) -> bool:
    """Return True if a phrase inside a story's phrase is to be read in its place.

    That is what is heard rather than felt, the same emotion (the ear's own words hold its strength, too), and any that
    a denial stands before: "without anger", 并不愤怒.
    """
    if _is_heard(inner.entry) or inner.entry.others:
        return True
    emotions = {sense for sense in inner.entry.means if sense.attribute == "emotion"}
    if emotions & {*felt.entry.means, *felt.entry.may_mean} or (emotions and felt.entry == Entry()):
        return True
    before = text[felt.start : inner.start].casefold()
    return any(word in _DENIALS for word in before.split()) or any(sign in before for sign in "不没无未")


def _is_heard(entry: Entry) -> bool:
    """Return True if an entry says how something sounds rather than what is felt."""
    return any(sense.attribute not in ("emotion", "intensity") for sense in (*entry.means, *entry.may_mean))


@functools.lru_cache(maxsize=20_000)
def _derived(word: str) -> Entry | None:
    """Return the meaning of the word that a word derives from; ``None`` where that is not known either."""
    for ending, before in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            stem = word.removesuffix(ending)
            stems = [stem + more for more in before]
            if ending in ("ing", "ed", "er", "est") and stem[-1] == stem[-2]:
                stems.append(stem[:-1])
            for one in stems:
                entry = _whole(one)
                if entry is not None and not entry.pronoun and not _says_sex(entry):
                    return entry
    return None


_NOT_OF_MEN = frozenset(
    ("human", "superhuman", "inhuman", "german", "roman", "norman", "ottoman", "talisman", "shaman")
)


def _by_suffix(word: str) -> Entry | None:
    """Return the sex that a word for a person ends in: "barman", "spokeswoman", "salesgirl"."""
    for endings, sex in ((("woman", "girl", "lady"), Sex.FEMALE), (("man", "boy"), Sex.MALE)):
        for ending in endings:
            if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM and word not in _NOT_OF_MEN:
                return Entry((Sense("sex", sex),))
    return None


def _says_sex(entry: Entry) -> bool:
    return any(sense.attribute in ("sex", "age") for sense in entry.means)


def _whole(word: str) -> Entry | None:
    """Return the meaning of a text that is one known phrase."""
    words = tokens(word, "en")
    for hits in (
        (_Hit(found.start, found.end, 0, found.entry) for found in mentions(word, language="en")),
        _described(word, words, "en"),
        _felt(word, words, "en"),
    ):
        for hit in hits:
            if hit.end - hit.start == len(word):
                return hit.entry
    return None


def _described(text: str, words: Tokens, language: Language) -> Iterator[_Hit]:
    book, says = descriptions(language)
    meanings = _meanings(language)
    said: dict[tuple[int, int], list[Entry]] = {}
    for found in book.find(words):
        said.setdefault((found.start, found.end), []).append(meanings[says[found.key]])
    for (start, end), entries in said.items():
        entry = functools.reduce(_both, entries)
        grades = bool(entry.may_mean) and entry.may_mean[0].attribute == "intensity"
        yield _placed(text, words, start, end, -1 if grades else 1, entry)


def _both(one: Entry, other: Entry) -> Entry:
    """Return the meaning of a phrase that stands in two rows: both where they are about other attributes, or the later.

    姑娘 is a woman, and young.
    """
    about = {sense.attribute for sense in one.means}
    if one.means and other.means and not about & {sense.attribute for sense in other.means}:
        return Entry(one.means + other.means)
    return other


def _felt(text: str, words: Tokens, language: Language) -> Iterator[_Hit]:
    for found in felt_phrases(words, language):
        hit = _placed(text, words, found.start, found.end, 2, _entry_of(found.meaning))
        if language == "en" or not _only_denies(text[hit.start : hit.end]):
            yield hit


@functools.lru_cache(maxsize=20_000)
def _only_denies(phrase: str) -> bool:
    """Return True if a Mandarin phrase is a denial and a word that is known without it: 不害怕."""
    for denial in _DENYING:
        rest = phrase.removeprefix(denial)
        if rest != phrase and len(rest) > 1:
            words = tokens(rest, "zh")
            known = (
                *((found.start, found.end) for found in mentions(rest, language="zh")),
                *((hit.start, hit.end) for hit in _described(rest, words, "zh")),
            )
            if (0, len(rest)) in known:
                return True
    return False


def _placed(text: str, words: Tokens, start: int, end: int, rank: int, entry: Entry) -> _Hit:
    first, last = words.places[start], words.places[end - 1]
    return _Hit(first[0], _end_of_word(text, *last), rank, entry)


def _end_of_word(text: str, start: int, end: int) -> int:
    """Return where a word ends without a possessive ending."""
    return end - 2 if end - start > 2 and text[end - 2 : end].casefold() in ("'s", "’s") else end


def _entry_of(meaning: Meaning) -> Entry:
    sounds = [voice for voice in meaning.voice if voice in _SOUNDS]
    if sounds and meaning.kind in ("verb", "voice"):
        return _VOICES[sounds[0]]
    if "trembling" in meaning.voice and meaning.kind == "voice":
        return _VOICES["trembling"]
    if meaning.emotions:
        ranked = sorted(meaning.emotions, key=lambda name: -meaning.emotions[name])
        if (
            ranked[0] is Emotion.NEUTRAL
        ):  # in a story, whatever is not felt; in a caption, a claim that needs plain words
            return Entry()
        senses = tuple(Sense("emotion", name) for name in ranked)
        return Entry(senses[:1]) if meaning.emotions[ranked[0]] >= LEADING_SHARE else Entry(may_mean=senses)
    voices = [voice for voice in meaning.voice if meaning.kind != "verb" or voice in _SAID]
    return next((_VOICES[voice] for voice in voices if voice in _VOICES), Entry())


@functools.cache
def _meanings(language: Language) -> Mapping[str, Entry]:
    return {says: _parsed(says) for says in descriptions(language).says}


def _parsed(says: str) -> Entry:
    """Return the meaning of what a row says.

    >>> _parsed("emotion: (confident)").others
    (OtherSense(attribute='emotion', value='confident'),)
    >>> _parsed("not emotion: fear").denied
    True
    """
    if says == NOTHING:
        return Entry()
    if says.startswith(DENYING):
        return _parsed(says.removeprefix(DENYING))._replace(denied=True)
    if says.startswith("change "):
        name, _, course = says.removeprefix("change ").partition(": ")
        before, _, after = course.partition(" > ")
        return Entry(change=Change(checked(name), _value(name, before), _value(name, after)))
    named = [pair.split(": ") for pair in says.removeprefix("perhaps ").split(", ")]
    others = tuple(OtherSense(checked(name), value.strip("()")) for name, value in named if value.startswith("("))
    if others:
        return Entry(others=others)
    senses = tuple(Sense(checked(name), _value(name, value)) for name, value in named)
    return Entry(may_mean=senses) if says.startswith("perhaps ") else Entry(senses)


def _value(name: str, value: str) -> ClosedSet:
    attribute: Attribute = checked(name)
    return CLOSED_SETS[attribute].parse(value)
