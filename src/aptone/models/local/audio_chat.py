"""Any chat model of transformers that hears, on this machine: Qwen2-Audio, Voxtral and others.

Qwen2.5-Omni has an adapter of its own, `aptone.models.omni.audio_chat`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from aptone.models.about import About
from aptone.models.audio_chat import AnyMessage, parts_of
from aptone.models.chat import Reply
from aptone.models.local.generation import (
    ABOUT,
    Placement,
    heard_at,
    one_at_a_time,
    refuse_control_tokens,
    write_replies,
)
from aptone.types import Audio, Json, signature


class LocalAudioChat:
    """An audio chat model, run by transformers.

    Making one is cheap: the weights are loaded by the first reply and stay for the process, whoever asks next.

    Args:
        placement: which weights, and where.
    """

    def __init__(self, placement: Placement) -> None:
        self._placement = placement

    @property
    def about(self) -> About:
        """What it needs; nothing leaves this machine."""
        return ABOUT

    @property
    def signature(self) -> str:
        """Model, revision and precision."""
        return signature("local-audio-chat", self._placement.identity)

    async def complete(
        self,
        messages: Sequence[AnyMessage],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        """The answer to a conversation with recordings; see `aptone.models.audio_chat.AudioChat`."""

        def reply() -> Reply:
            with one_at_a_time:
                processor, model = _loaded(self._placement)
                inputs = _inputs(processor, messages).to(model.device, model.dtype)
                (written,) = write_replies(
                    model,
                    processor.tokenizer,
                    dict(inputs),
                    max_tokens=max_tokens,
                    temperature=temperature,
                    json_schema=json_schema,
                    seeds=[seed or 0],
                )
                return written

        return await asyncio.to_thread(reply)


@cache
def _loaded(placement: Placement) -> tuple[Any, Any]:
    return placement.load("AutoModelForMultimodalLM", "AutoProcessor")


def _inputs(processor: Any, messages: Sequence[AnyMessage]) -> Any:
    """A conversation as the model takes it.

    Raises:
        UsageError: if a recording is longer than what the model hears: it would be cut without a word.
    """
    users = [part for message in messages if message.role == "user" for part in parts_of(message)]
    refuse_control_tokens([part for part in users if isinstance(part, str)], processor.tokenizer)
    extractor = processor.feature_extractor
    heard = [
        heard_at(part, rate=extractor.sampling_rate, longest=getattr(extractor, "chunk_length", None))
        for message in messages
        for part in parts_of(message)
        if isinstance(part, Audio)
    ]
    turns = [{"role": message.role, "content": [_part(part) for part in parts_of(message)]} for message in messages]
    prompt = processor.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    sound = {"audio": [audio.samples for audio in heard], "sampling_rate": extractor.sampling_rate} if heard else {}
    return processor(text=[prompt], return_tensors="pt", **sound)


def _part(part: str | Audio) -> dict[str, str]:
    return {"type": "text", "text": part} if isinstance(part, str) else {"type": "audio"}
