"""OpenAI-compatible servers as chat models: vLLM, SGLang, llama.cpp, Ollama, and vendors."""

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import NoneType
from typing import Literal, TypeVar, Unpack, get_args

from aptone.audio.write import wav_bytes
from aptone.errors import TransientError, UsageError
from aptone.messages import message
from aptone.models.chat import AnyMessage, AudioMessage, Message, Reply, Token
from aptone.models.openai.endpoint import ABOUT, Endpoint, EndpointOptions, endpoint_of
from aptone.models.openai.prices import Prices, prices_of, sent_tokens, text_tokens
from aptone.models.parts import About, Kinds, check_kinds, passes_on
from aptone.run.http.keys import holds_key, is_key_name
from aptone.types import Audio, Json, dumps, is_finite_number, signature

LimitField = Literal["max_tokens", "max_completion_tokens"]

_KINDS: Kinds = {
    "input_price": ((int, float, NoneType), "a number"),
    "output_price": ((int, float, NoneType), "a number"),
    "audio_price": ((int, float, NoneType), "a number"),
    "prices": ((str,), "the path of a file of prices"),
    "omit_temperature": ((bool,), "true or false"),
    "extra": ((Mapping, NoneType), "an object"),
}
MOST_PER_TOKEN = 100
"""Characters of a reply for each token that was asked for at most; beyond it, the reply is cut and no verdict."""
_CUT = {"length": "stopped at {tokens} tokens", "content_filter": "withheld by the server's filter"}
_LONGEST_NAME = 200
_OURS = ("model", "messages", "max_tokens", "max_completion_tokens", "temperature", "seed", "response_format", "stream")
MOST_TOKENS, MOST_LIKELY, LONGEST_TOKEN = 24, 20, 64
"""Last tokens of a reply that are kept, the most that servers give in the place of one, and characters of a token."""


@dataclass(frozen=True, slots=True)
class OpenAiChat:
    """Chat model behind ``/chat/completions``.

    Args:
        limit_field: name of the request field that limits the output tokens; vendors differ.
        omit_temperature: send no temperature, for models that refuse one.
        extra: further fields of each request, for instance ``{"top_p": 0.9}``.
        logprobs: ask for the probabilities of tokens; a server that has none replies without them.

    Raises:
        UsageError: if the model has no name, or `extra` holds a field that is set elsewhere.
    """

    endpoint: Endpoint
    model: str
    prices: Prices = field(default_factory=Prices)
    limit_field: LimitField = "max_tokens"
    extra: Mapping[str, Json] = field(default_factory=dict)
    omit_temperature: bool = False
    logprobs: bool = False

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("which model is asked? Give the name that the server knows it by.")
        if self.limit_field not in get_args(LimitField):
            choices = " or ".join(get_args(LimitField))
            raise UsageError(f"the limit on what is written is called {choices}, got {self.limit_field!r}.")
        if clash := sorted(set(self.extra) & set(_OURS)):
            raise UsageError(f"{clash[0]!r} cannot be given as an extra field of the request: it is set elsewhere.")
        # Extra fields are part of signatures.
        if keys := [name for name, value in self.extra.items() if is_key_name(name) or holds_key(dumps(value))]:
            raise UsageError(message("models.key-in-extra", name=repr(keys[0]), variable=self.endpoint.key_variable))

    @property
    def about(self) -> About:
        """Requirements; text goes to the server, recordings do not."""
        return self._priced(ABOUT)

    def _priced(self, about: About) -> About:
        """Add that the price is unknown, or of which day it is."""
        dated = (message("models.prices-of", model=self.model, date=self.prices.date),) if self.prices.date else ()
        unpriced = () if self.prices.are_known else (self.model,)
        return replace(about, unpriced=unpriced, notes=(*about.notes, *dated))

    @property
    def signature(self) -> str:
        """Model, server and extra fields; whether no temperature is sent, and probabilities are asked for."""
        asked: dict[str, Json] = {"model": self.model, "server": self.endpoint.base_url, "extra": dict(self.extra)}
        asked |= {name: True for name in ("omit_temperature", "logprobs") if getattr(self, name)}
        return signature("openai-compatible", asked)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        """Return the reply to a conversation; see `aptone.models.chat.Chat`."""
        return await self._complete(
            messages, max_tokens=max_tokens, temperature=temperature, json_schema=json_schema, seed=seed
        )

    async def _complete(
        self,
        messages: Sequence[AnyMessage],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        """Return the reply to a conversation, with or without recordings; see `aptone.models.chat.AudioChat`."""
        body: dict[str, Json] = {
            **self.extra,
            "model": self.model,
            "messages": [{"role": message.role, "content": _content(message)} for message in messages],
            self.limit_field: max_tokens,
        }
        if not self.omit_temperature:
            body["temperature"] = temperature
        if self.logprobs:
            body |= {"logprobs": True, "top_logprobs": MOST_LIKELY}
        if seed is not None:
            body["seed"] = seed
        if json_schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": json_schema},
            }
        data = await self.endpoint.post_json("chat/completions", body)
        machine = self.endpoint.machine
        return read_completion(data, messages, prices=self.prices, machine=machine, max_tokens=max_tokens)


@dataclass(frozen=True, slots=True)
class OpenAiAudioChat(OpenAiChat):
    """Chat model that takes recordings too, as parts of the kind ``input_audio``; arguments as `OpenAiChat`."""

    @property
    def about(self) -> About:
        """Requirements, and the machine that receives recordings."""
        return self._priced(self.endpoint.about_audio)

    complete = OpenAiChat._complete


def _content(message: AnyMessage) -> Json:
    return [_part(part) for part in message.parts] if isinstance(message, AudioMessage) else message.text


def _part(part: str | Audio) -> Json:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    encoded = base64.b64encode(wav_bytes(part)).decode("ascii")
    return {"type": "input_audio", "input_audio": {"data": encoded, "format": "wav"}}


ServedChat = TypeVar("ServedChat", bound=OpenAiChat)


class ServerOptions(EndpointOptions, total=False):
    """Options of a part that asks a chat model behind a server; defaults and meaning as `served_chat`."""

    input_price: float | None
    output_price: float | None
    audio_price: float | None
    prices: str
    limit_field: LimitField
    extra: Mapping[str, Json] | None
    omit_temperature: bool


@passes_on(endpoint_of)
def served_chat(
    kind: type[ServedChat],
    part: str,
    *,
    input_price: float | None = None,
    output_price: float | None = None,
    audio_price: float | None = None,
    prices: str = "",
    limit_field: LimitField = "max_tokens",
    extra: Mapping[str, Json] | None = None,
    omit_temperature: bool = False,
    **server: Unpack[EndpointOptions],
) -> ServedChat:
    """Return the chat model that the options of a part name.

    Args:
        part: part that asks it: ``judge``, ``planner``, …
        input_price: price of a million input tokens; 0 for a server that costs nothing, ``None`` for an unknown price.
        output_price: price of a million output tokens, likewise.
        audio_price: price of a million input tokens that are sound; ``None`` for `input_price`.
        prices: file of prices by model; see `aptone.models.openai.prices`.
        omit_temperature: send no temperature, for models that refuse one.
        server: model, base_url, key_variable and timeout; see `aptone.models.openai.endpoint.endpoint_of`.

    Raises:
        UsageError: if model or server is missing, or an option has a wrong type or value.
    """
    given = {"input_price": input_price, "output_price": output_price, "audio_price": audio_price, "prices": prices}
    check_kinds(part, {**given, "extra": extra, "omit_temperature": omit_temperature}, _KINDS)
    endpoint, model = endpoint_of(part, **server)
    known = prices_of(model, Prices(input=input_price, output=output_price, audio=audio_price), file=prices)
    return kind(
        endpoint,
        model,
        prices=known,
        limit_field=limit_field,
        extra=extra or {},
        omit_temperature=omit_temperature,
    )


def read_completion(
    data: Mapping[str, Json], messages: Sequence[AnyMessage] = (), *, prices: Prices, machine: str, max_tokens: int
) -> Reply:
    """Read the reply in a chat completion.

    Tokens are those that the server reports; where it reports none they are estimated from the conversation and the
    reply, and `Reply.estimated` says so.

    `Reply.cut` names the reason of one that was truncated, or withheld by a filter, so that no verdict is read from it.

    Raises:
        TransientError: if the data is no chat completion.
    """
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, Sequence) and not isinstance(choices, str) and choices else None
    answer = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(answer, Mapping):
        raise TransientError(message("models.reply-without-choice", machine=machine))
    content, refusal = answer.get("content"), answer.get("refusal")
    text = content if isinstance(content, str) else refusal if isinstance(refusal, str) else ""
    longest = MOST_PER_TOKEN * max_tokens
    cut = _CUT.get(str(choice.get("finish_reason")), "") if len(text) <= longest else _CUT["length"]
    text = text[:longest]
    usage = data.get("usage")
    counts = usage if isinstance(usage, Mapping) else {}
    input_tokens, output_tokens = _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))
    split = counts.get("prompt_tokens_details")
    audio_tokens = _count(split.get("audio_tokens")) if isinstance(split, Mapping) else 0
    estimated = not input_tokens or (not output_tokens and bool(text))
    if not input_tokens:
        input_tokens, audio_tokens = sent_tokens(messages)
    output_tokens = output_tokens or text_tokens(text)
    model = data.get("model")
    return Reply(
        text,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        audio_tokens=audio_tokens,
        estimated=estimated,
        cost=prices.cost(input_tokens=input_tokens, output_tokens=output_tokens, audio_tokens=audio_tokens),
        cut=cut.format(tokens=max_tokens),
        model=model[:_LONGEST_NAME] if isinstance(model, str) else "",
        tokens=_tokens(choice.get("logprobs")),
    )


def _tokens(given: Json) -> tuple[Token, ...]:
    """Return the last tokens of a reply by what a server says of them; none where it says nothing that makes sense."""
    listed = given.get("content") if isinstance(given, Mapping) else None
    tokens: list[Token] = []
    for one in listed[-MOST_TOKENS:] if isinstance(listed, list) else []:
        if not isinstance(one, Mapping) or not isinstance(text := one.get("token"), str):
            return ()
        others = one.get("top_logprobs")
        likely = {}
        for other in [one, *(others[:MOST_LIKELY] if isinstance(others, list) else [])]:
            spelt, log = (other.get("token"), other.get("logprob")) if isinstance(other, Mapping) else ("", None)
            if isinstance(spelt, str) and is_finite_number(log) and float(str(log)) <= 0.0:
                likely[spelt[:LONGEST_TOKEN]] = math.exp(float(str(log)))
        tokens.append(Token(text[:LONGEST_TOKEN], likely))
    return tuple(tokens)


def _count(value: Json) -> int:
    """Return a count of tokens; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else 0
