"""What a synthetic dialogue is to be: which feeling each turn has, how strongly, and how it is then said."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from aptone.errors import UsageError
from aptone.models.delivery import Delivery
from aptone.types import Emotion, Language

ANGRY, CALM, FEAR, HAPPY = Emotion.ANGRY, Emotion.CALM, Emotion.FEAR, Emotion.HAPPY
NEUTRAL, SAD = Emotion.NEUTRAL, Emotion.SAD

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


class Strength(StrEnum):
    """How clearly a feeling is shown."""

    SUBTLE = "subtle"
    NORMAL = "normal"
    EXAGGERATED = "exaggerated"


class Answers(StrEnum):
    """How the agent's words are said: as the user's feeling asks for, or against it."""

    FITTING = "fitting"
    CONTRARY = "contrary"


SCALES: Mapping[Strength, float] = {Strength.SUBTLE: 0.5, Strength.NORMAL: 1.0, Strength.EXAGGERATED: 1.6}
"""How far a delivery goes from a plain one, relative to normal."""

DELIVERIES: Mapping[Emotion, Delivery] = {
    NEUTRAL: Delivery(),
    CALM: Delivery(rate=0.88, pitch=0.95, range=0.75, decibels=-2.0),
    HAPPY: Delivery(rate=1.1, pitch=1.25, range=1.7, decibels=2.0),
    SAD: Delivery(rate=0.8, pitch=0.92, range=0.6, decibels=-4.0),
    ANGRY: Delivery(rate=1.2, pitch=1.2, range=1.6, decibels=5.0),
    FEAR: Delivery(rate=1.25, pitch=1.35, range=1.2, decibels=0.0),
}
"""How a feeling is said at normal strength: rate, pitch and loudness move as Scherer (2003, *Vocal communication of
emotion*) sums up what was measured; the sizes are ours, chosen so that a synthesiser still speaks clearly."""

WORDS: Mapping[Language, Mapping[Strength, str]] = {
    "en": {
        Strength.SUBTLE: "Speak with a trace of this feeling only: {feeling}.",
        Strength.NORMAL: "Speak so that this feeling is clearly heard: {feeling}.",
        Strength.EXAGGERATED: "Speak with this feeling at its strongest, as on a stage: {feeling}.",
    },
    "zh": {
        Strength.SUBTLE: "说话时只带一点点这种情绪：{feeling}。",
        Strength.NORMAL: "说话时让人清楚地听出这种情绪：{feeling}。",
        Strength.EXAGGERATED: "像在舞台上一样，把这种情绪表现到最强烈：{feeling}。",
    },
}
"""What speakers that take words are told."""


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


def instruction(emotion: Emotion, strength: Strength, *, language: Language) -> str:
    """How a line is to be said, in words; empty for a neutral one."""
    if emotion is NEUTRAL:
        return ""
    return WORDS[language][strength].format(feeling=emotion.label(language))
