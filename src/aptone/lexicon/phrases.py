"""Phrases that a person can read and extend, found in a text without regular expressions.

A list of phrases is one string: English ones stand apart by ``, ``, Mandarin ones by ``，``. In a phrase

- ``shout~`` is a verb with its endings: shout, shouts, shouted, shouting;
- ``<device>`` is any word of the family of that name;
- ``...`` (Mandarin ``…``) is a gap of up to `GAP` words or characters, none of which ends a clause;
- ``#`` is the end of a clause, or of the text.

English is compared word by word, whatever its case; hyphens between words and endings such as 's do not count, neither
in a text nor in a phrase. Mandarin is compared character by character, traditional ones as simplified. Phrases are
looked up by their first word, so that a long list costs no more than a short one.
"""

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aptone.types import Intonation, Language, RecordingCondition, Rhythm

Value = Rhythm | Intonation | RecordingCondition


class CueList(NamedTuple):
    """Phrases that say the same about a line.

    Args:
        not_after: words right before a phrase (with at most one word between) that make it mean something else.
        not_before: words right after a phrase that make it mean something else.
    """

    value: Value
    phrases: str
    not_after: str = ""
    not_before: str = ""


_PAIRS = (
    "電电 話话 機机 聽听 裡里 裏里 聲声 響响 遠远 處处 傳传 來来 說说 問问 嘆叹 歎叹 氣气 輕轻 嚴严 肅肃 溫温 靜静 "
    "緩缓 緊紧 張张 顫颤 結结 雜杂 轟轰 鳴鸣 風风 門门 牆墙 樓楼 對对 講讲 線线 網网 絡络 訊讯 號号 斷断 續续 廣广 "
    "無无 麥麦 視视 頻频 畫画 掛挂 撥拨 鈴铃 語语 調调 這这 邊边 頭头 從从 隱隐 約约 飄飘 應应 吶呐 囂嚣 鬧闹 兒儿 "
    "開开 關关 著着 禱祷 內内 獨独 腦脑 筆笔 覺觉 嗎吗 態态 驚惊 懼惧 憂忧 傷伤 愴怆 淚泪 啞哑 憊惫 軟软 懶懒 閒闲 "
    "閑闲 樂乐 興兴 奮奋 歡欢 靈灵 諷讽 嬌娇 揚扬 啟启 斬斩 釘钉 鐵铁 決决 麼么 罵骂 寫写 見见 點点 過过 還还 與与 "
    "擾扰 壓压 貼贴 衝冲 槍枪 砲炮 殺杀 馬马 車车 輪轮 艙舱 艦舰 廳厅 戶户 陣阵 陰阴 陽阳 沒没 別别 並并 彷仿 彿佛 "
    "個个 們们 時时 會会 為为 緒绪 嘯啸 譁哗 嘩哗 滾滚 塵尘 嘰叽 聳耸 韻韵 飛飞 舊旧 壞坏 爛烂 卻却 則则 難难 喪丧 "
    "歲岁 憐怜 憤愤 殘残 鬱郁 寧宁 穩稳 順顺 綿绵 細细 聖圣 裝装 樣样 學学 強强 勁劲 顆颗 煩烦 惱恼 慘惨 獸兽 戰战 "
    "鬥斗 爭争 戲戏 劇剧 鑼锣 雲云 霧雾 靂雳 嘔呕 諒谅 謔谑 譏讥 鬆松 鎮镇 閱阅 讀读 讓让 誰谁 談谈 論论 認认 識识 "
    "詢询 請请 諾诺 譴谴 責责 徹彻 盪荡 蕩荡 迴回 "
)

SIMPLIFIED = str.maketrans({pair[0]: pair[1] for pair in _PAIRS.split()})
"""For `str.translate`; the text keeps its length."""


GAP: Mapping[Language, int] = {"en": 4, "zh": 8}
"""Most words (English) or characters (Mandarin) in a gap."""
SENTENCE_ENDS = frozenset(".!?。！？")
_JOINING = frozenset({"and", "but", "then", "while", "because", "although"})
"""Words behind which another clause begins."""
_DENYING = frozenset(
    (
        *("not", "never", "no", "nor", "neither", "without", "hardly", "scarcely", "little", "lacking", "lacked"),
        *("void", "devoid", "empty", "stripped", "drained", "bereft", "barren", "没", "未", "无", "不"),
    )
)
"""Words that no gap holds."""
_SEPARATOR: Mapping[Language, str] = {"en": ", ", "zh": "，"}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[^\w\s-]|_|(?<!\w)-|-(?!\w)")
_MANDARIN_PART = re.compile(r"<[^>]*>|\S")

Member = tuple[str, ...]
Element = str | dict[str, list[Member]] | int | None
"""A word; words that may stand here, by their first token; most tokens of a gap; None for the end of a clause."""


class Tokens(NamedTuple):
    """A text in the pieces that phrases are compared with."""

    words: tuple[str, ...]
    places: tuple[tuple[int, int], ...]


class Found(NamedTuple):
    """A phrase of a text.

    Args:
        key: the number of the list that it stands in.
        start, end: its tokens.
        fixed: how many of them a list names; a gap's do not count.
    """

    key: int
    start: int
    end: int
    fixed: int = 0


@functools.lru_cache(maxsize=2048)
def tokens(text: str, language: Language) -> Tokens:
    """The words (English) or characters (Mandarin) of a text, and its marks; those of the last texts are remembered.

    >>> tokens("He didn't half-whisper: “Mary’s here”", "en").words
    ('he', "didn't", 'half', 'whisper', ':', '“', 'mary', 'here', '”')
    """
    words, places = [], []
    if language == "zh":
        for place, character in enumerate(text.translate(SIMPLIFIED)):
            if not character.isspace():
                words.append(unicodedata.normalize("NFKC", character).casefold())
                places.append((place, place + 1))
        return Tokens(tuple(words), tuple(places))
    for match in _WORD.finditer(text):
        word = match.group().casefold().replace("’", "'")
        words.append(_without_ending(word))
        places.append(match.span())
    return Tokens(tuple(words), tuple(places))


def _without_ending(word: str) -> str:
    """Return a word without 's and other endings behind an apostrophe; "don't" stays."""
    return word if word.endswith("n't") else word.partition("'")[0] or word


def ends_clause(word: str) -> bool:
    """Return True if a token stands between two clauses: a mark, or a word that joins them.

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

    A phrase is taken apart only when a text holds its first word, since a list is long and a narration short.

    Args:
        lists: each a string of phrases.
        families: words that stand for each other, by name; each a string of phrases without gaps.
    """

    def __init__(self, lists: Sequence[str], *, families: Mapping[str, str], language: Language) -> None:
        self._language = language
        self._listed = families
        self._families: dict[str, dict[str, list[Member]]] = {}
        self._elements: dict[str, tuple[Element, ...]] = {}
        self._heads: dict[str, list[tuple[int, str]]] = {}
        for key, listed in enumerate(lists):
            for phrase in _split(listed, language):
                self._heads.setdefault(_head(phrase, language), []).append((key, phrase))
        self._opens: dict[str, list[str]] = {}
        for head in self._heads:
            if head[0] == "<" or head[-1] == "~":
                for word in self._family(head[1:-1]) if head[0] == "<" else inflections(head[:-1]):
                    self._opens.setdefault(word, []).append(head)

    def find(self, text: Tokens) -> Iterator[Found]:
        """Every phrase in a text, from its beginning on; of each list the longest at a place."""
        words = text.words
        for start, word in enumerate(words):
            heads = [word, *self._opens.get(word, ())]
            if self._language == "zh" and start + 1 < len(words):
                heads.append(word + words[start + 1])
            longest: dict[int, Found] = {}
            for head in heads:
                for key, phrase in self._heads.get(head, ()):
                    parsed = self._parsed(phrase)
                    end = _end(words, start, parsed, 0)
                    if end > (longest[key].end if key in longest else start):
                        gaps = any(isinstance(element, int) for element in parsed)
                        fixed = sum(isinstance(element, str | dict) for element in parsed) if gaps else end - start
                        longest[key] = Found(key, start, end, fixed)
            yield from longest.values()

    def _parsed(self, phrase: str) -> tuple[Element, ...]:
        elements = self._elements.get(phrase)
        if elements is None:
            parts = phrase.split() if self._language == "en" else _MANDARIN_PART.findall(phrase)
            elements = self._elements[phrase] = tuple(map(self._element, parts))
        return elements

    def _element(self, part: str) -> Element:
        if part in ("...", "…"):
            return GAP[self._language]
        if part == "#":
            return None
        if part.endswith("~"):
            return {form: [(form,)] for form in inflections(part[:-1])}
        if not part.startswith("<"):
            return _without_ending(part)
        return self._family(part[1:-1])

    def _family(self, name: str) -> dict[str, list[Member]]:
        family = self._families.get(name)
        if family is None:
            family = self._families[name] = {}
            for member in _members(self._listed[name], self._language):
                family.setdefault(member[0], []).append(member)
        return family


def _split(listed: str, language: Language) -> Iterator[str]:
    plain = listed.rstrip().replace("-", " ") if language == "en" else listed.rstrip()
    return filter(None, plain.split(_SEPARATOR[language]))


def _head(phrase: str, language: Language) -> str:
    """Return the lookup key of a phrase: its first word, in Mandarin its first two characters, or a family."""
    if language == "en":
        return _without_ending(phrase.partition(" ")[0])
    if phrase.startswith("<"):
        return phrase[: phrase.index(">") + 1]
    return phrase[:1] if phrase[1:2] in ("", "<", "…", "#") else phrase[:2]


def _members(listed: str, language: Language) -> Iterator[Member]:
    """The words of a family as tokens; one for each ending of a verb at the beginning."""
    for phrase in _split(listed, language):
        if language == "zh":
            yield tuple(phrase)
            continue
        first, *rest = phrase.split()
        for form in inflections(first[:-1]) if first.endswith("~") else (first,):
            yield (form, *rest)


def _end(words: Sequence[str], place: int, elements: Sequence[Element], number: int) -> int:
    """Return the farthest end of the phrase that begins at a place; -1 if it does not stand there."""
    while number < len(elements):
        element = elements[number]
        if isinstance(element, str):
            if place >= len(words) or words[place] != element:
                return -1
            place += 1
        elif element is None:
            if place < len(words) and words[place][:1].isalnum():
                return -1
        elif isinstance(element, int):
            return _after_gap(words, place, elements, number)
        elif place >= len(words) or words[place] not in element:
            return -1
        else:
            return max(
                _end(words, place + len(member), elements, number + 1)
                if len(member) == 1 or tuple(words[place : place + len(member)]) == member
                else -1
                for member in element[words[place]]
            )
        number += 1
    return place


def _after_gap(words: Sequence[str], place: int, elements: Sequence[Element], number: int) -> int:
    longest = elements[number]
    for skipped in range(longest + 1 if isinstance(longest, int) else 0):
        end = _end(words, place + skipped, elements, number + 1)
        if end >= 0:
            return end
        if place + skipped >= len(words) or _ends_gap(words[place + skipped]):
            break
    return -1
