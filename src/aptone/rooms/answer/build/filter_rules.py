"""Stage 2 without a model: rules that reject what a reader would reject, each with the words that it went by.

A rule is coarser than a reader. What it rejects, it rejects for a reason that is written down; what it lets through has
still to be listened to by people (stage 5).
"""

import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aptone.messages import message
from aptone.models import About
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.models.text.spoken_words import spoken_words
from aptone.planner.encoder.network import encoder_revision
from aptone.planner.talk import line_emotions
from aptone.rooms.answer.build.candidate_bank import TEMPLATES
from aptone.rooms.answer.build.records import Candidate, FilterVerdict
from aptone.rooms.answer.records import CATEGORIES, Dimension
from aptone.run import Call
from aptone.types import Emotion, Json, Language, language_of_text, signature

FACT: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"^(?:what|which|who|whose|when|where|why|how)\b|^(?:is|are|was|were|do|does|did|can|could|will|would) "
        r"(?:the|a|an|there)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"什么是|几点|多少|哪一年|哪里是|谁是|为什么|是什么"),
}
"""How a request for a fact begins, which is answered alike however it is asked."""


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
        revealing: by dimension and way, what gives the way away.
        unfit: by way, what nobody asks so.
        praise: what sarcasm turns round: without it, a sentence cannot be meant the other way.
        own: by which a sentence is about who asks.
        hash: of the file.
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
"""Share of a feeling in what the encoder expects of the words alone, beyond which they give that feeling away."""
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
        literal: whether neutrality follows the document's wording: plausible in one of the two ways and not in the
            other. By default the words must not give the way away.
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
        """What the three filters say, in order."""
        return (
            self.neutrality(candidate),
            reasonability(candidate),
            relevance(candidate),
        )

    def neutrality(self, candidate: Candidate) -> FilterVerdict:
        """Whether the words alone leave open in which way they are asked."""
        given_away = revealed(candidate)
        told = "; ".join(f"{way} is given away by {what}" for way, what in given_away.items())
        if self._literal:
            passes = len(given_away) == 1
            return FilterVerdict(NEUTRALITY, passes, told or "the words fit both ways alike")
        passes = not given_away or set(given_away) == set(candidate.categories)
        return FilterVerdict(NEUTRALITY, passes, "" if passes else told)


def revealed(candidate: Candidate) -> dict[str, str]:
    """The ways of asking that the words of a sentence give away, and by what."""
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
    """Whether it can be said at all, and in both ways."""

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
    """Whether the two ways call for different answers."""

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
