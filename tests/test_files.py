"""Files that are whole or not there, and words for what the system refuses."""

import errno
import os
import stat
from pathlib import Path

import pytest

from aptone.errors import RunError
from aptone.files import make_folder, remove_partials, sync_folder, whole_file, write_whole
from tests.tables import for_each


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    write_whole(path, "old")

    def fail(self: Path, target: Path) -> Path:
        raise OSError("cut off")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(RunError, match=r"report\.html: cannot be written \(cut off\)\. Fix that and run the same"):
            write_whole(path, "new")
    assert path.read_text() == "old"
    assert [child.name for child in tmp_path.iterdir()] == ["report.html"]
    write_whole(path, "neu: 语气\n")
    assert path.read_bytes() == "neu: 语气\n".encode()


def test_a_file_that_a_library_writes_is_there_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    for content in (b"old", b"new"):
        with whole_file(path) as partial:
            partial.write_bytes(content)
            assert not path.exists() or path.read_bytes() == b"old"

    def half(raised: BaseException) -> None:
        with whole_file(path) as partial:
            partial.write_bytes(b"half")
            raise raised

    with pytest.raises(RunError, match=r"model\.safetensors: cannot be written \(cut off\)"):
        half(OSError("cut off"))
    with pytest.raises(KeyboardInterrupt):
        half(KeyboardInterrupt())
    assert [child.read_bytes() for child in tmp_path.iterdir()] == [b"new"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    write_whole(tmp_path / "trust.json", "old")
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(RunError, match=r"trust\.json: cannot be written \(No space left on device\)"):
        write_whole(tmp_path / "trust.json", "new")
    assert [child.read_text() for child in tmp_path.iterdir()] == ["old"]


def test_a_place_that_cannot_hold_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(RunError, match=r"report\.html: cannot be written \(Is a directory\)"):
        write_whole(tmp_path / "report.html", "new")
    with pytest.raises(RunError, match=r"report\.html: cannot be written \(No such file or directory\)"):
        write_whole(tmp_path / "missing" / "report.html", "new")


def test_a_link_is_replaced_and_what_it_leads_to_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    (tmp_path / "report.html").symlink_to(tmp_path / "precious.txt")
    write_whole(tmp_path / "report.html", "new")
    assert (tmp_path / "precious.txt").read_text() == "mine"
    assert (tmp_path / "report.html").read_text() == "new"


@for_each(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_umask_decides_who_may_read(tmp_path: Path, umask: int, mode: int) -> None:
    previous = os.umask(umask)
    try:
        write_whole(tmp_path / "report.html", "new")
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / "report.html").stat().st_mode) == mode


def test_what_kills_have_left_is_removed_but_not_what_others_are_writing(tmp_path: Path) -> None:
    old = ["config.json.1a2b3c4d.partial", "trust.json.1a2b3c4d.partial", "report.html.x_1.partial"]
    fresh = ["config.json.00000000.partial", "trust.json.00000000.partial"]
    others = ["thesis.tex.1a2b3c4d.partial", "config.json", "config.json.partial"]
    for name in [*old, *fresh, *others]:
        (tmp_path / name).touch()
    for name in [*old, *others]:
        os.utime(tmp_path / name, (0, 0))
    remove_partials(tmp_path, ours="config.json", shared=("trust.json", "report.html"))
    assert sorted(child.name for child in tmp_path.iterdir()) == sorted([*others, "trust.json.00000000.partial"])


def test_a_new_folder_is_on_the_disk_with_all_those_above_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr("aptone.files.sync_folder", synced.append)
    make_folder(tmp_path / "a" / "b")
    assert sorted(synced) == [tmp_path, tmp_path / "a"]
    make_folder(tmp_path / "a" / "b")
    assert len(synced) == 2, "nothing was new"


def test_where_folders_cannot_be_synced_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = iter([errno.EINVAL, errno.EACCES, errno.EIO])

    def refuse(descriptor: int) -> None:
        raise OSError(next(codes), "an error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refuse)
        sync_folder(tmp_path)
        sync_folder(tmp_path)
        with pytest.raises(OSError, match="error"):
            sync_folder(tmp_path)
    monkeypatch.setattr(os, "name", "nt")
    sync_folder(tmp_path / "missing")
