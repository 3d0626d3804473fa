"""Any chat model of transformers on this machine."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from aptone.models.about import About
from aptone.models.chat import Message, Reply
from aptone.models.local.generation import ABOUT, Placement, one_at_a_time, refuse_control_tokens, write_replies
from aptone.types import Json, dumps, loads, signature


class LocalChat:
    """A text model such as Qwen3-8B, run by transformers; its replies can be held to a JSON schema.

    Making one is cheap: the weights are loaded by the first reply and stay for the process, whoever asks next.

    Args:
        placement: which weights, and where.
        template: options for its chat template, for instance ``{"enable_thinking": False}``.
    """

    def __init__(self, placement: Placement, *, template: Mapping[str, Json] | None = None) -> None:
        self._placement = placement
        self._template = dumps(template or {})

    @property
    def about(self) -> About:
        """What it needs; nothing leaves this machine."""
        return ABOUT

    @property
    def signature(self) -> str:
        """Model, revision, precision and options of the template."""
        return signature("local-chat", {**self._placement.identity, "template": self._template})

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        """The answer to a conversation; see `aptone.models.chat.Chat`."""

        def reply() -> Reply:
            with one_at_a_time:
                tokenizer, model = _loaded(self._placement)
                refuse_control_tokens([message.text for message in messages if message.role == "user"], tokenizer)
                turns = [{"role": message.role, "content": message.text} for message in messages]
                options: Any = loads(self._template)
                prompt = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **options)
                inputs = tokenizer(prompt, add_special_tokens=False, return_tensors="pt").to(model.device)
                (written,) = write_replies(
                    model,
                    tokenizer,
                    {name: inputs[name] for name in ("input_ids", "attention_mask")},
                    max_tokens=max_tokens,
                    temperature=temperature,
                    json_schema=json_schema,
                    seeds=[seed or 0],
                )
                return written

        return await asyncio.to_thread(reply)


@cache
def _loaded(placement: Placement) -> tuple[Any, Any]:
    return placement.load("AutoModelForCausalLM", "AutoTokenizer")
