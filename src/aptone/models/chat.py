"""A model that answers text with text."""

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
        role: who says it.
        text: what. Material from users belongs into it by way of `aptone.models.asking.guard.guard` only.
    """

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Args:
        text: as it came.
        input_tokens: that the model was shown, audio included; 0 when it did not say.
        output_tokens: that it wrote; 0 when it did not say.
        cost: of the call, in the currency of the price list.
        cut: why the reply is not whole ("stopped at 512 tokens"); empty when it is.
        model: what the other side says has answered.

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
    """Answers a conversation.

    An adapter makes one call and does not try again: what may pass is raised as `aptone.errors.TransientError`, and
    the runner decides. `aptone.models.asking.chat` joins adapters to the runner's cache and its count of costs.
    """

    @property
    def about(self) -> About:
        """What a user must know before it runs."""
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
        """The answer to a conversation.

        Args:
            messages: the turns so far, oldest first.
            max_tokens: how many it may write.
            temperature: 0 for the likeliest answer.
            json_schema: what the reply must look like; ``None`` for free text.
            seed: of what is drawn at random, where the model has such a thing.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
        """
        ...
