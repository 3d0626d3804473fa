"""What the parts of this room that ask chat models have in common."""

from aptone.models.asking import Sampling
from aptone.types import signature


def chat_signature(name: str, *, chat: str, prompts: str, sampling: Sampling) -> str:
    """One line for a part that asks a chat model: model, prompts and how it writes."""
    return signature(
        name,
        {"chat": chat, "prompts": prompts, "temperature": sampling.temperature, "max_tokens": sampling.max_tokens},
    )


def has_words(text: str) -> bool:
    """Whether a text says something: three letters or more.

    >>> has_words("..."), has_words("calm")
    (False, True)
    """
    return sum(character.isalpha() for character in text) >= 3
