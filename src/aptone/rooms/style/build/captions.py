"""A description of a clip's style, by the ear and our grammar or by a chat model that hears, at three levels of detail.

The levels: ``full`` says everything in other words, ``short`` the main of it, ``basic`` the traits that strike most.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from aptone.ear import ear_and_licence, load_ear
from aptone.ear.describe import Length, Style, describe, excerpt, style_in, style_of
from aptone.errors import RecordError, UnusableReplyError
from aptone.judge.chat.conversation import Conversation
from aptone.messages import labelled, message, sentence
from aptone.models import About
from aptone.models.asking.chat import ask_audio_chat
from aptone.models.asking.guard import guard
from aptone.models.asking.json_objects import behind_thoughts, object_schema, one_object
from aptone.models.asking.prompts import PromptSet, WritingPart, load_prompts
from aptone.models.asking.writers import Writing, api_listening, local_listening, writer_by_kind
from aptone.models.chat import AudioChat, Chat, Message
from aptone.models.parts import Part
from aptone.run import Call
from aptone.run.sources.shards import Caption
from aptone.types import Audio, Json, Language, language_of_text, signature


def has_words(text: str) -> bool:
    """Return True if a text has words: three letters or more.

    >>> has_words("..."), has_words("calm")
    (False, True)
    """
    return sum(character.isalpha() for character in text) >= 3


PROMPTS = Path(__file__).parents[1] / "prompts"
CAPTIONERS = ("ear", "api", "local")
REWRITERS = ("grammar", "api", "local")
LEVELS: Mapping[str, Length] = {"full": "caption", "short": "sentence", "basic": "phrase"}
FULL, SHORT, BASIC = LEVELS
LONGEST = 1200
"""Characters beyond which a reply is no caption."""
PHRASINGS = 2**31
_CAPTION: Mapping[str, tuple[str, ...]] = {"caption": ()}


class Captioned(NamedTuple):
    """A caption, and the style behind it; ``None`` for captions of models."""

    text: str
    style: Style | None = None


class Captioner(Part, Protocol):
    """Says what a clip sounds like."""

    async def caption(self, audio: Audio, *, language: Language, call: Call) -> Captioned:
        """The caption of a clip.

        Raises:
            UnusableReplyError: if there is nothing to say, or no reply of a model can be used.
        """
        ...


class Rewriter(Part, Protocol):
    """Says the same at three levels of detail."""

    async def rewrite(self, described: Captioned, *, language: Language, call: Call) -> tuple[Caption, ...]:
        """The caption at each level that it can be said at.

        Raises:
            UnusableReplyError: if no reply of a model can be used.
        """
        ...


def make_captioner(kind: str, settings: Mapping[str, Json], *, ear: str, spoken: Language) -> Captioner:
    """Make a captioner by its kind: one of `CAPTIONERS`, with options as ``captioner.<option>``.

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such kind or option, or an option is not one.
    """
    return writer_by_kind(
        kind,
        settings,
        built_in={"ear": lambda: EarCaptioner(ear, spoken=spoken)},
        by_chat=ChatCaptioner,
        what="captions",
        part="captioner",
        chats={"api": api_listening, "local": local_listening},
    )


def make_rewriter(kind: str, settings: Mapping[str, Json]) -> Rewriter:
    """Make a rewriter by its kind: one of `REWRITERS`, with options as ``rewriter.<option>``; errors as above."""
    return writer_by_kind(
        kind, settings, built_in={"grammar": GrammarRewriter}, by_chat=ChatRewriter, what="rewriting", part="rewriter"
    )


class EarCaptioner:
    """The built-in ear, worded by our grammar; pace and pitch are compared with speakers of the spoken language."""

    def __init__(self, ear: str, *, spoken: Language) -> None:
        self._ear = ear
        self._spoken = spoken

    @property
    def signature(self) -> str:
        """The ear's."""
        parts: dict[str, Json] = {"revision": 1, "ear": load_ear(self._ear).signature, "spoken": self._spoken}
        return signature("captions:ear", parts)

    @property
    def about(self) -> About:
        """Whose weights it is."""
        return About(notes=(message("style.note-captions"),), licence=ear_and_licence(self._ear))

    async def caption(self, audio: Audio, *, language: Language, call: Call) -> Captioned:
        """See `Captioner.caption`."""
        heard = await asyncio.to_thread(load_ear(self._ear).perceive, audio, language=self._spoken)
        style = style_of(heard, language=self._spoken)
        if style == Style():
            raise UnusableReplyError(message("ear.nothing-sure"), raw_reply="")
        return Captioned(describe(style, language=language, length=LEVELS[FULL], seed=_seed(audio, call)), style)


class ChatCaptioner(WritingPart[AudioChat]):
    """A chat model that hears.

    Raises:
        UsageError: if nothing can be written like that.
    """

    def __init__(self, writing: Writing[AudioChat]) -> None:
        super().__init__("captions:chat", writing, _CAPTION, ours=PROMPTS)

    async def caption(self, audio: Audio, *, language: Language, call: Call) -> Captioned:
        """See `Captioner.caption`; what cannot be used is asked for again."""
        ask = ask_audio_chat(
            self._model,
            caption_conversation(self._prompts, language).messages(audio),
            sampling=self._sampling,
            read=lambda reply: read_caption(reply, language=language),
        )
        return Captioned(await call.ask_one(ask))


def caption_prompts() -> PromptSet:
    """Return the prompts that ask a model for a caption."""
    return load_prompts(PROMPTS, places=_CAPTION)


def caption_conversation(prompts: PromptSet, language: Language) -> Conversation:
    """Return the conversation for a model that captions a clip, or is trained to."""
    return Conversation("", prompts.fill("caption", language, {}))


class GrammarRewriter:
    """Our grammar: the style behind a caption, or what it understands of one, at three lengths."""

    @property
    def signature(self) -> str:
        """The grammar by its revision."""
        return signature("rewriting:grammar", {"revision": 2})

    @property
    def about(self) -> About:
        """Its requirements: none."""
        return About()

    async def rewrite(self, described: Captioned, *, language: Language, call: Call) -> tuple[Caption, ...]:
        """See `Rewriter.rewrite`; a caption of which the grammar understands nothing stays alone."""
        style = described.style if described.style is not None else parse_description(described.text, language)
        full = Caption(described.text, language, FULL)
        if style == Style():
            return (full,)
        seed = int(hashlib.sha256(f"{call.seed} {described.text}".encode()).hexdigest(), 16) % PHRASINGS
        shorter = {level: _shortened(style, LEVELS[level], language, seed) for level in (SHORT, BASIC)}
        return (full, *(Caption(text, language, level) for level, text in shorter.items() if text != described.text))


def _shortened(style: Style, length: Length, language: Language, seed: int) -> str:
    """Return a style in fewer words: what strikes most is kept, whatever the seed, which picks the phrasing only."""
    return describe(excerpt(style, length=length), language=language, length=length, seed=seed)


class ChatRewriter(WritingPart[Chat]):
    """A chat model.

    Raises:
        UsageError: if nothing can be written like that.
    """

    def __init__(self, writing: Writing[Chat]) -> None:
        super().__init__("rewriting:chat", writing, {"rewrite": ("caption",)}, ours=PROMPTS)

    async def rewrite(self, described: Captioned, *, language: Language, call: Call) -> tuple[Caption, ...]:
        """See `Rewriter.rewrite`; what cannot be used is asked for again."""
        prompt = self._prompts.fill("rewrite", language, {"caption": guard(described.text)})
        return await self._answer(
            Message("user", prompt),
            read=lambda reply: read_levels(reply, language=language),
            call=call,
            json_schema=levels_schema(),
        )


def levels_schema() -> dict[str, Json]:
    """The JSON schema of a caption at three levels."""
    return object_schema({level: {"type": "string"} for level in LEVELS})


def read_caption(reply: str, *, language: Language) -> str:
    """The caption in a reply, as plain words on one line.

    Raises:
        UnusableReplyError: if it is none.
    """
    text = guard(behind_thoughts(reply))
    if problem := _problem(text, language):
        raise UnusableReplyError(message("style.no-caption", why=problem), raw_reply=reply)
    return text


def read_levels(reply: str, *, language: Language) -> tuple[Caption, ...]:
    """The three levels in a reply; each no longer than the one before it, or it is none.

    Raises:
        UnusableReplyError: if one is missing, is no caption, or grows.
    """
    found = one_object(
        reply,
        holds=lambda one: all(isinstance(one.get(level), str) for level in LEVELS),
        what="captions at three levels",
    )
    texts = {level: guard(found[level]) for level in LEVELS}
    for level, words in texts.items():
        if problem := _problem(words, language):
            raise UnusableReplyError(sentence(labelled(level, problem)), raw_reply=reply)
    if not len(texts[FULL]) >= len(texts[SHORT]) >= len(texts[BASIC]):
        raise UnusableReplyError(message("style.levels-grow"), raw_reply=reply)
    return tuple(Caption(words, language, level) for level, words in texts.items())


def _problem(text: str, language: Language) -> str:
    if not has_words(text):
        return message("models.no-words")
    if len(text) > LONGEST:
        return message("style.caption-too-long", count=len(text), limit=LONGEST)
    return "" if language_of_text(text) == language else message("models.words-other-language", language=repr(language))


def parse_description(text: str, language: Language) -> Style:
    """Parse a description by our grammar; an empty style where it understands nothing."""
    try:
        return style_in(text, language=language)
    except (RecordError, ValueError):  # it says two things of one attribute, or grades an emotion that is not there
        return Style()


def _seed(audio: Audio, call: Call) -> int:
    return (int(audio.hash[:12], 16) + call.seed) % PHRASINGS
