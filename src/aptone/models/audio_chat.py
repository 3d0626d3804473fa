"""A model that answers text and sound with text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from aptone.models.about import About
from aptone.models.chat import Message, Reply, Role
from aptone.types import Audio, Json


@dataclass(frozen=True, slots=True)
class AudioMessage:
    """One turn of a conversation with recordings in it.

    Args:
        role: who says it.
        parts: texts and recordings, in the order in which the model meets them.
    """

    role: Role
    parts: tuple[str | Audio, ...]


AnyMessage = Message | AudioMessage


class AudioChat(Protocol):
    """Answers a conversation that may hold recordings; else as `aptone.models.chat.Chat`."""

    @property
    def about(self) -> About:
        """What a user must know before it runs: above all, where recordings go."""
        ...

    @property
    def signature(self) -> str:
        """Everything that a reply depends on besides the messages and the arguments of `complete`; never a key."""
        ...

    async def complete(
        self,
        messages: Sequence[AnyMessage],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        """The answer to a conversation; arguments and errors as those of `Chat.complete`."""
        ...


@runtime_checkable
class BatchAudioChat(AudioChat, Protocol):
    """Answers several conversations at once; each as if it were alone."""

    batch_size: int
    """How many at most."""

    async def complete_batch(
        self,
        conversations: Sequence[Sequence[AnyMessage]],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seeds: Sequence[int],
    ) -> list[Reply]:
        """The answers, in the order of the conversations; a seed for each, and the rest as for `Chat.complete`."""
        ...


def parts_of(message: AnyMessage) -> tuple[str | Audio, ...]:
    """What a turn holds, whether it has recordings or not.

    >>> parts_of(Message("user", "Hello"))
    ('Hello',)
    """
    return (message.text,) if isinstance(message, Message) else message.parts
