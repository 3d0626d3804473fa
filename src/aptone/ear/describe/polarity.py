"""Polarity of what a description mentions: denied, compared away, or said of somebody else than the speaker.

"not angry", "more hurt than angry", "nobody would call this joyful", 毫不生气, 与其说悲伤不如说愤怒, and "to a child".
Everything is a list of phrases and a reach; `aptone.ear.describe.reading` uses it.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import NamedTuple

from aptone.ear.describe.lexicon import Mention
from aptone.lexicon.phrases import Found, PhraseBook, Tokens
from aptone.types import Language

DENIALS: Mapping[Language, str] = {
    "en": "not, never, nor, neither, nothing, nobody, no one, isn't, aren't, wasn't, weren't, doesn't, don't, didn't, "
    "hasn't, haven't, hadn't, can't, cannot, couldn't, won't, wouldn't, hardly, scarcely, barely, far from, "
    "rather than, instead of, as opposed to, anything but, fail~ to, avoid~, no longer, not so much, the opposite of, "
    "unlike, stopped being, by no means, in no way, no way",
    "zh": "不，没，并非，而非，绝非，决非，未，从未，毫不，无法，避免，与其，与其说，别，并不，绝不，从不，不再，"
    "一点不，一点也不，一点都不，丝毫不，丝毫也不，完全不，根本不，谈不上，算不上，说不上，而不是，不是，并不是，"
    "不像，不太，不怎么，不那么，称不上",
}
"""After these a description says what is not so, as far as the clause or an "and" goes: "not angry and loud"."""

LACKS: Mapping[Language, str] = {
    "en": "no, without, lack~, lacking, lack of, absence of, absent of, devoid of, free of, free from, none of, "
    "empty of, void of, sans, not a trace of, no trace of, no hint of, no sign of, zero",
    "zh": "没有，毫无，缺乏，缺少，无，不带，不含，听不出，听不到，看不出，未见，不见，全无，没半点，没有一丝，"
    "没有半点，没有任何，毫无半点，不带一丝，不带任何",
}
"""The same for lists of what is not there: "without anger and fear" denies both."""

NEXT_DENIALS: Mapping[Language, str] = {"en": "less, than, non, un", "zh": "比，比起，不如"}
"""After these, what follows at once is not so, or less so."""

NO_DENIALS: Mapping[Language, str] = {
    "en": "not only, not just, not merely, not simply, not without, no doubt, nothing but, not least, without doubt, "
    "hardly surprising, cannot help but, cannot help, can't help, couldn't help, no less, without losing, "
    "never stop~, doesn't stop, nothing less than, nothing short of, can't hide, cannot hide, couldn't hide, "
    "doesn't hide, can't conceal, cannot conceal, can't contain, cannot contain, can't suppress, cannot suppress, "
    "nothing if not, no end, barely contain~, barely contained, barely suppressed, barely controlled, hardly contain~",
    "zh": "不仅，不但，不光，不止，不只，不单，不禁，不断，不时，不由，不停，不住，不得不，不过，不同，不失，不乏，"
    "无比，无疑，非常，未来，忍不住，掩饰不住，藏不住，抑制不住，按捺不住，遮掩不住，掩不住，压不住，不无，"
    "毫不掩饰，毫无疑问，毫不费力，不免，特别，别致，别有，分别，无奈，无辜",
}
"""These look like a denial and are none."""

ABSENT: Mapping[Language, str] = {
    "en": "is absent, are absent, is missing, are missing, is lacking, is gone, is nowhere, is not there",
    "zh": "不见了，消失了，荡然无存，全无，欠缺",
}
"""These deny what stands before them in the clause."""

_CONTRASTS: Mapping[Language, str] = {
    "en": "but yet while whereas although though however because so then still with in at as who which where instead "
    "nonetheless nevertheless speaking sounding delivering when despite just simply merely only",
    "zh": "而 但 却 且 是 只 更 反",
}
CONTRASTS: Mapping[Language, frozenset[str]] = {name: frozenset(words.split()) for name, words in _CONTRASTS.items()}
"""Words (in Mandarin, characters) behind which a denial holds no longer."""

ADDRESSED: Mapping[Language, str] = {
    "en": "to a, to an, to the, to her, to his, to their, to some, for a, for the, for her, for his, with a, at a, "
    "at the, at her, at his, about a, about the, about her, about his, of a, of the, to one's, to",
    "zh": "对，对着，向，跟，给，哄，关于",
}
"""A person right behind these is spoken to, or about: "a lullaby to a child"."""

REACH = {"en": 6, "zh": 7}
"""Words (in Mandarin, characters) between a denial and what it denies, or between two things that it denies."""
NEXT_REACH = {"en": 2, "zh": 4}
"""The same for `NEXT_DENIALS`."""
ADDRESSED_REACH = {"en": 2, "zh": 1}

_DENIAL, _LACK, _NEXT, _HARMLESS, _ABSENT, ADDRESSED_CUE = range(6)
_COMMAS = frozenset({",", "，", "、"})
_OR = frozenset({"or", "nor", "或", "也", "和"})
_FRESH = frozenset({"不", "没", "无", "not", "no", "without"})
"""Words that begin a denial of their own."""
_PERSONAL = frozenset({"sex", "age"})
_UNLESS: Mapping[str, str] = {"than": "less", "不": "与"}
"""Comparisons that deny what stands before them if another word does: "less angry than sad", 与其说悲伤不如说愤怒."""


class MarkedMentions(NamedTuple):
    """A text with its mentions: by number, by tokens, and by the token that each begins at."""

    words: Tokens
    found: Sequence[Mention]
    places: Sequence[tuple[int, int]]
    starts: Mapping[int, int]
    language: Language


def polarity(text: MarkedMentions, hits: Sequence[Found], covered: set[int]) -> tuple[set[int], set[int]]:
    """Return the mentions, by number, that are denied, and those about somebody else than the speaker."""
    alike = [hit for hit in hits if hit.key == _HARMLESS and hit.end - 1 not in covered]
    harmless = {token for hit in alike for token in range(hit.start, hit.end)}
    denied: set[int] = set()
    addressed: set[int] = set()
    for key, begin, end in hits:
        if key == _HARMLESS or begin in covered or begin in harmless:
            continue
        while end - 1 in covered:  # a cue that runs into what it denies: 没有一丝愤怒
            end -= 1
        if key in (_DENIAL, _LACK):
            denied.update(_denials(text, begin, end, lists=key == _LACK))
        elif key == _ABSENT:
            before = [number for start, number in text.starts.items() if end - 9 <= start < begin]
            denied.update(before[-1:])
        elif key == _NEXT:
            for number in _compared(text, begin, end):
                (addressed if is_person(text.found[number]) else denied).add(number)
        else:
            near = _nearest(end, text.starts, ADDRESSED_REACH[text.language])
            addressed.update(number for number in near if is_person(text.found[number]))
    return denied, addressed


def _denials(text: MarkedMentions, begin: int, end: int, *, lists: bool) -> list[int]:
    """Return the mentions that the denial from `begin` to `end` is about: qualities, or a person alone."""
    words = text.words.words
    if words[begin:end] == ("不",) and _is_rather(words, begin):
        return []
    reached = list(_reached(text, end, lists=lists))
    qualities = [number for number in reached if not is_person(text.found[number])]
    if qualities or (reached and _is_next(words[end : text.places[reached[0]][0]], text.language)):
        return qualities or reached
    return []


def _compared(text: MarkedMentions, begin: int, end: int) -> list[int]:
    """Return the mention that a comparison puts behind, if there is one."""
    words = text.words.words
    if _UNLESS.get(words[begin], "") in words[max(0, begin - 8) : begin]:
        return []
    return _nearest(end, text.starts, NEXT_REACH[text.language])


def _is_next(between: Sequence[str], language: Language) -> bool:
    """Return True if only words that say nothing stand between a denial and a person: "not a man", 不是一个男人.

    Else a quality that was not read is denied: "not a zorbly man", 不急不躁的男声.
    """
    if language == "en":
        return all(word in plain_words("en") for word in between)
    return "的" not in between and len(plain_mandarin(Tokens(tuple(between), ()))) == len(between)


def _is_rather(words: Sequence[str], place: int) -> bool:
    """Return True for the 不如 that follows 与其: what stands behind it is what is meant."""
    return words[place + 1 : place + 2] == ("如",) and "与" in words[max(0, place - 8) : place]


def _reached(text: MarkedMentions, begin: int, *, lists: bool) -> Iterator[int]:
    """The mentions that a denial reaches: as far as its clause, or the list of what it denies, goes."""
    words, language = text.words.words, text.language
    left, token, any_yet = REACH[language], begin, False
    while token < len(words) and left >= 0:
        word = words[token]
        if token in text.starts:
            yield text.starts[token]
            token, left, any_yet = text.places[text.starts[token]][1], REACH[language], True
            continue
        if word in _COMMAS:
            if word != "、" and not _continues(words, token + 1):
                return
        elif not word[:1].isalnum() or (word in CONTRASTS[language] and token > begin):
            return
        if any_yet and (word in _FRESH or (word == "and" and not lists)):
            return
        left -= 1
        token += 1


def _continues(words: Sequence[str], begin: int) -> bool:
    """Return True if a further member of a list that "or" ends follows a comma, and not another clause."""
    length = 0
    for word in words[begin : begin + 12]:
        if word in _OR:
            return True
        length = 0 if word in _COMMAS else length + 1
        if length > 3 or not (word[:1].isalnum() or word in _COMMAS):
            return False
    return False


def _nearest(begin: int, starts: Mapping[int, int], reach: int) -> list[int]:
    """Return the next mention within reach, or nothing."""
    return [starts[token] for token in range(begin, begin + reach) if token in starts][:1]


def is_person(mention: Mention) -> bool:
    """Return True if a word names a person by sex or age and nothing else."""
    senses = mention.entry.means
    return bool(senses) and all(sense.attribute in _PERSONAL for sense in senses)


def plain_mandarin(words: Tokens) -> set[int]:
    """Return the characters of words that say nothing about a voice, the longest word first."""
    found: set[int] = set()
    place, listed = 0, plain_words("zh")
    longest = max(map(len, listed))
    while place < len(words.words):
        for count in range(min(longest, len(words.words) - place), 0, -1):
            if "".join(words.words[place : place + count]) in listed:
                found.update(range(place, place + count))
                place += count - 1
                break
        place += 1
    return found


@functools.cache
def cue_book(language: Language) -> PhraseBook:
    """Return the phrases that deny, compare, only look so, or name somebody else."""
    lists = [listed[language] for listed in (DENIALS, LACKS, NEXT_DENIALS, NO_DENIALS, ABSENT, ADDRESSED)]
    return PhraseBook(lists, families={}, language=language)


@functools.cache
def plain_words(language: Language) -> frozenset[str]:
    """Return words that say nothing about a voice by themselves: they are neither read nor reported as unread."""
    text = (files("aptone.ear.describe") / f"plain.{language}.txt").read_text(encoding="utf-8")
    return frozenset(word for row in text.splitlines() if not row.startswith("#") for word in row.split())
