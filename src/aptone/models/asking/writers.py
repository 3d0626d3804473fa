"""Chat models that write or caption material for a benchmark, from the options of a builder.

Options are written ``writer.<option>``: for ``api`` those of a server (``model``, ``base_url``, …), for ``local`` those
of a model of transformers (``model``, ``device``, …); for both ``temperature`` and ``max_tokens``.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar, Unpack

from aptone.errors import UsageError
from aptone.messages import message
from aptone.models.asking.chat import Sampling
from aptone.models.asking.guard import guard
from aptone.models.chat import AudioChat
from aptone.models.local.chat import LocalAudioChat, LocalChat, LocalOmniChat
from aptone.models.local.placement import ABOUT, Placement, PlacementOptions, placement_of
from aptone.models.omni.checkpoint import is_omni
from aptone.models.openai.chat import OpenAiAudioChat, OpenAiChat, ServerOptions, served_chat
from aptone.models.parts import Part, options_of, passes_on
from aptone.types import Json, Language

_HAN = re.compile(r"[\u3400-\u9fff]")
_ASIDE = re.compile(r"[(（*\[【][^)）*\]】]{0,60}[)）*\]】]")
_SPEAKER = re.compile(r"^\s*(?:user|agent|assistant|用户|助手)\s*[:：]\s*", re.IGNORECASE)


def spoken_line(text: str) -> str:
    """Return the spoken words of a line, without stage directions and the name of the speaker.

    >>> spoken_line("User: (shouts) Get out! *slams the door*")
    'Get out!'
    """
    return guard(_ASIDE.sub(" ", _SPEAKER.sub("", text)))


def line_problem(words: str, language: Language, *, longest: int) -> str:
    """Return the reason why words cannot be a line in a language; empty if they can.

    >>> line_problem("Bonjour", "zh", longest=100)
    "the words are not in the language 'zh'"
    """
    if not any(character.isalpha() for character in words):
        return message("models.no-words")
    if len(words) > longest:
        return message("models.line-too-long", count=len(words), limit=longest)
    letters = sum(character.isalpha() for character in words)
    han = len(_HAN.findall(words))
    if (language == "zh") != (2 * han > letters):
        return message("models.words-other-language", language=repr(language))
    return ""


Model = TypeVar("Model")
Writer = TypeVar("Writer", bound=Part)
TEMPERATURE = 0.9
MAX_TOKENS = 2048


class Writing(NamedTuple, Generic[Model]):
    """Chat model, with or without audio input, and its sampling settings."""

    chat: Model
    temperature: float = TEMPERATURE
    max_tokens: int = MAX_TOKENS


def make_writing(
    kind: str, settings: Mapping[str, Json], *, makers: Mapping[str, Callable[..., Any]], part: str = "writer"
) -> Any:
    """Make a writer by its kind.

    Raises:
        UsageError: if there is no such kind or option, or an option has a wrong type or value.
    """
    if kind not in makers:
        raise UsageError(f"there are no texts by {kind!r}; choose one of {', '.join(makers)}.")
    options = options_of(part, settings)
    known = inspect.signature(makers[kind]).parameters
    if unknown := [name for name in options if name not in known]:
        raise UsageError(f"texts by {kind!r} have no option {unknown[0]!r}; they have {', '.join(known) or 'none'}.")
    return makers[kind](**options)


def served_writing(
    kind: type[OpenAiChat], *, part: str, temperature: float, max_tokens: int
) -> Callable[..., Writing[Any]]:
    """Return a function from the options of a builder to a model behind an OpenAI-compatible server."""

    @passes_on(served_chat)
    def make(
        *, temperature: float = temperature, max_tokens: int = max_tokens, **options: Unpack[ServerOptions]
    ) -> Writing[Any]:
        return Writing(served_chat(kind, part, **options), temperature, max_tokens)

    return make


def placed_writing(
    load: Callable[[Placement], Any], *, part: str, temperature: float, max_tokens: int
) -> Callable[..., Writing[Any]]:
    """Return a function from the options of a builder to a model of transformers, which `load` makes."""

    @passes_on(placement_of)
    def make(
        *,
        model: str = "",
        temperature: float = temperature,
        max_tokens: int = max_tokens,
        **options: Unpack[PlacementOptions],
    ) -> Writing[Any]:
        return Writing(load(placement_of(part, model=model, **options)), temperature, max_tokens)

    return make


CHATS: Mapping[str, Callable[..., Writing[Any]]] = {
    "api": served_writing(OpenAiChat, part="writer", temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
    "local": placed_writing(LocalChat, part="writer", temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
}
"""Chat models that write, by kind."""


def placed_listener(placement: Placement) -> AudioChat:
    """Return a model on this machine that hears and chats."""
    ABOUT.require("a model that hears, on this machine")
    return LocalOmniChat(placement) if is_omni(placement) else LocalAudioChat(placement)


LISTENER_MAX_TOKENS = 512
_CAPTIONING: dict[str, Any] = {"part": "captioner", "temperature": 0.7, "max_tokens": LISTENER_MAX_TOKENS}
api_listening = served_writing(OpenAiAudioChat, **_CAPTIONING)
local_listening = placed_writing(placed_listener, **_CAPTIONING)


def writer_by_kind(
    kind: str,
    settings: Mapping[str, Json],
    *,
    built_in: Mapping[str, Callable[[], Any]],
    by_chat: Callable[[Writing[Any]], Writer],
    what: str,
    part: str = "writer",
    chats: Mapping[str, Callable[..., Writing[Any]]] = CHATS,
) -> Writer:
    """Make a part that writes: a built-in one, or one that asks a chat model.

    Args:
        built_in: makers without options, by kind.
        by_chat: function from a chat model with its sampling settings to the part.
        what: kind of texts, for errors.

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such kind or option, or an option has a wrong type or value.
    """
    made = make_writing(kind, settings, makers={**built_in, **chats}, part=part)
    writer: Writer = by_chat(made) if isinstance(made, Writing) else made
    writer.about.require(f"{what} by {kind!r}")
    return writer


def sampling_of(writing: Writing[Any]) -> Sampling:
    """Return the sampling settings of a writer; raises `UsageError` if they are invalid."""
    try:
        return Sampling(max_tokens=writing.max_tokens, temperature=writing.temperature)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the writer cannot write like that: {error}") from error
