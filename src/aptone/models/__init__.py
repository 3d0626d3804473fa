"""Models behind small protocols, and their adapters."""

from aptone.models.asking.chat import Sampling, ask_audio_chat, ask_chat
from aptone.models.asking.guard import guard
from aptone.models.chat import AnyMessage, AudioChat, AudioMessage, BatchAudioChat, Chat, Message, Reply
from aptone.models.parts import (
    About,
    Engine,
    Speaker,
    StyleEmbedder,
    TextEmbedder,
    TimedText,
    Transcriber,
    Transcript,
    load_speaker,
    load_style_embedder,
    load_text_embedder,
    load_transcriber,
)

__all__ = [
    "About",
    "AnyMessage",
    "AudioChat",
    "AudioMessage",
    "BatchAudioChat",
    "Chat",
    "Engine",
    "Message",
    "Reply",
    "Sampling",
    "Speaker",
    "StyleEmbedder",
    "TextEmbedder",
    "TimedText",
    "Transcriber",
    "Transcript",
    "ask_audio_chat",
    "ask_chat",
    "guard",
    "load_speaker",
    "load_style_embedder",
    "load_text_embedder",
    "load_transcriber",
]
