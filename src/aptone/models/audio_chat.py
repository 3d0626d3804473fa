"""Protocol of chat models that hear: text and audio in, text out."""

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
        role: speaker of the turn.
        parts: texts and recordings, in order.
    """

    role: Role
    parts: tuple[str | Audio, ...]


AnyMessage = Message | AudioMessage


class AudioChat(Protocol):
    """Chat model that takes recordings too; else as `aptone.models.chat.Chat`."""

    @property
    def about(self) -> About:
        """Requirements, and the machines that receive recordings."""
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
        """Return the reply to a conversation; arguments and errors as those of `Chat.complete`."""
        ...


@runtime_checkable
class BatchAudioChat(AudioChat, Protocol):
    """Chat model that replies to several conversations at once; each reply is as if it were alone."""

    batch_size: int
    """Largest number of conversations in a batch."""

    async def complete_batch(
        self,
        conversations: Sequence[Sequence[AnyMessage]],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seeds: Sequence[int],
    ) -> list[Reply]:
        """Return the replies, in the order of the conversations; a seed for each, the rest as for `Chat.complete`."""
        ...


def parts_of(message: AnyMessage) -> tuple[str | Audio, ...]:
    """Return the texts and recordings of a turn.

    >>> parts_of(Message("user", "Hello"))
    ('Hello',)
    """
    return (message.text,) if isinstance(message, Message) else message.parts
