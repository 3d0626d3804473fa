"""Training pairs of a dual encoder: clips with descriptions in shards, and batches that a step determines.

`aptone.train.shards` holds an index of all clips and determines their order. The description of a clip, and the crop of
a long one, are sampled in each epoch, by seed and epoch only.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from aptone.audio import read_bytes
from aptone.errors import RecordError, UsageError
from aptone.models.clap.config import AudioPart
from aptone.models.clap.folder import Clap
from aptone.models.clap.model import padded
from aptone.run.sources.shards import ShardPlace, read_about, read_recording
from aptone.train.clap.loss import MicroBatch
from aptone.train.distributed import process_rank, world_size
from aptone.train.shards import (
    Floats,
    ShardTable,
    clip_seconds,
    index_shards,
    progress,
    read_ahead,
    scheduled_batches,
    write_array,
)
from aptone.types import Audio

ClipFeatures = Callable[[Audio], Floats]


@dataclass(frozen=True, slots=True)
class CaptionFilter:
    """Filter for descriptions; the paper's ablation leaves out rewritten ones.

    Args:
        levels: levels of detail to keep; empty for all.
        languages: languages to keep; empty for all.
    """

    levels: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """Text of the filter in the identity of a corpus; its form stays, so that old checkpoints resume."""
        return f"Wanted(levels={self.levels!r}, languages={self.languages!r})"

    def texts(self, about: Mapping[str, Any]) -> list[str]:
        """Return the descriptions of a clip that pass, from its JSON; none if it holds no list of captions."""
        captions = about.get("captions")
        return [
            one["text"]
            for one in (captions if isinstance(captions, list) else ())
            if isinstance(one, Mapping)
            and isinstance(one.get("text"), str)
            and one["text"].strip()
            and (not self.levels or one.get("level") in self.levels)
            and (not self.languages or one.get("language") in self.languages)
        ]


ALL_CAPTIONS = CaptionFilter()


@dataclass(frozen=True, slots=True, eq=False)
class ClipIndex(ShardTable):
    """Index of the clips of a corpus; `caption_filter` is one that every clip has a description for."""

    caption_filter: CaptionFilter = ALL_CAPTIONS


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A clip (`sound`: samples at the encoder's rate, or features) and the description that was sampled for it."""

    sound: Floats
    text: str


def index_clips(folder: Path, caption_filter: CaptionFilter = ALL_CAPTIONS) -> ClipIndex:
    """Index the clips in the shards of a folder that have a description, without reading recordings.

    Raises:
        RecordError: if there is no shard or no such clip, a shard is damaged, or a clip has no length.
        RunError: if the folder cannot be read.
    """
    table = index_shards(
        folder,
        lambda place: _row(place, caption_filter),
        fields=(),
        filter_signature=caption_filter.signature,
        make="aptone build style-corpus",
        nothing="its shards hold no clip with such a caption; see --level and --language.",
    )
    return ClipIndex(table.shards, table.rows, table.identity, caption_filter, source=table.source)


def _row(place: ShardPlace, caption_filter: CaptionFilter) -> Iterator[tuple[float]]:
    about = read_about(place)
    if caption_filter.texts(about):
        yield (clip_seconds(place, about),)


def read_pair(
    index: ClipIndex, number: int, *, part: AudioPart, seed: int, epoch: int, features: Floats | None = None
) -> Pair:
    """Return a clip with the description, and the crop of a long one, that are sampled for an epoch.

    Args:
        features: features of all clips, where the encoder takes those.

    Raises:
        AudioError: if the recording cannot be read.
        RecordError: if it is too short for the encoder.
    """
    generator = np.random.default_rng([seed, epoch, number])
    place = index.place(number)
    texts = index.caption_filter.texts(read_about(place))
    text = texts[generator.integers(len(texts))]
    if features is not None:
        return Pair(features[number], text)
    samples = read_clip(place, rate=part.rate).samples
    if samples.size < part.shortest:
        raise RecordError(f"{place.shard}: {place.key} has {samples.size} samples, {part.shortest} are needed.")
    span = int(min(part.longest * part.rate, samples.size))
    first = int(generator.integers(samples.size - span + 1))
    return Pair(samples[first : first + span], text)


def read_clip(place: ShardPlace, *, rate: int | None) -> Audio:
    """Return the recording at a location; errors as those of `aptone.audio.read`."""
    return read_bytes(read_recording(place), name=f"{place.shard}:{place.key}", rate=rate, channel="mix")


def make_micro_batch(pairs: Sequence[Pair], clap: Clap) -> MicroBatch:
    """Stack pairs, padded with zeros; descriptions that are too long are truncated."""
    sounds = [torch.from_numpy(np.array(pair.sound)) for pair in pairs]
    tokens = clap.tokens([pair.text for pair in pairs], cut=True)
    text = {"tokens": padded(tokens), "mask": padded([torch.ones_like(row) for row in tokens])}
    if clap.network.config.audio.kind == "features":
        return MicroBatch({"features": torch.stack(sounds)}, text)
    return MicroBatch({"samples": padded(sounds), "lengths": torch.tensor([len(one) for one in sounds])}, text)


@dataclass(frozen=True, slots=True, eq=False)
class ShardBatches:
    """Batches from shards, for `aptone.train.clap.trainer.train_clap`.

    Args:
        batch_size: pairs per batch, over all processes.
        features: features of all clips, where the encoder takes those.

    Raises:
        UsageError: if a batch cannot be divided among the processes.
    """

    index: ClipIndex
    clap: Clap
    batch_size: int
    micro_batch_size: int
    seed: int
    num_workers: int
    features: Floats | None = None

    def __post_init__(self) -> None:
        if self.batch_size % world_size() or self.num_workers < 1:
            raise UsageError(
                f"a batch of {self.batch_size} cannot be shared out evenly among {world_size()} processes."
            )

    @property
    def identity(self) -> str:
        """Hash of the corpus."""
        return self.index.identity

    def micro_batches(self, first: int, last: int) -> Iterator[list[MicroBatch]]:
        """Yield this process's share of the batches of steps `first` to `last` - 1."""
        with ThreadPoolExecutor(self.num_workers) as pool:
            for pairs in read_ahead(self._shares(first, last), self._pair, pool):
                yield [
                    make_micro_batch(pairs[begin : begin + self.micro_batch_size], self.clap)
                    for begin in range(0, len(pairs), self.micro_batch_size)
                ]

    def _shares(self, first: int, last: int) -> Iterator[list[tuple[int, int]]]:
        per_epoch = max(1, len(self.index) // self.batch_size)
        plan = partial(self.index.epoch_batches, self.batch_size, seed=self.seed)
        for epoch, numbers in scheduled_batches(
            lambda epoch: plan(epoch=epoch), per_epoch=per_epoch, first=first, last=last
        ):
            yield [(int(number), epoch) for number in numbers[process_rank() :: world_size()]]

    def _pair(self, place: tuple[int, int]) -> Pair:
        number, epoch = place
        part = self.clap.network.config.audio
        return read_pair(self.index, number, part=part, seed=self.seed, epoch=epoch, features=self.features)


def eval_micro_batches(
    index: ClipIndex, clap: Clap, *, size: int, seed: int, features: Floats | None = None
) -> list[MicroBatch]:
    """Return all pairs of a corpus by length, each with the description of epoch 0."""
    part = clap.network.config.audio
    order = np.argsort(index.seconds, kind="stable")
    pairs = [read_pair(index, int(one), part=part, seed=seed, epoch=0, features=features) for one in order]
    return [make_micro_batch(pairs[first : first + size], clap) for first in range(0, len(pairs), size)]


def feature_table(index: ClipIndex, features: ClipFeatures, cache: Path) -> Floats:
    """Return the features of all clips, [clips, features], computed once and cached in a file.

    Raises:
        AudioError: if a recording cannot be read.
    """
    if cache.exists():
        kept: Floats = np.load(cache, allow_pickle=False)
        return kept
    rows = []
    with progress("features", total=len(index)) as advance:
        for number in range(len(index)):
            rows.append(features(read_clip(index.place(number), rate=None)))
            advance()
    table = np.stack(rows)
    write_array(cache, table)
    return table
