"""Scope of negations and hedges in a caption: which of its words are denied, and which are said with care."""

import functools
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from aptone.ear.describe import Attribute, Mention
from aptone.lexicon.phrases import PhraseBook, Tokens
from aptone.types import Language

DENIALS: Mapping[Language, str] = {
    "en": "not, never, nor, neither, nothing, isn't, aren't, wasn't, weren't, doesn't, don't, didn't, hasn't, haven't, "
    "hadn't, can't, cannot, couldn't, won't, wouldn't, hardly, scarcely, barely, far from, rather than, instead of, "
    "as opposed to, anything but, fail~ to, avoid~",
    "zh": "不，没，并非，而非，绝非，未，从未，毫不，无法，避免，与其",
}
"""After these a caption says what is not so; "and" ends it: "not angry and loud" denies the anger alone."""

LACKS: Mapping[Language, str] = {
    "en": "no, without, lack~, lacking, lack of, absence of, absent of, devoid of, free of, free from, none of, "
    "empty of, void of, sans",
    "zh": "没有，毫无，缺乏，缺少，无，不带，不含，听不出，听不到，看不出，未见，不见",
}
"""The same for lists of things that are not there: "without anger and fear" denies both."""

NO_DENIALS: Mapping[Language, str] = {
    "en": "not only, not just, not merely, not simply, not without, no doubt, nothing but, not least, without doubt, "
    "hardly surprising, cannot help but, cannot help, can't help, couldn't help, no less, without losing, "
    "never stop~, doesn't stop, not surprisingly, nothing less than, nothing short of, can't hide, "
    "cannot hide, couldn't hide, doesn't hide, can't conceal, cannot conceal, can't contain, cannot contain, "
    "can't suppress, cannot suppress",
    "zh": "不仅，不但，不光，不止，不只，不单，不禁，不断，不时，不由，不停，不住，不得不，不过，不同，不失，不乏，"
    "无比，无疑，非常，未来，忍不住，掩饰不住，藏不住，抑制不住，按捺不住，遮掩不住，不无，毫不掩饰，毫无疑问，毫不费力，不免",
}
"""These look like a denial and are none."""

HEDGES: Mapping[Language, str] = {
    "en": "slightly, somewhat, perhaps, maybe, possibly, probably, presumably, apparently, seemingly, seem~, appear~, "
    "might, may, could be, a bit, a little, touch of, hint of, hints of, trace of, traces of, hint~ at, tinge of, "
    "note of, undertone of, suggestion of, kind of, sort of, almost, nearly, faintly, mildly, fairly, rather, "
    "relatively, whether, impossible to tell, tinged with, bordering on, suggest~, suggesting, as if, as though",
    "zh": "略，稍，有点，有些，一点，些许，一丝，几分，似乎，好像，仿佛，像是，可能，也许，或许，大概，微微，隐约，"
    "透着一丝，隐隐，听似，近乎，似",
}
"""Hedges: the words that follow are said with care."""

_CONTRASTS: Mapping[Language, str] = {
    "en": "but yet while whereas although though however because so then still with in at as who which where instead "
    "nonetheless nevertheless speaking sounding delivering when despite",
    "zh": "而 但 却 且 是",
}
CONTRASTS: Mapping[Language, frozenset[str]] = {name: frozenset(words.split()) for name, words in _CONTRASTS.items()}
"""Words (in Mandarin, characters) behind which a denial holds no longer."""

LINKS, DETERMINERS = (
    frozenset(words.split())
    for words in (
        "is are was were be being remains remain stays stay becomes become sounds sound seems seem",
        "the a an his her their its this that",
    )
)
"""English verbs between a noun and what is said of it, and words that begin another noun phrase."""

_NOUNS: Mapping[Language, Mapping[tuple[Attribute, ...], str]] = {
    "en": {
        ("pitch", "intonation", "pitch_variation"): "pitch",
        ("pitch",): "pitched register",
        ("volume",): "volume loudness",
        ("rate",): "pace tempo speed rate paced",
        ("intonation", "pitch_variation"): "intonation inflection inflections contour",
        ("pitch_variation", "intonation"): "melody",
        ("pitch_variation",): "variation modulation",
        ("rhythm",): "rhythm cadence energy",
        ("rhythm", "intonation", "pitch_variation", "pitch", "volume"): "delivery",
        ("texture",): "timbre texture",
        ("texture", "emotion"): "quality",
        ("emotion",): "emotion mood feeling affect demeanor demeanour",
        ("emotion", "rhythm"): "manner",
        ("emotion", "pitch", "intonation", "texture", "volume"): "tone",
        ("pitch", "texture", "volume", "pitch_variation", "emotion"): "voice",
        ("pitch", "texture", "volume"): "voiced",
    },
    "zh": {
        ("pitch",): "音调 音高 声调 音域",
        ("volume",): "音量 响度",
        ("rate",): "语速 速度",
        ("intonation", "pitch_variation"): "语调",
        ("rhythm",): "节奏 韵律",
        ("texture",): "音色 音质",
        ("texture", "pitch", "volume"): "嗓音",
        ("emotion",): "情绪 情感 心情 感情 神情",
        ("emotion", "intonation"): "语气",
        ("volume", "pitch", "texture", "emotion"): "声音",
    },
}
NOUNS: Mapping[Language, Mapping[str, tuple[Attribute, ...]]] = {
    language: {noun: attributes for attributes, nouns in listed.items() for noun in nouns.split()}
    for language, listed in _NOUNS.items()
}
"""Nouns that say what an adjective is about, and about which attributes they can be, the likeliest first."""

_NEEDS_A_NOUN: Mapping[Language, str] = {
    "en": "low, very low, high, very high, moderate, light, level, rising, falling, curved",
    "zh": "较低, 较高, 下降, 偏低, 偏高, 很低, 很高, 较快, 较慢, 偏快, 偏慢, 很快, 很慢, 较大, 较小, 很大, 很小, 适中, "
    "中等, 正常",
}
NEEDS_A_NOUN: Mapping[Language, frozenset[str]] = {
    language: frozenset(words.split(", ")) for language, words in _NEEDS_A_NOUN.items()
}
"""Words that say nothing of a voice unless a noun tells what they are about: "high spirits"."""

NOT_OF_A_VOICE: Mapping[Language, str] = {
    "en": "clear sense, clear sign, clear signs, clear that, clear indication, clear hint, clear intent, clear enough, "
    "clear enunciation, clear articulation, clear diction, clear pronunciation, clear from, deep sense, deep feeling, "
    "deep thought, deep concern, deep affection, quick to, high spirits, high stakes, low spirits, low mood",
    "zh": "其他，他们，她们，他人，压抑着，压抑住",
}
"""Phrases whose words would say something of the voice if they stood alone."""


DENIED_REACH = {"en": 6, "zh": 7}
"""Words (in Mandarin, characters) between a denial and what it denies, or between two things that it denies."""

HEDGED_REACH = {"en": 3, "zh": 4}
"""The same for a hedge, which reaches one thing only."""

LONGEST_IN_A_LIST = 3
"""Words between two commas of a list."""

_DENIAL, _LACK, _NEITHER, _HEDGE, _STRANGE = range(5)
_COMMAS = frozenset({",", "，", "、"})


class Place(NamedTuple):
    """A mention by the tokens that it covers."""

    start: int
    end: int


class Scopes(NamedTuple):
    """Negation and hedging of each mention of a caption, in their order.

    Args:
        denied: whether the caption says that it does not hold.
        hedged: whether it says so with care.
        strange: whether its words are part of a phrase that is not about the voice.
    """

    denied: tuple[bool, ...]
    hedged: tuple[bool, ...]
    strange: tuple[bool, ...]


def scopes(words: Tokens, places: Sequence[Place], language: Language) -> Scopes:
    """Determine negation and hedging of a caption's mentions, given from left to right. Linear in the text's length."""
    starts = {place.start: number for number, place in enumerate(places)}
    covered = {token: number for number, place in enumerate(places) for token in range(place.start, place.end)}
    denied, hedged, strange = ([False] * len(places) for _ in range(3))
    found = sorted(_book(language).find(words), key=lambda hit: (hit.start, -hit.end))
    # A phrase that only looks like a denial must not take its words from a mention: 不断 in 不断续.
    alike = (range(hit.start, hit.end) for hit in found if hit.key == _NEITHER and hit.end - 1 not in covered)
    harmless = {token for tokens_alike in alike for token in tokens_alike} | set(covered)
    denials = [hit for hit in found if hit.key in (_DENIAL, _LACK) and hit.start not in harmless]
    for hit, following in zip_longest(denials, denials[1:]):
        until = len(words.words) if following is None else max(following.start, hit.end)
        for number in _denied(words.words, hit.end, until, starts, places, language, lists=hit.key == _LACK):
            denied[number] = True
    denying = {hit.start for hit in denials}
    for hit in found:
        if hit.key == _HEDGE and hit.start not in denying:  # "rather than" is no "rather"
            if hit.start in covered:  # the mention itself says so: "slightly angry"
                hedged[covered[hit.start]] = True
            elif hit.end - 1 not in covered:  # else it is part of another phrase: "a little girl"
                for number in _next(words.words, hit.end, starts, HEDGED_REACH[language]):
                    hedged[number] = True
        elif hit.key == _STRANGE:
            for token in range(hit.start, hit.end):
                if token in covered:
                    strange[covered[token]] = True
    return Scopes(tuple(denied), tuple(hedged), tuple(strange))


def places_of(mentions: Sequence[Mention], words: Tokens) -> tuple[Place, ...]:
    """The mentions of a text by its tokens."""
    begins = [begin for begin, _ in words.places]
    return tuple(Place(bisect_left(begins, mention.start), bisect_left(begins, mention.end)) for mention in mentions)


@functools.cache
def _book(language: Language) -> PhraseBook:
    lists = [listed[language] for listed in (DENIALS, LACKS, NO_DENIALS, HEDGES, NOT_OF_A_VOICE)]
    return PhraseBook(lists, families={}, language=language)


def _denied(
    words: Sequence[str],
    begin: int,
    until: int,
    starts: dict[int, int],
    places: Sequence[Place],
    language: Language,
    *,
    lists: bool,
) -> Iterator[int]:
    """The mentions that a denial reaches: as far as its clause, or the list of what it denies, goes."""
    left, token = DENIED_REACH[language], begin
    while token < until and left >= 0:
        word = words[token]
        if token in starts:
            yield starts[token]
            token, left = places[starts[token]].end, DENIED_REACH[language]
            continue
        if word in _COMMAS:
            if word != "、" and not _is_listed(words, token + 1, until):
                return
        elif (
            not word[:1].isalnum()
            or (word in CONTRASTS[language] and token > begin)
            or (word == "and" and not (lists and token + 1 in starts))
        ):
            return
        left -= 1
        token += 1


def _is_listed(words: Sequence[str], begin: int, until: int) -> bool:
    """Return True if a further member of a list that "or" ends follows a comma, and not another clause."""
    length = 0
    for token in range(begin, min(begin + 5 * (LONGEST_IN_A_LIST + 1), until)):
        if words[token] in ("or", "nor", "或"):
            return True
        length = 0 if words[token] in _COMMAS else length + 1
        if length > LONGEST_IN_A_LIST or not (words[token][:1].isalnum() or words[token] in _COMMAS):
            return False
    return False


def _next(words: Sequence[str], begin: int, starts: dict[int, int], reach: int) -> Iterator[int]:
    """The next mention within reach, in the same clause."""
    for token in range(begin, min(begin + reach + 1, len(words))):
        if token in starts:
            yield starts[token]
            return
        if not words[token][:1].isalnum():
            return
