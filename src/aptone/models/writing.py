"""Chat models that write material for a benchmark: which one, where, and how freely, from the options of a builder.

Options are written ``writer.<option>``: for ``api`` those of a server (``model``, ``base_url``, …), for ``local`` those
of a model of transformers (``model``, ``device``, …); for both ``temperature`` and ``max_tokens``.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from aptone.errors import UsageError
from aptone.models.asking import Sampling
from aptone.models.chat import Chat
from aptone.models.endpoint import KEY_VARIABLE, TIMEOUT
from aptone.models.local_chat import LocalChat
from aptone.models.local_generation import Placement, Precision
from aptone.models.openai_chat import LimitField, OpenAiChat
from aptone.models.served import served
from aptone.types import Json, signature

Model = TypeVar("Model")
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
        part: who asks; see `aptone.models.served.served`.
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


def sampling_of(writing: Writing[Any]) -> Sampling:
    """How a writer writes.

    Raises:
        UsageError: if nothing can be written like that.
    """
    try:
        return Sampling(max_tokens=writing.max_tokens, temperature=writing.temperature)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the writer cannot write like that: {error}") from error


def writing_signature(what: str, chat: Chat, sampling: Sampling, *, prompts: str, **more: Json) -> str:
    """Everything that texts depend on: model, prompts, and how it writes.

    Args:
        what: is written, or judged.
        chat: the model.
        sampling: how it writes.
        prompts: their hash.
        more: what else.
    """
    parts: dict[str, Json] = {
        "chat": chat.signature,
        "prompts": prompts,
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
        **more,
    }
    return signature(what, parts)
