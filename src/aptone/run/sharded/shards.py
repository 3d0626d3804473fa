"""Shards of a source: a folder of them, a glob, or several files, here or on other machines."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from aptone.errors import UsageError
from aptone.files import natural_order
from aptone.messages import message
from aptone.run.sources.audio_cache import address_of, is_address, mirrored
from aptone.run.sources.remote import file_system
from aptone.run.sources.source import lists_recordings

ENDINGS = (".parquet", ".tar", ".tar.gz", ".tgz", ".jsonl")
"""Endings of files that make a folder one of shards, and no list of another kind."""
_KINDS = {".tar.gz": ".tar", ".tgz": ".tar"}
_PATTERN = re.compile(r"[*?\[]")
_UNKNOWN = -1
_ENDING = re.compile(r"(\.tar)?\.[a-z0-9]+(\.gz)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SourceShard:
    """A shard of a source.

    Args:
        name: file name without its ending; no other shard of the run has it.
        place: absolute path, or address.
        size: bytes; -1 where nobody knows.
        number: place among the shards of the run.
    """

    name: str
    place: str
    size: int = _UNKNOWN
    number: int = 0

    @property
    def path(self) -> Path:
        """Path on the machine that reads it; one with an address is fetched when it is read."""
        return mirrored(self.place) if is_address(self.place) else Path(self.place)


def is_sharded_source(paths: Sequence[Path]) -> bool:
    """Return whether paths name shards: several files, a glob, or a folder of files with one of `ENDINGS`."""
    if len(paths) > 1:
        return True
    address = address_of(paths[0])
    if address is not None:
        return bool(_PATTERN.search(address)) or address.endswith("/") or not _ENDING.search(address)
    return _is_pattern(paths[0]) or (paths[0].is_dir() and bool(_folder_shards(paths[0])))


def find_shards(paths: Sequence[Path]) -> list[SourceShard]:
    """The shards that some paths name, in the order of their names.

    Args:
        paths: files, globs and folders; those on other machines by their place in the cache (`mirrored`).

    Raises:
        MissingExtraError: if a folder on another machine cannot be listed without fsspec.
        RecordError: if it cannot be listed.
        UsageError: if there is none, a folder holds several kinds, or two have one name.
    """
    found = [shard for path in paths for shard in (_remote(address_of(path) or "") or _local(path))]
    if not found:
        raise UsageError(message("run.no-shards", name=paths[0], endings=", ".join(ENDINGS)))
    found.sort(key=lambda shard: (natural_order(Path(shard.name)), shard.place))
    name, count = Counter(shard.name for shard in found).most_common(1)[0]
    if count > 1:
        raise UsageError(message("run.shards-of-one-name", name=name))
    return [SourceShard(one.name, one.place, one.size, number) for number, one in enumerate(found)]


def default_name(path: Path) -> str:
    """Name for what is made of a source: that of the file or folder; of a glob, that of the folder around it."""
    return path.resolve().parent.name if _is_pattern(path) else path.resolve().stem


def _is_pattern(path: Path) -> bool:
    return bool(_PATTERN.search(str(path))) and not path.exists()


def _local(path: Path) -> list[SourceShard]:
    if _is_pattern(path):
        files = [one for one in Path(path.anchor).glob(str(path.relative_to(path.anchor))) if one.is_file()]
    else:
        files = _folder_shards(path) if path.is_dir() else [path]
    if missing := [file for file in files if not file.is_file()]:
        raise UsageError(message("sources.no-such-path", name=missing[0]))
    return [_shard(str(file.absolute()), file.stat().st_size) for file in files]


def _folder_shards(folder: Path) -> list[Path]:
    """Shards in a folder; none if it is a list of another kind, such as an audio folder or one of recordings."""
    files = [file for file in folder.iterdir() if file.name.lower().endswith(ENDINGS) and file.is_file()]
    if any(folder.glob("metadata.*")):
        return []
    _refuse_mixture(folder, [file.name for file in files])
    is_other_list = all(file.suffix.lower() == ".jsonl" for file in files) and lists_recordings(folder)
    return [] if is_other_list else files


def _remote(address: str) -> list[SourceShard]:
    if not address:
        return []
    if address.startswith(("http://", "https://")):  # no server lists its files in one way
        return [_shard(address, _UNKNOWN)]
    with file_system(address) as (opened, place):
        if _PATTERN.search(place):
            files = opened.glob(place)
        elif opened.isdir(place):
            listed = [str(name) for name in opened.ls(place, detail=False)]
            files = [name for name in listed if name.lower().endswith(ENDINGS)]
            _refuse_mixture(Path(place), files)
        else:
            files = [place]
        return [_shard(str(opened.unstrip_protocol(name)), int(opened.size(name) or _UNKNOWN)) for name in files]


def _refuse_mixture(folder: Path, names: Sequence[str]) -> None:
    endings = {next(ending for ending in ENDINGS if name.lower().endswith(ending)) for name in names}
    if len(kinds := {_KINDS.get(ending, ending) for ending in endings}) > 1:
        raise UsageError(message("run.mixed-shards", name=folder, kinds=", ".join(sorted(kinds))))


def shard_name(place: str) -> str:
    """Name of a shard at a path or address: that of its file, without its ending.

    >>> shard_name("/data/clips-01.tar.gz"), shard_name("s3://bucket/clips-02.parquet")
    ('clips-01', 'clips-02')
    """
    file = PurePosixPath(place.partition("?")[0]).name if is_address(place) else Path(place).name
    return _ENDING.sub("", file) or file


def _shard(place: str, size: int) -> SourceShard:
    return SourceShard(shard_name(place), place, size)
