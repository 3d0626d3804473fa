"""Shards are found in folders, by globs and as several files, here and on other machines."""

from pathlib import Path

import fsspec
import pytest

from aptone.errors import UsageError
from aptone.run.sharded.shards import default_name, find_shards, is_sharded_source
from aptone.run.sources.audio_cache import VARIABLE, mirrored


def _touch(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_bytes(b"12345")
    return folder


def _names(*paths: Path) -> list[str]:
    return [shard.name for shard in find_shards(paths)]


def test_a_folder_a_glob_and_several_files_name_shards_and_one_file_does_not(tmp_path: Path) -> None:
    folder = _touch(tmp_path / "data", "p-10.tar", "p-9.tar.gz", "p-8.tgz", "notes.md")
    assert _names(folder) == ["p-8", "p-9", "p-10"]  # numbers by their value
    assert _names(folder / "*.tar") == ["p-10"]
    assert _names(folder / "p-10.tar", folder / "p-8.tgz") == ["p-8", "p-10"]
    shards = find_shards([folder])
    assert [(shard.number, shard.size, shard.path.parent) for shard in shards] == [(n, 5, folder) for n in range(3)]
    assert is_sharded_source([folder])
    assert is_sharded_source([folder / "*.tar"])
    assert is_sharded_source([folder / "p-10.tar", folder / "p-8.tgz"])
    assert not is_sharded_source([folder / "p-10.tar"])
    assert not is_sharded_source([_touch(tmp_path / "clips", "a.wav", "b.wav")])
    assert not is_sharded_source([_touch(tmp_path / "audio-folder", "metadata.jsonl", "a.wav")])
    assert not is_sharded_source([_touch(tmp_path / "recordings", "notes.jsonl", "a.wav")])
    assert is_sharded_source([_touch(tmp_path / "lists", "a.jsonl", "b.jsonl")])
    assert [default_name(path) for path in (folder, folder / "*.tar")] == ["data", "data"]


def test_what_is_no_set_of_shards_is_refused(tmp_path: Path) -> None:
    mixed = _touch(tmp_path / "mixed", "a.parquet", "b.jsonl")
    with pytest.raises(UsageError, match=r"shards of several kinds \(.jsonl, .parquet\)"):
        find_shards([mixed])
    assert _names(mixed / "*.parquet") == ["a"]
    other = _touch(tmp_path / "other", "a.csv")
    with pytest.raises(UsageError, match="two shards are called a"):
        find_shards([mixed / "*.parquet", other / "a.csv"])
    with pytest.raises(UsageError, match="no shards"):
        find_shards([tmp_path / "*.tar"])
    with pytest.raises(UsageError, match="there is no such file"):
        find_shards([tmp_path / "a.tar", tmp_path / "b.tar"])


def test_shards_on_other_machines_are_listed_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    store = fsspec.filesystem("memory")
    for name in ("a.parquet", "b.parquet", "readme.txt"):
        store.pipe(f"/bucket-of-shards/set/{name}", b"123")
    folder, pattern = mirrored("memory://bucket-of-shards/set"), mirrored("memory://bucket-of-shards/set/b*.parquet")
    assert is_sharded_source([folder])
    assert is_sharded_source([pattern])
    assert not is_sharded_source([mirrored("memory://bucket-of-shards/set/a.parquet")])
    assert [(one.name, one.place, one.size) for one in find_shards([folder])] == [
        ("a", "memory:///bucket-of-shards/set/a.parquet", 3),
        ("b", "memory:///bucket-of-shards/set/b.parquet", 3),
    ]
    assert _names(pattern) == ["b"]
    (shard,) = find_shards([mirrored("https://example.org/x/c.tar?token=1")])
    assert (shard.name, shard.place, shard.size) == ("c", "https://example.org/x/c.tar?token=1", -1)
