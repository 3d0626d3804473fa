"""Planner that asks a chat model, once for each window, and lets the windows vote."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TypedDict

from aptone.errors import UnusableReplyError, UsageError
from aptone.models import About
from aptone.models.asking.chat import Sampling, ask_chat, ask_each
from aptone.models.asking.guard import guard
from aptone.models.asking.prompts import PromptSet, load_prompts
from aptone.models.chat import Chat, Message
from aptone.planner.chat.reply import plan_schema, read_vote
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
