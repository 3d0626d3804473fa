"""What parts of rooms that ask a model have in common: the model, its prompts, how it writes."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from aptone.models.about import About
from aptone.models.asking import Sampling
from aptone.models.prompts import load_prompts
from aptone.types import Json, signature


class _AnyModel(Protocol):
    @property
    def about(self) -> About: ...

    @property
    def signature(self) -> str: ...


Model = TypeVar("Model", bound=_AnyModel)


class ModelPart(Generic[Model]):
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
        self._name = name
        self._model = model
        self._prompts = load_prompts(Path(prompts) if prompts else ours, places=places)
        self._revision = revision
        self._sampling = Sampling(max_tokens=max_tokens)
        self._options = dict(options or {})

    @property
    def about(self) -> About:
        """What the model needs, and where recordings go."""
        return self._model.about

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
