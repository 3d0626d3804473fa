"""Planner that asks a chat model, once for each window, and lets the windows vote.

The reply is one JSON object, possibly fenced, with thoughts before it or prose around it. A reply with two plans that
differ is no vote: one of them may be a quotation from the story. A plan without its emotion, rhythm or intonation is no
vote either. Only the recording condition may be left out, which means the normal one.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import NoReturn, TypedDict

from aptone.errors import RecordError, UnusableReplyError, UsageError
from aptone.lexicon.plan_words import LONGEST_FIELD, normalise_condition, normalise_emotion
from aptone.messages import message
from aptone.models import About
from aptone.models.asking.chat import Sampling, ask_chat, ask_each
from aptone.models.asking.guard import guard
from aptone.models.asking.json_objects import (
    LONGEST_REPLY,
    MOST_BRACES,
    RepeatedError,
    behind_thoughts,
    json_objects,
    object_schema,
)
from aptone.models.asking.prompts import PromptSet, load_prompts
from aptone.models.chat import Chat, Message
from aptone.planner.reading.quotations import find_quotations
from aptone.planner.votes import (
    LARGEST_WINDOW,
    Voting,
    Window,
    checked_size,
    checked_voting,
    elected_plan,
    next_windows,
    voting_windows,
)
from aptone.run import Ask, Call
from aptone.types import (
    ClosedSet,
    Intonation,
    Json,
    Language,
    Line,
    NoVote,
    Plan,
    RecordingCondition,
    Rhythm,
    Sample,
    Vote,
    signature,
)

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


PROMPTS = Path(__file__).parent / "prompts"
CHOICES: Mapping[str, type[ClosedSet]] = {
    "rhythms": Rhythm,
    "intonations": Intonation,
    "conditions": RecordingCondition,
}
PLACES: Mapping[str, tuple[str, ...]] = {"task": tuple(CHOICES), "material": ("passage", "line")}
"""Prompts of a set, and the placeholders of each."""

NO_PASSAGE = {"en": "(nothing is known of it)", "zh": "（没有上下文）"}
HERE = {"en": "(Here the line is spoken.)", "zh": "（这句话在此处。）"}
SAYS = {"en": "{role}: {text}", "zh": "{role}：{text}"}
DIRECTED = {"en": " ({direction})", "zh": "（{direction}）"}
BETWEEN = {"en": ", ", "zh": "、"}


def planner_prompts(folder: str | Path | None = None) -> PromptSet:
    """Return the prompts of a user's folder, or ours.

    Raises:
        UsageError: if a file is missing, cannot be read, or has other placeholders than `PLACES`.
    """
    return load_prompts(PROMPTS if folder is None else Path(folder), places=PLACES)


def plan_messages(prompts: PromptSet, window: Window, target: Line, *, language: Language) -> list[Message]:
    """Return the conversation that asks for the plan of a line; the story can neither open nor close a region."""
    choices = {
        name: BETWEEN[language].join(member.label(language) for member in known) for name, known in CHOICES.items()
    }
    material = {"passage": _passage(window, language), "line": _said(target, language)}
    return [
        Message("system", prompts.fill("task", language, choices)),
        Message("user", prompts.fill("material", language, material)),
    ]


def _passage(window: Window, language: Language) -> str:
    if not window.size:
        return NO_PASSAGE[language]
    here = [HERE[language]] if window.after else []
    return "\n".join([*_all_said(window.before, language), *here, *_all_said(window.after, language)])


def _all_said(lines: Sequence[Line], language: Language) -> list[str]:
    return [_said(line, language) for line in lines]


def _said(line: Line, language: Language) -> str:
    text, role, direction = guard(line.text), guard(line.role), guard(line.direction)
    label = role if role not in text else ""  # "“Go,” said Tom." needs no second name
    if direction:
        label = f"{role}{DIRECTED[language].format(direction=direction)}".strip()
    if line.speech and not label and not find_quotations(text):
        text = f"“{text}”"
    return SAYS[language].format(role=label, text=text) if label else text


TEMPERATURE = 0.7
"""Sampling temperature of the public release; at 0, windows that hardly differ would all vote alike."""

MAX_TOKENS = 2048
"""Limit of a reply, with room for a chain of thought; the plan itself needs about sixty tokens."""

SOURCE = "chat planner"


class ChatPlannerOptions(TypedDict, total=False):
    """Options of a planner that asks a model; defaults and meaning as `ChatPlanner`."""

    prompts: str | None
    windows: int
    voting: Voting
    thrifty: bool
    temperature: float
    max_tokens: int
    replan: bool


class ChatPlanner:
    """Planner by vote over growing windows of the story (CEAEval, appendix C).

    An unreadable reply is requested again, as often as the runner allows; after that its window has no vote, and the
    plan says why. A line has no plan only where no window gave one.

    Args:
        windows: lines in the longest window; 0 plans from the line alone.
        voting: ``release`` for windows that grow backwards only, as the public release has them; ``paper`` for windows
            that are filled up with later lines; ``one`` for the longest window alone, without a vote.
        thrifty: ask the longest windows first and stop when no other plan can win. The winner is the same; the votes
            that were not needed are missing from the plan's `votes`.
        temperature: sampling temperature; 0 for the likeliest reply.

    Raises:
        UsageError: if an option has a wrong type or value, or the prompts cannot be used.
    """

    def __init__(
        self,
        chat: Chat,
        *,
        prompts: str | None = None,
        windows: int = LARGEST_WINDOW,
        voting: Voting = "release",
        thrifty: bool = False,
        temperature: float = TEMPERATURE,
        max_tokens: int = MAX_TOKENS,
        replan: bool = False,
    ) -> None:
        for name, switch in (("thrifty", thrifty), ("replan", replan)):
            if not isinstance(switch, bool):
                raise UsageError(f"{name} is true or false, got {switch!r}.")
        self._chat = chat
        self._prompts = planner_prompts(prompts)
        self._windows = checked_size(windows)
        self._voting = checked_voting(voting)
        self._thrifty = thrifty
        self._replan = replan
        try:
            self._sampling = Sampling(max_tokens=max_tokens, temperature=temperature)
        except (TypeError, ValueError) as error:
            raise UsageError(f"the planner cannot write like that: {error}") from error

    @property
    def about(self) -> About:
        """Requirements of the model."""
        return self._chat.about

    @property
    def replans(self) -> bool:
        """True if it also plans samples that bring a plan."""
        return self._replan

    @cached_property
    def signature(self) -> str:
        """Model, prompts and options. A thrifty vote has the same winner, so it has the same signature."""
        return signature(
            "planner:chat",
            {
                "revision": 1,
                "chat": self._chat.signature,
                "prompts": self._prompts.hash,
                "windows": self._windows,
                "voting": self._voting,
                "temperature": self._sampling.temperature,
                "max_tokens": self._sampling.max_tokens,
            },
        )

    async def plan(self, sample: Sample, call: Call, /) -> Plan:
        """Return the plan that most windows agree on; the sample's own plan where it brings one.

        Raises:
            TransientError: if the model cannot be reached now.
            UnusableReplyError: if no window gave a plan that can be read.
        """
        if sample.plan is not None and not self._replan:
            return sample.plan
        voted_on = voting_windows(sample.context, sample.following, largest=self._windows, voting=self._voting)
        windows = {window.size: window for window in voted_on}
        answers: list[Vote | NoVote] = []
        raw_reply = ""
        while sizes := next_windows(tuple(windows), answers, thrifty=self._thrifty):
            asks = [self._ask(windows[size], sample) for size in sizes]
            votes = await ask_each(asks, call)
            for size, answer in zip(sizes, votes, strict=True):
                if isinstance(answer, Vote):
                    answers.append(answer)
                else:
                    answers.append(NoVote(size, answer.reason))
                    raw_reply = answer.raw_reply
        try:
            plan = elected_plan(answers, windows=len(windows), source=SOURCE, signature=self.signature)
        except UnusableReplyError as error:
            raise UnusableReplyError(error.reason, raw_reply=raw_reply) from None
        return replace(plan, votes=()) if self._voting == "one" else plan

    def _ask(self, window: Window, sample: Sample) -> Ask[Vote]:
        language = sample.language
        return ask_chat(
            self._chat,
            plan_messages(self._prompts, window, sample.target, language=language),
            sampling=self._sampling,
            read=partial(read_vote, window=window.size, language=language),
            json_schema=plan_schema(language),
        )
