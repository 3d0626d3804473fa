"""Chat models that hear, for builders: which one, where, and how freely it writes, from the options of a builder."""

from aptone.models.asking.writers import placed_writing, served_writing
from aptone.models.audio_chat import AudioChat
from aptone.models.local.audio_chat import LocalAudioChat
from aptone.models.local.generation import ABOUT, Placement
from aptone.models.omni.audio_chat import LocalOmniChat
from aptone.models.omni.checkpoint import is_omni
from aptone.models.openai.chat import OpenAiAudioChat

TEMPERATURE = 0.7
MAX_TOKENS = 512


def placed_listener(placement: Placement) -> AudioChat:
    """A model that hears and chats, on this machine."""
    ABOUT.require("a model that hears, on this machine")
    return LocalOmniChat(placement) if is_omni(placement) else LocalAudioChat(placement)


api_listening = served_writing(OpenAiAudioChat, part="captioner", temperature=TEMPERATURE, max_tokens=MAX_TOKENS)
local_listening = placed_writing(placed_listener, temperature=TEMPERATURE, max_tokens=MAX_TOKENS)
