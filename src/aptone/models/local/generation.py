r"""Text generation by chat models of transformers: replies token by token, free or constrained to a JSON schema.

Supported schemas are those of our prompts: an object with the given properties, all of them, in the given order; its
values are strings (free, or one of an enum), numbers, integers, booleans, or such objects again. An escape such as
``\u4f60`` counts as one character of a string.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from aptone.audio import resample
from aptone.errors import AptoneError, RecordError, UsageError
from aptone.models.chat import Reply
from aptone.models.local.placement import LocalModel, model_lock
from aptone.types import Audio, Json

if TYPE_CHECKING:
    import torch
import json
import re
from enum import StrEnum

Turn = TypeVar("Turn")

_HALF_A_CHARACTER = "\ufffd"

CANDIDATES = 50
"""Likeliest tokens that are tried at once under a constraint."""


class Prepared(NamedTuple):
    """Conversations as a loaded model takes them."""

    model: Any
    tokenizer: Any
    inputs: Mapping[str, Any]


class LocalChatModel(LocalModel, Generic[Turn]):
    """Base of the chat models of transformers: a subclass prepares conversations, this one writes the replies."""

    def _prepare(self, conversations: Sequence[Sequence[Turn]]) -> Prepared:
        raise NotImplementedError

    async def complete(
        self,
        messages: Sequence[Turn],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        """Return the reply to a conversation; see `aptone.models.chat.Chat`."""
        (reply,) = await self._replies(
            [messages], max_tokens=max_tokens, temperature=temperature, json_schema=json_schema, seeds=[seed or 0]
        )
        return reply

    async def _replies(
        self,
        conversations: Sequence[Sequence[Turn]],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seeds: Sequence[int],
    ) -> list[Reply]:
        """Return the replies to several conversations; see `aptone.models.chat.BatchAudioChat`."""

        def replies() -> list[Reply]:
            with model_lock:
                return write_replies(
                    *self._prepare(conversations),
                    max_tokens=max_tokens,
                    temperature=temperature,
                    json_schema=json_schema,
                    seeds=seeds,
                )

        return await asyncio.to_thread(replies)


def refuse_control_tokens(texts: Sequence[str], tokenizer: Any) -> None:
    """Refuse users' texts that hold a control token of this model.

    `aptone.models.asking.guard.guard` removes those of the usual forms; a tokenizer may know others. Every token that
    was added to its vocabulary counts: it is found in any text, special or not.

    Raises:
        RecordError: if a text holds one.
    """
    for token in sorted({*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}):
        if any(token in text for text in texts):
            raise RecordError(f"a text holds {token!r}, a control token of the model; take it out.")


def write_replies(
    model: Any,
    tokenizer: Any,
    inputs: Mapping[str, Any],
    *,
    max_tokens: int,
    temperature: float,
    json_schema: Mapping[str, Json] | None,
    seeds: Sequence[int],
) -> list[Reply]:
    """Generate one reply for each row and seed.

    Rows of unequal length are padded on the left. A reply depends on its own row and seed, not on the batch, up to
    rounding in larger batches. Marks such as ``<score>`` may be special tokens of a judge, so only the token that ends
    a reply is removed.
    """
    import torch

    shown = inputs["input_ids"].shape[1]
    ends = end_tokens(model, tokenizer)
    steps: list[Any] = (
        [_JsonConstraint(tokenizer, json_schema, shown=shown, ends=ends)] if json_schema is not None else []
    )
    if temperature > 0:
        steps.append(_GumbelSampling(seeds, temperature=temperature))
    with torch.inference_mode():
        written = model.generate(
            **inputs,
            max_new_tokens=max_tokens,
            eos_token_id=ends,
            pad_token_id=tokenizer.pad_token_id if tokenizer.pad_token_id is not None else ends[0],
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            logits_processor=steps,
        )[:, shown:].tolist()
    return [
        _reply(row, tokenizer, ends=ends, shown=length, max_tokens=max_tokens)
        for row, length in zip(written, inputs["attention_mask"].sum(dim=1).tolist(), strict=True)
    ]


def _reply(written: list[int], tokenizer: Any, *, ends: Sequence[int], shown: int, max_tokens: int) -> Reply:
    end = next((place for place, token in enumerate(written) if token in ends), None)
    text = tokenizer.decode(written[:end], skip_special_tokens=False)
    if end is None:
        return Reply(text, input_tokens=shown, output_tokens=len(written), cut=f"stopped at {max_tokens} tokens")
    return Reply(text, input_tokens=shown, output_tokens=end + 1)


def heard_at(audio: Audio, *, rate: int, longest: float | None) -> Audio:
    """Resample a recording to the rate of a model.

    Raises:
        UsageError: if it is longer than the model hears: it would be truncated silently.
    """
    if longest is not None and audio.seconds > longest:
        raise UsageError(
            f"{audio.source}: {audio.seconds:.1f} s are more than the {longest:g} s that the model hears; cut the clip."
        )
    return resample(audio, rate=rate)


def end_tokens(model: Any, tokenizer: Any) -> list[int]:
    """Return the ids of the tokens that end a reply; raises `UsageError` if there is none."""
    configured = model.generation_config.eos_token_id
    listed = configured if isinstance(configured, list) else [configured]
    ends = [token for token in dict.fromkeys([*listed, tokenizer.eos_token_id]) if token is not None]
    if not ends:
        raise UsageError("the model has no token that ends a reply, so it would never end one.")
    return ends


class _GumbelSampling:
    """Sampling with a random generator for each row, so that the batch changes nothing.

    The largest of log p + g, with g from Gumbel's distribution, is a sample from p (Gumbel 1954): so noise is added
    here, and the likeliest token is taken afterwards. The global random state is not touched.
    """

    def __init__(self, seeds: Sequence[int], *, temperature: float) -> None:
        self._seeds = seeds
        self._temperature = temperature
        self._sources: list[torch.Generator] = []

    def __call__(self, input_ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        import torch

        self._sources = self._sources or [torch.Generator(scores.device).manual_seed(seed) for seed in self._seeds]
        waits = torch.stack([torch.empty_like(scores[0]).exponential_(generator=source) for source in self._sources])
        return scores / self._temperature - waits.log()


class _JsonConstraint:
    """Constraint of generation to JSON of a schema.

    Of the likeliest tokens those are left that fit; if none does, less likely ones are tried in turn.
    """

    def __init__(self, tokenizer: Any, schema: Mapping[str, Json], *, shown: int, ends: Sequence[int]) -> None:
        self._tokenizer = tokenizer
        self._schema = schema
        self._shown = shown
        self._ends = frozenset(ends)

    def __call__(self, input_ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        import torch

        held = torch.full_like(scores, -torch.inf)
        for row, (ids, weights) in enumerate(zip(input_ids[:, self._shown :].tolist(), scores, strict=True)):
            order = torch.argsort(weights, descending=True).tolist()
            fitting: list[int] = []
            for begin in range(0, len(order), CANDIDATES):
                fitting = [token for token in order[begin : begin + CANDIDATES] if self._fits(ids, token)]
                if fitting:
                    break
            if not fitting:
                raise AptoneError("no token of the model goes on with the JSON that was asked for.")
            held[row, fitting] = weights[fitting]
        return held

    def _fits(self, ids: list[int], token: int) -> bool:
        if token in self._ends:
            return prefix_of(self._text(ids), self._schema) is Prefix.COMPLETE
        text = self._text([*ids, token])
        says_something = text != self._text(ids) or text.endswith(_HALF_A_CHARACTER)
        return says_something and prefix_of(text, self._schema) is not Prefix.IMPOSSIBLE

    def _text(self, ids: list[int]) -> str:
        return str(self._tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False))


LONGEST_TEXT = 200
"""Most characters of a free string without ``maxLength``: a model might otherwise never end it."""

_SPACE = " \t\n\r"
_SIMPLE = frozenset('"\\/bfnrt')
_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", re.ASCII)
_BEGUN_NUMBER = re.compile(r"-?(?:(?:0|[1-9]\d*)(?:\.\d*)?)?", re.ASCII)


class Prefix(StrEnum):
    """Relation of a text to a schema."""

    COMPLETE = "complete"
    BEGUN = "begun"
    IMPOSSIBLE = "impossible"


class _Ends(Exception):  # noqa: N818 (it is no error)
    """Raised where the text ends before the value does."""


class _Differs(Exception):  # noqa: N818 (it is no error)
    """Raised where the text does not fit the schema."""


def prefix_of(text: str, schema: Mapping[str, Json]) -> Prefix:
    """Return the relation of a text to a schema: complete, begun, or impossible.

    >>> shape = {"type": "object", "properties": {"tone": {"enum": ["flat", "rising"]}}}
    >>> [prefix_of(text, shape).value for text in ('{"tone": "fl', '{"tone": "low', '{"tone": "flat"}')]
    ['begun', 'impossible', 'complete']

    Raises:
        UsageError: if the schema asks for what is not supported here.
    """
    try:
        end = _value(text, 0, schema)
    except _Ends:
        return Prefix.BEGUN
    except _Differs:
        return Prefix.IMPOSSIBLE
    return Prefix.COMPLETE if end == len(text) else Prefix.IMPOSSIBLE


def _value(text: str, at: int, schema: Mapping[str, Json]) -> int:
    choices, kind = schema.get("enum"), schema.get("type")
    if isinstance(choices, Sequence) and not isinstance(choices, str):
        spelt = {json.dumps(choice, ensure_ascii=escaped) for choice in choices for escaped in (False, True)}
        return _one_of(text, at, list(spelt))
    if kind == "boolean":
        return _one_of(text, at, ["true", "false"])
    if kind == "string":
        longest = schema.get("maxLength", LONGEST_TEXT)
        return _string(text, at, longest if isinstance(longest, int) else LONGEST_TEXT)
    if kind in ("number", "integer"):
        return _number(text, at, _WHOLE if kind == "integer" else _NUMBER)
    properties = schema.get("properties")
    if kind == "object" and isinstance(properties, Mapping) and properties:
        return _object(text, at, properties)
    raise UsageError(f"a local model cannot be held to this JSON schema: {json.dumps(schema)[:100]}")


def _object(text: str, at: int, properties: Mapping[str, Json]) -> int:
    for number, (name, schema) in enumerate(properties.items()):
        if not isinstance(schema, Mapping):
            raise UsageError(f"a local model cannot be held to this JSON schema: {name!r} is no schema.")
        at = _after_space(text, _one_of(text, at, ["{" if number == 0 else ","]))
        at = _after_space(text, _one_of(text, at, [json.dumps(name, ensure_ascii=False)]))
        at = _after_space(text, _one_of(text, at, [":"]))
        at = _after_space(text, _value(text, at, schema))
    return _one_of(text, at, ["}"])


def _after_space(text: str, at: int) -> int:
    """Skip one white space between two marks; more could go on forever."""
    return at + 1 if at < len(text) and text[at] in _SPACE else at


def _one_of(text: str, at: int, choices: Sequence[str]) -> int:
    for choice in sorted(choices, key=len, reverse=True):
        if text.startswith(choice, at):
            return at + len(choice)
    if any(choice.startswith(text[at:]) for choice in choices):
        raise _Ends
    raise _Differs


def _string(text: str, at: int, longest: int) -> int:
    at = _one_of(text, at, ['"'])
    for _ in range(longest):
        if at == len(text):
            raise _Ends
        if text[at] == '"':
            return at + 1
        if text[at] < " ":
            raise _Differs
        at = _escape(text, at + 1) if text[at] == "\\" else at + 1
    return _one_of(text, at, ['"'])


def _escape(text: str, at: int) -> int:
    if at == len(text):
        raise _Ends
    if text[at] in _SIMPLE:
        return at + 1
    digits = text[at + 1 : at + 5]
    if text[at] != "u" or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
        raise _Differs
    if len(digits) < 4:
        raise _Ends
    return at + 5


def _number(text: str, at: int, form: re.Pattern[str]) -> int:
    begun = _BEGUN_NUMBER.fullmatch(text, at)
    if begun is not None and not (form is _WHOLE and "." in begun[0]):
        raise _Ends
    match = form.match(text, at)
    if match is None:
        raise _Differs
    return match.end()
