"""A question that is asked in a certain way, and the four fields by which its answer is judged.

ParaS2SBench has four dimensions of how a question is asked, each with its categories, and two kinds of speech:
synthetic, in which every sentence is asked in two styles (a contrast pair), and real, with the emotions of IEMOCAP and
MELD.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from aptone.types import AudioRef, Language


class Dimension(StrEnum):
    """Dimension in which the style of a question differs."""

    EMOTION = "emotion"
    SARCASM = "sarcasm"
    AGE = "age"
    GENDER = "gender"


class Source(StrEnum):
    """Origin of a question's speech; the average weighs each part alike."""

    SYNTHETIC = "synthetic"
    IEMOCAP = "iemocap"
    MELD = "meld"

    @property
    def is_real(self) -> bool:
        """Return whether people spoke it."""
        return self is not Source.SYNTHETIC


RATED_PER_DIMENSION = 30
"""Answers of each synthetic dimension that people rate, to check a judge."""

CATEGORIES: Mapping[Dimension, tuple[str, ...]] = {
    Dimension.EMOTION: ("happy", "surprised", "sad", "angry", "fear", "disgust"),
    Dimension.SARCASM: ("sincere", "sarcastic"),
    Dimension.AGE: ("adult", "child"),
    Dimension.GENDER: ("male", "female"),
}
"""The speaking styles, by dimension, in the paper's order."""

TOPICS = ("interests", "work", "studies", "relationships", "travel", "health", "religion", "fashion", "finance")
"""What questions are about, in the paper's order."""

PUBLISHED_PROMPTS: Mapping[tuple[Source, Dimension], int] = {
    **{(Source.SYNTHETIC, dimension): 300 for dimension in Dimension},
    (Source.IEMOCAP, Dimension.EMOTION): 709,
    (Source.MELD, Dimension.EMOTION): 781,
}
"""Questions of the published benchmark; each synthetic one is said in two styles, which makes 600 recordings."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One recorded question: a sentence, asked in one style.

    Args:
        id: unique within its benchmark.
        category: speaking style; one of `CATEGORIES`.
        audio: the recording; ``None`` where it is to be found by its id in a release that we do not pass on.
        pair: id of the contrast pair, shared with its twin; empty where there is none.
        speaker: voice: a voice of the synthesiser, a reference speaker, or a person's id.
        source: synthetic, or the corpus of real speech.
        ids: other ids: id in an official release, synthesiser, reference clip.

    Raises:
        ValueError: if the id or the words are empty, the category does not belong to the dimension, or real speech has
            another dimension than emotion.
    """

    id: str
    content: str
    dimension: Dimension
    category: str
    audio: AudioRef | None = None
    topic: str = ""
    pair: str = ""
    speaker: str = ""
    source: Source = Source.SYNTHETIC
    language: Language = "en"
    ids: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id or not self.content.strip():
            raise ValueError(f"prompt {self.id!r}: a prompt has an id and words.")
        if self.category not in CATEGORIES[self.dimension]:
            known = ", ".join(CATEGORIES[self.dimension])
            raise ValueError(f"prompt {self.id!r}: {self.dimension.value} is one of {known}, not {self.category!r}.")
        if self.source.is_real and self.dimension is not Dimension.EMOTION:
            raise ValueError(f"prompt {self.id!r}: real speech has emotions, not {self.dimension.value}.")


@dataclass(frozen=True, slots=True)
class AnswerStyle:
    """Style of an answer: in words for a chat model, and in closed terms for a table.

    Args:
        emotion: name to probability, as the ear has them (`aptone.types.Emotion` values) or as an audio-chat model said
            (then one name with 1.0); empty where it is not known.
        rate: words such as slow, normal, fast; empty where it is not known.
        volume: quiet, normal, loud; likewise.
        pitch: low, normal, high; likewise.
        description: the whole in a sentence.
        unknown: reason why a term is unknown, by term.
    """

    emotion: Mapping[str, float] = field(default_factory=dict)
    rate: str = ""
    volume: str = ""
    pitch: str = ""
    description: str = ""
    unknown: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fields:
    """The four fields that a judge reads, and nothing else.

    Args:
        input_content: c_i, the words of the question.
        input_style: s_i, the category in which it was asked; taken from the benchmark, never guessed.
        output_content: c_o, the words of the answer.
        output_style: s_o, how the answer sounds.
        answer_language: language of the answer; empty where unknown.
    """

    input_content: str
    dimension: Dimension
    input_style: str
    output_content: str
    output_style: AnswerStyle
    language: Language = "en"
    answer_language: str = ""


@dataclass(frozen=True, slots=True)
class Fitness:
    """Verdict of a judge on an answer.

    Args:
        value: 1 to 5; NaN where it could not be judged.
        parts: parts of the value by name: content, style, …; each 1 to 5 as well.
    """

    value: float
    reason: str = ""
    rationale: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
    raw_reply: str = ""

    def __post_init__(self) -> None:
        if not math.isnan(self.value) and not LOWEST <= self.value <= HIGHEST:
            raise ValueError(f"a fitness lies between {LOWEST:g} and {HIGHEST:g}, got {self.value}.")
        if math.isnan(self.value) and not self.reason:
            raise ValueError("a fitness that is not there has a reason.")


LOWEST, HIGHEST = 1.0, 5.0
