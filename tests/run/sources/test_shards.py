"""Shards: what goes in comes out, a killed writer goes on, and a hostile tar file is refused."""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.errors import RecordError, RunError, UsageError
from aptone.run.sources import shards
from aptone.run.sources.shards import (
    SHARDS,
    Caption,
    ShardSample,
    read_shards,
    shard_files,
    shard_keys,
    shard_places,
    write_shards,
)
from tests.tables import for_each

LOUD = Caption("A loud voice.", "en", "short")


def sample(key: str, recording: bytes = b"sound", **about: str) -> ShardSample:
    return ShardSample(key, recording, "ogg", seconds=1.5, captions=(LOUD, Caption("响亮的声音。", "zh")), about=about)


def many(count: int) -> list[ShardSample]:
    return [sample(f"clip-{number}", bytes([number])) for number in range(count)]


def tar(folder: Path, *members: tuple[str, bytes], kind: bytes = tarfile.REGTYPE) -> Path:
    path = folder / "shard-000000.tar"
    with tarfile.open(path, "w") as opened:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.type, member.size, member.linkname = kind, len(data), "/etc/passwd"
            opened.addfile(member, io.BytesIO(data))
    return path


def test_samples_come_out_as_they_went_in(tmp_path: Path) -> None:
    given = [sample("a", source="dubbing"), sample("b")]
    assert write_shards(tmp_path, given) == 2
    assert list(read_shards(tmp_path)) == given


@given(st.lists(st.tuples(st.binary(max_size=2000), st.text(min_size=1).filter(str.strip)), max_size=8))
@settings(max_examples=30, deadline=None)
def test_any_bytes_and_any_words_survive(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[bytes, str]]
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    given = [
        ShardSample(str(number), recording, "flac", seconds=0.5, captions=(Caption(text, "en"),))
        for number, (recording, text) in enumerate(drawn)
    ]
    write_shards(folder, given, per_shard=3)
    assert (list(read_shards(folder)) if given else []) == given


def test_shards_hold_as_many_as_they_should_and_a_second_call_writes_nothing(tmp_path: Path) -> None:
    write_shards(tmp_path, many(5), per_shard=2)
    assert [path.name for path in shard_files(tmp_path)] == [f"shard-00000{number}.tar" for number in range(3)]
    assert write_shards(tmp_path, many(5), per_shard=2) == 0
    assert write_shards(tmp_path, many(7), per_shard=2) == 2  # new ones go into a new shard
    assert [one.key for one in read_shards(tmp_path)] == [one.key for one in many(7)]
    assert shard_keys(tmp_path) == {one.key for one in many(7)}


def test_a_killed_writer_goes_on_and_ends_with_the_same_bytes(tmp_path: Path) -> None:
    def killed() -> Iterator[ShardSample]:
        yield from many(5)[:3]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_shards(tmp_path / "killed", killed(), per_shard=2)
    assert len(shard_keys(tmp_path / "killed")) == 2
    for name in ("killed", "whole"):
        write_shards(tmp_path / name, many(5), per_shard=2)
    killed_bytes, whole_bytes = (
        [path.read_bytes() for path in shard_files(tmp_path / name)] for name in ("killed", "whole")
    )
    assert killed_bytes == whole_bytes


@for_each("name", ["../a.ogg", "/a.ogg", "b/a.ogg", "a.exe", "a.ogg/../b.ogg", "a\nb.ogg", ".ogg", "a.b.ogg"])
def test_names_that_lead_elsewhere_are_refused(name: str, tmp_path: Path) -> None:
    tar(tmp_path, (name, b""), ("a.json", b"{}"))
    with pytest.raises(RecordError, match="expected files KEY"):
        list(read_shards(tmp_path))


@for_each("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE])
def test_links_and_devices_are_refused(kind: bytes, tmp_path: Path) -> None:
    tar(tmp_path, ("a.ogg", b""), kind=kind)
    with pytest.raises(RecordError, match="expected files KEY"):
        list(read_shards(tmp_path))


def test_what_is_larger_than_a_clip_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_shards(tmp_path, [sample("a", bytes(1000))])
    monkeypatch.setattr(shards, "LARGEST_RECORDING", 999)
    with pytest.raises(RecordError, match="1000 bytes; 0 to 999"):
        list(read_shards(tmp_path))
    with pytest.raises(RecordError, match="1000 bytes are more"):
        write_shards(tmp_path / "new", [sample("a", bytes(1000))])


@for_each(
    ("members", "words"),
    [
        ([("a.ogg", b"")], "a lacks its JSON"),
        ([("a.json", b"{}")], "a lacks its recording"),
        ([("a.ogg", b""), ("b.json", b"{}")], "a lacks its JSON"),
        ([("a.ogg", b""), ("a.wav", b"")], "two members of one kind"),
        ([("a.ogg", b""), ("a.json", b"[]")], "expected an object"),
        ([("a.ogg", b""), ("a.json", b"{")], "not valid JSON"),
        ([("a.ogg", b""), ("a.json", b'{"seconds": 1}')], "not about a clip"),
        ([("a.ogg", b""), ("a.json", b'{"seconds": 1, "captions": []}')], "no caption"),
        ([("a.ogg", b""), ("a.json", b'{"seconds": "x", "captions": []}')], "not about a clip"),
        ([("a.ogg", b""), ("a.json", b'{"seconds": 1, "captions": ["x"]}')], "not about a clip"),
        ([("a.ogg", b""), ("a.json", b'{"seconds": 1, "captions": [{"text": 1, "language": "en"}]}')], "are texts"),
        ([("a.ogg", b""), ("a.json", b'{"seconds": 1, "captions": [{"text": " ", "language": "en"}]}')], "no text"),
        ([("a.ogg", b""), ("a.json", b'{"seconds": 1%s, "captions": []}' % (b"0" * 400))], "cannot last 1000"),
        ([("a.ogg", b""), ("a.json", b'{"seconds": true, "captions": []}')], "cannot last True"),
        ([("a.ogg", b""), ("a.json", b'{"seconds": 0, "captions": [{"text": "x", "language": "en"}]}')], "last 0 s"),
    ],
)
def test_a_sample_that_is_not_whole_is_refused_by_its_name(
    members: list[tuple[str, bytes]], words: str, tmp_path: Path
) -> None:
    path = tar(tmp_path, *members)
    with pytest.raises(RecordError, match=words) as raised:
        list(read_shards(tmp_path))
    assert str(path) in str(raised.value)


def test_a_shard_cut_anywhere_is_refused_or_shorter_and_never_read_wrongly(tmp_path: Path) -> None:
    write_shards(tmp_path, many(3))
    (path,) = shard_files(tmp_path)
    data = path.read_bytes()
    for end in range(0, len(data), 256):
        path.write_bytes(data[:end])
        try:
            found = list(read_shards(tmp_path))
        except RecordError:
            continue
        assert found == many(3)[: len(found)]


def test_headers_that_nest_without_end_are_refused(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 1
    (tmp_path / "shard-000000.tar").write_bytes((header.tobuf(tarfile.GNU_FORMAT) + bytes(512)) * 5000)
    with pytest.raises(RecordError, match="damaged"):
        list(read_shards(tmp_path))


@for_each("size", [-1, -512, -1024])
def test_a_member_of_less_than_no_bytes_is_refused_before_it_leads_the_reader_back(size: int, tmp_path: Path) -> None:
    header = tarfile.TarInfo("a.ogg")
    header.size = size  # in base 256, which alone can write it; -512 would lead back to this very header
    (tmp_path / "shard-000000.tar").write_bytes(header.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    with pytest.raises(RecordError, match=f"has {size} bytes"):
        list(read_shards(tmp_path))


def test_a_shard_that_lost_its_end_between_two_looks_is_refused(tmp_path: Path) -> None:
    write_shards(tmp_path, [sample("a")])
    (path,) = shard_files(tmp_path)
    (place,) = shard_places(path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(RecordError, match="cut off within a"):
        shards.read_place(place)


def test_no_shard_a_missing_folder_two_equal_keys_and_empty_shards_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no shard"):
        list(read_shards(tmp_path))
    with pytest.raises(RunError, match="cannot be read"):
        list(read_shards(tmp_path / "missing"))
    with pytest.raises(RecordError, match="two samples have the key 'a'"):
        write_shards(tmp_path, [sample("a"), sample("a")])
    with pytest.raises(UsageError, match="1 sample or more"):
        write_shards(tmp_path, [], per_shard=0)
    for key in ("", "./a", "a/b", "a.b", "x" * 91):
        with pytest.raises(ValueError, match="a key has"):
            sample(key)


def test_a_corpus_may_be_named_by_the_folder_that_it_was_built_in(tmp_path: Path) -> None:
    write_shards(tmp_path / "corpus" / SHARDS, [sample("a")])
    assert shard_files(tmp_path / "corpus") == shard_files(tmp_path / "corpus" / SHARDS)
    assert list(read_shards(tmp_path / "corpus")) == [sample("a")]
