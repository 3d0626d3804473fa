"""The answers that are chosen from a list, in English and Mandarin, and how people's spellings map onto them.

Intonation and rhythm are closed by CEAEval (after Zhang 2003, *Chinese broadcasting announcing*). The paper treats
sex and age as closed too but does not print the values, so those two lists are ours.
"""

import re
import reprlib
import typing
import unicodedata
from enum import StrEnum
from typing import Self

from aptone.errors import RecordError
from aptone.messages import Language, known_name, message

_FILLERS = frozenset({"type", "tone", "intonation", "rhythm"})
_CHINESE = re.compile("[\u3400-\u9fff]")


class ClosedSet(StrEnum):
    """A closed set of English names, each with a Mandarin name and the other spellings in use."""

    zh: str
    _aliases: frozenset[str]

    def __new__(cls, name: str, zh: str, *aliases: str) -> Self:
        """Make a member from its English name, its Mandarin name and its other spellings."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.zh = zh
        member._aliases = frozenset(_plain(alias) for alias in (name, zh, *aliases))
        return member

    @classmethod
    def parse(cls, text: str) -> Self:
        """The member that a spelling means: case, width, spacing, hyphens and words such as "type" or 型 do not matter.

        >>> Rhythm.parse("Low - paced") is Rhythm.parse("低沉型") is Rhythm.LOW_PACED
        True

        Raises:
            RecordError: if the spelling is not known.
        """
        if (exact := cls._value2member_map_.get(text)) is not None:
            return typing.cast(Self, exact)
        plain = _plain(text)
        for member in cls:
            if plain in member._aliases:
                return member
        choices = ", ".join(f"{member.value} ({member.zh})" for member in cls)
        kind = known_name(cls.__name__.lower())
        raise RecordError(message("types.not-in-closed-set", what=reprlib.repr(text), kind=kind, names=choices))

    def label(self, language: Language) -> str:
        """The member's name in a language."""
        return self.zh if language == "zh" else self.value


def _plain(text: str) -> str:
    words = re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).casefold()).split()
    return re.sub(r"(?<=..)[型调]$", "", "".join(word for word in words if word not in _FILLERS))


class Intonation(ClosedSet):
    """Pitch contour of the line."""

    FLAT = "flat", "平直调"
    RISING = "rising", "上扬调"
    CURVED = "curved", "弯曲调"
    FALLING = "falling", "下降调"


class Rhythm(ClosedSet):
    """Tempo, energy and stress taken together."""

    BRISK = "brisk", "轻快型", "lively"
    HEAVY = "heavy", "凝重型", "solemn"
    LOW_PACED = "low-paced", "低沉型", "low"
    HIGH_ENERGY = "high-energy", "高亢型", "high-pitched"
    RELAXED = "relaxed", "舒缓型", "soothing"
    TENSE = "tense", "紧张型", "nervous"


class Emotion(ClosedSet):
    """The emotions that the built-in ear can name. CEAEval leaves emotion open, so plans hold free text."""

    NEUTRAL = "neutral", "中性", "平淡"
    CALM = "calm", "平静", "peaceful", "冷静"
    HAPPY = "happy", "高兴", "happiness", "joy", "joyful", "开心", "快乐", "喜悦"
    SAD = "sad", "悲伤", "sadness", "难过", "伤心"
    ANGRY = "angry", "愤怒", "anger", "生气"
    FEAR = "fear", "恐惧", "fearful", "afraid", "scared", "害怕"
    DISGUST = "disgust", "厌恶", "disgusted", "反感"
    SURPRISE = "surprise", "惊讶", "surprised", "吃惊"
    BOREDOM = "boredom", "无聊", "bored", "厌倦"
    PLAYFUL = "playful", "俏皮", "playfulness", "调皮"


class RecordingCondition(ClosedSet):
    """The recording conditions that have a name here. CEAEval leaves the set open, so plans hold free text."""

    NORMAL = "normal", "正常说话", "normal speaking", "normal speech", "正常"
    PHONE = "phone", "电话转录", "telephone", "phone speech", "phone call", "over the phone", "电话"
    FAR_FIELD = "far-field", "远场", "far", "distant", "distant voice", "distant speech"
    INTERMITTENT = "intermittent", "断断续续"
    NOISY = "noisy", "嘈杂", "noise", "噪声"
    INNER_MONOLOGUE = "inner monologue", "内心独白", "inner voice", "心理独白"


class Sex(ClosedSet):
    """Sex of the voice as it is heard."""

    FEMALE = "female", "女", "f", "woman", "女性", "女声"
    MALE = "male", "男", "m", "man", "男性", "男声"
    UNCLEAR = "unclear", "不确定", "unknown", "other"


class AgeBand(ClosedSet):
    """Age of the voice as it is heard."""

    CHILD = "child", "儿童", "kid", "小孩"
    TEENAGER = "teenager", "少年", "teen", "青少年"
    YOUNG_ADULT = "young adult", "青年", "young"
    MIDDLE_AGED = "middle-aged", "中年", "middle", "adult"
    ELDERLY = "elderly", "老年", "old", "senior", "老人"
    UNCLEAR = "unclear", "不确定", "unknown"


def language_of_text(text: str) -> Language:
    """The language by its characters: Mandarin where at least a third of the letters are Chinese characters.

    >>> language_of_text("“睡吧，Tom。”"), language_of_text("The sign read 出口.")
    ('zh', 'en')
    """
    if text.isascii() or not _CHINESE.search(text):
        return "en"
    letters = [character for character in text if character.isalpha()]
    chinese = sum("\u3400" <= character <= "\u9fff" for character in letters)
    return "zh" if letters and 3 * chinese >= len(letters) else "en"


def in_language(text: str, closed: type[ClosedSet], language: Language) -> str:
    """A word for a reader of a language: the name that the set has for it there; what is no name of the set stays.

    A word that is in that language already stays as it is, however it is spelt.

    >>> from aptone.types import Emotion
    >>> [in_language(word, Emotion, "zh") for word in ("angry", "wistful")], in_language("furious", Emotion, "en")
    (['愤怒', 'wistful'], 'furious')
    """
    if language_of_text(text) == language:
        return text
    try:
        return closed.parse(text).label(language)
    except RecordError:
        return text
