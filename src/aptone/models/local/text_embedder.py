"""Sentence encoders of transformers on this machine: MiniLM, E5, BGE, GTE, Qwen3-Embedding and others.

The pooling of token vectors is that of the files that the library sentence-transformers writes beside the weights; they
are read here without that library. Only texts of equally many tokens share a batch, so nothing is padded, and a vector
does not depend on the batch.
"""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, Unpack, cast, get_args

import numpy as np

from aptone.errors import RecordError, UsageError
from aptone.models.local.placement import LocalModel, Placement, PlacementOptions, model_lock, placement_of
from aptone.models.parts import Vectors, check_kinds, checked_texts, passes_on
from aptone.types import Json, loads

Pooling = Literal["mean", "last", "first", "max"]
Row = TypeVar("Row", bound=Sized)

MODEL = "Qwen/Qwen3-Embedding-0.6B"
"""Bilingual encoder on the Hugging Face hub."""

_POOLING_FIELDS: Mapping[str, Pooling] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_lasttoken": "last",
    "pooling_mode_cls_token": "first",
    "pooling_mode_max_tokens": "max",
}
_KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")
_NO_LIMIT = 1 << 20  # tokenizers without a limit say a number beyond all sense


@dataclass(frozen=True, slots=True)
class PoolingConfig:
    """Pooling of a checkpoint.

    Args:
        pooling: pooling of token vectors; ``None`` where unknown.
        prompt: default prefix of every text.
        longest: most tokens of a text; ``None`` where unknown.
    """

    pooling: Pooling | None
    prompt: str
    longest: int | None


class LocalTextEmbedder(LocalModel):
    """Sentence encoder such as Qwen3-Embedding, run by transformers; its vectors have length 1.

    Args:
        pooling: ``mean``, ``last``, ``first`` or ``max``; empty for the checkpoint's own.
        prompt: prefix of every text; ``None`` for the checkpoint's own.
        batch: largest number of texts in a batch.
        model, options: weights, device and precision; see `Placement`.

    Raises:
        UsageError: if an option has a wrong type or value.
    """

    @passes_on(placement_of)
    def __init__(
        self,
        *,
        model: str = MODEL,
        pooling: Pooling | Literal[""] = "",
        prompt: str | None = None,
        batch: int = 32,
        **options: Unpack[PlacementOptions],
    ) -> None:
        if pooling and pooling not in get_args(Pooling):
            raise UsageError(f"the pooling is {', '.join(get_args(Pooling))} or empty, got {pooling!r}.")
        check_kinds("text_embedder", {"batch": batch}, {"batch": ((int,), "a number of texts")})
        if batch < 1:
            raise UsageError(f"a batch holds 1 text or more, got {batch}.")
        placement = placement_of("text_embedder", model=model, **options)
        super().__init__("local-text-embedder", placement, pooling=pooling or "its own", prompt=prompt)
        self._pooling: Pooling | None = pooling or None
        self._prompt = prompt
        self._batch = batch

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, in their order; see `aptone.models.parts.TextEmbedder`."""
        listed = checked_texts(texts)
        return await asyncio.to_thread(self._embed, listed)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        with model_lock:
            tokenizer, model, habits = _loaded(self._placement)
            pooling = self._pooling or habits.pooling
            if pooling is None:
                raise UsageError(
                    f"{self._placement.model}: it does not say how the vectors of its tokens become one. "
                    "Say --set text_embedder.pooling=mean (or last, first, max)."
                )
            prompt = habits.prompt if self._prompt is None else self._prompt
            tokens: list[list[int]] = tokenizer([prompt + text for text in texts], truncation=False)["input_ids"]
            _check_lengths(tokens, _longest(tokenizer, model, habits), model=self._placement.model)
            return _vectors(model, tokens, pooling=pooling, batch=self._batch)


@cache
def _loaded(placement: Placement) -> tuple[Any, Any, PoolingConfig]:
    tokenizer, model = placement.load("AutoModel", "AutoTokenizer")
    return tokenizer, model, read_pooling(placement)


def read_pooling(placement: Placement) -> PoolingConfig:
    """Read the pooling from the files of sentence-transformers beside the weights.

    Raises:
        UsageError: if the checkpoint has a module or a pooling that is not supported.
    """
    modules = _read(placement, "modules.json")
    folders: dict[str, str] = {}
    for module in modules if isinstance(modules, Sequence) and not isinstance(modules, str) else ():
        described = module if isinstance(module, Mapping) else {}
        kind = str(described.get("type", "")).rpartition(".")[2]
        if kind not in _KNOWN_MODULES:
            raise UsageError(f"{placement.model}: its part {kind!r} is not known here; use a server that runs it.")
        folders[kind] = str(described.get("path", ""))
    said = _mapping(_read(placement, f"{folders['Pooling']}/config.json")) if "Pooling" in folders else {}
    poolings = [name for field, name in _POOLING_FIELDS.items() if said.get(field) is True]
    if (mode := said.get("pooling_mode")) is not None:
        poolings = [cast("Pooling", {"cls": "first", "lasttoken": "last"}.get(str(mode), str(mode)))]
    if len(poolings) > 1 or not set(poolings) <= set(get_args(Pooling)):
        raise UsageError(f"{placement.model}: its pooling {', '.join(poolings)} is not known here.")
    prompts = _mapping(_read(placement, "config_sentence_transformers.json"))
    named = _mapping(prompts.get("prompts")).get(str(prompts.get("default_prompt_name")), "")
    longest = _mapping(_read(placement, "sentence_bert_config.json")).get("max_seq_length")
    return PoolingConfig(
        pooling=poolings[0] if poolings else None,
        prompt=str(named),
        longest=longest if isinstance(longest, int) else None,
    )


def _mapping(data: Json) -> Mapping[str, Json]:
    return data if isinstance(data, Mapping) else {}


def _read(placement: Placement, name: str) -> Json:
    """Read a JSON file of the checkpoint; ``None`` where it has none."""
    from transformers.utils.hub import cached_file

    options = {"_raise_exceptions_for_missing_entries": False, "_raise_exceptions_for_connection_errors": False}
    found = cached_file(placement.model, name, revision=placement.revision or None, **options)
    if found is None:
        return None
    try:
        return loads(Path(found).read_bytes(), what=str(found))
    except (OSError, RecordError) as error:
        raise UsageError(f"{placement.model}: its file {name} cannot be read ({error}).") from error


def _longest(tokenizer: Any, model: Any, habits: PoolingConfig) -> float:
    limits = [habits.longest, tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None)]
    return min((limit for limit in limits if isinstance(limit, int) and 0 < limit < _NO_LIMIT), default=math.inf)


def _check_lengths(tokens: Sequence[Sequence[int]], longest: float, *, model: str) -> None:
    for number, ids in enumerate(tokens, start=1):
        if len(ids) > longest:
            raise UsageError(
                f"text {number} has {len(ids)} tokens, more than the {longest:g} that {model} reads; shorten it."
            )
        if not ids:
            raise UsageError(f"text {number} holds nothing that {model} can read.")


def _vectors(model: Any, tokens: Sequence[Sequence[int]], *, pooling: Pooling, batch: int) -> Vectors:
    import torch

    def embed(rows: list[Sequence[int]]) -> Vectors:
        given = torch.tensor(rows, device=model.device)
        states = model(input_ids=given, attention_mask=torch.ones_like(given)).last_hidden_state.float()
        pooled = {"mean": states.mean(dim=1), "last": states[:, -1], "first": states[:, 0], "max": states.amax(dim=1)}[
            pooling
        ]
        unit: Vectors = torch.nn.functional.normalize(pooled, dim=1).cpu().numpy()
        return unit

    with torch.inference_mode():
        return np.stack(in_batches(tokens, batch, embed)).astype(np.float32)


def in_batches(rows: Sequence[Row], batch: int, embed: Callable[[list[Row]], Vectors]) -> list[Vectors]:
    """Return the vector of each row, in their order; only rows of one length share a batch."""
    by_length: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        by_length.setdefault(len(row), []).append(place)
    found: dict[int, Vectors] = {}
    for places in by_length.values():
        for first in range(0, len(places), batch):
            together = places[first : first + batch]
            found.update(zip(together, embed([rows[place] for place in together]), strict=True))
    return [found[place] for place in range(len(rows))]
