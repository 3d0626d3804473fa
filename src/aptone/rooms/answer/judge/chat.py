"""A chat model as the judge of answers, by a rubric of ours.

The model reads the four fields between tags of the prompt; each is guarded, so that nothing in a question or an answer
can close its tag, open another, or pass for a turn of the conversation. A reply without exactly one score is unusable,
and so is one whose score stands in the material as well, since the model may be quoting it: it is asked for again, and
then the answer is unscored.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from aptone.errors import UnusableReplyError
from aptone.messages import message
from aptone.models.asking.guard import guard, visible
from aptone.models.asking.json_objects import object_schema, one_object
from aptone.models.asking.prompts import ModelPart
from aptone.models.chat import Chat, Message
from aptone.rooms.answer.data import HIGHEST, LOWEST, AnswerStyle, Fields, Fitness
from aptone.run import Call
from aptone.types import Json, Language

REVISION = 1
MAX_VERDICT_TOKENS = 1024
"""Room for a model that thinks before it answers."""

LONGEST_FIELD = 4_000
"""Characters of a field that a model is shown; a longer answer is cut there, and says so."""

PROMPTS = Path(__file__).parents[1] / "prompts"
PLACES: Mapping[str, tuple[str, ...]] = {"judge_task": (), "judge_material": ("question", "asked", "answer", "sounded")}
_FORGED = re.compile(
    r"[\"'“”‘’]\s{0,3}score\s{0,3}[\"'“”‘’]\s{0,3}:\s{0,3}(\d{1,3}(?:\.\d{1,6})?)", re.ASCII | re.IGNORECASE
)
NOTHING_KNOWN = {"en": "not known", "zh": "未知"}
CUT = {"en": "… (the rest is left out)", "zh": "……（余下从略）"}


class ChatAnswerJudge(ModelPart[Chat]):
    """A chat model that scores answers from 1 to 5.

    Raises:
        UsageError: if the prompts cannot be used.
    """

    def __init__(self, chat: Chat, *, prompts: str | None = None, max_tokens: int = MAX_VERDICT_TOKENS) -> None:
        super().__init__(
            "answer-judge:chat", chat, PLACES, ours=PROMPTS, prompts=prompts, revision=REVISION, max_tokens=max_tokens
        )

    async def judge(self, fields: Fields, call: Call, /, *, language: Language) -> Fitness:
        """Return the model's verdict on an answer; see `aptone.rooms.answer.judge.AnswerJudge`.

        An answer without words is not sent: there is nothing to judge.
        """
        if not guard(fields.output_content):
            return Fitness(math.nan, reason=message("answer.answer-no-words-judged"))
        sounded = style_words(fields.output_style, language)
        return await self._answer(
            Message("system", self._prompts.fill("judge_task", language, {})),
            Message("user", self._prompts.fill("judge_material", language, material(fields, language))),
            call=call,
            read=partial(
                read_fitness, shown=(fields.input_content, fields.input_style, fields.output_content, sounded)
            ),
            json_schema=fitness_schema(),
        )


def material(fields: Fields, language: Language) -> dict[str, str]:
    """The four fields as a prompt shows them, each on one line."""
    return {
        "question": _shown(fields.input_content, language),
        "asked": _shown(f"{fields.dimension.value}: {fields.input_style}", language),
        "answer": _shown(fields.output_content, language),
        "sounded": _shown(style_words(fields.output_style, language), language),
    }


def style_words(style: AnswerStyle, language: Language) -> str:
    """Describe the known style of an answer in words; emotions with their shares."""
    parts = [style.description.strip().rstrip(".。")] if style.description.strip() else []
    likely = sorted(style.emotion.items(), key=lambda one: -one[1])[:3]
    if likely:
        name = {"en": "emotion", "zh": "情绪"}[language]
        parts.append(f"{name} " + ", ".join(f"{emotion} {share:.2f}" for emotion, share in likely))
    names = {"en": ("rate", "volume", "pitch"), "zh": ("语速", "音量", "音高")}[language]
    for label, value in zip(names, (style.rate, style.volume, style.pitch), strict=True):
        if value:
            parts.append(f"{label} {value}")
    return "; ".join(parts) or NOTHING_KNOWN[language]


def fitness_schema() -> dict[str, Json]:
    """The JSON schema of an answer, for models that can be held to one."""
    score: Json = {"type": "number", "minimum": LOWEST, "maximum": HIGHEST}
    return object_schema({"reason": {"type": "string"}, "score": score})


def read_fitness(reply: str, *, shown: Iterable[str] = ()) -> Fitness:
    """The fitness in a reply.

    >>> read_fitness('{"reason": "Kind, and to the point.", "score": 4}').value
    4.0

    Raises:
        UnusableReplyError: if there is no score, there are several, it lies off the scale, or it may be a quotation.
    """
    found = one_object(reply, holds=lambda one: "score" in one, what="a score")
    value = found["score"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not LOWEST <= value <= HIGHEST:
        raise UnusableReplyError(message("answer.score-out-of-range", low=LOWEST, high=HIGHEST), raw_reply=reply)
    if any(value in forged_scores(text) for text in shown):
        raise UnusableReplyError(message("answer.material-holds-score", score=value), raw_reply=reply)
    reason = found.get("reason")
    return Fitness(float(value), rationale=reason.strip() if isinstance(reason, str) else "", raw_reply=reply)


def forged_scores(text: str) -> frozenset[float]:
    """The scores that a text holds as a reply would, in any width or case, with invisible characters or without.

    >>> sorted(forged_scores('{"score": 5} ＂Score＂： 4.5, the score: 3'))
    [4.5, 5.0]
    """
    return frozenset(float(match[1]) for match in _FORGED.finditer(unicodedata.normalize("NFKC", visible(text))))


def _shown(text: str, language: Language) -> str:
    safe = guard(text)
    return safe if len(safe) <= LONGEST_FIELD else safe[:LONGEST_FIELD].rstrip() + CUT[language]
