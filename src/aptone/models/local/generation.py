"""Text generation by chat models of transformers: replies token by token, free or constrained to a JSON schema."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from aptone.audio import resample
from aptone.errors import AptoneError, RecordError, UsageError
from aptone.models.chat import Reply
from aptone.models.local.json_prefix import Prefix, prefix_of
from aptone.models.local.placement import LocalModel, model_lock
from aptone.types import Audio, Json

if TYPE_CHECKING:
    import torch

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
        json_schema: Mapping[str, Json] | None,
        seeds: Sequence[int],
    ) -> list[Reply]:
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
    lengths = inputs["attention_mask"].sum(dim=1).tolist()
    return [
        _reply(row, tokenizer, ends=ends, shown=length, max_tokens=max_tokens)
        for row, length in zip(written, lengths, strict=True)
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
    """Return the ids of the tokens that end a reply.

    Raises:
        UsageError: if there is none.
    """
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
