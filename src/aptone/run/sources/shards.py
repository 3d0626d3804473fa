"""Clips with their descriptions in tar files of a thousand or so: what a corpus for training is kept in.

A sample is two members with one key, as WebDataset has them: ``{key}.ogg`` (or opus, flac, wav) and ``{key}.json``::

    {"captions": [{"text": "A slow, gravelly whisper.", "language": "en", "level": "short"}, …], "seconds": 3.2, …}

Whatever else the JSON holds is kept; a `ShardRecord` may hold something else than captions altogether. A shard appears
whole or not at all, so that a writer which was killed goes on with the first sample that is in no shard. Nothing is
ever unpacked onto the disk: a hostile name leads nowhere, and sizes are looked at before anything is read.
"""

import io
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from aptone.errors import RecordError, UsageError
from aptone.files import make_folder, unusable, write_bytes_whole
from aptone.types import Json, dumps, is_finite_number, loads

ENDINGS = ("ogg", "opus", "flac", "wav")  # of the names of recordings
SHARDS = "shards"  # folder of shards within that of a corpus, which holds what else a build keeps
PER_SHARD = 1000
LARGEST_RECORDING = 64 << 20  # bytes: five minutes of wav at 48 kHz in floats, ten times what a clip should have
LARGEST_ABOUT = 4 << 20  # bytes of JSON about a clip
_NAME = re.compile(r"(?:\./)?(?P<key>[A-Za-z0-9_-]{1,90})\.(?P<ending>ogg|opus|flac|wav|json)")
_SHARD = "shard-{number:06d}.tar"
_TAR_ERRORS = (tarfile.TarError, EOFError, OverflowError, RecursionError, UnicodeError, ValueError)


@dataclass(frozen=True, slots=True)
class Caption:
    """One description of how a clip sounds.

    Args:
        language: ``en`` or ``zh``; others pass.
        level: level of detail: ``full``, ``short``, ``basic``, or a word of the writer's own.

    Raises:
        ValueError: if the text is empty.
    """

    text: str
    language: str
    level: str = ""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("a caption has no text.")


@dataclass(frozen=True, slots=True)
class ShardRecord:
    """A clip, and whatever is known of it.

    Args:
        key: unique in the corpus; letters, digits, ``_`` and ``-``.
        ending: file type, one of `ENDINGS`.

    Raises:
        ValueError: if the key or the ending is none.
    """

    key: str
    recording: bytes
    ending: str
    about: Mapping[str, Json]

    def __post_init__(self) -> None:
        match = _NAME.fullmatch(f"{self.key}.{self.ending}")
        if self.ending not in ENDINGS or match is None or match["key"] != self.key:
            raise ValueError(
                f"{self.key}.{self.ending}: a key has 1 to 90 letters, digits, _ and -, an ending is {_listed()}."
            )


@dataclass(frozen=True, slots=True)
class ShardSample:
    """A clip and its descriptions, one or more; key and ending as those of a `ShardRecord`.

    Raises:
        ValueError: if the key or the ending is none, the clip has no length, or there is no caption.
    """

    key: str
    recording: bytes
    ending: str
    seconds: float
    captions: tuple[Caption, ...]
    about: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ShardRecord(self.key, self.recording, self.ending, {})
        if not (is_finite_number(self.seconds) and self.seconds > 0):
            raise ValueError(f"{self.key}: a clip cannot last {str(self.seconds)[:30]} s.")
        if not self.captions:
            raise ValueError(f"{self.key}: there is no caption.")

    @property
    def record(self) -> ShardRecord:
        """Record as it is written to the shard."""
        captions = [asdict(one) for one in self.captions]
        about: dict[str, Json] = {**self.about, "captions": captions, "seconds": self.seconds}
        return ShardRecord(self.key, self.recording, self.ending, about)


@dataclass(frozen=True, slots=True)
class ShardPlace:
    """First byte and size of the two members of a sample, `recording` and `about`, in their shard."""

    shard: Path
    key: str
    ending: str
    recording: tuple[int, int]
    about: tuple[int, int]


def write_shards(folder: Path, samples: Iterable[ShardSample | ShardRecord], *, per_shard: int = PER_SHARD) -> int:
    """Write samples that are in no shard of the folder yet, and return how many; a call that was killed is made again.

    The bytes of a shard depend on its samples only.

    Raises:
        RecordError: if two samples have one key, a sample is larger than a reader takes, or the folder holds a shard
            that cannot be read.
        RunError: if the folder cannot be written.
        UsageError: if a shard shall hold no sample.
    """
    if per_shard < 1:
        raise UsageError(f"a shard holds 1 sample or more, got {per_shard}.")
    make_folder(folder)
    there = shard_keys(folder)
    number = max((_number(path) for path in shard_files(folder)), default=-1) + 1
    seen: set[str] = set()
    held: list[ShardRecord] = []
    written = 0
    for sample in samples:
        if sample.key in seen:
            raise RecordError(f"{folder}: two samples have the key {sample.key!r}; keys are unique in a corpus.")
        seen.add(sample.key)
        if sample.key in there:
            continue
        held.append(sample.record if isinstance(sample, ShardSample) else sample)
        written += 1
        if len(held) == per_shard:
            write_bytes_whole(folder / _SHARD.format(number=number), _tar(held))
            number, held = number + 1, []
    if held:
        write_bytes_whole(folder / _SHARD.format(number=number), _tar(held))
    return written


def shard_files(folder: Path) -> tuple[Path, ...]:
    """The shards of a folder, in the order of their names; where it has none, those of ``shards`` in it.

    So a corpus may be named by the folder that it was built in.

    Raises:
        RunError: if the folder cannot be read.
    """
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix == ".tar" and path.is_file())
    except OSError as error:
        raise unusable(folder, error, doing="read") from error
    within = folder / SHARDS
    return tuple(found) if found or not within.is_dir() else shard_files(within)


def shard_keys(folder: Path) -> frozenset[str]:
    """Keys of all samples in a folder, so that a writer need not make again what is there; errors as `shard_places`."""
    return frozenset(place.key for shard in shard_files(folder) for place in shard_places(shard))


def read_shards(folder: Path) -> Iterator[ShardSample]:
    """All samples of a folder, shard by shard.

    Raises:
        RecordError: if there is no shard, a shard is damaged, or a sample is not whole.
        RunError: if the folder cannot be read.
    """
    shards = shard_files(folder)
    if not shards:
        raise RecordError(f"{folder}: no shard (.tar) in it; make some: aptone build style-corpus")
    for shard in shards:
        for place in shard_places(shard):
            yield read_place(place)


def shard_places(shard: Path) -> Iterator[ShardPlace]:
    """Yield the places of the samples of a shard; recordings are not read.

    Raises:
        RecordError: if it is no tar file, holds something besides samples, or a sample lacks a member.
    """
    waiting: dict[str, tuple[str, int, int]] = {}
    previous = ""
    for member in _members(shard):
        match = _NAME.fullmatch(member.name)
        if match is None or not member.isreg() or member.issparse():
            raise RecordError(
                f"{shard}: holds {member.name[:100]!r}; expected files KEY.json and KEY.{_listed()}, keys of letters, "
                "digits, _ and -."
            )
        key, ending = match["key"], match["ending"]
        largest = LARGEST_ABOUT if ending == "json" else LARGEST_RECORDING
        if not 0 <= member.size <= largest:
            raise RecordError(f"{shard}: {member.name} has {member.size} bytes; 0 to {largest} are read.")
        if waiting and key != previous:
            raise _lacking(shard, previous, waiting)
        kind = "json" if ending == "json" else "recording"
        if kind in waiting:
            raise RecordError(f"{shard}: {key} has two members of one kind; write the shard again.")
        previous = key
        waiting[kind] = (ending, member.offset_data, member.size)
        if len(waiting) == 2:
            ending, *recording = waiting["recording"]
            _, *about = waiting["json"]
            yield ShardPlace(shard, key, ending, (recording[0], recording[1]), (about[0], about[1]))
            waiting = {}
    if waiting:
        raise _lacking(shard, previous, waiting)


def read_place(place: ShardPlace) -> ShardSample:
    """The sample at a place; errors as those of `read_shards`."""
    about = read_about(place)
    try:
        captions = tuple(_caption(one) for one in about.pop("captions"))
        return ShardSample(
            place.key, read_recording(place), place.ending, seconds=about.pop("seconds"), captions=captions, about=about
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(
            f"{place.shard}: {place.key}.json is not about a clip ({type(error).__name__}: {error}); expected seconds "
            "and captions with text and language."
        ) from error


def read_recording(place: ShardPlace) -> bytes:
    """The bytes of the recording at a place; errors as those of `read_shards`."""
    return _bytes(place, place.recording)


def read_about(place: ShardPlace) -> dict[str, Any]:
    """The JSON at a place; errors as those of `read_shards`."""
    where = f"{place.shard}: {place.key}.json"
    about = loads(_bytes(place, place.about), what=where)
    if not isinstance(about, dict):
        raise RecordError(f"{where}: expected an object.")
    return about


def _caption(data: Any) -> Caption:
    text, language, level = data["text"], data["language"], data.get("level", "")
    if not all(isinstance(one, str) for one in (text, language, level)):
        raise TypeError("text, language and level of a caption are texts")
    return Caption(text, language, level)


def _members(shard: Path) -> Iterator[tarfile.TarInfo]:
    try:
        size = shard.stat().st_size
        with tarfile.open(shard, "r:") as opened:
            for member in opened:
                if member.offset_data + member.size > size:
                    raise RecordError(f"{shard}: is cut off within {member.name[:100]!r}; copy or write it again.")
                yield member
    except OSError as error:
        raise unusable(shard, error, doing="read") from error
    except _TAR_ERRORS as error:
        raise RecordError(f"{shard}: no tar file, or a damaged one ({error}); copy or write it again.") from error


def _bytes(place: ShardPlace, span: Sequence[int]) -> bytes:
    first, size = span
    try:
        with place.shard.open("rb") as file:
            file.seek(first)
            data = file.read(size)
    except OSError as error:
        raise unusable(place.shard, error, doing="read") from error
    if len(data) != size:
        raise RecordError(f"{place.shard}: is cut off within {place.key}; copy or write it again.")
    return data


def _tar(samples: Sequence[ShardRecord]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:", format=tarfile.USTAR_FORMAT) as opened:
        for sample in samples:
            for ending, data, largest in (
                (sample.ending, sample.recording, LARGEST_RECORDING),
                ("json", dumps(sample.about).encode(), LARGEST_ABOUT),
            ):
                if len(data) > largest:
                    raise RecordError(f"{sample.key}.{ending}: {len(data)} bytes are more than the {largest} allowed.")
                member = tarfile.TarInfo(f"{sample.key}.{ending}")
                member.size = len(data)
                opened.addfile(member, io.BytesIO(data))
    return made.getvalue()


def _number(shard: Path) -> int:
    digits = re.search(r"(\d+)$", shard.stem)
    return int(digits.group(1)) if digits else -1


def _lacking(shard: Path, key: str, waiting: Mapping[str, object]) -> RecordError:
    lacks = "its recording" if "json" in waiting else "its JSON"
    return RecordError(f"{shard}: {key} lacks {lacks}, or the two do not stand together; write the shard again.")


def _listed() -> str:
    return f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
