"""What comes of a synthetic dialogue while it is built: turns that were spoken, and what is made of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from aptone.ear.claims.feeling import DIRECTIONS, Check, Verdict
from aptone.errors import UsageError
from aptone.models.speakers.delivery import Delivery, Strength
from aptone.rooms.dialogue.records import Role
from aptone.types import Emotion, Language, Vad

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
"""How the user's feeling goes on over a dialogue, and the answer that fits: user and agent for each exchange."""

MOST_TURNS = 3
"""Exchanges of the longest dialogue."""

CONTRARY: Mapping[Emotion, Emotion] = {CALM: ANGRY, HAPPY: SAD, NEUTRAL: ANGRY}
"""How an answer is said that does not fit, by the feeling that would: the words stay as they are."""


class Answers(StrEnum):
    """How the agent's words are said: as the user's feeling asks for, or against it."""

    FITTING = "fitting"
    CONTRARY = "contrary"


@dataclass(frozen=True, slots=True)
class PlannedDialogue:
    """A dialogue before a word of it is written.

    Args:
        arc: one of `ARCS`.
        number: tells it from others with the same arc.
        turns: how many exchanges it has.
        language: of its words.

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
        return tuple(
            feeling
            for user, agent in self.exchanges
            for feeling in (user, CONTRARY[agent] if answers is Answers.CONTRARY else agent)
        )


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn that was spoken and checked.

    Args:
        role: who speaks.
        text: what is said.
        emotion: that was planned.
        audio: the recording, relative to the folder of the benchmark.
        sha256: of that file.
        check: whether the feeling is heard.
        tries: how often it was spoken.
        delivery: how it was said in the end.
        heard: valence, arousal and dominance; ``None`` where the ear could not judge.
        plain: the same of the words without any feeling.
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

    @property
    def is_heard(self) -> bool:
        """Whether its feeling is heard."""
        return self.check.verdict is Verdict.HEARD

    @property
    def has_feeling(self) -> bool:
        """Whether there is a feeling to be heard."""
        return bool(DIRECTIONS[self.emotion])


@dataclass(frozen=True, slots=True)
class Variant:
    """A dialogue at one strength with one kind of answers.

    Args:
        id: of the dialogue in the manifest.
        strength: of its feelings.
        answers: whether they fit.
        turns: places of its turns in the list of all that were spoken.
        rejected: why it is not kept; empty when it is.
    """

    id: str
    strength: Strength
    answers: Answers
    turns: tuple[int, ...]
    rejected: str = ""
