"""Chat models that hear, for builders: which one, where, and how freely it writes, from the options of a builder."""

from collections.abc import Mapping
from typing import NamedTuple

from aptone.models.audio_chat import AudioChat
from aptone.models.endpoint import KEY_VARIABLE, TIMEOUT
from aptone.models.local_audio_chat import LocalAudioChat
from aptone.models.local_generation import ABOUT, Placement, Precision
from aptone.models.local_omni import LocalOmniChat
from aptone.models.local_omni_checkpoint import is_omni
from aptone.models.openai_chat import LimitField, OpenAiAudioChat
from aptone.models.served import served
from aptone.types import Json

TEMPERATURE = 0.7
MAX_TOKENS = 512


class Listening(NamedTuple):
    """A chat model that hears, and how it writes."""

    chat: AudioChat
    temperature: float = TEMPERATURE
    max_tokens: int = MAX_TOKENS


def api_listening(
    *,
    model: str = "",
    base_url: str = "",
    key_variable: str = KEY_VARIABLE,
    timeout: float = TIMEOUT,
    input_price: float = 0.0,
    output_price: float = 0.0,
    limit_field: LimitField = "max_tokens",
    extra: Mapping[str, Json] | None = None,
    temperature: float = TEMPERATURE,
    max_tokens: int = MAX_TOKENS,
) -> Listening:
    """A model behind a server that speaks the OpenAI protocol; see `aptone.models.served.served`."""
    chat = served(
        OpenAiAudioChat,
        part="captioner",
        model=model,
        base_url=base_url,
        key_variable=key_variable,
        timeout=timeout,
        input_price=input_price,
        output_price=output_price,
        limit_field=limit_field,
        extra=extra,
    )
    return Listening(chat, temperature, max_tokens)


def local_listening(
    *,
    model: str = "",
    revision: str = "",
    device: str = "auto",
    precision: Precision = "auto",
    temperature: float = TEMPERATURE,
    max_tokens: int = MAX_TOKENS,
) -> Listening:
    """A model of transformers on this machine.

    Raises:
        MissingExtraError: if torch or transformers is not installed.
    """
    ABOUT.require("a model that hears, on this machine")
    placement = Placement(model, revision=revision, device=device, precision=precision)
    return Listening(
        LocalOmniChat(placement) if is_omni(placement) else LocalAudioChat(placement), temperature, max_tokens
    )
