"""Chat models that write material for a benchmark: which one, where, and how freely, from the options of a builder.

Options are written ``writer.<option>``: for ``api`` those of a server (``model``, ``base_url``, …), for ``local`` those
of a model of transformers (``model``, ``device``, …); for both ``temperature`` and ``max_tokens``.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from aptone.errors import UsageError
from aptone.messages import message
from aptone.models.about import About
from aptone.models.asking.chat import Sampling
from aptone.models.asking.guard import guard
from aptone.models.local.chat import LocalChat
from aptone.models.local.generation import Placement, Precision
from aptone.models.openai.chat import LimitField, OpenAiChat
from aptone.models.openai.endpoint import KEY_VARIABLE, TIMEOUT
from aptone.models.openai.served import served
from aptone.types import Json, Language

_HAN = re.compile(r"[\u3400-\u9fff]")
_ASIDE = re.compile(r"[(（*\[【][^)）*\]】]{0,60}[)）*\]】]")
_SPEAKER = re.compile(r"^\s*(?:user|agent|assistant|用户|助手)\s*[:：]\s*", re.IGNORECASE)


def spoken_line(text: str) -> str:
    """The words alone: stage directions and the name of the speaker are taken off, and nothing else is mended.

    >>> spoken_line("User: (shouts) Get out! *slams the door*")
    'Get out!'
    """
    return guard(_ASIDE.sub(" ", _SPEAKER.sub("", text)))


def line_problem(words: str, language: Language, *, longest: int) -> str:
    """Why words cannot be a line in a language; empty if they can.

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


class _AnyPart(Protocol):
    @property
    def about(self) -> About: ...


Model = TypeVar("Model")
Part = TypeVar("Part", bound=_AnyPart)
TEMPERATURE = 0.9
MAX_TOKENS = 2048


class Writing(NamedTuple, Generic[Model]):
    """A chat model, one that hears or one that does not, and how it writes."""

    chat: Model
    temperature: float = TEMPERATURE
    max_tokens: int = MAX_TOKENS


def make_writing(
    kind: str, settings: Mapping[str, Json], *, makers: Mapping[str, Callable[..., Any]], part: str = "writer"
) -> Any:
    """What writes, by its kind.

    Args:
        kind: a name among the makers.
        settings: options as ``<part>.<option>``; others are left alone.
        makers: kind to what makes it from its options.
        part: whose options they are.

    Raises:
        UsageError: if there is no such kind or option, or an option is not one.
    """
    if kind not in makers:
        raise UsageError(f"there are no texts by {kind!r}; choose one of {', '.join(makers)}.")
    options = {key.partition(".")[2]: value for key, value in settings.items() if key.startswith(f"{part}.")}
    known = inspect.signature(makers[kind]).parameters
    if unknown := [name for name in options if name not in known]:
        raise UsageError(f"texts by {kind!r} have no option {unknown[0]!r}; they have {', '.join(known) or 'none'}.")
    return makers[kind](**options)


def served_writing(
    kind: type[OpenAiChat], *, part: str, temperature: float, max_tokens: int
) -> Callable[..., Writing[Any]]:
    """What makes a model behind a server that speaks the OpenAI protocol from the options of a builder.

    Args:
        kind: of chat model.
        part: who asks; see `aptone.models.openai.served.served`.
        temperature: unless told otherwise.
        max_tokens: unless told otherwise.
    """

    def make(
        *,
        model: str = "",
        base_url: str = "",
        key_variable: str = KEY_VARIABLE,
        timeout: float = TIMEOUT,
        input_price: float = 0.0,
        output_price: float = 0.0,
        limit_field: LimitField = "max_tokens",
        extra: Mapping[str, Json] | None = None,
        temperature: float = temperature,
        max_tokens: int = max_tokens,
    ) -> Writing[Any]:
        chat = served(
            kind,
            part=part,
            model=model,
            base_url=base_url,
            key_variable=key_variable,
            timeout=timeout,
            input_price=input_price,
            output_price=output_price,
            limit_field=limit_field,
            extra=extra,
        )
        return Writing(chat, temperature, max_tokens)

    return make


def placed_writing(
    load: Callable[[Placement], Any], *, temperature: float, max_tokens: int
) -> Callable[..., Writing[Any]]:
    """The same for a model of transformers on this machine, which `load` makes."""

    def make(
        *,
        model: str = "",
        revision: str = "",
        device: str = "auto",
        precision: Precision = "auto",
        temperature: float = temperature,
        max_tokens: int = max_tokens,
    ) -> Writing[Any]:
        placement = Placement(model, revision=revision, device=device, precision=precision)
        return Writing(load(placement), temperature, max_tokens)

    return make


api_writing = served_writing(OpenAiChat, part="writer", temperature=TEMPERATURE, max_tokens=MAX_TOKENS)
local_writing = placed_writing(LocalChat, temperature=TEMPERATURE, max_tokens=MAX_TOKENS)
CHATS: Mapping[str, Callable[..., Writing[Any]]] = {"api": api_writing, "local": local_writing}
"""Who writes besides what is built in."""


def writer_by_kind(
    kind: str,
    settings: Mapping[str, Json],
    *,
    built_in: Mapping[str, Callable[[], Any]],
    by_chat: Callable[[Writing[Any]], Part],
    what: str,
    part: str = "writer",
    chats: Mapping[str, Callable[..., Writing[Any]]] = CHATS,
) -> Part:
    """A part that writes, by its kind: a built-in one, or a chat model.

    Args:
        kind: a name among the built-in ones and the chat models.
        settings: options as ``<part>.<option>``; others are left alone.
        built_in: kind to what makes it; these have no options.
        by_chat: makes the part of a chat model, and how it writes.
        what: is written, for errors.
        part: whose options they are.
        chats: kind to what makes the chat model from its options.

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such kind or option, or an option is not one.
    """
    made = make_writing(kind, settings, makers={**built_in, **chats}, part=part)
    writer: Part = by_chat(made) if isinstance(made, Writing) else made
    writer.about.require(f"{what} by {kind!r}")
    return writer


def sampling_of(writing: Writing[Any]) -> Sampling:
    """How a writer writes.

    Raises:
        UsageError: if nothing can be written like that.
    """
    try:
        return Sampling(max_tokens=writing.max_tokens, temperature=writing.temperature)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the writer cannot write like that: {error}") from error
