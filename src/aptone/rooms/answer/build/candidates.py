"""Stage 1: sentences that can be asked in two ways, over nine topics, from our bank or by a chat model.

The two ways of a sentence are its contrast pair. For a feeling they are two of six, chosen in turn so that all are
asked for alike; the other dimensions have two ways only.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn, Protocol

from aptone.errors import UnusableReplyError
from aptone.messages import message
from aptone.models import About
from aptone.models.asking.json_objects import one_object
from aptone.models.asking.model_part import WritingPart
from aptone.models.asking.writers import Writing, line_problem, spoken_line, writer_by_kind
from aptone.models.chat import Chat, Message
from aptone.rooms.answer.build.candidate_bank import TemplateWriter
from aptone.rooms.answer.build.records import Candidate, Wanted
from aptone.rooms.answer.judge.terms import described
from aptone.rooms.answer.records import CATEGORIES, TOPICS, Dimension
from aptone.run import Call
from aptone.types import Item, Json, Language, Outcome, Score, State, from_json, to_json

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


class CandidateWriter(Protocol):
    """Writes sentences that can be asked in two ways."""

    @property
    def signature(self) -> str:
        """Everything that the sentences depend on besides what is wanted and the seed."""
        ...

    @property
    def about(self) -> About:
        """What it needs."""
        ...

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
    """Two feelings; turn by turn all pairs come up.

    >>> feeling_pair(0), feeling_pair(14), feeling_pair(15)
    (('happy', 'surprised'), ('fear', 'disgust'), ('happy', 'surprised'))
    """
    pairs = list(itertools.combinations(CATEGORIES[Dimension.EMOTION], 2))
    return pairs[turn % len(pairs)]


class ChatWriter(WritingPart[Chat]):
    """A chat model.

    Args:
        writing: the model, and how it writes.
    """

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
            "first": described(wanted.dimension, ways[0], language=wanted.language),
            "second": described(wanted.dimension, ways[1], language=wanted.language),
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
    sentence: dict[str, Json] = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in _WRITTEN},
        "required": list(_WRITTEN),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"sentences": {"type": "array", "items": sentence}},
        "required": ["sentences"],
        "additionalProperties": False,
    }


def read_candidates(reply: str, wanted: Wanted, ways: tuple[str, str]) -> tuple[Candidate, ...]:
    """The sentences in a reply, at most as many as were wanted.

    Raises:
        UnusableReplyError: if there is none, or one cannot be used; with the reason.
    """

    def refuse(reason: str) -> NoReturn:
        raise UnusableReplyError(reason, raw_reply=reply)

    def holds(one: Mapping[str, Any]) -> bool:
        return isinstance(one.get("sentences"), list)

    listed = one_object(reply, holds=holds, what="a list of sentences")["sentences"]
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
        made.setdefault(
            words.casefold(),
            Candidate(
                wanted.candidate_id(place),
                words,
                wanted.dimension,
                ways,
                wanted.topic,
                dict(zip(ways, answers, strict=True)),
                wanted.language,
            ),
        )
    return tuple(made.values())


def make_writer(kind: str, settings: Mapping[str, Json]) -> CandidateWriter:
    """What writes the sentences, by its kind.

    Args:
        kind: one of `WRITERS`.
        settings: options as ``writer.<option>``; see `aptone.models.asking.writers`.

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such kind or option, or an option is not one.
    """
    return writer_by_kind(kind, settings, built_in={"templates": TemplateWriter}, by_chat=ChatWriter, what="sentences")
