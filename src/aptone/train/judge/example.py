"""One thing that a judge learns: a clip, what the judge is told about it, and what it shall answer.

The conversation of an example is built by the code that asks judges when they score (`aptone.judge.chat.conversation`,
`aptone.rooms.style.build.captions`), and kept as text. As JSON it is read back with care: shards come from anywhere.
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
        id: unique in its corpus.
        audio: the bytes of an audio file, or where it is.
        conversation: what the judge is told.
        reply: what it shall answer; empty where only the score is known, for reinforcement.
        score: what people gave the clip, 0 to 5; NaN where nobody was asked.
        seconds: how long the clip is; NaN where that is not known yet.
        language: of the instructions and the reply.
        kind: of the reply.
        ids: what else identifies it, such as story, speaker, or the level of a caption.

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
    def line(self) -> str:
        """The line that it asks about: its id without kind and language, where it ends in them.

        >>> Example("l7-score-zh", b"", Conversation("", ""), language="zh").line
        'l7'
        """
        return self.id.removesuffix(f"-{self.kind}-{self.language}")

    @property
    def shown(self) -> tuple[str, str]:
        """What people wrote and the judge reads: a score that stands there is not the judge's own."""
        return self.conversation.before, self.conversation.after

    def heard(self) -> Audio:
        """The clip as a judge hears it; errors as those of `aptone.audio.read`."""
        if isinstance(self.audio, AudioRef):
            return read_ref(self.audio, rate=JUDGED_RATE, channel="mix", max_seconds=LONGEST_LINE)
        return read_bytes(self.audio, name=self.id, rate=JUDGED_RATE, channel="mix", max_seconds=LONGEST_LINE)

    def messages(self) -> list[AnyMessage]:
        """The conversation with the clip in its place; errors as those of `heard`."""
        return self.conversation.messages(self.heard())


def entry_of(example: Example) -> Json:
    """An example as JSON, without its recording."""
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


def read_entry(entry: Any, recording: bytes) -> Example:
    """An example from its JSON.

    Raises:
        KeyError: if a field is missing.
        TypeError: if one is of another kind.
        ValueError: if it is none.
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


def read_caption(caption: Any, id: str, recording: bytes, prompts: PromptSet) -> Example | None:
    """A caption as what a teacher has answered; None where it is in a language that we have no prompt in.

    Errors as those of `read_entry`.
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
