"""What is checked before and while a file is decoded."""

import io
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.audio import read
from aptone.audio.containers import Window
from aptone.audio.decode import open_stream
from aptone.errors import AudioError
from tests.tables import for_each

Save = Callable[[str, bytes], Path]


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match=r"none\.wav: no such file; check the path"):
        read(tmp_path / "none.wav", rate=None)
    with pytest.raises(AudioError, match="no such file"):
        read("a\0b.wav", rate=None)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="this is a folder; expected one recording"):
        read(tmp_path, rate=None)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe.wav"
    os.mkfifo(path)
    with pytest.raises(AudioError, match="this is a device or a pipe"):
        read(path, rate=None)


def test_an_empty_file_is_refused(save: Save) -> None:
    with pytest.raises(AudioError, match=r"empty\.wav: the file is empty \(0 bytes\)"):
        read(save("empty.wav", b""), rate=None)


@pytest.mark.parametrize(
    ("error", "message"),
    [(PermissionError(13, "Permission denied"), "no permission to read it"), (OSError(5, "I/O error"), "I/O error")],
)
def test_a_file_that_cannot_be_opened_is_refused(
    error: OSError, message: str, save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save("shut.wav", b"RIFF")

    def refuse(self: Path, mode: str) -> None:
        raise error

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(AudioError, match=rf"shut\.wav: .*{message}"):
        read(path, rate=None)


def test_a_folder_that_cannot_be_entered_is_said(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save("shut.wav", b"RIFF")

    def refuse(self: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(AudioError, match="no permission to look it up"):
        read(path, rate=None)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission_is_refused(save: Save) -> None:
    path = save("secret.wav", b"RIFF")
    path.chmod(0)
    with pytest.raises(AudioError, match="no permission to read it"):
        read(path, rate=None)


def test_a_disk_that_fails_while_the_container_is_examined_is_said(
    encoded: dict[str, bytes], save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("aptone.audio.decode.prepare", fail)
    with pytest.raises(AudioError, match=r"cannot be read \(Input/output error\)"):
        read(save("clip.wav", encoded["wav"]), rate=None)


@pytest.mark.parametrize("name", ["wav", "webm"])
def test_a_disk_that_fails_while_decoding_is_said(
    name: str, encoded: dict[str, bytes], save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save("clip.bin", encoded[name])

    def blocks() -> Iterator[None]:
        with open_stream(path) as stream:
            monkeypatch.setattr(stream, "_window", Window(_BrokenFile(), begin=0, end=9))
            stream._window.read()
            yield from (None for _ in stream.blocks(first=0))

    with pytest.raises(AudioError, match="Input/output error"):
        list(blocks())


class _BrokenFile(io.BytesIO):
    def seek(self, *_: object) -> int:
        raise OSError(5, "Input/output error")


def test_a_coding_that_the_library_does_not_know_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    data = bytearray(encoded["wav"])
    data[20:22] = (0x1234).to_bytes(2, "little")  # the format tag
    with pytest.raises(AudioError, match=r"odd\.wav: the wav file cannot be decoded .* Convert it with: ffmpeg"):
        read(save("odd.wav", bytes(data)), rate=None)


def test_a_flac_file_that_promises_more_than_it_holds_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    data = bytearray(encoded["flac"])
    data[22:26] = (40_000).to_bytes(4, "big")
    with pytest.raises(AudioError, match=r"(promises 2\.500 s, 2\.000 s could be decoded|truncated after)"):
        read(save("more.flac", bytes(data)), rate=None)


def test_files_are_read_alike_by_several_threads(encoded: dict[str, bytes], save: Save) -> None:
    path = save("clip.mp3", encoded["mp3"])
    expected = read(path, rate=8_000)
    found: list[bool] = []

    def check() -> None:
        found.append(all(np.array_equal(read(path, rate=8_000).samples, expected.samples) for _ in range(5)))

    threads = [threading.Thread(target=check) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4


@pytest.mark.slow
@for_each(
    ("format", "subtype", "rate"),
    [("OGG", "VORBIS", 44_100), ("OGG", "OPUS", 48_000), ("WAV", "GSM610", 8_000), ("WAV", "MS_ADPCM", 8_000)],
)
def test_a_part_has_the_samples_of_the_whole_wherever_it_begins(
    format: str, subtype: str, rate: int, tmp_path: Path
) -> None:
    # Three seconds of Vorbis at 44.1 kHz whose level changes, so that its blocks change their length: after a jump into
    # the last page, which begins at 2.7 s, libsndfile comes out late. GSM cannot jump at all.
    time = np.arange(3 * rate) / rate
    tone = 0.4 * np.sin(2 * np.pi * 660 * time) * np.sin(np.pi * 9 * time) ** 2
    sound = tone + 0.1 * np.random.default_rng(1).standard_normal(time.size)
    path = tmp_path / "clip.bin"
    soundfile.write(path, sound, rate, format=format, subtype=subtype)
    whole = read(path, rate=None).samples
    for start in np.arange(0.05, 3.0, 0.1):
        first = round(start * rate)
        assert np.array_equal(read(path, rate=None, start=start).samples, whole[first:])


@for_each("name", ["wav", "flac", "vorbis", "opus", "mp3"])
def test_samples_do_not_hang_on_the_size_of_the_blocks(
    name: str, encoded: dict[str, bytes], save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save("clip.bin", encoded[name])
    whole = read(path, rate=None)
    monkeypatch.setattr("aptone.audio.decode.BLOCK_SAMPLES", 1_000)
    assert np.array_equal(read(path, rate=None).samples, whole.samples)
