"""What parts of rooms that ask a model have in common: the model, its prompts, how it writes, and how it is asked.

A part that judges asks for the likeliest reply, with prompts that a user may replace (`ModelPart`); one that writes
material for a benchmark writes as freely as it is told, with our prompts (`WritingPart`).
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from aptone.models.about import About
from aptone.models.asking.chat import Sampling, ask_chat
from aptone.models.asking.prompts import PromptSet, load_prompts
from aptone.models.asking.writers import Writing, sampling_of
from aptone.models.chat import Chat, Message
from aptone.run import Call
from aptone.types import Json, signature


class _AnyModel(Protocol):
    @property
    def about(self) -> About: ...

    @property
    def signature(self) -> str: ...


Model = TypeVar("Model", bound=_AnyModel)
Answer = TypeVar("Answer")


class _PromptedPart(Generic[Model]):
    """A part that asks a model by prompts.

    Args:
        name: stands in its signature.
        model: who is asked.
        prompts: how it is asked.
        sampling: how it writes.
    """

    def __init__(self, name: str, model: Model, *, prompts: PromptSet, sampling: Sampling) -> None:
        self._name = name
        self._model = model
        self._prompts = prompts
        self._sampling = sampling

    @property
    def about(self) -> About:
        """What the model needs, and where recordings go."""
        return self._model.about

    async def _answer(
        self: "_PromptedPart[Chat]",
        *messages: Message,
        read: Callable[[str], Answer],
        call: Call,
        json_schema: Mapping[str, Json] | None = None,
    ) -> Answer:
        """What a chat model answers; where it cannot be read it is asked again, and then refused.

        Args:
            messages: what it is told.
            read: turns the text of a whole reply into an answer, or raises `UnusableReplyError`.
            call: that asks, keeps and counts.
            json_schema: what the reply must look like; ``None`` for free text.

        Raises:
            TransientError: if the model cannot be reached now.
            UnusableReplyError: if no reply could be read.
        """
        return await call.ask_one(
            ask_chat(self._model, messages, sampling=self._sampling, read=read, json_schema=json_schema)
        )


class ModelPart(_PromptedPart[Model]):
    """A part that asks a model, for the likeliest reply.

    Args:
        name: stands in its signature.
        model: who is asked.
        places: the prompts that it needs, and the places for material in each.
        ours: the folder with our prompts.
        prompts: a folder with other prompts; ``None`` for ours.
        revision: of how it asks and reads; stands in its signature.
        max_tokens: of a reply.
        options: what else its answers depend on.

    Raises:
        UsageError: if the prompts cannot be used.
    """

    def __init__(
        self,
        name: str,
        model: Model,
        places: Mapping[str, tuple[str, ...]],
        *,
        ours: Path,
        prompts: str | None,
        revision: int,
        max_tokens: int,
        options: Mapping[str, Json] | None = None,
    ) -> None:
        loaded = load_prompts(Path(prompts) if prompts else ours, places=places)
        super().__init__(name, model, prompts=loaded, sampling=Sampling(max_tokens=max_tokens))
        self._revision = revision
        self._options = dict(options or {})

    @cached_property
    def signature(self) -> str:
        """Model, prompts and options."""
        parameters: dict[str, Json] = {
            "revision": self._revision,
            "chat": self._model.signature,
            "prompts": self._prompts.hash,
            "max_tokens": self._sampling.max_tokens,
            **self._options,
        }
        return signature(self._name, parameters)


class WritingPart(_PromptedPart[Model]):
    """A part that has a model write, as freely as it is told.

    Args:
        name: stands in its signature.
        writing: the model, and how it writes.
        places: the prompts that it needs, and the places for material in each.
        ours: the folder with our prompts.
        options: what else its texts depend on.

    Raises:
        UsageError: if nothing can be written like that.
    """

    def __init__(
        self,
        name: str,
        writing: Writing[Model],
        places: Mapping[str, tuple[str, ...]],
        *,
        ours: Path,
        options: Mapping[str, Json] | None = None,
    ) -> None:
        loaded = load_prompts(ours, places=places)
        super().__init__(name, writing.chat, prompts=loaded, sampling=sampling_of(writing))
        self._options = dict(options or {})

    @cached_property
    def signature(self) -> str:
        """Model, prompts, how it writes, and options."""
        parameters: dict[str, Json] = {
            "chat": self._model.signature,
            "prompts": self._prompts.hash,
            "temperature": self._sampling.temperature,
            "max_tokens": self._sampling.max_tokens,
            **self._options,
        }
        return signature(self._name, parameters)
