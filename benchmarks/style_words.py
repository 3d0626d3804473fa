"""Descriptions of single attributes and their denials, in words of people: for `benchmarks.style_fit` and the search.

Phrasings were written before anything was measured with them, without a look at the lists of the reader.
"""

from collections.abc import Mapping

from aptone.types import Emotion, Language, Sex

ADJECTIVES: Mapping[Language, Mapping[Emotion, tuple[str, ...]]] = {
    "en": {
        Emotion.NEUTRAL: ("neutral", "unemotional"),
        Emotion.CALM: ("calm", "peaceful"),
        Emotion.HAPPY: ("happy", "cheerful"),
        Emotion.SAD: ("sad", "sorrowful"),
        Emotion.ANGRY: ("angry", "mad"),
        Emotion.FEAR: ("frightened", "scared"),
        Emotion.DISGUST: ("disgusted", "repulsed"),
        Emotion.SURPRISE: ("surprised", "astonished"),
        Emotion.BOREDOM: ("bored", "uninterested"),
        Emotion.PLAYFUL: ("playful", "mischievous"),
    },
    "zh": {
        Emotion.NEUTRAL: ("中性", "平淡"),
        Emotion.CALM: ("平静", "镇定"),
        Emotion.HAPPY: ("高兴", "开心"),
        Emotion.SAD: ("悲伤", "难过"),
        Emotion.ANGRY: ("生气", "愤怒"),
        Emotion.FEAR: ("害怕", "恐惧"),
        Emotion.DISGUST: ("厌恶", "反感"),
        Emotion.SURPRISE: ("惊讶", "吃惊"),
        Emotion.BOREDOM: ("厌倦", "无聊"),
        Emotion.PLAYFUL: ("俏皮", "调皮"),
    },
}
PERSONS: Mapping[Language, Mapping[Sex | None, str]] = {
    "en": {Sex.FEMALE: "woman", Sex.MALE: "man", None: "person"},
    "zh": {Sex.FEMALE: "女人", Sex.MALE: "男人", None: "人"},
}
OWN: Mapping[Language, tuple[str, ...]] = {
    "en": ("a {person} who is {word}", "a {word} {person}", "the {person} sounds {word}", "this {person} is {word}"),
    "zh": ("{word}的{person}", "一个听起来很{word}的{person}", "这个{person}很{word}", "{person}，语气{word}"),
}
NEGATED: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "a {person} who is not {word} at all",
        "a {person} who isn't {word}",
        "the {person} sounds anything but {word}",
        "a {person}, by no means {word}",
        "a {person} who is far from {word}",
        "nobody would call this {person} {word}",
    ),
    "zh": (
        "毫不{word}的{person}",
        "一点也不{word}的{person}",
        "这个{person}并不{word}",
        "{person}，语气谈不上{word}",
        "听不出{word}的{person}",
        "一个不怎么{word}的{person}",
    ),
}
SINGLE: Mapping[Language, tuple[str, ...]] = {
    "en": ("a {word} voice", "someone who sounds {word}", "{word}"),
    "zh": ("{word}的声音", "听起来{word}的人", "{word}"),
}


def article(text: str) -> str:
    """Return a text with the articles that its words ask for.

    >>> article("a angry man")
    'an angry man'
    """
    words = text.split(" ")
    return " ".join(
        "an" if word == "a" and words[place + 1 : place + 2] and words[place + 1][0] in "aeiou" else word
        for place, word in enumerate(words)
    )
