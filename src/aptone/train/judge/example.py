"""A training example of a judge: a clip, the conversation about it, and the answer.

Conversations are built by the code that prompts judges when they score (`aptone.judge.chat.conversation`,
`aptone.rooms.style.build.captions`), and stored as text. Their JSON is validated on reading: shards may come from
anywhere. Rated lines become examples here, captions too.

An answer is ``<score>3.5</score>``, or after a reasoning ``<think>…</think><score>3.5</score>``, as the public release
of CEAEval writes it and `aptone.judge.chat.verdict` parses it.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from aptone.audio import read_bytes, read_ref
from aptone.errors import AptoneError, RecordError
from aptone.judge.chat.conversation import Briefing, Conversation, asks_for_nothing
from aptone.judge.chat.verdict import RANGE
from aptone.models.asking.prompts import PromptSet
from aptone.models.chat import AnyMessage
from aptone.models.omni.checkpoint import REASONING, SCORE
from aptone.planner import Planner
from aptone.rooms.aptness.api import plan_sample
from aptone.rooms.aptness.rated_lines import RatedSet
from aptone.rooms.aptness.step import JUDGED_RATE, LONGEST_LINE
from aptone.rooms.style.build.captions import caption_conversation
from aptone.types import Audio, AudioRef, Json, Language, Plan, Sample, dumps, is_finite_number, to_json

Kind = Literal["caption", "reasoned", "score"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LANGUAGES: tuple[Language, ...] = ("en", "zh")
Planned = Callable[[Sample], Plan]

_TEXTS = ("id", "system", "before", "after", "reply")


@dataclass(frozen=True, slots=True)
class Example:
    """One conversation about one clip.

    Args:
        id: unique in its corpus.
        audio: bytes or location of an audio file.
        reply: the answer; empty where only the score is known, for GRPO.
        score: score by people, 0 to 5; NaN for an unrated clip.
        seconds: length of the clip; NaN if unknown.
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


def score_reply(score: float, reasoning: str = "") -> str:
    """Return the answer of a judge.

    >>> score_reply(3.46), score_reply(4, "It is bright.")
    ('<score>3.5</score>', '<think>It is bright.</think><score>4.0</score>')

    Raises:
        ValueError: if the score is out of range.
    """
    if not RANGE[0] <= score <= RANGE[1]:
        raise ValueError(f"a score lies between {RANGE[0]:g} and {RANGE[1]:g}, got {score}.")
    thought = f"{REASONING[0]}{reasoning}{REASONING[1]}" if reasoning else ""
    return f"{thought}{SCORE[0]}{score:.1f}{SCORE[1]}"


def judge_example(
    sample: Sample, plan: Plan, *, score: float, briefing: Briefing, reasoning: str = "", answered: bool = True
) -> Example:
    """Return the training example of a line.

    Args:
        sample: the line and its recording, which is a file.
        briefing: settings of the prompt; with ``reasoning``, the answer needs one.
        answered: include the answer; examples without one are for GRPO.

    Raises:
        RecordError: if the recording is not a file, or the plan asks for nothing.
        ValueError: if the score is out of range, or the reasoning is missing.
    """
    if isinstance(sample.audio, Audio):
        raise RecordError(f"{sample.id}: expected the path of a recording.")
    if briefing.show == "plan" and asks_for_nothing(plan):
        raise RecordError(f"{sample.id}: the plan asks for nothing, so that nothing can be judged by it.")
    if answered and briefing.reasoning and not reasoning.strip():
        raise ValueError(f"{sample.id}: the judge is asked to reason, but there is no reasoning to learn.")
    kind: Kind = "reasoned" if briefing.reasoning else "score"
    language = briefing.prompt_language or sample.language
    return Example(
        id=f"{sample.id}-{kind}-{language}",
        audio=sample.audio,
        conversation=briefing.conversation(plan, sample),
        reply=score_reply(score, reasoning if briefing.reasoning else "") if answered else "",
        score=score,
        language=language,
        kind=kind,
        ids=sample.ids,
    )


def score_examples(
    rated: RatedSet, planned: Planned, *, briefing: Briefing, languages: Iterable[Language] = ()
) -> Iterator[Example]:
    """Yield the rated lines of a set, answered by their scores alone.

    Args:
        briefing: settings of the prompt, without reasoning.
        languages: languages of the prompts, an example for each; empty for that of the story.

    Raises:
        RecordError: if no line is rated.
    """
    lines = rated.rated_lines
    if not lines:
        raise RecordError(f"{rated.source}: no line has a score to learn; give human_score or proxy_score.")
    plain = replace(briefing, reasoning=False)
    asked = [replace(plain, prompt_language=one) for one in languages] or [plain]
    for line in lines:
        plan = planned(line.sample)
        score = line.score(proxy=rated.is_proxy)
        for one in asked:
            yield judge_example(line.sample, plan, score=score, briefing=one)


def examples_fingerprint(
    rated: RatedSet, planner: Planner, *, briefing: Briefing, languages: Iterable[Language] = ()
) -> str:
    """Return a hash of everything that the examples of a set depend on; see `score_examples`."""
    made_of: dict[str, Json] = {
        "lines": [[to_json(line.sample), line.score(proxy=rated.is_proxy)] for line in rated.rated_lines],
        "planner": planner.signature,
        "show": briefing.show,
        "context_size": briefing.context_size,
        "prompts": briefing.texts.hash,
        "languages": [briefing.prompt_language, *languages],
    }
    return hashlib.sha256(dumps(made_of).encode()).hexdigest()


def plans_by(planner: Planner) -> Planned:
    """Return a function that gives a line its own plan, or else the planner's."""

    def planned(sample: Sample) -> Plan:
        if sample.plan is not None:
            return sample.plan
        try:
            return plan_sample(sample, planner).plan
        except AptoneError as error:
            raise RecordError(f"{sample.id}: no plan could be made ({error}); give one in the record.") from error

    return planned
