"""Qwen2.5-Omni on this machine, plain or with the gates of CEAEval-M; it hears many clips in one batch."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import get_args

from aptone.errors import UsageError
from aptone.models.about import About
from aptone.models.audio_chat import AnyMessage
from aptone.models.chat import Reply
from aptone.models.local.generation import ABOUT, Placement, one_at_a_time, write_replies
from aptone.models.omni.checkpoint import AskedPosition, Gated, load_omni, taught_position
from aptone.types import Json, signature


class LocalOmniChat:
    """Qwen2.5-Omni, run by transformers.

    Making one is cheap: the weights are loaded by the first reply and stay for the process, whoever asks next.

    Args:
        placement: which weights, and where.
        gated: whether the bias of the gates is on: where the checkpoint has them (``auto``), or always, or never.
        gate_position: where gates are read: where the checkpoint says that they were taught (``auto``), at the
            ``query``, or at the ``key`` as the release does on a whole sequence.
        aac: whether clips go through AAC at 64 kbit/s first, as in the release; needs the extra ``formats``.
        batch_size: conversations that are answered at once.

    Raises:
        UsageError: if an option is not one.
    """

    def __init__(
        self,
        placement: Placement,
        *,
        gated: Gated = "auto",
        gate_position: AskedPosition = "auto",
        aac: bool = False,
        batch_size: int = 8,
    ) -> None:
        if gated not in ("auto", True, False):
            raise UsageError(f"gates are used where there are any (auto), or true or false, got {gated!r}.")
        if gate_position not in get_args(AskedPosition):
            raise UsageError(
                f"gates are read where they were taught (auto), at the query or at the key, got {gate_position!r}."
            )
        self._placement = placement
        self._gated: Gated = gated
        self._gate_position: AskedPosition = gate_position
        self._aac = aac
        self.batch_size = batch_size

    @property
    def about(self) -> About:
        """What it needs; nothing leaves this machine."""
        return ABOUT + About(modules=("av",), extra="formats") if self._aac else ABOUT

    @cached_property
    def signature(self) -> str:
        """Model, revision, precision, and how it hears and attends: gates where they are read, whoever said so."""
        position = taught_position(self._placement) if self._gate_position == "auto" else self._gate_position
        parameters: dict[str, Json] = {
            **self._placement.identity,
            "gated": self._gated,
            "gate_position": position,
            "aac": self._aac,
        }
        return signature("local-omni-chat", parameters)

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
        (reply,) = await self.complete_batch(
            [messages], max_tokens=max_tokens, temperature=temperature, json_schema=json_schema, seeds=[seed or 0]
        )
        return reply

    async def complete_batch(
        self,
        conversations: Sequence[Sequence[AnyMessage]],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seeds: Sequence[int],
    ) -> list[Reply]:
        """The answers to several conversations; see `aptone.models.audio_chat.BatchAudioChat`."""

        def replies() -> list[Reply]:
            with one_at_a_time:
                omni = load_omni(self._placement)
                omni.switch(gated=self._gated, gate_position=self._gate_position)
                return write_replies(
                    omni.model,
                    omni.tokenizer,
                    omni.inputs(conversations, aac=self._aac),
                    max_tokens=max_tokens,
                    temperature=temperature,
                    json_schema=json_schema,
                    seeds=seeds,
                )

        return await asyncio.to_thread(replies)
