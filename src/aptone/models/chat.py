"""Protocols of chat models: text, or text and audio in, text out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar, runtime_checkable

from aptone.errors import checked_cost
from aptone.models.parts import Part
from aptone.types import Audio, Json

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; users' material in it must go through `aptone.models.asking.guard.guard`."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class AudioMessage:
    """One turn of a conversation with recordings in it: texts and recordings, in order."""

    role: Role
    parts: tuple[str | Audio, ...]


AnyMessage = Message | AudioMessage


def parts_of(message: AnyMessage) -> tuple[str | Audio, ...]:
    """Return the texts and recordings of a turn.

    >>> parts_of(Message("user", "Hello"))
    ('Hello',)
    """
    return (message.text,) if isinstance(message, Message) else message.parts


@dataclass(frozen=True, slots=True)
class Token:
    """Token of a reply, and the probabilities of the likeliest tokens in its place, itself included."""

    text: str
    likely: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply of a model.

    Args:
        input_tokens: input tokens, audio included; 0 where unknown.
        output_tokens: output tokens; 0 where unknown.
        audio_tokens: input tokens that are sound, where the server tells them apart.
        estimated: whether tokens are estimated, since the server reported none.
        cost: cost of the call, in the currency of the price list.
        cut: reason for a truncated reply ("stopped at 512 tokens"); empty for a whole one.
        model: name of the model that the server reports.
        tokens: last tokens of the reply, where they were asked for and the server gives them.

    Raises:
        ValueError: if the cost is not a finite number of 0 or more.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cut: str = ""
    model: str = ""
    audio_tokens: int = 0
    estimated: bool = False
    tokens: tuple[Token, ...] = ()

    def __post_init__(self) -> None:
        checked_cost(self.cost, of="a reply")


Turn = TypeVar("Turn", contravariant=True)


class _AnyChat(Part, Protocol[Turn]):
    async def complete(
        self,
        messages: Sequence[Turn],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        """Return the reply to a conversation.

        Args:
            messages: turns so far, oldest first.
            temperature: sampling temperature; 0 for the likeliest reply.
            json_schema: schema of the reply; ``None`` for free text.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
        """


class Chat(_AnyChat[Message], Protocol):
    """Chat model.

    An adapter makes one call and does not retry: it raises `aptone.errors.TransientError`, and the runner decides.
    `aptone.models.asking.chat` connects adapters to the runner's cache and cost count.
    """


class AudioChat(_AnyChat[AnyMessage], Protocol):
    """Chat model that takes recordings too; else as `Chat`."""


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
