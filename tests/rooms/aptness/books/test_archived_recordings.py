import io
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import from_array, probe
from aptone.audio.write import wav_bytes
from aptone.errors import RecordError, RunError, UsageError
from aptone.rooms.aptness.books.archived_recordings import (
    ArchivedRecording,
    archived_recordings,
    extract_recordings,
    talking_book,
)
from aptone.rooms.aptness.books.formats import archive
from tests.rooms.aptness.books.formats.book_files import OPF, PARTS, SMIL, write_zip
from tests.tables import for_each

RECORDING = "OEBPS/audio/one.mp3"
"""The recording that the overlay of `PARTS` names; what it holds is found by its content."""


def noise(seconds: float, *, rate: int = 8000) -> bytes:
    """A wav file of noise, which no archive can pack much."""
    return wav_bytes(from_array(np.random.default_rng(1).uniform(-0.5, 0.5, round(seconds * rate)), rate=rate))


def book(path: Path, parts: dict[str, str | bytes]) -> Path:
    return write_zip(path / "book.epub", {**PARTS, **parts})


def extract(path: Path, folder: Path) -> list[Path]:
    return extract_recordings(path, archived_recordings(path), folder)


def test_the_recordings_that_overlays_name_are_written_byte_by_byte(tmp_path: Path) -> None:
    sound = noise(0.5)
    path = book(tmp_path, {RECORDING: sound, "OEBPS/audio/jingle.mp3": noise(0.1)})
    assert archived_recordings(path) == (ArchivedRecording(RECORDING, "one.mp3"),)
    (written,) = extract(path, tmp_path / "recordings")
    assert written == tmp_path / "recordings" / "one.mp3"
    assert written.read_bytes() == sound
    assert probe(written).seconds == 0.5
    assert [one.name for one in written.parent.iterdir()] == ["one.mp3"]  # no part of a file is left


def test_a_book_without_overlays_has_the_recordings_of_its_manifest(tmp_path: Path) -> None:
    more = "".join(
        f'<item id="a{number}" href="{folder}/part%201.mp3" media-type="audio/mpeg"/>'
        for number, folder in enumerate(("a", "b"))
    )
    opf = OPF.format(more=more, toc="").replace(' media-overlay="m"', "")
    sounds = {f"OEBPS/{folder}/part 1.mp3": noise(seconds) for folder, seconds in (("a", 0.1), ("b", 0.2))}
    path = book(tmp_path, {"OEBPS/book.opf": opf, **sounds})
    assert [one.name for one in archived_recordings(path)] == ["part-1.mp3", "2-part-1.mp3"]
    assert [probe(one).seconds for one in extract(path, tmp_path / "recordings")] == [0.1, 0.2]


def test_recordings_that_are_there_are_not_written_again_and_others_not_overwritten(tmp_path: Path) -> None:
    path = book(tmp_path, {RECORDING: noise(0.1)})
    (written,) = extract(path, tmp_path / "recordings")
    before = written.stat().st_mtime_ns
    extract(path, tmp_path / "recordings")
    assert written.stat().st_mtime_ns == before
    written.write_bytes(noise(0.2))
    with pytest.raises(RunError, match=r"one\.mp3: another file than OEBPS/audio/one\.mp3 of this book is there"):
        extract(path, tmp_path / "recordings")


@for_each(
    "source",
    ["../../../outside.mp3", "/etc/outside.mp3", "https://example.com/outside.mp3", "../..\\..\\outside.mp3"],
)
def test_recordings_outside_the_archive_are_neither_read_nor_written(tmp_path: Path, source: str) -> None:
    smil = SMIL.replace("audio/one.mp3", source)
    (tmp_path / "in").mkdir()
    path = book(tmp_path / "in", {"OEBPS/one.smil": smil, source: noise(0.1), f"OEBPS/{source}": noise(0.1)})
    with pytest.raises(RecordError, match="there are no recordings in it"):
        extract(path, tmp_path / "in" / "recordings")
    assert [one.name for one in tmp_path.rglob("*") if one.is_file()] == ["book.epub"]


def test_a_recording_that_unpacks_to_far_more_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    silence = wav_bytes(from_array(np.zeros(8_000_000), rate=8000))  # 16 MB of zeros pack to some 16 kB
    path = book(tmp_path, {RECORDING: silence})
    with pytest.raises(RecordError, match=r"book\.epub: refused: OEBPS/audio/one\.mp3 unpacks to far more"):
        extract(path, tmp_path / "recordings")
    assert list((tmp_path / "recordings").iterdir()) == []


@for_each("limit", ["LARGEST_RECORDING", "LARGEST_RECORDINGS"])
def test_one_recording_and_all_of_them_have_a_largest_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    path = book(tmp_path, {RECORDING: noise(1.0)})
    monkeypatch.setattr(archive, limit, 10_000)
    with pytest.raises(RecordError, match="unpacks to far more than a recording has"):
        extract(path, tmp_path / "recordings")


def test_memory_does_not_grow_with_the_recording(tmp_path: Path) -> None:
    path = book(tmp_path, {RECORDING: noise(1000.0)})  # 16 MB
    recordings = archived_recordings(path)
    tracemalloc.start()
    (written,) = extract_recordings(path, recordings, tmp_path / "recordings")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert written.stat().st_size > 16_000_000
    assert peak < 8 * archive.BLOCK  # of which zipfile takes some four


def test_what_is_no_audio_is_refused_by_name(tmp_path: Path) -> None:
    path = book(tmp_path, {RECORDING: b"MZ" + bytes(1000)})
    with pytest.raises(RecordError, match=r"book\.epub: OEBPS/audio/one\.mp3 is no audio that can be read"):
        extract(path, tmp_path / "recordings")
    assert list((tmp_path / "recordings").iterdir()) == []


def test_a_damaged_recording_and_one_with_a_password_are_refused(tmp_path: Path) -> None:
    sound = noise(0.5)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for name, content in PARTS.items():
            made.writestr(name, content)
        made.writestr(RECORDING, sound)
    whole = data.getvalue()
    place = whole.index(sound[-100:])
    path = tmp_path / "book.epub"
    path.write_bytes(whole[:place] + bytes(100) + whole[place + 100 :])
    with pytest.raises(RecordError, match=r"book\.epub: cannot be read as an EPUB \(Bad CRC-32"):
        extract(path, tmp_path / "recordings")
    entry = whole.index(b"PK\x01\x02", place)
    while whole[entry + 46 : entry + 46 + len(RECORDING)] != RECORDING.encode():
        entry = whole.index(b"PK\x01\x02", entry + 1)
    path.write_bytes(whole[: entry + 8] + b"\x01" + whole[entry + 9 :])  # the flag of encryption
    with pytest.raises(RecordError, match="an EPUB with a password"):
        extract(path, tmp_path / "recordings")


def test_a_book_without_recordings_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="there are no recordings in it; name them and give the book as --story"):
        archived_recordings(book(tmp_path, {}))


def test_an_epub_is_given_alone_or_as_the_story() -> None:
    assert talking_book([Path("one.mp3"), Path("two.mp3")]) is None
    assert talking_book([Path("Book.EPUB")]) == Path("Book.EPUB")
    with pytest.raises(UsageError, match="give either the EPUB alone"):
        talking_book([Path("book.epub"), Path("one.mp3")])
