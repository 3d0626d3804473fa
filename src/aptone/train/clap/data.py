"""What a dual encoder learns from: shards of clips with descriptions, in batches that a step determines.

All shards are looked through once, and where each clip lies is kept in little memory; `aptone.train.shards.order` says
in which order they come. Which description a clip comes with, and which stretch of a long one, is drawn anew in each
epoch, and depends on seed and epoch only.
"""

import io
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
from aptone.files import write_bytes_whole
from aptone.models.clap.config import AudioPart
from aptone.models.clap.folder import Clap
from aptone.models.clap.model import padded
from aptone.run.progress import Tally
from aptone.run.sources.shards import ShardPlace, read_about, read_recording
from aptone.train.clap.gradient_cache import Chunk
from aptone.train.processes import process_number, processes
from aptone.train.shards import order as shard_order
from aptone.train.shards.index import ShardTable, look_through, shown
from aptone.train.shards.order import Floats, Numbers, planned, read_ahead
from aptone.types import Audio, is_finite_number

ClipFeatures = Callable[[Audio], Floats]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which descriptions count; the paper's ablation leaves out those that were rewritten.

    Args:
        levels: of detail; empty for all.
        languages: empty for all.
    """

    levels: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    def texts(self, about: Mapping[str, Any]) -> list[str]:
        """Those of a clip, from its JSON; none where that holds no list of captions."""
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


ALL_CAPTIONS = Wanted()


@dataclass(frozen=True, slots=True, eq=False)
class ClipIndex(ShardTable):
    """Where the clips of a corpus lie.

    Args:
        wanted: descriptions that count; every clip has one.
    """

    wanted: Wanted = ALL_CAPTIONS


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A clip and the description that was drawn for it.

    Args:
        sound: samples at the encoder's rate, or the numbers that were made of the clip.
        text: the description.
    """

    sound: Floats
    text: str


def index_shards(folder: Path, wanted: Wanted = ALL_CAPTIONS) -> ClipIndex:
    """Look through all shards of a folder for clips with a description that counts; recordings are not read.

    Raises:
        RecordError: if there is no shard or no such clip, a shard is damaged, or a clip does not say how long it is.
        RunError: if the folder cannot be read.
    """
    table = look_through(
        folder,
        lambda place: _row(place, wanted),
        fields=(),
        wanted=repr(wanted),
        make="aptone build style-corpus",
        nothing="its shards hold no clip with such a caption; see --level and --language.",
    )
    return ClipIndex(table.shards, table.rows, table.identity, wanted, source=table.source)


def _row(place: ShardPlace, wanted: Wanted) -> Iterator[tuple[float]]:
    about = read_about(place)
    if not wanted.texts(about):
        return
    seconds = about.get("seconds")
    if not is_finite_number(seconds) or not seconds > 0:
        raise RecordError(f"{place.shard}: {place.key}.json does not say how many seconds the clip has.")
    yield (float(seconds),)


def epoch_plan(index: ClipIndex, *, batch: int, seed: int, epoch: int) -> list[Numbers]:
    """Which clips make up the batches of an epoch; see `aptone.train.shards.order.epoch_plan`."""
    return shard_order.epoch_plan(index.rows["shard"], index.seconds, batch=batch, seed=seed, epoch=epoch)


def read_pair(
    index: ClipIndex, number: int, *, part: AudioPart, seed: int, epoch: int, features: Floats | None = None
) -> Pair:
    """A clip with a description and, where it is too long, a stretch that were drawn for this epoch.

    Args:
        index: of the corpus.
        number: of the clip.
        part: what will hear it.
        seed: of what is drawn.
        epoch: likewise.
        features: numbers of all clips, where the encoder takes those.

    Raises:
        AudioError: if the recording cannot be read.
        RecordError: if it is too short for the encoder.
    """
    drawn = np.random.default_rng([seed, epoch, number])
    place = index.place(number)
    texts = index.wanted.texts(read_about(place))
    text = texts[drawn.integers(len(texts))]
    if features is not None:
        return Pair(features[number], text)
    samples = read_clip(place, rate=part.rate).samples
    if samples.size < part.shortest:
        raise RecordError(f"{place.shard}: {place.key} has {samples.size} samples, {part.shortest} are needed.")
    span = int(min(part.longest * part.rate, samples.size))
    first = int(drawn.integers(samples.size - span + 1))
    return Pair(samples[first : first + span], text)


def read_clip(place: ShardPlace, *, rate: int | None) -> Audio:
    """The recording at a place; errors as those of `aptone.audio.read`."""
    return read_bytes(read_recording(place), name=f"{place.shard}:{place.key}", rate=rate, channel="mix")


def make_chunk(pairs: Sequence[Pair], clap: Clap) -> Chunk:
    """Pairs side by side, zeros behind the shorter ones; a description that is too long is cut."""
    sounds = [torch.from_numpy(np.array(pair.sound)) for pair in pairs]
    tokens = clap.tokens([pair.text for pair in pairs], cut=True)
    text = {"tokens": padded(tokens), "mask": padded([torch.ones_like(row) for row in tokens])}
    if clap.network.config.audio.kind == "features":
        return Chunk({"features": torch.stack(sounds)}, text)
    return Chunk({"samples": padded(sounds), "lengths": torch.tensor([len(one) for one in sounds])}, text)


@dataclass(frozen=True, slots=True, eq=False)
class ShardBatches:
    """Batches out of shards, for `aptone.train.clap.trainer.train_clap`.

    Args:
        index: of the corpus.
        clap: for which it is read.
        batch: pairs of a batch, over all processes.
        chunk: pairs of a chunk.
        seed: of everything that is drawn.
        threads: that read and decode.
        features: numbers of all clips, where the encoder takes those.

    Raises:
        UsageError: if a batch cannot be shared out evenly among the processes.
    """

    index: ClipIndex
    clap: Clap
    batch: int
    chunk: int
    seed: int
    threads: int
    features: Floats | None = None

    def __post_init__(self) -> None:
        if self.batch % processes() or self.threads < 1:
            raise UsageError(f"a batch of {self.batch} cannot be shared out evenly among {processes()} processes.")

    @property
    def identity(self) -> str:
        """What the corpus holds."""
        return self.index.identity

    def chunks(self, first: int, last: int) -> Iterator[list[Chunk]]:
        """The batches of the steps from `first` to before `last`, this process's share of each."""
        with ThreadPoolExecutor(self.threads) as pool:
            for pairs in read_ahead(self._shares(first, last), self._pair, pool):
                yield [
                    make_chunk(pairs[begin : begin + self.chunk], self.clap)
                    for begin in range(0, len(pairs), self.chunk)
                ]

    def _shares(self, first: int, last: int) -> Iterator[list[tuple[int, int]]]:
        per_epoch = max(1, len(self.index) // self.batch)
        plan = partial(epoch_plan, self.index, batch=self.batch, seed=self.seed)
        for epoch, numbers in planned(lambda epoch: plan(epoch=epoch), per_epoch=per_epoch, first=first, last=last):
            yield [(int(number), epoch) for number in numbers[process_number() :: processes()]]

    def _pair(self, drawn: tuple[int, int]) -> Pair:
        number, epoch = drawn
        part = self.clap.network.config.audio
        return read_pair(self.index, number, part=part, seed=self.seed, epoch=epoch, features=self.features)


def dev_chunks(index: ClipIndex, clap: Clap, *, chunk: int, seed: int, features: Floats | None = None) -> list[Chunk]:
    """All pairs of a corpus in the order of their lengths, each with the description that epoch 0 draws."""
    part = clap.network.config.audio
    order = np.argsort(index.seconds, kind="stable")
    pairs = [read_pair(index, int(one), part=part, seed=seed, epoch=0, features=features) for one in order]
    return [make_chunk(pairs[first : first + chunk], clap) for first in range(0, len(pairs), chunk)]


def feature_table(index: ClipIndex, features: ClipFeatures, cache: Path) -> Floats:
    """The numbers of all clips, [clips, numbers], made once and kept in a file.

    Raises:
        AudioError: if a recording cannot be read.
    """
    if cache.exists():
        kept: Floats = np.load(cache, allow_pickle=False)
        return kept
    tally, display = Tally(total=len(index), before=0), shown("features")
    display.start(tally)
    rows = []
    try:
        for number in range(len(index)):
            rows.append(features(read_clip(index.place(number), rate=None)))
            tally.now += 1
            display.update(tally)
    finally:
        display.stop(tally)
    table = np.stack(rows)
    held = io.BytesIO()
    np.save(held, table)
    write_bytes_whole(cache, held.getvalue())
    return table
