"""What a judge learns from, in shards: examples in batches that a step determines.

A clip in a shard may have several examples, in its JSON::

    {"seconds": 3.2, "examples": [{"id": "…", "kind": "score", "language": "zh", "system": "…",
     "before": "…", "after": "", "reply": "<score>3.5</score>", "score": 3.5}, …]}

Shards with captions (``aptone build style-corpus``) are read as they are: each caption is the answer of a teacher.
Thousands of hours fit, because nothing is read but what the next batches need: all shards are looked through once,
where each example lies is kept in little memory, and `aptone.train.shards.order` says in which order they come.
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
from aptone.run.sources.shards import (
    ShardPlace,
    ShardRecord,
    read_about,
    read_recording,
    shard_keys,
    write_shards,
)
from aptone.train.judge.example import KINDS, LANGUAGES, Example, Kind, entry_of, read_caption, read_entry
from aptone.train.processes import process_number, processes
from aptone.train.shards.index import ShardTable, look_through
from aptone.train.shards.order import Floats, Numbers, epoch_plan, planned, read_ahead
from aptone.types import Json, Language, is_finite_number

Format = Literal["flac", "ogg"]
MAKE = "aptone train sft --help says how, aptone build style-corpus makes captions"

FIELDS = (("number", np.int32), ("score", np.float32), ("kind", np.int8), ("language", np.int8))
"""Of a row behind those of every shard table."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which examples count.

    Args:
        kinds: empty for all.
        languages: empty for all.
        levels: of captions; empty for all.
        shortest: seconds.
        longest: seconds.
        scored: whether those without a score are left out.

    Raises:
        UsageError: if there is no such kind.
    """

    kinds: tuple[Kind, ...] = ()
    languages: tuple[Language, ...] = ()
    levels: tuple[str, ...] = ()
    shortest: float = 0.0
    longest: float = LONGEST_LINE
    scored: bool = False

    def __post_init__(self) -> None:
        if unknown := [kind for kind in self.kinds if kind not in KINDS]:
            raise UsageError(f"examples are of the kinds {', '.join(KINDS)}, got {unknown[0]!r}.")

    def takes(self, example: Example) -> bool:
        """Whether it counts."""
        return (
            (not self.kinds or example.kind in self.kinds)
            and (not self.languages or example.language in self.languages)
            and (not self.levels or example.kind != "caption" or example.ids.get("level") in self.levels)
            and self.shortest <= example.seconds <= self.longest
            and not (self.scored and math.isnan(example.score))
        )


EVERYTHING = Wanted()


def write_examples(folder: Path, examples: Iterable[Example], *, per_shard: int = 500, format: Format = "flac") -> int:
    """Write examples into shards; those of one clip that follow one another share its recording.

    A call that was killed is made again: clips that are in a shard already are not read.

    Args:
        folder: for the shards.
        examples: in their order; the first id of a clip becomes its key.
        per_shard: clips in a shard.
        format: ``flac`` as judges hear it (16 kHz, 16 bits), or Ogg Opus, a tenth of that and a little worse.

    Returns:
        How many clips were written.

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
        audio = together[0].heard()
        recording, ending = (encode_opus(audio), "ogg") if format == "ogg" else encode_lossless(audio)
        about: dict[str, Json] = {"seconds": audio.seconds, "examples": [entry_of(example) for example in together]}
        yield ShardRecord(key, recording, ending, about)


def shard_key(name: str) -> str:
    """A key for a shard from any name: itself where that is one, else what is left of it and a hash.

    >>> shard_key("line-7"), shard_key("第7行")
    ('line-7', '7-bedd4e994284')
    """
    plain = _UNSAFE.sub("-", name).strip("-")
    if plain == name and 0 < len(name) <= 90:
        return name
    return f"{plain[:70]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}".lstrip("-")


def examples_at(place: ShardPlace, prompts: PromptSet, *, recording: bytes = b"") -> list[Example]:
    """The examples of a clip in a shard, by its JSON; the recording is read only if it is handed in.

    Raises:
        RecordError: if the JSON does not hold examples or captions, or does not say how long the clip is.
    """
    about = read_about(place)
    where = f"{place.shard}: {place.key}.json"
    seconds = about.get("seconds")
    if not is_finite_number(seconds) or not seconds > 0:
        raise RecordError(f"{where} does not say how many seconds the clip has.")
    entries, captions = about.get("examples", []), about.get("captions", [])
    if not isinstance(entries, list) or not isinstance(captions, list):
        raise RecordError(f"{where}: examples and captions are lists.")
    try:
        found = [read_entry(entry, recording) for entry in entries]
        found += [
            example
            for number, caption in enumerate(captions)
            if (example := read_caption(caption, f"{place.key}-{number}", recording, prompts)) is not None
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(
            f"{where}: holds no example ({type(error).__name__}: {error}); write the shard again."
        ) from error
    return [replace(example, seconds=float(seconds)) for example in found]


@dataclass(frozen=True, slots=True, eq=False)
class ExampleIndex(ShardTable):
    """Where the examples of a corpus lie; a row says besides which one of its clip it is, its score, kind and language.

    Args:
        prompts: by which captions were asked for.
    """

    prompts: PromptSet

    @property
    def scores(self) -> Floats:
        """What people gave the clips; NaN where nobody was asked."""
        found: Floats = self.rows["score"]
        return found

    @property
    def kinds(self) -> dict[str, int]:
        """How many examples there are of each kind."""
        return {kind: int((self.rows["kind"] == number).sum()) for number, kind in enumerate(KINDS)}

    @property
    def hours(self) -> float:
        """Of all clips, each counted once."""
        _, first = np.unique(self.rows[["shard", "key"]], return_index=True)
        return float(self.seconds[first].sum(dtype=float)) / 3600

    def take(self, numbers: npt.ArrayLike) -> "ExampleIndex":
        """Some of the examples, any number of times each."""
        chosen = np.sort(np.asarray(numbers, dtype=np.int64))
        mark = hashlib.sha256(self.identity.encode() + chosen.tobytes()).hexdigest()
        return replace(self, rows=self.rows[chosen], identity=mark)

    def read(self, number: int) -> Example:
        """An example, with its recording.

        Raises:
            RecordError: if the shard has changed or is damaged.
        """
        place = self.place(number)
        found = examples_at(place, self.prompts, recording=read_recording(place))
        within = int(self.rows[number]["number"])
        if within >= len(found):
            raise RecordError(f"{place.shard}: {place.key} has changed since it was looked at; begin anew.")
        return found[within]


def index_examples(folder: Path, wanted: Wanted = EVERYTHING) -> ExampleIndex:
    """Look through all shards of a folder for examples that count; recordings are not read.

    Raises:
        RecordError: if there is no shard or no such example, or a shard is damaged.
        RunError: if the folder cannot be read.
    """
    prompts = caption_prompts()
    table = look_through(
        folder,
        lambda place: _rows(place, prompts, wanted),
        fields=FIELDS,
        wanted=f"{wanted!r} {prompts.hash}",
        make=MAKE,
        nothing="its shards hold no such example; see --kind, --language and --longest.",
    )
    return ExampleIndex(table.shards, table.rows, table.identity, prompts, source=table.source)


def _rows(place: ShardPlace, prompts: PromptSet, wanted: Wanted) -> Iterator[tuple[float, int, float, int, int]]:
    for number, one in enumerate(examples_at(place, prompts)):
        if wanted.takes(one):
            yield one.seconds, number, one.score, KINDS.index(one.kind), LANGUAGES.index(one.language)


@dataclass(frozen=True, slots=True, eq=False)
class ExampleBatches:
    """Batches out of shards: the same step gives the same batch, whenever it is asked for.

    Args:
        index: of the corpus.
        batch: examples of a batch, over all processes.
        seed: of the order.
        threads: that read.

    Raises:
        UsageError: if a batch cannot be shared out evenly among the processes, or there are fewer examples than that.
    """

    index: ExampleIndex
    batch: int
    seed: int
    threads: int = 2

    def __post_init__(self) -> None:
        if self.batch < 1 or self.threads < 1 or self.batch % processes():
            raise UsageError(f"a batch of {self.batch} cannot be shared out evenly among {processes()} processes.")
        if len(self.index) < self.batch:
            raise UsageError(
                f"{len(self.index)} examples are less than a batch of {self.batch}; give more, or a smaller --batch."
            )

    @property
    def identity(self) -> str:
        """What the corpus holds."""
        return self.index.identity

    @property
    def per_epoch(self) -> int:
        """Batches in which every example comes once, but those that fill no batch."""
        return len(self.index) // self.batch

    def shares(self, first: int, last: int) -> Iterator[list[Example]]:
        """The batches of the steps from `first` to before `last`, this process's share of each."""
        with ThreadPoolExecutor(self.threads) as pool:
            yield from read_ahead(self.numbers(first, last), self.index.read, pool)

    def numbers(self, first: int, last: int) -> Iterator[Sequence[int]]:
        """Which examples these are."""
        for _, numbers in planned(self._plan, per_epoch=self.per_epoch, first=first, last=last):
            yield numbers[process_number() :: processes()].tolist()

    def _plan(self, epoch: int) -> list[Numbers]:
        rows = self.index.rows["shard"]
        return epoch_plan(rows, self.index.seconds, batch=self.batch, seed=self.seed, epoch=epoch)
