"""A training example of a judge: a clip, the conversation about it, and the answer.

Conversations are built by the code that prompts judges when they score (`aptone.judge.chat.conversation`,
`aptone.rooms.style.build.captions`), and stored as text. Their JSON is validated on reading: shards may come from
anywhere.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from aptone.audio import read_bytes, read_ref
from aptone.judge.chat.conversation import Conversation
from aptone.judge.chat.verdict import RANGE
from aptone.models.asking.prompts import PromptSet
from aptone.models.audio_chat import AnyMessage
from aptone.rooms.aptness.step import JUDGED_RATE, LONGEST_LINE
from aptone.rooms.style.build.captions import caption_conversation
from aptone.types import Audio, AudioRef, Json, Language, is_finite_number

Kind = Literal["caption", "reasoned", "score"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LANGUAGES: tuple[Language, ...] = ("en", "zh")

_TEXTS = ("id", "system", "before", "after", "reply")


@dataclass(frozen=True, slots=True)
class Example:
    """One conversation about one clip.

    Args:
        id: id, unique in its corpus.
        audio: bytes or location of an audio file.
        conversation: the prompt.
        reply: the answer; empty where only the score is known, for GRPO.
        score: score by people, 0 to 5; NaN for an unrated clip.
        seconds: length of the clip; NaN if unknown.
        language: language of prompt and reply.
        kind: kind of the reply.
        ids: further ids, such as story, speaker, or the level of a caption.

    Raises:
        ValueError: if it has no id, there is no such kind or language, or the score lies outside the scale.
    """

    id: str
    audio: bytes | AudioRef = field(repr=False)
    conversation: Conversation
    reply: str = ""
    score: float = math.nan
    seconds: float = math.nan
    language: Language = "en"
    kind: Kind = "score"
    ids: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("an example has an id.")
        if self.kind not in KINDS or self.language not in LANGUAGES:
            raise ValueError(f"expected {', '.join(KINDS)} in en or zh, got {self.kind!r} in {self.language!r}.")
        if not (math.isnan(self.score) or RANGE[0] <= self.score <= RANGE[1]):
            raise ValueError(f"a score lies between {RANGE[0]:g} and {RANGE[1]:g}, got {self.score}.")

    @property
    def line_id(self) -> str:
        """Id of the line that it is about: the example's id without kind and language.

        >>> Example("l7-score-zh", b"", Conversation("", ""), language="zh").line_id
        'l7'
        """
        return self.id.removesuffix(f"-{self.kind}-{self.language}")

    @property
    def prompt_texts(self) -> tuple[str, str]:
        """Text of users in the prompt; a score in it is not the judge's own."""
        return self.conversation.before, self.conversation.after

    def load_audio(self) -> Audio:
        """Read the clip at a judge's sample rate; errors as those of `aptone.audio.read`."""
        if isinstance(self.audio, AudioRef):
            return read_ref(self.audio, rate=JUDGED_RATE, channel="mix", max_seconds=LONGEST_LINE)
        return read_bytes(self.audio, name=self.id, rate=JUDGED_RATE, channel="mix", max_seconds=LONGEST_LINE)

    def messages(self) -> list[AnyMessage]:
        """Return the conversation with the clip in its place; errors as those of `load_audio`."""
        return self.conversation.messages(self.load_audio())


def example_to_json(example: Example) -> Json:
    """Return an example as JSON, without its recording."""
    asked = example.conversation
    return {
        "id": example.id,
        "kind": example.kind,
        "language": example.language,
        "system": asked.system,
        "before": asked.before,
        "after": asked.after,
        "reply": example.reply,
        "score": None if math.isnan(example.score) else example.score,
        "ids": dict(example.ids),
    }


def example_from_json(entry: Any, recording: bytes) -> Example:
    """Return an example from its JSON.

    Raises:
        KeyError: if a field is missing.
        TypeError: if a field has another type.
        ValueError: if a value is out of range.
    """
    if not isinstance(entry, dict):
        raise TypeError("an example is an object")
    if wrong := [name for name in _TEXTS if not isinstance(entry[name], str)]:
        raise TypeError(f"{wrong[0]} of an example is a text")
    score, ids = entry.get("score"), entry.get("ids", {})
    if not (score is None or is_finite_number(score)):
        raise TypeError("the score of an example is a number")
    if not isinstance(ids, dict) or not all(isinstance(value, str) for value in ids.values()):
        raise TypeError("ids are texts by name")
    return Example(
        id=entry["id"],
        audio=recording,
        conversation=Conversation(entry["system"], entry["before"], entry["after"]),
        reply=entry["reply"],
        score=math.nan if score is None else float(score),
        language=entry["language"],
        kind=entry["kind"],
        ids=ids,
    )


def caption_example(caption: Any, id: str, recording: bytes, prompts: PromptSet) -> Example | None:
    """Return a caption as a teacher's answer; None for a language without a prompt.

    Errors as those of `example_from_json`.
    """
    if not isinstance(caption, dict):
        raise TypeError("a caption is an object")
    text, language, level = caption["text"], caption["language"], caption.get("level", "")
    if not isinstance(text, str) or not isinstance(level, str) or not text.strip():
        raise TypeError("text and level of a caption are texts")
    if language not in LANGUAGES:
        return None
    asked = caption_conversation(prompts, language)
    return Example(id, recording, asked, text, language=language, kind="caption", ids={"level": level})
