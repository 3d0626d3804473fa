"""Stage 1: sentences that can be asked in two styles, over nine topics, from our bank or by a chat model.

The two styles of a sentence are its contrast pair. For an emotion they are two of six, chosen in turn so that all are
asked for alike; the other dimensions have two ways only.
"""

import functools
import hashlib
import itertools
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

from aptone.errors import UnusableReplyError
from aptone.messages import message
from aptone.models import About
from aptone.models.asking.json_objects import list_schema, object_schema, one_object
from aptone.models.asking.prompts import WritingPart
from aptone.models.asking.writers import Writing, line_problem, spoken_line, writer_by_kind
from aptone.models.chat import Chat, Message
from aptone.models.parts import Part
from aptone.rooms.answer.build.records import Candidate, Wanted
from aptone.rooms.answer.data import CATEGORIES, TOPICS, Dimension
from aptone.rooms.answer.judge.terms import style_phrase
from aptone.run import Call
from aptone.types import Item, Json, Language, Outcome, Score, State, dumps, from_json, signature, to_json

TEMPLATES = Path(str(files("aptone.rooms.answer"))) / "templates"

_SLOT = re.compile(r"\{([^{}]*)\}")
_HEADING = re.compile(r"\[(\w+) (\w+)\]")


class Sentence(NamedTuple):
    """A sentence of the bank, and the two styles in which it is said."""

    text: str
    ways: tuple[str, str]


class TemplateWriter:
    """The bank inside the package: sentences of our own with places to fill, in English and Mandarin."""

    @property
    def signature(self) -> str:
        """The bank by its content."""
        return signature("templates", {"en": _bank_hash("en"), "zh": _bank_hash("zh")})

    @property
    def about(self) -> About:
        """Its requirements: none."""
        return About()

    async def write(self, wanted: Wanted, call: Call, /) -> tuple[Candidate, ...]:
        """See `CandidateWriter.write`; no sentence comes twice."""
        bank = load_bank(wanted.language)[wanted.dimension, wanted.topic]
        seed = [call.seed, *f"{wanted.dimension.value} {wanted.topic}".encode()]
        order = np.random.default_rng(seed).permutation(len(bank))
        first = wanted.number * wanted.count
        made = []
        for place, index in enumerate(order[first : first + wanted.count].tolist()):
            text, ways = bank[index]
            answers = ideal_answers(wanted.dimension, wanted.topic, ways, language=wanted.language)
            made.append(wanted.candidate(place, text, ways, answers))
        return tuple(made)


def bank_size(dimension: Dimension, language: Language) -> int:
    """Number of sentences of a dimension in the bank."""
    return sum(len(load_bank(language)[dimension, topic]) for topic in TOPICS)


@functools.cache
def load_bank(language: Language) -> Mapping[tuple[Dimension, str], tuple[Sentence, ...]]:
    """The bank: sentences by dimension and topic."""
    found: dict[tuple[Dimension, str], list[Sentence]] = {}
    used: Counter[str] = Counter()
    kind = (Dimension.EMOTION, TOPICS[0])
    for line in (TEMPLATES / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if heading := _HEADING.fullmatch(line):
            kind = (Dimension(heading[1]), heading[2])
            found[kind] = []
            continue
        named, _, template = line.partition(": ") if kind[0] is Dimension.EMOTION else ("", "", line)
        for text in fill_template(template):
            pairs = itertools.combinations(named.split() or CATEGORIES[kind[0]], 2)
            # the two styles that were asked for least so far, so that rare emotions are not lost
            ways = min(pairs, key=lambda pair: (used[pair[0]] + used[pair[1]], pair))
            used.update(ways)
            found[kind].append(Sentence(text, ways))
    return {kind: tuple(sentences) for kind, sentences in found.items()}


def fill_template(template: str) -> list[str]:
    """The sentences of a template: choice by choice, the same in every slot.

    >>> fill_template("My {sister|boss} called from {home|work}.")
    ['My sister called from home.', 'My boss called from work.']

    Raises:
        ValueError: if the slots have different numbers of choices.
    """
    slots = [slot.split("|") for slot in _SLOT.findall(template)]
    if not slots:
        return [template]
    sentences = []
    for chosen in zip(*slots, strict=True):
        choices = iter(chosen)
        sentences.append(_SLOT.sub(lambda _, choices=choices: next(choices), template))  # type: ignore[misc]
    return sentences


def ideal_answers(dimension: Dimension, topic: str, ways: Sequence[str], *, language: Language) -> dict[str, str]:
    """Return the ideal answers to a sentence of the bank, one for each style."""
    table = _answers(language)[dimension.value]
    by_way = table.get(topic, table)
    return {way: by_way[way] for way in ways}


@functools.cache
def _answers(language: Language) -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads((TEMPLATES / f"answers.{language}.json").read_bytes())
    return table


def _bank_hash(language: Language) -> str:
    digest = hashlib.sha256((TEMPLATES / f"{language}.txt").read_bytes())
    digest.update(dumps(_answers(language)).encode())
    return digest.hexdigest()[:16]


FOLDER = Path(str(files("aptone.rooms.answer")))
WRITERS = ("templates", "api", "local")
MOST_AT_ONCE = 8
"""Sentences that a model is asked for in one request."""
LONGEST_SENTENCE = 200
"""Characters of a sentence."""
LONGEST_ANSWER = 400

_WRITTEN = ("text", "first_answer", "second_answer")
TOPIC_NAMES: Mapping[Language, Mapping[str, str]] = {
    "en": {topic: topic for topic in TOPICS},
    "zh": dict(zip(TOPICS, ("兴趣", "工作", "学习", "人际关系", "旅行", "健康", "宗教", "时尚", "理财"), strict=True)),
}


class CandidateWriter(Part, Protocol):
    """Writes sentences that can be asked in two styles."""

    async def write(self, wanted: Wanted, call: Call, /) -> tuple[Candidate, ...]:
        """Sentences; fewer than wanted where there are no more.

        Raises:
            UnusableReplyError: if no reply of a model can be used.
        """
        ...


def wanted_items(
    *, dimensions: Sequence[Dimension], per_dimension: int, language: Language, at_once: int = MOST_AT_ONCE
) -> list[Item]:
    """Requests for so many sentences of each dimension, spread evenly over the topics."""
    per_topic = -(-per_dimension // len(TOPICS))
    rounds = -(-per_topic // at_once)
    count = -(-per_topic // rounds)
    every = [
        Wanted(dimension, topic, number, count, language)
        for dimension in dimensions
        for number in range(rounds)
        for topic in TOPICS
    ]
    return [Item.make(one.id, to_json(one), position=place) for place, one in enumerate(every)]


@dataclass(frozen=True, slots=True)
class CandidateStep:
    """Wanted sentences → candidates; a step of a run."""

    writer: CandidateWriter

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The outcome of one item whose payload is a `Wanted`."""
        wanted = from_json(Wanted, item.payload)
        made = await self.writer.write(wanted, call)
        evidence: dict[str, Json] = {"candidates": [to_json(one) for one in made]}
        if not made:
            return Outcome.unscored(message("answer.bank-exhausted"), evidence=evidence)
        share = Score(min(1.0, len(made) / wanted.count), range=(0.0, 1.0), signature=self.writer.signature)
        return Outcome(State.DONE, {"written": share}, evidence=evidence, signature=self.writer.signature)


def feeling_pair(turn: int) -> tuple[str, str]:
    """Two emotions; turn by turn all pairs come up.

    >>> feeling_pair(0), feeling_pair(14), feeling_pair(15)
    (('happy', 'surprised'), ('fear', 'disgust'), ('happy', 'surprised'))
    """
    pairs = list(itertools.combinations(CATEGORIES[Dimension.EMOTION], 2))
    return pairs[turn % len(pairs)]


class ChatWriter(WritingPart[Chat]):
    """A chat model."""

    def __init__(self, writing: Writing[Chat]) -> None:
        places = {"candidates": ("topic", "first", "second", "count", "number")}
        super().__init__("candidates:chat", writing, places, ours=FOLDER / "prompts")

    async def write(self, wanted: Wanted, call: Call, /) -> tuple[Candidate, ...]:
        """See `CandidateWriter.write`; what cannot be used is asked for again."""
        known = CATEGORIES[wanted.dimension]
        turn = TOPICS.index(wanted.topic) + len(TOPICS) * wanted.number
        ways = feeling_pair(turn) if wanted.dimension is Dimension.EMOTION else (known[0], known[1])
        material = {
            "topic": TOPIC_NAMES[wanted.language][wanted.topic],
            "first": style_phrase(wanted.dimension, ways[0], language=wanted.language),
            "second": style_phrase(wanted.dimension, ways[1], language=wanted.language),
            "count": str(wanted.count),
            "number": str(wanted.number + 1),
        }
        return await self._answer(
            Message("user", self._prompts.fill("candidates", wanted.language, material)),
            read=lambda reply: read_candidates(reply, wanted, ways),
            call=call,
            json_schema=candidates_schema(),
        )


def candidates_schema() -> dict[str, Json]:
    """The JSON schema of written sentences."""
    return list_schema("sentences", object_schema({name: {"type": "string"} for name in _WRITTEN}))


def read_candidates(reply: str, wanted: Wanted, ways: tuple[str, str]) -> tuple[Candidate, ...]:
    """The sentences in a reply, at most as many as were wanted.

    Raises:
        UnusableReplyError: if there is none, or one cannot be used; with the reason.
    """

    def refuse(reason: str) -> NoReturn:
        raise UnusableReplyError(reason, raw_reply=reply)

    found = one_object(reply, holds=lambda one: isinstance(one.get("sentences"), list), what="a list of sentences")
    listed = found["sentences"]
    if not listed:
        refuse(message("answer.no-sentences"))
    made: dict[str, Candidate] = {}
    for place, one in enumerate(listed[: wanted.count]):
        texts = [one.get(name) if isinstance(one, Mapping) else None for name in _WRITTEN]
        if not all(isinstance(text, str) for text in texts):
            refuse(message("answer.sentence-incomplete", number=place + 1))
        words, *answers = (spoken_line(str(text)) for text in texts)
        limits = (LONGEST_SENTENCE, LONGEST_ANSWER, LONGEST_ANSWER)
        for line, longest in zip((words, *answers), limits, strict=True):
            if problem := line_problem(line, wanted.language, longest=longest):
                refuse(message("answer.sentence-problem", number=place + 1, why=problem))
        made.setdefault(words.casefold(), wanted.candidate(place, words, ways, dict(zip(ways, answers, strict=True))))
    return tuple(made.values())


def make_writer(kind: str, settings: Mapping[str, Json]) -> CandidateWriter:
    """Make a writer of sentences by its kind.

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such kind or option, or an option is not one.
    """
    return writer_by_kind(kind, settings, built_in={"templates": TemplateWriter}, by_chat=ChatWriter, what="sentences")
