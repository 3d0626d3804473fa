"""Synthetic dialogues as records: planned feelings, words from a bank of our own or by a chat model, spoken turns."""

import functools
import hashlib
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn, Protocol

import numpy as np

from aptone.ear.claims.feeling import DIRECTIONS, Check, Verdict
from aptone.errors import UnusableReplyError, UsageError
from aptone.messages import message
from aptone.models import About
from aptone.models.asking.json_objects import list_schema, object_schema, one_object
from aptone.models.asking.prompts import WritingPart
from aptone.models.asking.writers import Writing, line_problem, spoken_line, writer_by_kind
from aptone.models.chat import Chat, Message
from aptone.models.speakers.delivery import Delivery, Strength
from aptone.rooms.dialogue.records import Role
from aptone.run import Call
from aptone.types import Emotion, Json, Language, Vad, dumps, signature

ANGRY, CALM, FEAR, HAPPY = Emotion.ANGRY, Emotion.CALM, Emotion.FEAR, Emotion.HAPPY
NEUTRAL, SAD = Emotion.NEUTRAL, Emotion.SAD
FEELINGS = (NEUTRAL, CALM, HAPPY, SAD, ANGRY, FEAR)
"""Everything that a turn can be said with."""

ARCS: Mapping[str, tuple[tuple[Emotion, Emotion], ...]] = {
    "anger-to-calm": ((ANGRY, CALM), (ANGRY, CALM), (NEUTRAL, CALM)),
    "joy-to-joy": ((HAPPY, HAPPY), (HAPPY, HAPPY), (HAPPY, HAPPY)),
    "sadness-to-comfort": ((SAD, CALM), (SAD, CALM), (CALM, CALM)),
    "fear-to-reassurance": ((FEAR, CALM), (FEAR, CALM), (CALM, HAPPY)),
    "calm-to-anger": ((NEUTRAL, NEUTRAL), (ANGRY, CALM), (ANGRY, CALM)),
    "joy-to-sadness": ((HAPPY, HAPPY), (SAD, CALM), (SAD, CALM)),
    "neutral": ((NEUTRAL, NEUTRAL), (NEUTRAL, NEUTRAL), (NEUTRAL, NEUTRAL)),
}
"""Course of the user's feeling over a dialogue, and the answer that fits: user and agent for each exchange."""

MOST_TURNS = 3
"""Exchanges of the longest dialogue."""

CONTRARY: Mapping[Emotion, Emotion] = {CALM: ANGRY, HAPPY: SAD, NEUTRAL: ANGRY}
"""Delivery of an answer that does not fit, by the feeling that would: the words stay as they are."""


class Answers(StrEnum):
    """Delivery of the agent's words: as the user's feeling asks for, or against it."""

    FITTING = "fitting"
    CONTRARY = "contrary"


@dataclass(frozen=True, slots=True)
class PlannedDialogue:
    """A dialogue before a word of it is written.

    Args:
        arc: one of `ARCS`.
        number: tells it from others with the same arc.

    Raises:
        UsageError: if there is no such arc, or it is not so long.
    """

    arc: str
    number: int
    turns: int
    language: Language

    def __post_init__(self) -> None:
        if self.arc not in ARCS:
            raise UsageError(f"there is no arc {self.arc!r}; choose of {', '.join(ARCS)}.")
        if not 1 <= self.turns <= MOST_TURNS or self.number < 1:
            raise UsageError(f"a dialogue has 1 to {MOST_TURNS} turns and a number from 1 on, got {self}.")

    @property
    def id(self) -> str:
        """Unique within a benchmark."""
        return f"{self.language}-{self.arc}-{self.turns}-{self.number:03d}"

    @property
    def exchanges(self) -> tuple[tuple[Emotion, Emotion], ...]:
        """The feelings of user and agent, exchange by exchange."""
        return ARCS[self.arc][: self.turns]

    def feelings(self, answers: Answers) -> tuple[Emotion, ...]:
        """The feeling of each turn, user and agent in turn."""
        is_contrary = answers is Answers.CONTRARY
        pairs = ((user, CONTRARY[agent] if is_contrary else agent) for user, agent in self.exchanges)
        return tuple(itertools.chain.from_iterable(pairs))


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn that was spoken and checked.

    Args:
        audio: the recording, relative to the folder of the benchmark.
        heard: valence, arousal and dominance; ``None`` where the ear could not judge.
        plain: the same of the words without any feeling.
        brightness: spectral tilt that was set afterwards, in decibels per octave.
        named: whether the feeling is the likeliest to the ear.
    """

    role: Role
    text: str
    emotion: Emotion
    audio: str
    sha256: str
    check: Check
    tries: int
    delivery: Delivery
    heard: Vad | None = None
    plain: Vad | None = None
    brightness: float = 0.0
    named: bool = False

    @property
    def is_heard(self) -> bool:
        """True if its feeling is heard."""
        return self.check.verdict is Verdict.HEARD

    @property
    def has_feeling(self) -> bool:
        """True if there is a feeling to be heard."""
        return bool(DIRECTIONS[self.emotion])


@dataclass(frozen=True, slots=True)
class Variant:
    """A dialogue at one strength with one kind of answers: places of its turns among all, and why it is rejected."""

    id: str
    strength: Strength
    answers: Answers
    turns: tuple[int, ...]
    rejected: str = ""


FOLDER = Path(str(files("aptone.rooms.dialogue")))
LONGEST_TURN = 400
"""Characters that a turn may have."""
WRITERS = ("templates", "api", "local")

TOPICS: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "work",
        "the family",
        "a journey",
        "a repair",
        "health",
        "school",
        "the neighbours",
        "money",
        "a pet",
        "a celebration",
    ),
    "zh": ("工作", "家人", "旅行", "修理", "健康", "学校", "邻居", "钱", "宠物", "庆祝"),
}
"""Topics that a chat model is asked to write about, in turn."""

_SAYS: Mapping[Language, str] = {"en": "{place}. {role}, {feeling}", "zh": "{place}. {role}，{feeling}"}
_TOPIC: Mapping[Language, str] = {"en": "{topic} (idea {number} of many)", "zh": "{topic}（第{number}个想法）"}
_ROLES: Mapping[Language, tuple[str, str]] = {"en": ("user", "agent"), "zh": ("user（用户）", "agent（助手）")}


class Writer(Protocol):
    """Writes the words of a dialogue."""

    @property
    def signature(self) -> str:
        """Everything that the words depend on besides plan and seed."""
        ...

    @property
    def about(self) -> About:
        """Its requirements."""
        ...

    async def write(self, planned: PlannedDialogue, call: Call, /) -> tuple[str, ...]:
        """The words of each turn, user and agent in turn.

        Raises:
            UnusableReplyError: if no reply of a model can be used.
            UsageError: if there are no such words.
        """
        ...


class TemplateWriter:
    """The bank inside the package: dialogues of our own with places to fill, in English and Mandarin."""

    @property
    def signature(self) -> str:
        """The bank by its content."""
        banks = {"en": dumps(_bank("en")), "zh": dumps(_bank("zh"))}
        hashes = {name: hashlib.sha256(bank.encode()).hexdigest()[:16] for name, bank in banks.items()}
        return signature("templates", hashes)

    @property
    def about(self) -> About:
        """Its requirements: none."""
        return About()

    async def write(self, planned: PlannedDialogue, call: Call, /) -> tuple[str, ...]:
        """See `Writer.write`; no two numbers of an arc get the same words."""
        return filled_script(planned, seed=call.seed)


def filled_script(planned: PlannedDialogue, *, seed: int) -> tuple[str, ...]:
    """The words of a dialogue from the bank.

    Raises:
        UsageError: if the bank has fewer different dialogues of this kind.
    """
    choices = [
        (script, dict(zip(script["slots"], fillers, strict=True)))
        for script in _bank(planned.language)[planned.arc]
        for fillers in itertools.product(*script["slots"].values())
    ]
    if planned.number > len(choices):
        raise UsageError(
            f"the bank has {len(choices)} different dialogues {planned.arc} in {planned.language!r}, and "
            f"{planned.number} are asked for; ask for fewer, or let a chat model write them (--text api)."
        )
    order = np.random.default_rng([seed, *planned.arc.encode()]).permutation(len(choices))
    script, fillers = choices[int(order[planned.number - 1])]
    return tuple(line.format(**fillers) for line in script["lines"][: 2 * planned.turns])


def bank_size(arc: str, language: Language) -> int:
    """Return the number of different dialogues of an arc in the bank."""
    return sum(math.prod(len(fillers) for fillers in script["slots"].values()) for script in _bank(language)[arc])


def make_writer(kind: str, settings: Mapping[str, Json]) -> Writer:
    """Make the writer of the words, by its kind.

    Args:
        kind: one of `WRITERS`.
        settings: options as ``writer.<option>``: for ``api`` those of a server (``model``, ``base_url``, …), for
            ``local`` those of a model of transformers (``model``, ``device``, …).

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such kind or option, or an option is not one.
    """
    return writer_by_kind(kind, settings, built_in={"templates": TemplateWriter}, by_chat=ChatWriter, what="texts")


class ChatWriter(WritingPart[Chat]):
    """A chat model."""

    def __init__(self, writing: Writing[Chat]) -> None:
        super().__init__("writer:chat", writing, {"dialogue": ("topic", "turns")}, ours=FOLDER / "prompts")

    async def write(self, planned: PlannedDialogue, call: Call, /) -> tuple[str, ...]:
        """See `Writer.write`; what cannot be used is asked for again."""
        return await self._answer(
            Message("user", self._prompt(planned)),
            read=lambda reply: read_turns(reply, count=2 * planned.turns, language=planned.language),
            call=call,
            json_schema=turns_schema(),
        )

    def _prompt(self, planned: PlannedDialogue) -> str:
        language = planned.language
        topics, roles = TOPICS[language], itertools.cycle(_ROLES[language])
        feelings = [feeling.label(language) for feeling in planned.feelings(Answers.FITTING)]
        turns = [
            _SAYS[language].format(place=place, role=role, feeling=feeling)
            for place, (role, feeling) in enumerate(zip(roles, feelings, strict=False), start=1)
        ]
        topic = _TOPIC[language].format(topic=topics[(planned.number - 1) % len(topics)], number=planned.number)
        return self._prompts.fill("dialogue", language, {"topic": topic, "turns": "\n".join(turns)})


def turns_schema() -> dict[str, Json]:
    """The JSON schema of a written dialogue."""
    role: Json = {"type": "string", "enum": [role.value for role in Role]}
    return list_schema("turns", object_schema({"role": role, "text": {"type": "string"}}))


def read_turns(reply: str, *, count: int, language: Language) -> tuple[str, ...]:
    """The words of the turns in a reply.

    Stage directions and names of speakers before the words are taken off, and nothing else is changed: a reply with
    another number of turns, with roles out of turn, or in another language is none.

    Raises:
        UnusableReplyError: if it cannot be used; with the reason.
    """

    def refuse(reason: str) -> NoReturn:
        raise UnusableReplyError(reason, raw_reply=reply)

    turns = one_object(reply, holds=lambda one: isinstance(one.get("turns"), list), what="a dialogue")["turns"]
    if len(turns) != count:
        refuse(message("dialogue.wrong-turn-count", given=len(turns), count=count))
    spoken = []
    for place, turn in enumerate(turns):
        role = (Role.USER, Role.AGENT)[place % 2]
        if not isinstance(turn, Mapping) or turn.get("role") != role or not isinstance(turn.get("text"), str):
            refuse(message("dialogue.turn-without-words", number=place + 1, role=role))
        words = spoken_line(turn["text"])
        if problem := line_problem(words, language, longest=LONGEST_TURN):
            refuse(message("dialogue.turn-problem", number=place + 1, why=problem))
        spoken.append(words)
    return tuple(spoken)


@functools.cache
def _bank(language: Language) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    bank: dict[str, list[dict[str, Any]]] = json.loads((FOLDER / "scripts" / f"{language}.json").read_bytes())
    return bank
