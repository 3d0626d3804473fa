"""The judge behind an OpenAI-compatible server: vLLM, SGLang, llama.cpp, Ollama, or a vendor."""

from collections.abc import Mapping

from aptone.judge.chat.conversation import Shown
from aptone.judge.chat.judge import AudioChatJudge
from aptone.models.openai.chat import LimitField, OpenAiAudioChat
from aptone.models.openai.served import served
from aptone.types import Json, Language


class ApiJudge(AudioChatJudge):
    """A model behind an OpenAI-compatible server as the judge.

    Args:
        model: its name there; by default the environment variable ``APTONE_JUDGE_MODEL``.
        base_url: of the server; by default the environment variable ``OPENAI_BASE_URL``.
        key_variable: name of the environment variable that holds the key.
        timeout: seconds for a call.
        input_price: of a million tokens that it reads.
        output_price: of a million tokens that it writes.
        limit_field: how the server calls the limit on what is written.
        extra: what else goes into each request, for instance ``{"top_p": 0.9}``.
        reasoning, show, context_size, prompt_language, prompts, temperature, max_tokens: as for `AudioChatJudge`.

    Raises:
        UsageError: if it is not said which model or which server, or an option is not one.
    """

    def __init__(
        self,
        *,
        model: str = "",
        base_url: str = "",
        key_variable: str = "OPENAI_API_KEY",
        timeout: float = 120.0,
        input_price: float = 0.0,
        output_price: float = 0.0,
        limit_field: LimitField = "max_tokens",
        extra: Mapping[str, Json] | None = None,
        reasoning: bool = True,
        show: Shown = "plan",
        context_size: int = 15,
        prompt_language: Language | None = None,
        prompts: str | None = None,
        temperature: float = 0.0,
        max_tokens: int | None = None,
    ) -> None:
        chat = served(
            OpenAiAudioChat,
            part="judge",
            model=model,
            base_url=base_url,
            key_variable=key_variable,
            timeout=timeout,
            input_price=input_price,
            output_price=output_price,
            limit_field=limit_field,
            extra=extra,
        )
        super().__init__(
            chat,
            reasoning=reasoning,
            show=show,
            context_size=context_size,
            prompt_language=prompt_language,
            prompts=prompts,
            temperature=temperature,
            max_tokens=max_tokens,
        )
