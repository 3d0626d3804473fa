"""Protocol of chat models: text in, text out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from aptone.errors import checked_cost
from aptone.models.about import About
from aptone.types import Json

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Args:
        role: speaker of the turn.
        text: text of the turn; users' material must go through `aptone.models.asking.guard.guard`.
    """

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply of a model.

    Args:
        text: unchanged text.
        input_tokens: input tokens, audio included; 0 where unknown.
        output_tokens: output tokens; 0 where unknown.
        cost: cost of the call, in the currency of the price list.
        cut: reason for a truncated reply ("stopped at 512 tokens"); empty for a whole one.
        model: name of the model that the server reports.

    Raises:
        ValueError: if the cost is not a finite number of 0 or more.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cut: str = ""
    model: str = ""

    def __post_init__(self) -> None:
        checked_cost(self.cost, of="a reply")


class Chat(Protocol):
    """Chat model.

    An adapter makes one call and does not retry: it raises `aptone.errors.TransientError`, and the runner decides.
    `aptone.models.asking.chat` connects adapters to the runner's cache and cost count.
    """

    @property
    def about(self) -> About:
        """Requirements and limits."""
        ...

    @property
    def signature(self) -> str:
        """Everything that a reply depends on besides the messages and the arguments of `complete`; never a key."""
        ...

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        """Return the reply to a conversation.

        Args:
            messages: turns so far, oldest first.
            max_tokens: limit of the reply.
            temperature: sampling temperature; 0 for the likeliest reply.
            json_schema: schema of the reply; ``None`` for free text.
            seed: random seed, for models that sample.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
        """
        ...
