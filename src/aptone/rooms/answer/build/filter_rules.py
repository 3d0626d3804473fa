"""Stage 2 without a model: rules that reject what a reader would reject, each with the words that it went by.

A rule is coarser than a reader. What it rejects, it rejects for a reason that is written down; what it lets through has
still to be listened to by people (stage 5).
"""

import re

import numpy as np

from aptone.messages import message
from aptone.models import About
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.models.text.spoken_words import spoken_words
from aptone.planner.encoder.network import encoder_revision
from aptone.planner.line_reader import line_emotions
from aptone.rooms.answer.build.records import Candidate, FilterVerdict
from aptone.rooms.answer.build.filter_words import FACT, filter_words
from aptone.rooms.answer.records import CATEGORIES, Dimension
from aptone.run import Call
from aptone.types import Emotion, Json, Language, language_of_text, signature

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
