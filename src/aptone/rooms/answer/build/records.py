"""Records of a build: a candidate sentence, the filters' verdicts, and its recordings."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from aptone.ear.claims.feeling import Check, Verdict
from aptone.rooms.answer.data import CATEGORIES, TOPICS, Dimension
from aptone.types import Json, Language, from_json

Record = TypeVar("Record")

RAISED_MARK = "+raised"
"""Stands behind the name of a voice whose pitch and formants were raised."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence, the two styles in which it is to be asked and, if known, the ideal answers; the pair keeps its id.

    Raises:
        ValueError: if the two styles are not two of the dimension, or the topic is none.
    """

    id: str
    content: str
    dimension: Dimension
    categories: tuple[str, str]
    topic: str
    answers: Mapping[str, str] = field(default_factory=dict)
    language: Language = "en"

    def __post_init__(self) -> None:
        first, second = self.categories
        known = CATEGORIES[self.dimension]
        if first == second or first not in known or second not in known:
            raise ValueError(f"candidate {self.id!r}: expected two of {', '.join(known)}, got {first} and {second}.")
        if self.topic not in TOPICS:
            raise ValueError(f"candidate {self.id!r}: expected one of {', '.join(TOPICS)}, got {self.topic!r}.")

    def question_id(self, category: str) -> str:
        """Id of the question that asks it in one style: a hash, so that neither ids nor their order tell the style."""
        digest = hashlib.sha256(f"{self.id}\n{self.content}\n{category}".encode("utf-8", "surrogatepass"))
        return f"q-{digest.hexdigest()[:12]}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Some sentences that are to be written; the number counts requests of the same kind from 0 on."""

    dimension: Dimension
    topic: str
    number: int
    count: int
    language: Language

    @property
    def id(self) -> str:
        """Unique within a benchmark."""
        return f"{self.language}-{self.dimension.value}-{self.topic}-{self.number}"

    def candidate_id(self, place: int) -> str:
        """Return the id of the sentence at a place."""
        return f"{self.language}-{self.dimension.value}-{self.topic}-{self.number * self.count + place + 1:03d}"

    def candidate(self, place: int, text: str, ways: tuple[str, str], answers: Mapping[str, str]) -> Candidate:
        """Return the sentence at a place."""
        return Candidate(self.candidate_id(place), text, self.dimension, ways, self.topic, answers, self.language)


@dataclass(frozen=True, slots=True)
class FilterVerdict:
    """Verdict of one filter on a candidate."""

    name: str
    passed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SpokenPrompt:
    """A sentence that was asked in one style and checked.

    Args:
        audio: the recording, relative to the folder of the benchmark.
        error_rate: error rate of the transcript; ``None`` without a transcriber.
        reference: clip whose voice was cloned; empty where none was.
    """

    category: str
    audio: str
    sha256: str
    speaker: str
    words: Check
    style: Check
    tries: int
    error_rate: float | None = None
    heard_words: str = ""
    reference: str = ""

    def rejected(self, *, strict: bool) -> str:
        """Return why it is rejected, if strict also for a style that an ear could hear and did not; empty when kept."""
        if self.words.verdict is Verdict.CONTRADICTED:
            return f"{self.category}: {self.words.reason}"
        if self.style.verdict is Verdict.CONTRADICTED or (strict and self.style.verdict is Verdict.UNVERIFIED):
            return f"{self.category} is {self.style.verdict.value}: {self.style.reason}"
        return ""


def records(kind: type[Record], data: Json) -> list[Record]:
    """Records that stand in the evidence of an outcome."""
    assert isinstance(data, Sequence)
    return [from_json(kind, one) for one in data]
