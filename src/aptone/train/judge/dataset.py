"""Training examples of judges in shards, and batches that a step determines.

A clip in a shard may have several examples, in its JSON::

    {"seconds": 3.2, "examples": [{"id": "…", "kind": "score", "language": "zh", "system": "…",
     "before": "…", "after": "", "reply": "<score>3.5</score>", "score": 3.5}, …]}

Shards with captions (``aptone build style-corpus``) are read as they are: each caption is the answer of a teacher.
Thousands of hours fit, because only the next batches are read: `aptone.train.shards` holds an index of all shards in
little memory, and determines the order.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from aptone.audio import encode_lossless, encode_opus
from aptone.errors import RecordError, UsageError
from aptone.models.asking.prompts import PromptSet
from aptone.rooms.aptness.step import LONGEST_LINE
from aptone.rooms.style.build.captions import caption_prompts
from aptone.run.sources.shards import ShardPlace, ShardRecord, read_about, read_recording, shard_keys, write_shards
from aptone.train.distributed import process_rank, world_size
from aptone.train.judge.example import (
    KINDS,
    LANGUAGES,
    Example,
    Kind,
    caption_example,
    example_from_json,
    example_to_json,
)
from aptone.train.shards import Floats, Numbers, ShardTable, clip_seconds, index_shards, read_ahead, scheduled_batches
from aptone.types import Json, Language

Format = Literal["flac", "ogg"]
MAKE = "aptone train sft --help says how, aptone build style-corpus makes captions"

FIELDS = (("number", np.int32), ("score", np.float32), ("kind", np.int8), ("language", np.int8))
"""Fields of a row besides those of every shard table."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class ExampleFilter:
    """Filter for examples.

    Args:
        kinds: kinds to keep; empty for all.
        languages: languages to keep; empty for all.
        levels: levels of captions to keep; empty for all.
        scored: drop examples without a score.

    Raises:
        UsageError: if there is no such kind.
    """

    kinds: tuple[Kind, ...] = ()
    languages: tuple[Language, ...] = ()
    levels: tuple[str, ...] = ()
    min_seconds: float = 0.0
    max_seconds: float = LONGEST_LINE
    scored: bool = False

    def __post_init__(self) -> None:
        if unknown := [kind for kind in self.kinds if kind not in KINDS]:
            raise UsageError(f"examples are of the kinds {', '.join(KINDS)}, got {unknown[0]!r}.")

    @property
    def signature(self) -> str:
        """Text of the filter in the identity of a corpus; its form stays, so that old checkpoints resume."""
        return (
            f"Wanted(kinds={self.kinds!r}, languages={self.languages!r}, levels={self.levels!r}, "
            f"shortest={self.min_seconds!r}, longest={self.max_seconds!r}, scored={self.scored!r})"
        )

    def accepts(self, example: Example) -> bool:
        """Return true for an example that passes the filter."""
        return (
            (not self.kinds or example.kind in self.kinds)
            and (not self.languages or example.language in self.languages)
            and (not self.levels or example.kind != "caption" or example.ids.get("level") in self.levels)
            and self.min_seconds <= example.seconds <= self.max_seconds
            and not (self.scored and math.isnan(example.score))
        )


ALL_EXAMPLES = ExampleFilter()


def write_examples(folder: Path, examples: Iterable[Example], *, per_shard: int = 500, format: Format = "flac") -> int:
    """Write examples into shards, where consecutive ones of a clip share its recording; return the number of clips.

    A call that was killed can be repeated: clips that are in a shard already are not read again.

    Args:
        examples: examples in order; the first id of a clip becomes its key.
        format: ``flac`` as judges hear it (16 kHz, 16 bits), or Ogg Opus, a tenth of the size and a little worse.

    Raises:
        AudioError: if a recording cannot be read.
        RecordError: if two clips have one id, or the folder holds a shard that cannot be read.
        RunError: if the folder cannot be written.
    """
    return write_shards(folder, _records(folder, examples, format), per_shard=per_shard)


def _records(folder: Path, examples: Iterable[Example], format: Format) -> Iterator[ShardRecord]:
    there = shard_keys(folder) if folder.is_dir() else frozenset()
    for _, same in groupby(examples, key=lambda example: example.audio):
        together = list(same)
        key = shard_key(together[0].id)
        if key in there:
            continue
        audio = together[0].load_audio()
        recording, ending = (encode_opus(audio), "ogg") if format == "ogg" else encode_lossless(audio)
        about: dict[str, Json] = {
            "seconds": audio.seconds,
            "examples": [example_to_json(example) for example in together],
        }
        yield ShardRecord(key, recording, ending, about)


def shard_key(name: str) -> str:
    """Return a shard key for any name: the name itself if it is valid, else its valid part and a hash.

    >>> shard_key("line-7"), shard_key("第7行")
    ('line-7', '7-bedd4e994284')
    """
    plain = _UNSAFE.sub("-", name).strip("-")
    if plain == name and 0 < len(name) <= 90:
        return name
    return f"{plain[:70]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}".lstrip("-")


def read_examples(place: ShardPlace, prompts: PromptSet, *, recording: bytes = b"") -> list[Example]:
    """Return the examples of a clip in a shard from its JSON, with the recording that is passed in.

    Raises:
        RecordError: if the JSON holds no examples or captions, or no length of the clip.
    """
    about = read_about(place)
    where = f"{place.shard}: {place.key}.json"
    seconds = clip_seconds(place, about)
    entries, captions = about.get("examples", []), about.get("captions", [])
    if not isinstance(entries, list) or not isinstance(captions, list):
        raise RecordError(f"{where}: examples and captions are lists.")
    try:
        found = [example_from_json(entry, recording) for entry in entries]
        found += [
            example
            for number, caption in enumerate(captions)
            if (example := caption_example(caption, f"{place.key}-{number}", recording, prompts)) is not None
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(
            f"{where}: holds no example ({type(error).__name__}: {error}); write the shard again."
        ) from error
    return [replace(example, seconds=seconds) for example in found]


@dataclass(frozen=True, slots=True, eq=False)
class ExampleIndex(ShardTable):
    """Index of the examples of a corpus: position within the clip, score, kind, language; captions answer `prompts`."""

    prompts: PromptSet

    @property
    def scores(self) -> Floats:
        """Scores by people; NaN for unrated clips."""
        found: Floats = self.rows["score"]
        return found

    @property
    def kinds(self) -> dict[str, int]:
        """Number of examples of each kind."""
        return {kind: int((self.rows["kind"] == number).sum()) for number, kind in enumerate(KINDS)}

    @property
    def hours(self) -> float:
        """Total length of all clips, each counted once."""
        _, first = np.unique(self.rows[["shard", "key"]], return_index=True)
        return float(self.seconds[first].sum(dtype=float)) / 3600

    def take(self, numbers: npt.ArrayLike) -> "ExampleIndex":
        """Return an index of some examples, with repetitions."""
        chosen = np.sort(np.asarray(numbers, dtype=np.int64))
        mark = hashlib.sha256(self.identity.encode() + chosen.tobytes()).hexdigest()
        return replace(self, rows=self.rows[chosen], identity=mark)

    def read(self, number: int) -> Example:
        """Return an example with its recording; raises `RecordError` if the shard has changed or is damaged."""
        place = self.place(number)
        found = read_examples(place, self.prompts, recording=read_recording(place))
        within = int(self.rows[number]["number"])
        if within >= len(found):
            raise RecordError(f"{place.shard}: {place.key} has changed since it was indexed; start again.")
        return found[within]


def index_examples(folder: Path, example_filter: ExampleFilter = ALL_EXAMPLES) -> ExampleIndex:
    """Index the examples in the shards of a folder that pass a filter, without reading recordings.

    Raises:
        RecordError: if there is no shard or no such example, or a shard is damaged.
        RunError: if the folder cannot be read.
    """
    prompts = caption_prompts()
    table = index_shards(
        folder,
        lambda place: _rows(place, prompts, example_filter),
        fields=FIELDS,
        filter_signature=f"{example_filter.signature} {prompts.hash}",
        make=MAKE,
        nothing="its shards hold no such example; see --kind, --language and --max-seconds.",
    )
    return ExampleIndex(table.shards, table.rows, table.identity, prompts, source=table.source)


def _rows(
    place: ShardPlace, prompts: PromptSet, example_filter: ExampleFilter
) -> Iterator[tuple[float, int, float, int, int]]:
    for number, one in enumerate(read_examples(place, prompts)):
        if example_filter.accepts(one):
            yield one.seconds, number, one.score, KINDS.index(one.kind), LANGUAGES.index(one.language)


@dataclass(frozen=True, slots=True, eq=False)
class ExampleBatches:
    """Batches from shards; the same step always gives the same batch.

    Args:
        batch_size: examples per batch, over all processes.

    Raises:
        UsageError: if a batch cannot be divided among the processes, or there are too few examples.
    """

    index: ExampleIndex
    batch_size: int
    seed: int
    num_workers: int = 2

    def __post_init__(self) -> None:
        if self.batch_size < 1 or self.num_workers < 1 or self.batch_size % world_size():
            raise UsageError(
                f"a batch of {self.batch_size} cannot be shared out evenly among {world_size()} processes."
            )
        if len(self.index) < self.batch_size:
            raise UsageError(
                f"{len(self.index)} examples do not fill a batch of {self.batch_size}; "
                "give more, or a smaller --batch-size."
            )

    @property
    def identity(self) -> str:
        """Hash of the corpus."""
        return self.index.identity

    @property
    def per_epoch(self) -> int:
        """Full batches per epoch."""
        return len(self.index) // self.batch_size

    def shares(self, first: int, last: int) -> Iterator[list[Example]]:
        """Yield this process's share of the batches of steps `first` to `last` - 1."""
        with ThreadPoolExecutor(self.num_workers) as pool:
            yield from read_ahead(self.numbers(first, last), self.index.read, pool)

    def numbers(self, first: int, last: int) -> Iterator[Sequence[int]]:
        """Yield the numbers of the examples of `shares`."""
        for _, numbers in scheduled_batches(self._epoch, per_epoch=self.per_epoch, first=first, last=last):
            yield numbers[process_rank() :: world_size()].tolist()

    def _epoch(self, epoch: int) -> list[Numbers]:
        return self.index.epoch_batches(self.batch_size, seed=self.seed, epoch=epoch)
