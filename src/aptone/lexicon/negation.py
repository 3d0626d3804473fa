"""Negation in a text, and phrases that take a feeling back.

`negations` asks whether something can be heard: "did not shout", "without laughing", 没有笑, "as if over the phone".
`taken_back` asks whether a feeling holds: "not angry", "no longer afraid", "more hurt than angry", "had been happy",
不再生气. A feeling that is fought against ("blinked back tears") is one all the same, so that the two differ.
"""

import functools
from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

from aptone.lexicon import english_cues, mandarin_cues
from aptone.lexicon.phrases import SENTENCE_ENDS, Found, PhraseBook, Tokens, ends_clause, tokens
from aptone.types import Language

REACH = {"en": 6, "zh": 8}
"""Words (English) or characters (Mandarin) as far as which a negation reaches, within its clause."""
FEELING_REACH = {"en": 6, "zh": 7}
"""The same for the denial of a feeling."""
_FEELING_WORDS: dict[Language, tuple[str, str, str, str, str]] = {
    "en": (
        # Denied up to the end of the clause.
        "not, never, no, nor, neither, without, didn't, doesn't, don't, wasn't, weren't, isn't, aren't, won't, "
        "wouldn't, couldn't, can't, cannot, hadn't, haven't, hasn't, nothing, nobody, none, instead of, rather than, "
        "far from, no longer, no more, anything but, free of, free from, devoid of, void of, empty of, stripped of, "
        "drained of, bereft of, barren of, lacking, lacked, lacks, lack of, absence of, without so much as, "
        "with little, "
        "with very little, very little, precious little, little of, not so much as, hardly, scarcely, not a trace of, "
        "no trace of, no sign of, no hint of, got over, past being, beyond being, stopped being, ceased to be, too ... "
        "to be, unlike, refus~ to, refuse~ to, fail~ to, not so much, forgot to be, forgotten to be, expect~ ... to, "
        "expected, should have, ought to have, would have, might have, could have, supposed to",
        # The next word only.
        "less, than, un",
        # A feeling that has passed.
        "had been, used to be, had once, once been, years ago, earlier, at first, yesterday, last night, last week, as "
        "a child, long ago, the ... before had, that morning had, until now, had felt, had left, was gone, were gone, "
        "had gone, had passed, had drained, had faded, had burned out, had worn off, ebbed, the last of",
        # These look like a denial and are none.
        "not only, could not help, couldn't help, cannot help, can't help, nothing but, no wonder, no doubt, not "
        "without, could hardly contain, could not contain, couldn't contain, could not hide, couldn't hide, did not "
        "hide, didn't hide, not bother to hide, didn't bother to hide, could not keep, couldn't keep, not trust, could "
        "hardly, could scarcely, didn't trust, no attempt to hide, not stop, couldn't stop, could not stop, never so, "
        "never been so, never felt so, never seen ... so, nothing if not, no end, could not believe, couldn't believe, "
        "not meet, wouldn't meet, would not meet, didn't dare, did not dare, not dare, dared not, no sooner",
        # Behind a feeling, these take it back.
        "was gone, were gone, had gone, had passed, had left <him>, had faded, had drained, had evaporated, had "
        "vanished, gone from, left <poss>, faded, drained away, ebbed, evaporated, had burned, had worn, was over, "
        "was absent, were absent, was missing, were missing, absent from, missing from, "
        "dissolved, vanished, melted, melted away, drained from, drained out",
    ),
    "zh": (
        "没有，没，并没，并未，从未，未曾，尚未，不曾，并不，从不，从来不，绝不，决不，并非，不再，不会，不是，毫不，"
        "毫无，"
        "全无，无半点，没半点，没一点，不见，不带，谈不上，算不上，说不上，不觉得，不感到，早就不，早不，已经不，也不，"
        "倒不，却不，根本不，一点不，一点也不，一点都不，丝毫不，与其说，不像，而不是，看不出，听不出，听不到，"
        "看不到，用不着，懒得，顾不上，顾不得，"
        "以为…会，该…却",
        "不，未，非，无，比",
        "曾经，以前，从前，当年，原先，方才还，刚才还，刚刚还，刚才的，方才的，早先，本来还，起初，开始还，昨天，昨晚，"
        "小时候，年轻时，那时候，先前",
        "忍不住，不禁，不由，不觉，不免，不时，不一会，不多时，不住，不停，不断，止不住，不得不，不仅，不但，不安，"
        "不耐烦，不满，不慌不忙，不紧不慢，差不多，"
        "不屑，没好气，没精打采，不能自已，不敢置信，不可置信，难以置信，不可思议，不知所措，不甘，不服，不悦，不快，"
        "不平，"
        "不解，不忍，不忿，不动声色，不以为然，不怀好意，不可遏制，不可遏止，不敢，掩饰不住，藏不住，掩不住，按捺不住，"
        "压不住，抑制不住，控制不住，遮不住，说不出话，不由得，不由自主，无奈，无助，无力，无比，无精打采，无可奈何，"
        "无动于衷，无声，非常，不胜，不好意思，不冷不热，不咸不淡，不痛快，不自在，不舍，不痒不痛，不无，没想到，"
        "没好脸，"
        "不掩，毫不掩饰，毫不客气，毫不留情，毫不在意，从未如此，从没这么，从来没这么，不是滋味，喜不自胜，乐不可支，"
        "怒不可遏，"
        "未免，比谁都，比什么都，无地自容",
        "早散了，散了，散去，消了，没了，不见了，褪去，褪了，退去，过去了，已经消，一扫而光，烟消云散，荡然无存，"
        "消失，全消，"
        "烟消，消散，收了回去",
    ),
}
_DENIED, _NEXT, _PASSED, _NONE, _BEHIND = range(5)
LOOK_ALIKES: dict[Language, str] = {language: lists[_NONE] for language, lists in _FEELING_WORDS.items()}
"""Phrases that look like the denial of a feeling and are none: "couldn't help", 掩不住."""
_FAMILIES = {
    "en": {
        "him": "him, her, them, me, us, it",
        "poss": "his, her, their, my, our",
        "became": "white, pale, red, scarlet, crimson, purple, grey, gray, green, pink, blotchy, the colour, "
        "the color, cold, hot, stiff, rigid, still, very still, quite still, quiet, silent, dry, thick, tight, "
        "hard, small, thin, high, dull, slack, round, perfectly round, wide, wet, bright, crooked, to, up, all",
    },
    "zh": {},
}
_BECAME: dict[Language, str] = {"en": ", had gone <became>", "zh": ""}
"""What somebody "had gone" is no feeling that has passed: "she had gone white"."""
_CONTRAST = frozenset({"but", "only", "just", "merely", "yet", "although", "though", ",", *";:，；—-–"})


class Negation(NamedTuple):
    """The tokens that are denied or taken back: those from `start` up to `end`.

    Args:
        behind: true where the words that take them back stand behind them, at `end`.
    """

    start: int
    end: int
    behind: bool = False

    def takes(self, start: int, end: int) -> bool:
        """Return true if it takes back a phrase; words of the phrase itself ("the joy had gone") do not."""
        return self.start <= start < self.end and not (self.behind and self.end < end)


def negations(text: Tokens, language: Language) -> tuple[Negation, ...]:
    """Find the negations in a text."""
    return tuple(
        Negation(hit.end, _reach(text, hit.end, 1 if hit.key == _NEXT else REACH[language] + 1, ends_clause))
        for hit in _hits(_book(language), text)
    )


def denied(text: str, place: int, language: Language) -> bool:
    """Return True if the word that begins at a place of a text is denied.

    >>> denied("without laughing", 8, "en"), denied("laughing, not crying", 0, "en"), denied("没有笑", 2, "zh")
    (True, False, True)
    """
    words = tokens(text, language)
    number = bisect_left(words.places, (place, place))
    return any(one.start <= number < one.end for one in negations(words, language))


def taken_back(text: Tokens, language: Language) -> tuple[Negation, ...]:
    """The parts of a sentence in which a feeling is denied, compared away, or has passed."""
    found = []
    for hit in _hits(_feeling_book(language), text):
        if hit.key == _BEHIND:
            found.append(Negation(_clause_start(text, hit.start), hit.start, behind=True))
        else:
            usual = FEELING_REACH[language]
            most = {_NEXT: 2 if language == "en" else 4, _PASSED: 2 * usual}.get(hit.key, usual)
            found.append(Negation(hit.end, _reach(text, hit.end, most, _parts_feelings)))
    return tuple(found)


def _hits(book: PhraseBook, text: Tokens) -> list[Found]:
    """Phrases that deny, without those that only look so."""
    found = list(book.find(text))
    harmless = [hit for hit in found if hit.key == _NONE]
    return [
        hit for hit in found if hit.key != _NONE and not any(other.start <= hit.start < other.end for other in harmless)
    ]


def _reach(text: Tokens, first: int, most: int, ends: Callable[[str], bool]) -> int:
    behind = min(first + most, len(text.words))
    return next((number for number in range(first, behind) if ends(text.words[number])), behind)


def _parts_feelings(word: str) -> bool:
    return word in _CONTRAST or word in SENTENCE_ENDS


def _clause_start(text: Tokens, last: int) -> int:
    first = max(0, last - 8)
    places = range(last - 1, max(-1, last - 9), -1)
    return next((number + 1 for number in places if _parts_feelings(text.words[number])), first)


@functools.cache
def _book(language: Language) -> PhraseBook:
    words = mandarin_cues if language == "zh" else english_cues
    lists = (words.NEGATIONS, words.NEXT_NEGATIONS, "", words.NO_NEGATIONS)  # hearing knows nothing that has passed
    return PhraseBook(lists, families=words.FAMILIES, language=language)


@functools.cache
def _feeling_book(language: Language) -> PhraseBook:
    lists = list(_FEELING_WORDS[language])
    lists[_NONE] += _BECAME[language]
    return PhraseBook(lists, families=_FAMILIES[language], language=language)
