"""Speech-language model as the judge: it hears the clip, reads the plan or the story, and writes a verdict.

The paper's settings are its options: with and without reasoning before the score (CoT), with a plan or with the raw
context, any number of context lines, prompts in English or Mandarin. The hash of the prompts is part of the signature.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TypedDict, Unpack

from aptone.errors import UsageError
from aptone.judge.chat.conversation import Briefing, Shown, asks_for_nothing
from aptone.judge.chat.expectation import LOGPROBS, by_expectation
from aptone.judge.chat.verdict import Verdict, read_verdict
from aptone.judge.protocol import Hearing
from aptone.messages import message
from aptone.models import About
from aptone.models.asking.chat import Sampling, ask_audio_chat, split_tokens
from aptone.models.chat import AudioChat, Token
from aptone.models.openai.chat import OpenAiAudioChat, ServerOptions, served_chat
from aptone.models.parts import check_kinds, passes_on, split_options
from aptone.run import Call
from aptone.types import Audio, Json, Language, Outcome, Plan, Sample, State, signature, to_json

TOKENS_FOR_REASONS = 1500
TOKENS_FOR_A_SCORE = 32


class ChatJudgeOptions(TypedDict, total=False):
    """Options of a judge that asks a model; defaults and meaning as `AudioChatJudge`."""

    reasoning: bool
    show: Shown
    context_size: int
    prompt_language: Language | None
    prompts: str | None
    temperature: float
    max_tokens: int | None


class AudioChatJudge:
    """Judge by any model that hears and chats.

    Args:
        reasoning: ask for a chain of thought before the score (CoT).
        show: material to judge by: the plan, or the story as it is.
        context_size: lines of the story in the prompt, with ``show="context"``.
        prompt_language: language of the instructions; ``None`` for that of the story.
        temperature: sampling temperature; 0 for the likeliest verdict.
        max_tokens: limit of a reply; ``None`` for 1500 with reasoning, 32 without.

    Raises:
        UsageError: if an option has a wrong type or value, or the prompts cannot be used.
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
        self._chat = chat
        self._briefing = Briefing(reasoning, show, context_size, prompt_language, prompts)
        try:
            usual = TOKENS_FOR_REASONS if reasoning else TOKENS_FOR_A_SCORE
            self._sampling = Sampling(max_tokens=usual if max_tokens is None else max_tokens, temperature=temperature)
        except (TypeError, ValueError) as error:
            raise UsageError(f"the judge cannot write like that: {error}") from error

    @property
    def about(self) -> About:
        """Requirements of the model, and the machines that receive recordings."""
        return self._chat.about

    @cached_property
    def signature(self) -> str:
        """Model, prompts and every option that a verdict depends on."""
        parameters: dict[str, Json] = {
            "revision": 1,
            "chat": self._chat.signature,
            "prompts": self._briefing.texts.hash,
            "prompt_language": self._briefing.prompt_language or "story",
            "reasoning": self._briefing.reasoning,
            "show": self._briefing.show,
            "temperature": self._sampling.temperature,
            "max_tokens": self._sampling.max_tokens,
        }
        if self._briefing.show == "context":
            parameters["context_size"] = self._briefing.context_size
        return signature("judge:audio-chat", parameters)

    async def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        """Return the verdict on a clip.

        Raises:
            TransientError: if the model cannot be reached now.
            UnusableReplyError: if none of its replies holds a verdict.
        """
        return await self._judge_by(self._chat, Hearing(audio, plan, sample, call))

    async def _judge_by(self, chat: AudioChat, hearing: Hearing) -> Outcome:
        plan, sample, briefing = hearing.plan, hearing.sample, self._briefing
        by_plan = briefing.show == "plan"
        if by_plan and asks_for_nothing(plan):
            return Outcome.unscored(message("judge.plan-asks-nothing"), signature=self.signature)
        messages = briefing.conversation(plan, sample).messages(hearing.audio)
        with_tokens = getattr(chat, "logprobs", False)
        read = partial(_read, shown=briefing.shown(plan, sample), with_tokens=with_tokens)
        ask = ask_audio_chat(chat, messages, sampling=self._sampling, read=read, with_tokens=with_tokens)
        raw_reply, verdict, tokens = await hearing.call.ask(ask.request, ask.send, ask.read)
        evidence: dict[str, Json] = {"plan": to_json(plan)} if by_plan else {}
        if not by_plan:
            evidence["context_lines"] = briefing.window(sample).size
        if with_tokens:
            verdict, evidence[LOGPROBS] = by_expectation(verdict, tokens)
        return Outcome(
            State.DONE,
            scores=verdict.scores(signature=self.signature),
            rationale=verdict.rationale,
            evidence=evidence,
            raw_reply=raw_reply,
            signature=self.signature,
        )


class ApiJudgeOptions(ServerOptions, ChatJudgeOptions, total=False):
    """Options of `ApiJudge` besides its own."""


class ApiJudge(AudioChatJudge):
    """Judge by a model behind an OpenAI-compatible server: vLLM, SGLang, llama.cpp, Ollama, or a vendor.

    Args:
        logprobs: take the expected score over the probabilities of its tokens, where the server has them; see
            `aptone.judge.chat.expectation`. Without them the score is the number that was written, and a note says so.
        options: those of the server, see `aptone.models.openai.chat.served_chat`, and of `AudioChatJudge`; without
            ``model``, the environment variable ``APTONE_JUDGE_MODEL`` names the model.

    Raises:
        UsageError: if model or server is missing, or an option has a wrong type or value.
    """

    @passes_on(served_chat, AudioChatJudge)
    def __init__(self, *, logprobs: bool = False, **options: Unpack[ApiJudgeOptions]) -> None:
        server, own = split_options(options, ServerOptions, ChatJudgeOptions)
        check_kinds("judge", {"logprobs": logprobs}, {"logprobs": ((bool,), "true or false")})
        super().__init__(replace(served_chat(OpenAiAudioChat, "judge", **server), logprobs=logprobs), **own)


def _read(text: str, *, shown: Sequence[str], with_tokens: bool) -> tuple[str, Verdict, tuple[Token, ...]]:
    reply, tokens = split_tokens(text) if with_tokens else (text, ())
    return reply, read_verdict(reply, shown=shown), tokens
