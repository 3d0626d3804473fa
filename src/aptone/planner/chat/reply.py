"""Vote in the reply of a model, or the reason why it holds none.

The answer is one JSON object, possibly fenced, with thoughts before it or prose around it. A reply with two plans that
differ is no vote: one of them may be a quotation from the story. A plan without its emotion, rhythm or intonation is no
vote either. Only the recording condition may be left out, which means the normal one.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

from aptone.errors import RecordError, UnusableReplyError
from aptone.lexicon.plan_words import LONGEST_FIELD, normalise_condition, normalise_emotion
from aptone.messages import message
from aptone.models.asking.guard import guard
from aptone.models.asking.json_objects import (
    LONGEST_REPLY,
    MOST_BRACES,
    RepeatedError,
    behind_thoughts,
    json_objects,
    object_schema,
)
from aptone.types import Intonation, Json, Language, Rhythm, Vote

_NAMES: Mapping[str, Sequence[str]] = {
    "emotion": ("emotion", "情感", "情绪"),
    "rhythm": ("rhythm", "节奏"),
    "intonation": ("intonation", "语调"),
    "recording_condition": (
        "recording_condition",
        "recording_conditions",
        "sound_effects",
        "sound_effect",
        "录音条件",
        "录音状态",
        "音效",
    ),
}
_FIELDS = {name: field for field, names in _NAMES.items() for name in names}
_REQUIRED = ("emotion", "rhythm", "intonation")


def plan_schema(language: Language) -> dict[str, Json]:
    """Return the JSON schema of a plan, for models that can be constrained to one."""
    closed: dict[str, Json] = {
        "rhythm": {"type": "string", "enum": [member.label(language) for member in Rhythm]},
        "intonation": {"type": "string", "enum": [member.label(language) for member in Intonation]},
    }
    free: Json = {"type": "string"}  # servers differ in what more they take
    return object_schema({"emotion": free, **closed, "recording_condition": free})


def read_vote(reply: str, *, window: int, language: Language) -> Vote:
    """Read the vote in a reply.

    Args:
        window: lines of context in the prompt.
        language: language of the story, and of emotion and recording condition.

    Raises:
        UnusableReplyError: if the reply holds no plan, an incomplete one, or several that differ; with the reason.
    """

    def refuse(reason: str) -> NoReturn:
        raise UnusableReplyError(reason, raw_reply=reply)

    text = behind_thoughts(reply)
    if len(text) > LONGEST_REPLY:
        refuse(message("planner.reply-too-long", count=len(text)))
    if text.count("{") > MOST_BRACES:
        refuse(message("planner.reply-heap-of-braces"))
    try:
        plans = [plan for found in json_objects(text, hook=_once) for plan in _plans(found)]
    except RepeatedError as error:
        refuse(str(error))
    if not plans:
        refuse(message("planner.reply-empty") if not text.strip() else message("planner.reply-no-plan"))
    try:
        votes = {_vote(plan, window=window, language=language) for plan in plans}
    except RecordError as error:
        refuse(str(error))
    if len(votes) > 1:
        refuse(message("planner.reply-plans-differ", count=len(votes)))
    return votes.pop()


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs) and any(_field(name) for name in found):
        raise RepeatedError("the reply gives a field of the plan twice.")
    return found


def _plans(found: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield the object itself if it is a plan, or the plans right within it, such as ``{"plan": {…}}``."""
    for candidate in [found, *(value for value in found.values() if isinstance(value, dict))]:
        if fields := _plan_fields(candidate):
            yield fields
            if candidate is found:
                return


def _plan_fields(found: Mapping[str, object]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name, value in found.items():
        field = _field(name)
        if field and field in fields:
            raise RepeatedError(f"the reply gives the {field.replace('_', ' ')} under two names.")
        if field:
            fields[field] = value
    return fields


def _field(name: str) -> str:
    return _FIELDS.get(re.sub(r"[\W_]+", "_", unicodedata.normalize("NFKC", name).casefold()).strip("_"), "")


def _vote(plan: Mapping[str, object], *, window: int, language: Language) -> Vote:
    texts: dict[str, str] = {}
    for field, value in plan.items():
        shown = field.replace("_", " ")
        if not (isinstance(value, str) or (value is None and field == "recording_condition")):
            raise RecordError(f"the {shown} is not text.")
        if len(value or "") > LONGEST_FIELD:
            raise RecordError(f"the {shown} has more than {LONGEST_FIELD} characters.")
        texts[field] = value or ""
    for field in _REQUIRED:
        if not texts.get(field, "").strip():
            raise RecordError(f"the plan has no {field}.")
    emotion = guard(normalise_emotion(texts["emotion"], language=language))  # it goes into other prompts
    if not emotion:
        raise RecordError("the emotion holds no words.")
    return Vote(
        window=window,
        emotion=emotion,
        rhythm=Rhythm.parse(texts["rhythm"]),
        intonation=Intonation.parse(texts["intonation"]),
        recording_condition=guard(normalise_condition(texts.get("recording_condition", ""), language=language)),
    )
