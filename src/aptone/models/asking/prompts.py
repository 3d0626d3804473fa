"""Sets of prompts, and base classes of the parts of rooms that ask a model by them.

A prompt is a file ``<name>.<language>.txt``; a user's folder may replace a set. Placeholders are written ``{{name}}``.
They are filled in one pass, so that material which itself holds ``{{line}}`` is not filled; it goes through
`aptone.models.asking.guard.guard` first.

A part that judges asks for the likeliest reply, with prompts that a user may replace (`ModelPart`); one that writes
material for a benchmark samples at a temperature, with our prompts (`WritingPart`).
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from aptone.errors import UsageError
from aptone.models.asking.chat import Sampling, ask_chat
from aptone.models.asking.writers import Writing, sampling_of
from aptone.models.chat import Chat, Message
from aptone.models.parts import About, Part
from aptone.run import Call
from aptone.types import Json, Language, signature

_PLACE = re.compile(r"\{\{(\w+)\}\}")
LARGEST_PROMPT = 100_000
"""Most characters of a prompt."""


@dataclass(frozen=True, slots=True)
class PromptSet:
    """Prompts by ``<name>.<language>``, and the folder that they are from."""

    texts: Mapping[str, str]
    source: str

    @property
    def hash(self) -> str:
        """Short hash of all prompts, for signatures."""
        digest = hashlib.sha256()
        for name, text in sorted(self.texts.items()):
            digest.update(f"{name}\0{len(text)}\0{text}\0".encode())
        return digest.hexdigest()[:16]

    def fill(self, name: str, language: Language, material: Mapping[str, str]) -> str:
        """Return a prompt with its placeholders filled.

        >>> PromptSet({"hello.en": "Say {{word}}!"}, source="here").fill("hello", "en", {"word": "{{word}}"})
        'Say {{word}}!'
        """
        return _PLACE.sub(lambda place: material[place[1]], self.texts[f"{name}.{language}"])


def load_prompts(folder: Path, *, places: Mapping[str, Iterable[str]]) -> PromptSet:
    """Read a set of prompts, in both languages.

    Args:
        places: names of the prompts, and the placeholders of each: no fewer, or the model would miss material, and no
            others, or they could not be filled.

    Raises:
        UsageError: if a prompt is missing, unreadable, or has other placeholders.
    """
    texts = {}
    for name, expected in places.items():
        for language in ("en", "zh"):
            path = folder / f"{name}.{language}.txt"
            texts[f"{name}.{language}"] = _checked(path, frozenset(expected))
    return PromptSet(texts, source=str(folder))


def _checked(path: Path, expected: frozenset[str]) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a prompt ({error}). A set of prompts needs this file.") from error
    if not text or len(text) > LARGEST_PROMPT:
        raise UsageError(f"{path}: expected a prompt of 1 to {LARGEST_PROMPT} characters, got {len(text)}.")
    if (found := frozenset(_PLACE.findall(text))) != expected:
        wanted = " and ".join(f"{{{{{name}}}}}" for name in sorted(expected)) or "none"
        got = " and ".join(f"{{{{{name}}}}}" for name in sorted(found)) or "none"
        raise UsageError(f"{path}: expected the places {wanted}, got {got}.")
    return text


Model = TypeVar("Model", bound=Part)
Answer = TypeVar("Answer")


class _PromptedPart(Generic[Model]):
    """Part that asks a model by prompts."""

    def __init__(
        self, name: str, model: Model, *, prompts: PromptSet, sampling: Sampling, parameters: Mapping[str, Json]
    ) -> None:
        self._name = name
        self._model = model
        self._prompts = prompts
        self._sampling = sampling
        self._parameters = parameters

    @property
    def about(self) -> About:
        """Requirements of the model, and the machines that receive recordings."""
        return self._model.about

    @cached_property
    def signature(self) -> str:
        """Model, prompts, sampling settings and options."""
        asked = {"chat": self._model.signature, "prompts": self._prompts.hash}
        return signature(self._name, {**asked, "max_tokens": self._sampling.max_tokens, **self._parameters})

    async def _answer(
        self: "_PromptedPart[Chat]",
        *messages: Message,
        read: Callable[[str], Answer],
        call: Call,
        json_schema: Mapping[str, Json] | None = None,
    ) -> Answer:
        """Return the answer of a chat model; an unreadable reply is requested again, and then refused.

        Raises:
            TransientError: if the model cannot be reached now.
            UnusableReplyError: if no reply could be read.
        """
        return await call.ask_one(
            ask_chat(self._model, messages, sampling=self._sampling, read=read, json_schema=json_schema)
        )


class ModelPart(_PromptedPart[Model]):
    """Part that asks a model for the likeliest reply.

    Args:
        name: opening of its signature.
        places: names of its prompts, and the placeholders of each.
        prompts: folder with other prompts; ``None`` for ours.
        revision: revision of prompt building and parsing, for the signature.
        options: further options that its answers depend on.

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
        own: dict[str, Json] = {"revision": revision, **(options or {})}
        super().__init__(name, model, prompts=loaded, sampling=Sampling(max_tokens=max_tokens), parameters=own)


class WritingPart(_PromptedPart[Model]):
    """Part that has a model write, at a sampling temperature.

    Raises:
        UsageError: if the sampling settings are invalid.
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
        own: dict[str, Json] = {"temperature": writing.temperature, **(options or {})}
        super().__init__(name, writing.chat, prompts=loaded, sampling=sampling_of(writing), parameters=own)
