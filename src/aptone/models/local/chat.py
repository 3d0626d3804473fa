"""Chat models of transformers on this machine: those that read, and those that hear (Qwen2-Audio, Voxtral and others).

Qwen2.5-Omni has an adapter of its own, `aptone.models.omni.audio_chat`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from aptone.models.chat import AnyMessage, Message, parts_of
from aptone.models.local.generation import LocalChatModel, Prepared, heard_at, refuse_control_tokens
from aptone.models.local.placement import Placement, load_once
from aptone.types import Audio, Json, dumps


class LocalChat(LocalChatModel[Message]):
    """Text model such as Qwen3-8B, with options of its chat template; replies can be constrained to a JSON schema."""

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
