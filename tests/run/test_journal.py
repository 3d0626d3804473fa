"""One line an item: what a crash may leave behind, and what is made of it."""

import errno
import os
from pathlib import Path

import pytest

from aptone.errors import RunError
from aptone.run import Journal, read_journal
from aptone.run.journal import latest
from aptone.types import Entry, Outcome
from tests.run.run_steps import done, items
from tests.tables import for_each


def _entries(count: int) -> list[Entry]:
    return [
        Entry(item=item, outcome=done(float(item.position)), finished="2025-01-01T00:00:00") for item in items(count)
    ]


def _write(path: Path, entries: list[Entry]) -> bytes:
    with Journal(path) as journal:
        journal.append(entries)
    return path.read_bytes()


def test_what_is_appended_is_read_back_equal_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    _write(path, _entries(3))
    _write(path, _entries(5)[3:])
    assert list(read_journal(path)) == _entries(5)


def test_every_entry_is_one_line(tmp_path: Path) -> None:
    multiline = Entry(item=items(1)[0], outcome=Outcome.failed("first\nsecond\r\u2028third"))
    data = _write(tmp_path / "journal.jsonl", [multiline, *_entries(2)])
    assert data.count(b"\n") == 3
    assert next(read_journal(tmp_path / "journal.jsonl")) == multiline


def test_lone_surrogates_survive_and_leave_the_file_valid_utf_8(tmp_path: Path) -> None:
    entry = Entry(item=items(1)[0], outcome=Outcome.unscored("语气不对", raw_reply="\ud800"))
    data = _write(tmp_path / "journal.jsonl", [entry])
    data.decode("utf-8")
    assert list(read_journal(tmp_path / "journal.jsonl")) == [entry]


def test_text_of_any_language_stays_readable_in_the_file(tmp_path: Path) -> None:
    entry = Entry(item=items(1)[0], outcome=Outcome.failed("语气不对"))
    assert "语气不对".encode() in _write(tmp_path / "journal.jsonl", [entry])


@pytest.mark.slow
def test_a_journal_torn_at_any_byte_of_its_last_line_loses_that_line_only(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    whole = _write(path, _entries(3))
    begin = whole.rstrip(b"\n").rfind(b"\n") + 1
    assert begin < len(whole)
    for end in range(begin, len(whole) - 1):
        path.write_bytes(whole[:end])
        assert list(read_journal(path)) == _entries(2)
        assert path.read_bytes() == whole[:end], "reading does not change the file"
        with Journal(path) as journal:
            assert path.read_bytes() == whole[:begin]
            journal.append(_entries(3)[2:])
        assert path.read_bytes() == whole


def test_a_tail_of_nul_bytes_is_dropped(tmp_path: Path) -> None:
    # Some file systems grow a file before its data is on the disk: after a power cut the new part reads as zeros.
    path = tmp_path / "journal.jsonl"
    whole = _write(path, _entries(2))
    for tail in (b"\0" * 10, b"\0" * 200_000, b'{"item":' + b"\0" * 5000):
        path.write_bytes(whole + tail)
        assert list(read_journal(path)) == _entries(2)
        Journal(path).close()
        assert path.read_bytes() == whole


def test_a_torn_line_longer_than_one_read_is_dropped_whole(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    whole = _write(path, _entries(1))
    for length in (65535, 65536, 65537, 300_000):
        path.write_bytes(whole + b"x" * length)
        Journal(path).close()
        assert path.read_bytes() == whole


def test_a_file_that_is_one_torn_line_becomes_empty(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"x" * 100_000)
    Journal(path).close()
    assert path.read_bytes() == b""


@for_each(
    "damage",
    [
        b"",
        b"not json",
        b"5",
        b"\0" * 40,
        b"\xff\xfe",
        b'{"item": NaN}',
        b'{"schema": "aptone.Entry/1"}',
        b"[" * 100_000,
    ],
    ids=["blank", "words", "number", "nul", "not utf-8", "nan", "fields missing", "deep"],
)
def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "journal.jsonl"
    lines = _write(path, _entries(3)).splitlines()
    path.write_bytes(b"\n".join([lines[0], damage, lines[2], b""]))
    with pytest.raises(RunError, match=r"journal\.jsonl, line 2: damaged .*aptone merge .* --skip-damaged"):
        list(read_journal(path))


def test_a_missing_journal_reads_as_empty(tmp_path: Path) -> None:
    assert list(read_journal(tmp_path / "journal.jsonl")) == []


def test_the_last_entry_of_an_item_and_repeat_counts() -> None:
    first, second = items(2)
    entries = [
        Entry(item=first, outcome=Outcome.failed("down")),
        Entry(item=first, outcome=done(2.0), repeat=1),
        Entry(item=second, outcome=done(3.0)),
        Entry(item=first, outcome=done(4.0)),
    ]
    assert latest(entries) == {("i0", 0): entries[3], ("i0", 1): entries[1], ("i1", 0): entries[2]}


def test_a_full_disk_is_told_and_leaves_a_journal_that_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    whole = _write(path, _entries(1))
    write = os.write

    def write_half(descriptor: int, data: bytes) -> int:
        if len(data) < 100:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[: len(data) // 2])

    with Journal(path) as journal, monkeypatch.context() as patch:
        patch.setattr(os, "write", write_half)
        with pytest.raises(RunError, match=r"journal\.jsonl: cannot be written .*No space left.*same command"):
            journal.append(_entries(2)[1:])
    assert path.read_bytes() != whole, "part of a line is there"
    Journal(path).close()
    assert path.read_bytes() == whole


def test_a_write_that_takes_only_part_of_the_data_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with Journal(tmp_path / "journal.jsonl") as journal, monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:7]))
        journal.append(_entries(2))
    assert list(read_journal(tmp_path / "journal.jsonl")) == _entries(2)


def test_an_entry_is_on_the_disk_when_append_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bytes] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        fsync(descriptor)
        synced.append((tmp_path / "journal.jsonl").read_bytes())

    with Journal(tmp_path / "journal.jsonl") as journal:
        monkeypatch.setattr(os, "fsync", note)
        journal.append(_entries(2))
    assert synced == [(tmp_path / "journal.jsonl").read_bytes()], "one wait, after everything was written"


def test_a_last_line_that_lacks_nothing_but_its_newline_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    whole = _write(path, _entries(3))
    path.write_bytes(whole[:-1])
    assert list(read_journal(path)) == _entries(2), "a reader cannot know whether more is to come"
    with Journal(path) as journal:
        assert path.read_bytes() == whole
        journal.append(_entries(4)[3:])
    assert list(read_journal(path)) == _entries(4)


def test_a_last_line_of_json_that_is_no_entry_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    whole = _write(path, _entries(2))
    for tail in (b"{}", b"5", b'{"schema": "aptone.Entry/1"}', b"[" * 5000):
        path.write_bytes(whole + tail)
        Journal(path).close()
        assert path.read_bytes() == whole


@for_each("content", [b"one line of somebody else's, without a newline", b"", None])
def test_a_link_in_the_place_of_a_journal_is_refused_and_what_it_leads_to_is_left_alone(
    tmp_path: Path, content: bytes | None
) -> None:
    target = tmp_path / "precious.txt"
    if content is not None:
        target.write_bytes(content)
    (tmp_path / "journal.jsonl").symlink_to(target)
    with pytest.raises(RunError, match=r"journal\.jsonl: is a link, expected a file of its own"):
        Journal(tmp_path / "journal.jsonl")
    assert (target.read_bytes() if target.exists() else None) == content


def test_a_link_that_appears_at_the_last_moment_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "precious.txt").write_bytes(b"one line")
    (tmp_path / "journal.jsonl").symlink_to(tmp_path / "precious.txt")
    monkeypatch.setattr(Path, "is_symlink", lambda path: False)
    with pytest.raises(RunError, match=r"journal\.jsonl: cannot be opened for writing .*Fix that"):
        Journal(tmp_path / "journal.jsonl")
    assert (tmp_path / "precious.txt").read_bytes() == b"one line"


def test_what_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(RunError, match=r"folder: cannot be opened for writing \(Is a directory\)\. Fix that"):
        Journal(tmp_path / "folder")
    with pytest.raises(RunError, match=r"folder: cannot be read \(Is a directory\)\. Fix that"):
        list(read_journal(tmp_path / "folder"))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RunError, match="pipe: is no plain file, so it cannot be a journal"):
        Journal(tmp_path / "pipe")


def test_an_end_that_cannot_be_mended_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    whole = _write(path, _entries(2))

    def refuse(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    path.write_bytes(whole[:-1])
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", refuse)
        with pytest.raises(RunError, match=r"journal\.jsonl: cannot be written \(No space left on device\)"):
            Journal(path)
    Journal(path).close()
    assert path.read_bytes() == whole
