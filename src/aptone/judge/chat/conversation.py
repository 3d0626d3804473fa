"""Prompt of a speech-language judge: instructions, the plan or the story, the line, and the place of the clip.

Scoring and training build it here, so that a model is asked as it was trained. Prompts are files; users may replace
them by a folder of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import Literal

from aptone.errors import UsageError
from aptone.models.asking.guard import guard
from aptone.models.asking.prompts import PromptSet, load_prompts
from aptone.models.chat import AnyMessage, AudioMessage, Message
from aptone.models.parts import check_kinds
from aptone.planner import Window, context_window
from aptone.types import Audio, Language, Line, Plan, Sample

Shown = Literal["plan", "context"]

PROMPTS = Path(__file__).parent / "prompts"
PLACES: Mapping[str, tuple[str, ...]] = {
    "task_plan": (),
    "task_context": (),
    "answer_reasoned": (),
    "answer_score": (),
    "material_plan": ("emotion", "rhythm", "intonation", "recording_condition", "line"),
    "material_context": ("story", "line"),
}
"""Prompts of a set, and the placeholders of each."""

OPEN = {"en": "left open", "zh": "不限"}
NO_CONTEXT = {"en": "(nothing is known of it)", "zh": "（未知）"}
HERE = {"en": "(Here stands the line to be judged.)", "zh": "（待评的台词在此处。）"}
SAYS = {"en": "{role} says: {text}", "zh": "{role}说：{text}"}

_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "reasoning": ((bool,), "true or false"),
    "context_size": ((int,), "a whole number"),
    "prompts": ((str, NoneType), "the path of a folder"),
}
"""Types of the options; values from a command line can have any type."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Conversation about one clip, up to the reply.

    Args:
        system: instructions; empty for none.
        before: user's text before the clip.
        after: user's text after the clip.
    """

    system: str
    before: str
    after: str = ""

    def messages(self, audio: Audio) -> list[AnyMessage]:
        """Return the turns, with the clip in its place."""
        parts = (self.before, audio, self.after) if self.after else (self.before, audio)
        system: list[AnyMessage] = [Message("system", self.system)] if self.system else []
        return [*system, AudioMessage("user", parts)]


@dataclass(frozen=True)
class Briefing:
    """Settings of a judge's prompt; arguments as those of `aptone.judge.chat.judge.AudioChatJudge`.

    Raises:
        UsageError: if an option has a wrong type or value, or the prompts cannot be used.
    """

    reasoning: bool = True
    show: Shown = "plan"
    context_size: int = 15
    prompt_language: Language | None = None
    prompts: str | None = None

    def __post_init__(self) -> None:
        given = {"reasoning": self.reasoning, "context_size": self.context_size, "prompts": self.prompts}
        check_kinds("judge", given, _KINDS)
        if self.show not in ("plan", "context"):
            raise UsageError(f"a judge is shown the plan or the context, got {self.show!r}.")
        if self.prompt_language not in (None, "en", "zh"):
            raise UsageError(f"prompts are in en or zh, got {self.prompt_language!r}.")
        if self.context_size < 0:
            raise UsageError(f"the context has 0 lines or more, got {self.context_size!r}.")
        self.texts  # noqa: B018  (a set that cannot be used is refused at once)

    @cached_property
    def texts(self) -> PromptSet:
        """Prompts."""
        return load_prompts(Path(self.prompts) if self.prompts else PROMPTS, places=PLACES)

    def conversation(self, plan: Plan, sample: Sample) -> Conversation:
        """Return the conversation about a line."""
        language: Language = self.prompt_language or sample.language
        task = self.texts.fill(f"task_{self.show}", language, {})
        answer = self.texts.fill("answer_reasoned" if self.reasoning else "answer_score", language, {})
        if self.show == "plan":
            material = _plan_material(plan, language)
        else:
            material = {"story": _story(self.window(sample), language)}
        material["line"] = _said(sample.target, language)
        return Conversation(f"{task}\n\n{answer}", self.texts.fill(f"material_{self.show}", language, material))

    def window(self, sample: Sample) -> Window:
        """Return the lines of the story in the prompt, with ``show="context"``."""
        return context_window(sample.context, sample.following, size=self.context_size)

    def shown(self, plan: Plan, sample: Sample) -> tuple[str, ...]:
        """Return the texts of users in the prompt, before they were guarded."""
        if self.show == "plan":
            texts = [plan.emotion, plan.recording_condition]
        else:
            window = self.window(sample)
            texts = [text for line in (*window.before, *window.after) for text in (line.text, line.role)]
        return (*texts, sample.target.text, sample.target.role)


def asks_for_nothing(plan: Plan) -> bool:
    """Return true if a plan leaves everything open, so that nothing can be judged by it."""
    return not any((plan.emotion.strip(), plan.rhythm, plan.intonation, plan.recording_condition.strip()))


def _plan_material(plan: Plan, language: Language) -> dict[str, str]:
    asked = {
        "emotion": plan.emotion,
        "rhythm": plan.rhythm.label(language) if plan.rhythm else "",
        "intonation": plan.intonation.label(language) if plan.intonation else "",
        "recording_condition": plan.recording_condition,
    }
    return {name: guard(text) or OPEN[language] for name, text in asked.items()}


def _said(line: Line, language: Language) -> str:
    text, role = guard(line.text), guard(line.role)
    return SAYS[language].format(role=role, text=text) if role else text


def _story(window: Window, language: Language) -> str:
    if not window.size:
        return NO_CONTEXT[language]
    before, after = ([_said(line, language) for line in lines] for lines in (window.before, window.after))
    return "\n".join([*before, *([HERE[language]] if after else []), *after])
