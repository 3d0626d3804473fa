"""What says how an answer sounds: the built-in ear, or a model that hears and chats."""

import asyncio
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Protocol

from aptone.ear import load_ear
from aptone.ear.describe import Pitch, Rate, Style, Volume, describe, narrow, style_of
from aptone.ear.licences import ear_and_licence
from aptone.ear.perceive import ear_name
from aptone.models import About
from aptone.rooms.answer.records import AnswerStyle
from aptone.run import Call
from aptone.types import Audio, ClosedSet, Language, Perception, signature

SCRIPTS: Mapping[str, str] = {
    "CJK": "zh",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "HANGUL": "ko",
    "CYRILLIC": "ru",
    "ARABIC": "ar",
    "DEVANAGARI": "hi",
    "HEBREW": "he",
    "GREEK": "el",
    "THAI": "th",
}
"""First word of a character's Unicode name to the language that is usually written so."""

_SMALL_WORDS: Mapping[str, str] = {
    "en": "the and you is to of it that in i a for what this are be with not have your do can let me",
    "de": "der die das und ich du ist nicht ein eine zu mit es wir sie dass was auf für den dir mir",
    "fr": "le la les et je tu est que de des un une pas vous nous il elle ce pour dans ça avec mon",
    "es": "el la los y yo tú es que de un una no por con para lo en me te está muy qué mi",
    "it": "il la gli e io tu è che di un una non per con lo in mi ti sono molto cosa del",
    "pt": "o a os e eu você é que de um uma não por com para em me muito isso do da meu",
    "nl": "de het een en ik je is niet dat van met wij zij wat op voor te maar dit jij mij",
    "pl": "i w nie na się to że jest do z co jak tak ale ja ty jestem bardzo mi cię",
}
SMALL_WORDS: Mapping[str, frozenset[str]] = {name: frozenset(words.split()) for name, words in _SMALL_WORDS.items()}
"""Words that hardly a sentence of a language is without."""

ENOUGH = 3
"""Small words that a text must have before it is told which language it is."""
LEAD = 2
"""And how many more than of any other language."""
JAPANESE = 0.1
"""Share of kana from which on a text with Chinese characters is Japanese."""


def language_spoken(text: str) -> str:
    """The code of a transcript's language; empty where it cannot be told.

    >>> language_spoken("I am sorry that you have to do this."), language_spoken("Das tut mir leid, und ich bin da.")
    ('en', 'de')
    >>> language_spoken("我很抱歉。"), language_spoken("Okay!")
    ('zh', '')
    """
    scripts = Counter(script for character in text if character.isalpha() and (script := _script(character)))
    letters = scripts.total()
    if not letters:
        return ""
    if scripts["ja"] >= JAPANESE * letters:
        return "ja"
    script, count = scripts.most_common(1)[0]
    if script != "latin":
        return script if 2 * count >= letters else ""
    words = Counter(word.strip(".,;:!?¿¡\"'“”’") for word in text.casefold().split())
    found = sorted(((sum(words[word] for word in small), name) for name, small in SMALL_WORDS.items()), reverse=True)
    (most, language), (second, _) = found[:2]
    return language if most >= ENOUGH and most - second >= LEAD else ""


def _script(character: str) -> str:
    first = unicodedata.name(character, "").partition(" ")[0]
    return "latin" if first == "LATIN" else SCRIPTS.get(first, "")


REVISION = 1

NORMAL = "normal"
RATES: Mapping[ClosedSet, str] = {
    Rate.VERY_SLOW: "slow",
    Rate.SLOW: "slow",
    Rate.MODERATE: NORMAL,
    Rate.FAST: "fast",
    Rate.VERY_FAST: "fast",
}
VOLUMES: Mapping[ClosedSet, str] = {
    Volume.VERY_SOFT: "quiet",
    Volume.SOFT: "quiet",
    Volume.MEDIUM: NORMAL,
    Volume.LOUD: "loud",
    Volume.VERY_LOUD: "loud",
}
PITCHES: Mapping[ClosedSet, str] = {
    Pitch.VERY_LOW: "low",
    Pitch.LOW: "low",
    Pitch.MEDIUM: NORMAL,
    Pitch.HIGH: "high",
    Pitch.VERY_HIGH: "high",
}
"""The ear's five steps to the three that a judge of answers reads."""

UNMEASURED = "the ear could not measure it"


class StyleListener(Protocol):
    """Says how answers sound."""

    @property
    def about(self) -> About:
        """What a user must know before it runs: above all, where recordings go."""
        ...

    @property
    def signature(self) -> str:
        """Everything that a style depends on besides the recording."""
        ...

    async def listen(self, audio: Audio, call: Call, /, *, language: Language) -> AnswerStyle:
        """How an answer sounds.

        Args:
            audio: the answer.
            call: of the runner: cache, seed, budget.
            language: that is spoken.

        Raises:
            TransientError: if another try may succeed.
            UnusableReplyError: if a model did not say how it sounds.
        """
        ...


class EarListener:
    """The built-in ear.

    Args:
        ear: ``full`` or ``permissive``; ``None`` for the one that ``APTONE_EAR`` names, or else ``full``.

    Raises:
        UsageError: if there is no such ear.
    """

    def __init__(self, *, ear: str | None = None) -> None:
        self._ear = ear_name(ear)

    @property
    def about(self) -> About:
        """Whose weights it uses."""
        return About(licence=ear_and_licence(self._ear))

    @property
    def signature(self) -> str:
        """The ear, and how its numbers become words."""
        return signature("answer-style:ear", {"ear": load_ear(self._ear).signature, "revision": REVISION})

    async def listen(self, audio: Audio, call: Call, /, *, language: Language) -> AnswerStyle:
        """How an answer sounds; see `StyleListener`."""
        perception = await asyncio.to_thread(load_ear(self._ear).perceive, audio, language=language)
        return heard_style(perception, language=language)


def heard_style(perception: Perception, *, language: Language) -> AnswerStyle:
    """What an ear heard as the style of an answer; what it could not judge stands under `AnswerStyle.unknown`."""
    style = style_of(perception, language=language)
    found = {
        "rate": RATES[style.rate] if style.rate else "",
        "volume": VOLUMES[style.volume] if style.volume else "",
        "pitch": PITCHES[style.pitch] if style.pitch else "",
    }
    unknown = {name: perception.unjudged.get("measures", UNMEASURED) for name, value in found.items() if not value}
    if not perception.emotion:
        unknown["emotion"] = perception.unjudged.get("emotion", UNMEASURED)
    told = narrow(style, ("emotion", "intensity", "sex", "pitch", "pitch_variation", "rate", "volume", "texture"))
    return AnswerStyle(
        emotion=dict(perception.emotion),
        **found,
        description=describe(told, language=language) if told != Style() else "",
        unknown=unknown,
    )
