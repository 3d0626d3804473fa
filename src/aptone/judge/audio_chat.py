"""A speech-language model as the judge: it hears the clip, reads the plan or the story, and writes a verdict.

The paper's settings are its options: with and without reasoning before the score (CoT), with a plan or with the raw
context, any number of context lines, prompts in English or Mandarin. Prompts are files that a folder of the user's can
replace; their hash is part of the signature.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import NoneType
from typing import Literal

from aptone.errors import UsageError
from aptone.judge.judge import Hearing
from aptone.judge.verdict import Verdict, read_verdict
from aptone.models import About
from aptone.models.asking import Sampling, ask_audio_chat
from aptone.models.audio_chat import AnyMessage, AudioChat, AudioMessage
from aptone.models.chat import Message
from aptone.models.guard import guard
from aptone.models.prompts import PromptSet, load_prompts
from aptone.models.served import check_kinds
from aptone.planner import Window, context_window
from aptone.run import Call
from aptone.types import Audio, Json, Language, Line, Outcome, Plan, Sample, State, signature, to_json

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
"""The prompts of a set, and the places for material that each has."""

OPEN = {"en": "left open", "zh": "不限"}
NO_CONTEXT = {"en": "(nothing is known of it)", "zh": "（未知）"}
HERE = {"en": "(Here stands the line to be judged.)", "zh": "（待评的台词在此处。）"}
SAYS = {"en": "{role} says: {text}", "zh": "{role}说：{text}"}

TOKENS_FOR_REASONS = 1500
TOKENS_FOR_A_SCORE = 32


class AudioChatJudge:
    """Any model that hears and chats, as a judge.

    Args:
        chat: the model.
        reasoning: whether it thinks in words before it scores (CoT).
        show: what it judges by: the plan, or the story as it is.
        context_size: lines of the story that it sees, with ``show="context"``.
        prompt_language: of the instructions; ``None`` for that of the story.
        prompts: a folder with other prompts.
        temperature: 0 for the likeliest verdict.
        max_tokens: of a reply; ``None`` for what suits the kind of answer.

    Raises:
        UsageError: if an option is not one, or the prompts cannot be used.
    """

    def __init__(
        self,
        chat: AudioChat,
        *,
        reasoning: bool = True,
        show: Shown = "plan",
        context_size: int = 15,
        prompt_language: Language | None = None,
        prompts: str | None = None,
        temperature: float = 0.0,
        max_tokens: int | None = None,
    ) -> None:
        check_kinds("judge", {"reasoning": reasoning, "context_size": context_size, "prompts": prompts}, _KINDS)
        if show not in ("plan", "context"):
            raise UsageError(f"a judge is shown the plan or the context, got {show!r}.")
        if prompt_language not in (None, "en", "zh"):
            raise UsageError(f"prompts are in en or zh, got {prompt_language!r}.")
        if context_size < 0:
            raise UsageError(f"the context has 0 lines or more, got {context_size!r}.")
        self._chat = chat
        self._reasoning = reasoning
        self._show = show
        self._context_size = context_size
        self._prompt_language = prompt_language
        self._prompts: PromptSet = load_prompts(Path(prompts) if prompts else PROMPTS, places=PLACES)
        try:
            usual = TOKENS_FOR_REASONS if reasoning else TOKENS_FOR_A_SCORE
            self._sampling = Sampling(max_tokens=usual if max_tokens is None else max_tokens, temperature=temperature)
        except (TypeError, ValueError) as error:
            raise UsageError(f"the judge cannot write like that: {error}") from error

    @property
    def about(self) -> About:
        """What the model needs, and where recordings go."""
        return self._chat.about

    @cached_property
    def signature(self) -> str:
        """Model, prompts and every option that a verdict depends on."""
        parameters: dict[str, Json] = {
            "revision": 1,
            "chat": self._chat.signature,
            "prompts": self._prompts.hash,
            "prompt_language": self._prompt_language or "story",
            "reasoning": self._reasoning,
            "show": self._show,
            "temperature": self._sampling.temperature,
            "max_tokens": self._sampling.max_tokens,
        }
        if self._show == "context":
            parameters["context_size"] = self._context_size
        return signature("judge:audio-chat", parameters)

    async def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        """The verdict on a clip.

        Raises:
            TransientError: if the model cannot be reached now.
            UnusableReplyError: if none of its replies holds a verdict.
        """
        return await self._judge_by(self._chat, Hearing(audio, plan, sample, call))

    async def _judge_by(self, chat: AudioChat, hearing: Hearing) -> Outcome:
        plan, sample = hearing.plan, hearing.sample
        window = context_window(sample.context, sample.following, size=self._context_size)
        if self._show == "plan":
            if not any((plan.emotion.strip(), plan.rhythm, plan.intonation, plan.recording_condition.strip())):
                return Outcome.unscored("the plan asks for nothing", signature=self.signature)
            shown = _plan_texts(plan)
        else:
            shown = [text for line in (*window.before, *window.after) for text in _line_texts(line)]
        read = partial(_read, shown=(*shown, *_line_texts(sample.target)))
        messages = self._messages(hearing.audio, plan, sample)
        ask = ask_audio_chat(chat, messages, sampling=self._sampling, read=read)
        raw_reply, verdict = await hearing.call.ask(ask.request, ask.send, ask.read)
        return Outcome(
            State.DONE,
            scores=verdict.scores(signature=self.signature),
            rationale=verdict.rationale,
            evidence={"plan": to_json(plan)} if self._show == "plan" else {"context_lines": window.size},
            raw_reply=raw_reply,
            signature=self.signature,
        )

    def _messages(self, audio: Audio, plan: Plan, sample: Sample) -> list[AnyMessage]:
        language: Language = self._prompt_language or sample.language
        answer = "answer_reasoned" if self._reasoning else "answer_score"
        task = self._prompts.fill(f"task_{self._show}", language, {})
        if self._show == "plan":
            material = _plan_material(plan, language)
        else:
            window = context_window(sample.context, sample.following, size=self._context_size)
            material = {"story": _story(window, language)}
        material["line"] = _said(sample.target, language)
        text = self._prompts.fill(f"material_{self._show}", language, material)
        return [
            Message("system", f"{task}\n\n{self._prompts.fill(answer, language, {})}"),
            AudioMessage("user", (text, audio)),
        ]


_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "reasoning": ((bool,), "true or false"),
    "context_size": ((int,), "a whole number"),
    "prompts": ((str, NoneType), "the path of a folder"),
}
"""What options are: they come from a command line, where everything can be anything."""


def _read(reply: str, *, shown: Sequence[str]) -> tuple[str, Verdict]:
    return reply, read_verdict(reply, shown=shown)


def _line_texts(line: Line) -> tuple[str, str]:
    return line.text, line.role


def _plan_texts(plan: Plan) -> list[str]:
    return [plan.emotion, plan.recording_condition]


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
