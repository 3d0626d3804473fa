"""Style of an answer, by the built-in ear or by an audio-chat model."""

import asyncio
import unicodedata
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from aptone.ear import ear_and_licence, load_ear
from aptone.ear.describe import Style, describe, narrow, style_of
from aptone.ear.perceive import ear_name
from aptone.errors import RecordError, UnusableReplyError
from aptone.messages import message
from aptone.models import About, AnyMessage, AudioChat, AudioMessage, Message, ask_audio_chat
from aptone.models.asking.guard import guard
from aptone.models.asking.json_objects import one_object
from aptone.models.asking.prompts import ModelPart
from aptone.rooms.answer.data import AnswerStyle
from aptone.rooms.answer.judge.terms import PITCHES, RATES, VOLUMES, three_steps
from aptone.run import Call
from aptone.types import Audio, Emotion, Language, Perception, signature

CHAT_REVISION = 1
PROMPTS = Path(__file__).parent / "prompts"
PLACES: Mapping[str, tuple[str, ...]] = {"listen_task": ("emotions",)}
MAX_STYLE_TOKENS = 512
"""Room for a model that thinks before it answers."""
LONGEST_DESCRIPTION = 400

STEPS: Mapping[str, tuple[str, ...]] = {"rate": RATES, "volume": VOLUMES, "pitch": PITCHES}
"""The words for how fast, how loud and how high."""

NOT_SAID = "the model did not say"


class ChatListener(ModelPart[AudioChat]):
    """A model that hears and chats, asked how a voice sounds.

    Raises:
        UsageError: if the prompt cannot be used.
    """

    def __init__(self, chat: AudioChat, *, prompts: str | None = None, max_tokens: int = MAX_STYLE_TOKENS) -> None:
        super().__init__(
            "answer-style:chat",
            chat,
            PLACES,
            ours=PROMPTS,
            prompts=prompts,
            revision=CHAT_REVISION,
            max_tokens=max_tokens,
        )

    async def listen(self, audio: Audio, call: Call, /, *, language: Language) -> AnswerStyle:
        """Return the style of an answer; see `StyleListener`."""
        task = self._prompts.fill(
            "listen_task", language, {"emotions": ", ".join(emotion.value for emotion in Emotion)}
        )
        messages: list[AnyMessage] = [Message("system", task), AudioMessage("user", (audio,))]
        ask = ask_audio_chat(self._model, messages, sampling=self._sampling, read=read_style)
        return await call.ask_one(ask)


def read_style(reply: str) -> AnswerStyle:
    """The style in a reply; what it leaves open is not known.

    >>> read_style('{"emotion": "calm", "rate": "slow"}').rate
    'slow'

    Raises:
        UnusableReplyError: if there is not one object with a style, or a word is none of those to choose from.
    """
    found = one_object(reply, holds=lambda one: "emotion" in one or "description" in one, what="a style of speaking")
    emotion = _text(found, "emotion", reply)
    try:
        feeling = {Emotion.parse(emotion).value: 1.0} if emotion else {}
    except RecordError as error:
        raise UnusableReplyError(message("answer.unknown-feeling", why=error), raw_reply=reply) from error
    steps = {name: _step(found, name, reply) for name in STEPS}
    description = guard(_text(found, "description", reply))[:LONGEST_DESCRIPTION]
    if not feeling and not description and not any(steps.values()):
        raise UnusableReplyError(message("answer.everything-open"), raw_reply=reply)
    missing = [name for name, value in {"emotion": emotion, **steps}.items() if not value]
    return AnswerStyle(feeling, **steps, description=description, unknown=dict.fromkeys(missing, NOT_SAID))


def _step(found: Mapping[str, Any], name: str, reply: str) -> str:
    value = _text(found, name, reply).casefold()
    if value and value not in STEPS[name]:
        raise UnusableReplyError(
            message("answer.wrong-step", name=name, names=", ".join(STEPS[name]), what=repr(value[:40])),
            raw_reply=reply,
        )
    return value


def _text(found: Mapping[str, Any], name: str, reply: str) -> str:
    value = found.get(name, "")
    if not isinstance(value, str):
        raise UnusableReplyError(message("answer.not-a-word", name=name, what=type(value).__name__), raw_reply=reply)
    return value.strip()


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
"""Fewest small words by which a language is recognised."""
LEAD = 2
"""Fewest more than of any other language."""
JAPANESE = 0.1
"""Share of kana from which on a text with Chinese characters is Japanese."""


def language_spoken(text: str) -> str:
    """Detect the language of a transcript; empty where it is unclear.

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


EAR_REVISION = 1

UNMEASURED = "the ear could not measure it"


class StyleListener(Protocol):
    """Says how answers sound."""

    @property
    def about(self) -> About:
        """Requirements and notices, above all where recordings are sent."""
        ...

    @property
    def signature(self) -> str:
        """Everything that a style depends on besides the recording."""
        ...

    async def listen(self, audio: Audio, call: Call, /, *, language: Language) -> AnswerStyle:
        """Sound of an answer.

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
        """Licence of the weights."""
        return About(licence=ear_and_licence(self._ear))

    @property
    def signature(self) -> str:
        """The ear, and how its numbers become words."""
        return signature("answer-style:ear", {"ear": load_ear(self._ear).signature, "revision": EAR_REVISION})

    async def listen(self, audio: Audio, call: Call, /, *, language: Language) -> AnswerStyle:
        """Return the style of an answer; see `StyleListener`."""
        perception = await asyncio.to_thread(load_ear(self._ear).perceive, audio, language=language)
        return style_of_perception(perception, language=language)


def style_of_perception(perception: Perception, *, language: Language) -> AnswerStyle:
    """Turn a perception into the style of an answer; `AnswerStyle.unknown` lists what the ear could not judge."""
    style = style_of(perception, language=language)
    steps = {name: getattr(style, name) for name in STEPS}
    found = {name: three_steps(step, STEPS[name]) if step else "" for name, step in steps.items()}
    unknown = {name: perception.unjudged.get("measures", UNMEASURED) for name, value in found.items() if not value}
    if not perception.emotion:
        unknown["emotion"] = perception.unjudged.get("emotion", UNMEASURED)
    known = narrow(style, ("emotion", "intensity", "sex", "pitch", "pitch_variation", "rate", "volume", "texture"))
    return AnswerStyle(
        emotion=dict(perception.emotion),
        **found,
        description=describe(known, language=language) if known != Style() else "",
        unknown=unknown,
    )
