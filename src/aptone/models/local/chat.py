"""Chat models of transformers on this machine: those that read, and those that hear.

Qwen2-Audio, Voxtral and others hear one clip after the other; Qwen2.5-Omni, plain or with the gates of CEAEval-M, hears
many in one batch.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, get_args

from aptone.errors import UsageError
from aptone.models.chat import AnyMessage, Message, parts_of
from aptone.models.local.generation import LocalChatModel, Prepared, heard_at, refuse_control_tokens
from aptone.models.local.placement import ABOUT, Placement, load_once
from aptone.models.omni.checkpoint import AskedPosition, Gated, load_omni, trained_position
from aptone.models.parts import About
from aptone.types import Audio, Json, dumps, signature


class LocalChat(LocalChatModel[Message]):
    """Text model such as Qwen3-8B; its replies can be constrained to a JSON schema.

    Args:
        template: options of its chat template, for instance ``{"enable_thinking": False}``.
    """

    def __init__(self, placement: Placement, *, template: Mapping[str, Json] | None = None) -> None:
        super().__init__("local-chat", placement, template=dumps(template or {}))
        self._template: Mapping[str, Any] = dict(template or {})

    def _prepare(self, conversations: Sequence[Sequence[Message]]) -> Prepared:
        (messages,) = conversations
        tokenizer, model = load_once(self._placement, "AutoModelForCausalLM", "AutoTokenizer")
        refuse_control_tokens([message.text for message in messages if message.role == "user"], tokenizer)
        turns = [{"role": message.role, "content": message.text} for message in messages]
        prompt = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **self._template)
        inputs = tokenizer(prompt, add_special_tokens=False, return_tensors="pt").to(model.device)
        return Prepared(model, tokenizer, {name: inputs[name] for name in ("input_ids", "attention_mask")})


class LocalAudioChat(LocalChatModel[AnyMessage]):
    """Audio chat model of transformers.

    A recording longer than the model hears is a `UsageError`: transformers would truncate it silently.
    """

    def __init__(self, placement: Placement) -> None:
        super().__init__("local-audio-chat", placement)

    def _prepare(self, conversations: Sequence[Sequence[AnyMessage]]) -> Prepared:
        (messages,) = conversations
        processor, model = load_once(self._placement, "AutoModelForMultimodalLM", "AutoProcessor")
        users = [part for message in messages if message.role == "user" for part in parts_of(message)]
        refuse_control_tokens([part for part in users if isinstance(part, str)], processor.tokenizer)
        extractor = processor.feature_extractor
        clips = [
            heard_at(part, rate=extractor.sampling_rate, longest=getattr(extractor, "chunk_length", None))
            for message in messages
            for part in parts_of(message)
            if isinstance(part, Audio)
        ]
        turns = [{"role": message.role, "content": [_part(part) for part in parts_of(message)]} for message in messages]
        prompt = processor.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        sound = {"audio": [clip.samples for clip in clips], "sampling_rate": extractor.sampling_rate} if clips else {}
        inputs = processor(text=[prompt], return_tensors="pt", **sound).to(model.device, model.dtype)
        return Prepared(model, processor.tokenizer, dict(inputs))


def _part(part: str | Audio) -> dict[str, str]:
    return {"type": "text", "text": part} if isinstance(part, str) else {"type": "audio"}


class LocalOmniChat(LocalChatModel[AnyMessage]):
    """Qwen2.5-Omni, run by transformers.

    Args:
        gated: attention bias of the gates: on where the checkpoint has gates (``auto``), or always, or never.
        gate_position: position that gates are read at: that of training (``auto``), the ``query``, or the ``key`` as
            in the release on a whole sequence.
        aac: pass clips through AAC at 64 kbit/s first, as in the release; needs the extra ``formats``.

    Raises:
        UsageError: if an option has a wrong value.
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
                f"gates are read where they were in training (auto), at the query or at the key, got {gate_position!r}."
            )
        super().__init__("local-omni-chat", placement)
        self._gated: Gated = gated
        self._gate_position: AskedPosition = gate_position
        self._aac = aac
        self.batch_size = batch_size

    @property
    def about(self) -> About:
        """Requirements; nothing leaves this machine."""
        return ABOUT + About(modules=("av",), extra="formats") if self._aac else ABOUT

    @cached_property
    def signature(self) -> str:
        """Model, revision, precision, AAC and gates, with the position that they are read at."""
        position = trained_position(self._placement) if self._gate_position == "auto" else self._gate_position
        own: dict[str, Json] = {"gated": self._gated, "gate_position": position, "aac": self._aac}
        return signature(self._name, {**self._placement.identity, **own})

    complete_batch = LocalChatModel[AnyMessage]._replies

    def _prepare(self, conversations: Sequence[Sequence[AnyMessage]]) -> Prepared:
        omni = load_omni(self._placement)
        omni.switch(gated=self._gated, gate_position=self._gate_position)
        return Prepared(omni.model, omni.tokenizer, omni.inputs(conversations, aac=self._aac))
