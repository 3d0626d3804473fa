"""Stage 2: three filters, by a chat model or by built-in rules.

Neutrality: the words alone must not reveal the style, or a system that reads a transcript could answer well. (The
document says "plausibly voiced in one of the contrastive styles and not the other", which would keep the opposite;
``literal`` follows it.) Reasonability: content and style go together. Relevance: the two styles call for different
answers. A reply that cannot be read never lets a sentence through.
"""

import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from aptone.errors import UnusableReplyError
from aptone.messages import message
from aptone.models import About, guard
from aptone.models.asking.chat import ask_chat, ask_each
from aptone.models.asking.json_objects import object_schema, one_object
from aptone.models.asking.prompts import WritingPart
from aptone.models.asking.writers import Writing, placed_writing, served_writing, writer_by_kind
from aptone.models.chat import Chat, Message
from aptone.models.local.chat import LocalChat
from aptone.models.openai.chat import OpenAiChat
from aptone.models.parts import Part
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.models.text.units import spoken_words
from aptone.planner.encoder import encoder_revision
from aptone.planner.fusion import line_emotions
from aptone.rooms.answer.build.candidates import FOLDER, TEMPLATES, TOPIC_NAMES
from aptone.rooms.answer.build.records import Candidate, FilterVerdict
from aptone.rooms.answer.data import CATEGORIES, Dimension
from aptone.rooms.answer.judge.terms import style_phrase
from aptone.run import Ask, Call
from aptone.types import (
    Emotion,
    Item,
    Json,
    Language,
    Outcome,
    Score,
    State,
    from_json,
    language_of_text,
    signature,
    to_json,
)

FACT: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"^(?:what|which|who|whose|when|where|why|how)\b|^(?:is|are|was|were|do|does|did|can|could|will|would) "
        r"(?:the|a|an|there)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"什么是|几点|多少|哪一年|哪里是|谁是|为什么|是什么"),
}
"""Beginnings of a request for a fact, which is answered alike however it is asked."""


@dataclass(frozen=True, slots=True)
class WordList:
    """Some words, and how they are found."""

    pattern: re.Pattern[str]

    def find(self, text: str) -> str:
        """The first of the words that stands in a text; empty if none does.

        >>> word_list(("oh joy", "thank*"), language="en").find("Thanks, that is sweet.")
        'thanks'
        """
        match = self.pattern.search(text.replace("’", "'"))
        return match.group().lower() if match else ""


def word_list(words: Sequence[str], *, language: Language) -> WordList:
    """A list of words to look for."""
    if language == "zh":
        return WordList(re.compile("|".join(map(re.escape, words))))
    parts = [re.escape(word).replace(r"\*", r"\w*") for word in sorted(words, key=len, reverse=True)]
    return WordList(re.compile(rf"(?<![\w'])(?:{'|'.join(parts)})(?![\w'])", re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class FilterWords:
    """The lists of one language.

    Args:
        revealing: words that reveal a style, by dimension and style.
        unfit: words that do not go with a style, by style.
        praise: words of praise, which sarcasm inverts; a sentence without any cannot be sarcastic.
        own: words by which a sentence is about the speaker.
    """

    revealing: Mapping[Dimension, Mapping[str, WordList]]
    unfit: Mapping[str, WordList]
    praise: WordList
    own: WordList
    hash: str


@functools.cache
def filter_words(language: Language) -> FilterWords:
    """The lists of a language, loaded once."""
    raw = (TEMPLATES / f"words.{language}.json").read_bytes()
    data = json.loads(raw)

    def lists(given: Mapping[str, Sequence[str]]) -> dict[str, WordList]:
        return {way: word_list(words, language=language) for way, words in given.items()}

    return FilterWords(
        revealing={Dimension(name): lists(given) for name, given in data["revealing"].items()},
        unfit=lists(data["unfit"]),
        praise=word_list(data["praise"], language=language),
        own=word_list(data["self"], language=language),
        hash=hashlib.sha256(raw).hexdigest()[:16],
    )


REVEALED = 0.6
"""Share of an emotion in what the encoder expects of the words alone, beyond which they give that emotion away."""
FEWEST_WORDS: dict[Language, int] = {"en": 4, "zh": 5}
MOST_WORDS: dict[Language, int] = {"en": 30, "zh": 60}
"""Words (Mandarin: characters) of a sentence that is asked in one breath."""
SAME_ANSWER = 0.95
"""Cosine of two ideal answers from which on they are one answer."""

NEUTRALITY, REASONABILITY, RELEVANCE = "neutrality", "reasonability", "relevance"

_UNSPEAKABLE = re.compile(r"https?:|www\.|[<>{}\[\]()*#_|\\/@$%^=~0-9（）【】]")
_FEELINGS = {way: Emotion.parse(way) for way in CATEGORIES[Dimension.EMOTION]}


class RuleFilter:
    """The built-in filters.

    Args:
        literal: whether neutrality follows the document's wording: plausible in one of the two styles and not in the
            other. By default the words must not reveal the style.
    """

    def __init__(self, *, literal: bool = False) -> None:
        self._literal = literal

    @property
    def signature(self) -> str:
        """Rules, lists and models."""
        parts: dict[str, Json] = {
            "literal": self._literal,
            "revealed": REVEALED,
            "same_answer": SAME_ANSWER,
            "lists": [filter_words("en").hash, filter_words("zh").hash],
            "encoder": [encoder_revision("en"), encoder_revision("zh")],
            "embedder": load_static_vectors().revision,
        }
        return signature("rules", parts)

    @property
    def about(self) -> About:
        """They need nothing."""
        return About()

    async def check(self, candidate: Candidate, call: Call, /) -> tuple[FilterVerdict, ...]:
        """Return the verdicts of the three filters, in order."""
        return (self.neutrality(candidate), reasonability(candidate), relevance(candidate))

    def neutrality(self, candidate: Candidate) -> FilterVerdict:
        """Check that the words alone do not reveal the style."""
        given_away = revealed(candidate)
        revealed_by = "; ".join(f"{way} is given away by {what}" for way, what in given_away.items())
        if self._literal:
            passes = len(given_away) == 1
            return FilterVerdict(NEUTRALITY, passes, revealed_by or "the words fit both ways alike")
        passes = not given_away or set(given_away) == set(candidate.categories)
        return FilterVerdict(NEUTRALITY, passes, "" if passes else revealed_by)


def revealed(candidate: Candidate) -> dict[str, str]:
    """The speaking styles that the words of a sentence give away, and by what."""
    lists = filter_words(candidate.language).revealing[candidate.dimension]
    found = {way: repr(words) for way in candidate.categories if (words := lists[way].find(candidate.content))}
    if candidate.dimension is Dimension.EMOTION:
        others = (lists[way].find(candidate.content) for way in lists if way not in candidate.categories)
        if stray := next(filter(None, others), ""):
            found.setdefault("another feeling", repr(stray))
        shares = line_emotions(candidate.content, candidate.language)
        for way in candidate.categories:
            if (share := shares.get(_FEELINGS[way], 0.0)) > REVEALED:
                found.setdefault(way, f"its meaning: the text encoder expects it with {share:.0%}")
    return found


def reasonability(candidate: Candidate) -> FilterVerdict:
    """Check that the sentence can be said at all, and in both styles."""

    def refuse(reason: str) -> FilterVerdict:
        return FilterVerdict(REASONABILITY, False, reason)

    text, language = candidate.content, candidate.language
    if strange := _UNSPEAKABLE.search(text):
        return refuse(message("answer.cannot-be-spoken", what=repr(strange.group())))
    if language_of_text(text) != language:
        return refuse(message("answer.other-language-sentence", language=repr(language)))
    count = len(spoken_words(text, language=language))
    if not FEWEST_WORDS[language] <= count <= MOST_WORDS[language]:
        return refuse(
            message("answer.wrong-word-count", count=count, low=FEWEST_WORDS[language], high=MOST_WORDS[language])
        )
    if text.rstrip()[-1:] not in ".?!。？！":
        return refuse(message("answer.no-sentence-end"))
    lists = filter_words(language)
    for way in candidate.categories:
        if way in lists.unfit and (words := lists.unfit[way].find(text)):
            return refuse(message("answer.nobody-says-so", words=repr(words), way=way))
    if candidate.dimension is Dimension.SARCASM and not lists.praise.find(text):
        return refuse(message("answer.praises-nothing"))
    if candidate.topic == "religion" and "disgust" in candidate.categories:
        return refuse(message("answer.insults-faith"))
    return FilterVerdict(REASONABILITY, True)


def relevance(candidate: Candidate) -> FilterVerdict:
    """Check that the two styles call for different answers."""

    def refuse(reason: str) -> FilterVerdict:
        return FilterVerdict(RELEVANCE, False, reason)

    text, language = candidate.content, candidate.language
    is_about_asker = bool(filter_words(language).own.find(text))
    if candidate.dimension in (Dimension.AGE, Dimension.GENDER):
        if not is_about_asker:
            return refuse(message("answer.not-about-asker"))
    elif FACT[language].search(text) and not is_about_asker and text.rstrip().endswith(("?", "？")):
        return refuse(message("answer.asks-for-fact"))
    answers = [candidate.answers.get(way, "") for way in candidate.categories]
    words = [spoken_words(answer, language=language) for answer in answers]
    if not all(words):
        return refuse(message("answer.answers-missing"))
    if words[0] == words[1]:
        return refuse(message("answer.same-answer"))
    first, second = load_static_vectors().embed(answers).astype(np.float64)
    cosine = float(first @ second)
    if cosine > SAME_ANSWER:
        return refuse(message("answer.nearly-same-answer", cosine=cosine))
    return FilterVerdict(RELEVANCE, True)


FILTERS = ("rules", "api", "local")
TEMPERATURE = 0.0
MAX_TOKENS = 1024
LONGEST_REASON = 300
_RULE = re.compile("={2,}")
"""Text that could pass for the line with which a prompt ends a sentence."""


class SentenceFilter(Part, Protocol):
    """Says which sentences go on."""

    async def check(self, candidate: Candidate, call: Call, /) -> tuple[FilterVerdict, ...]:
        """Return the verdicts of the filters, in order.

        Raises:
            TransientError: if another try may succeed.
        """
        ...


@dataclass(frozen=True, slots=True)
class FilterStep:
    """Candidate → verdicts; a step of a run. One that is rejected is unscored, with all reasons."""

    filter: SentenceFilter

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The outcome of one item whose payload is a `Candidate`."""
        verdicts = await self.filter.check(from_json(Candidate, item.payload), call)
        evidence: dict[str, Json] = {"verdicts": [to_json(one) for one in verdicts]}
        if refused := [one for one in verdicts if not one.passed]:
            reason = "; ".join(f"{one.name}: {one.reason}" for one in refused)
            return Outcome.unscored(reason, evidence=evidence, signature=self.filter.signature)
        passed = Score(float(len(verdicts)), range=(0.0, float(len(verdicts))), signature=self.filter.signature)
        return Outcome(State.DONE, {"passed": passed}, evidence=evidence, signature=self.filter.signature)


class ChatFilter(WritingPart[Chat]):
    """A chat model, asked one question for each filter."""

    def __init__(self, writing: Writing[Chat], *, literal: bool = False) -> None:
        places = {
            NEUTRALITY: ("sentence", "first", "second"),
            REASONABILITY: ("sentence", "first", "second", "topic"),
            RELEVANCE: ("sentence", "first", "second"),
        }
        super().__init__("filters:chat", writing, places, ours=FOLDER / "prompts", options={"literal": literal})
        self._literal = literal

    async def check(self, candidate: Candidate, call: Call, /) -> tuple[FilterVerdict, ...]:
        """See `SentenceFilter.check`."""
        names = (NEUTRALITY, REASONABILITY, RELEVANCE)
        answers = await ask_each([self._ask(name, candidate) for name in names], call)
        return tuple(
            FilterVerdict(name, False, f"no reply could be read: {answer}")
            if isinstance(answer, UnusableReplyError)
            else answer
            for name, answer in zip(names, answers, strict=True)
        )

    def _ask(self, name: str, candidate: Candidate) -> Ask[FilterVerdict]:
        language = candidate.language
        first, second = (style_phrase(candidate.dimension, way, language=language) for way in candidate.categories)
        material = {
            "sentence": _RULE.sub("=", guard(candidate.content)),
            "first": first,
            "second": second,
            "topic": TOPIC_NAMES[language][candidate.topic],
        }
        return ask_chat(
            self._model,
            [Message("user", self._prompts.fill(name, language, material))],
            sampling=self._sampling,
            read=lambda reply: read_verdict(reply, name, literal=self._literal),
            json_schema=verdict_schema(name),
        )


def verdict_schema(name: str) -> dict[str, Json]:
    """The JSON schema of a reply to a filter's question."""
    return object_schema({**{field: {"type": "boolean"} for field in _ASKED[name]}, "reason": {"type": "string"}})


def read_verdict(reply: str, name: str, *, literal: bool) -> FilterVerdict:
    """Read the verdict in a reply.

    >>> read_verdict('{"first_plausible": true, "second_plausible": false, "reason": "x"}', "neutrality", literal=True)
    FilterVerdict(name='neutrality', passed=True, reason='x')

    Raises:
        UnusableReplyError: if it does not say so.
    """
    asked = _ASKED[name]
    said = one_object(
        reply, holds=lambda one: all(isinstance(one.get(field), bool) for field in asked), what="a verdict"
    )
    values = [bool(said[field]) for field in asked]
    passed = sum(values) == 1 if literal and name == NEUTRALITY else all(values)
    remark = guard(str(said.get("reason", "")))[:LONGEST_REASON]
    if not passed and not remark:
        remark = ", ".join(f"{field}: {str(value).lower()}" for field, value in zip(asked, values, strict=True))
    return FilterVerdict(name, passed, remark)


_ASKED: Mapping[str, tuple[str, ...]] = {
    NEUTRALITY: ("first_plausible", "second_plausible"),
    REASONABILITY: ("passes",),
    RELEVANCE: ("passes",),
}


def make_filter(kind: str, settings: Mapping[str, Json], *, literal: bool = False) -> SentenceFilter:
    """Make a filter by its kind.

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such kind or option, or an option is not one.
    """
    return writer_by_kind(
        kind,
        settings,
        built_in={"rules": lambda: RuleFilter(literal=literal)},
        by_chat=lambda writing: ChatFilter(writing, literal=literal),
        what="filters",
        part="filter",
        chats={
            "api": served_writing(OpenAiChat, part="filter", temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
            "local": placed_writing(LocalChat, part="filter", temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
        },
    )
