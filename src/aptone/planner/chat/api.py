"""The planner that asks an OpenAI-compatible server: vLLM, SGLang, llama.cpp, Ollama, or a vendor."""

from collections.abc import Mapping

from aptone.models.openai.chat import LimitField, OpenAiChat
from aptone.models.openai.served import served
from aptone.planner.chat.planner import MAX_TOKENS, TEMPERATURE, ChatPlanner
from aptone.planner.windows import LARGEST_WINDOW, Voting
from aptone.types import Json


class ApiPlanner(ChatPlanner):
    """A model behind an OpenAI-compatible server as the planner.

    Args:
        model: its name there; by default the environment variable ``APTONE_PLANNER_MODEL``.
        base_url: of the server; by default the environment variable ``OPENAI_BASE_URL``.
        key_variable: name of the environment variable that holds the key.
        timeout: seconds for a call.
        input_price: of a million tokens that it reads.
        output_price: of a million tokens that it writes.
        limit_field: how the server calls the limit on what is written.
        extra: what else goes into each request, for instance ``{"top_p": 0.9}``.
        prompts, windows, voting, thrifty, temperature, max_tokens, replan: as for `ChatPlanner`.

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
        prompts: str | None = None,
        windows: int = LARGEST_WINDOW,
        voting: Voting = "release",
        thrifty: bool = False,
        temperature: float = TEMPERATURE,
        max_tokens: int = MAX_TOKENS,
        replan: bool = False,
    ) -> None:
        chat = served(
            OpenAiChat,
            part="planner",
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
            prompts=prompts,
            windows=windows,
            voting=voting,
            thrifty=thrifty,
            temperature=temperature,
            max_tokens=max_tokens,
            replan=replan,
        )
