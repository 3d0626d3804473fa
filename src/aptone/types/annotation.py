"""Annotation of one clip by one person: the fifteen dimensions of CEAEval-D as one record."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from aptone.types.audio import Segment
from aptone.types.closed_sets import AgeBand, Intonation, Rhythm, Sex
from aptone.types.line import Line


@dataclass(frozen=True, slots=True)
class Dimension:
    """Name of an annotation dimension in both languages, and how it is answered.

    Args:
        number: number in the paper's Table 7.
        en: English name.
        zh: Mandarin name.
        kind: ``score`` (0 to 5), ``closed`` (one of a list), ``text`` (free) or ``time`` (start and end).
        choices: values of a closed dimension, English name to Mandarin name.
    """

    number: int
    en: str
    zh: str
    kind: str
    choices: Mapping[str, str] = field(default_factory=dict)


def _choices(closed: type[Intonation] | type[Rhythm] | type[Sex] | type[AgeBand]) -> dict[str, str]:
    return {member.value: member.zh for member in closed}


DIMENSIONS: Mapping[str, Dimension] = {
    "overall_score": Dimension(1, "Overall expressive score", "整体表现力评分", "score"),
    "tts_difficulty": Dimension(2, "TTS difficulty", "语音合成难度", "score"),
    "intonation": Dimension(3, "Intonation", "语调", "closed", _choices(Intonation)),
    "rhythm": Dimension(4, "Rhythm", "节奏", "closed", _choices(Rhythm)),
    "emotion": Dimension(5, "Emotion", "情感", "text"),
    "vocalisations": Dimension(6, "Paralinguistic vocalisations", "副语言发声", "text"),
    "refined_context": Dimension(7, "Refined textual context", "校正后的上下文", "text"),
    "refined_content": Dimension(8, "Refined textual content", "校正后的台词", "text"),
    "boundaries": Dimension(9, "Utterance boundaries", "语句边界", "time"),
    "role": Dimension(10, "Speaker role name", "角色名", "text"),
    "age": Dimension(11, "Speaker age", "年龄", "closed", _choices(AgeBand)),
    "gender": Dimension(12, "Speaker gender", "性别", "closed", _choices(Sex)),
    "recording_condition": Dimension(13, "Recording condition", "录音状态", "text"),
    "background_music": Dimension(14, "Background music presence", "背景音乐", "closed", {"yes": "有", "no": "无"}),
    "sound_events": Dimension(15, "Sound events", "声音事件", "text"),
}
"""The fifteen dimensions, by the name of their field in `Annotation`."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """The fifteen dimensions, as one annotator filled them in. ``None``, NaN and empty text mean: not answered.

    An annotator who heard no vocalisation or event answers with a word for that, so that it differs from no answer.

    Raises:
        ValueError: if a score lies outside 0 to 5.
    """

    overall_score: float = math.nan
    tts_difficulty: float = math.nan
    intonation: Intonation | None = None
    rhythm: Rhythm | None = None
    emotion: str = ""
    vocalisations: str = ""
    refined_context: tuple[Line, ...] = ()
    refined_content: str = ""
    boundaries: Segment | None = None
    role: str = ""
    age: AgeBand | None = None
    gender: Sex | None = None
    recording_condition: str = ""
    background_music: bool | None = None
    sound_events: str = ""

    def __post_init__(self) -> None:
        for name in ("overall_score", "tts_difficulty"):
            value = getattr(self, name)
            if not math.isnan(value) and not 0 <= value <= 5:
                raise ValueError(f"{name} lies between 0 and 5, got {value}.")

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Names of the dimensions that were left open, in the paper's order."""
        return tuple(
            entry.name
            for entry in fields(self)
            if (value := getattr(self, entry.name)) in (None, "", ()) or value != value  # NaN
        )


@dataclass(frozen=True, slots=True)
class WeakAnnotation:
    """Annotation of a clip by machines: material to train with and to start from, never a substitute for people's.

    Args:
        heard: the fifteen dimensions as far as a machine fills them in; scores stay open.
        caption: how the clip sounds, in a sentence or more; empty where nothing could be said.
        transcript: text from a transcriber, as words are compared.
        confidence: share of the line's words that were heard as they stand, from 0 to 1; NaN when nobody transcribed.
        heard_by: signature of the ear.
        captioned_by: signature of what wrote the caption.
        transcribed_by: signature of the transcriber, or the name of a file.

    Raises:
        ValueError: if the confidence lies outside 0 to 1.
    """

    heard: Annotation = field(default_factory=Annotation)
    caption: str = ""
    transcript: str = ""
    confidence: float = math.nan
    heard_by: str = ""
    captioned_by: str = ""
    transcribed_by: str = ""

    def __post_init__(self) -> None:
        if not math.isnan(self.confidence) and not 0 <= self.confidence <= 1:
            raise ValueError(f"a confidence lies between 0 and 1, got {self.confidence}.")
