import base64
import hashlib
import io
import math
import os
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.report.clips import MOST_CLIPS, MOST_CLIPS_AN_ITEM, MOST_MISFITS, ClipEmbedder
from aptone.run.payload import Clip
from aptone.types import AudioRef
from tests.tables import for_each


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "clip.wav"
    time = np.arange(16000) / 16000
    soundfile.write(path, np.stack([0.3 * np.sin(2 * np.pi * 200 * time), np.zeros(16000)], axis=1), 16000)
    return path


def test_a_recording_becomes_ogg_vorbis_of_the_same_length(recording: Path) -> None:
    clip = ClipEmbedder(room=1_000_000).embed(Clip("audio", AudioRef(str(recording))))
    assert clip.missing == ""
    assert clip.source == "clip.wav"
    assert clip.seconds == 1.0
    head, data = clip.uri.split(",")
    assert head == "data:audio/ogg;base64"
    with soundfile.SoundFile(io.BytesIO(base64.b64decode(data))) as sound:
        assert (sound.format, sound.subtype, sound.channels) == ("OGG", "VORBIS", 1)
        assert sound.frames / sound.samplerate == pytest.approx(1.0, abs=0.02)


def test_a_part_of_a_recording_says_which_part(recording: Path) -> None:
    room = ClipEmbedder(room=1_000_000)
    clip = room.embed(Clip("audio", AudioRef(str(recording), start=0.25, end=0.75)))
    assert (clip.seconds, clip.source) == (0.5, "clip.wav (0.25 – 0.75 s)")
    assert room.embed(Clip("audio", AudioRef(str(recording), start=0.25))).source == "clip.wav (0.25 s –)"


def test_what_does_not_fit_is_named_and_a_smaller_one_still_fits(recording: Path) -> None:
    ref = AudioRef(str(recording))
    size = len(ClipEmbedder(room=1_000_000).embed(Clip("audio", ref)).uri.split(",")[1])
    room = ClipEmbedder(room=size)
    short = Clip("short", AudioRef(str(recording), end=0.05))
    small = len(ClipEmbedder(room=size).embed(short).uri)
    assert 0 < small < size
    assert room.embed(Clip("first", ref)).uri
    left_out = room.embed(Clip("second", ref))
    assert (left_out.missing, left_out.uri) == ("size", "")
    assert math.isnan(left_out.seconds)  # nothing is left, so the file was not even opened
    tight = ClipEmbedder(room=size - 1)
    assert tight.embed(Clip("first", ref)).missing == "size"
    assert tight.embed(short).uri


def test_after_a_few_that_do_not_fit_no_further_file_is_opened(recording: Path) -> None:
    room = ClipEmbedder(room=1000)
    whole = Clip("audio", AudioRef(str(recording)))
    tried = [room.embed(whole) for _ in range(MOST_MISFITS + 1)]
    assert {clip.missing for clip in tried} == {"size"}
    assert [math.isnan(clip.seconds) for clip in tried] == [False] * MOST_MISFITS + [True]


def test_an_item_and_a_page_show_so_many_recordings_and_no_more(tmp_path: Path) -> None:
    clips = [Clip(f"turn {index}", AudioRef(str(tmp_path / "gone.wav"))) for index in range(3000)]
    room = ClipEmbedder(room=1_000_000)
    shown, left_out = room.embed_some(clips)
    assert (len(shown), left_out) == (MOST_CLIPS_AN_ITEM, 3000 - MOST_CLIPS_AN_ITEM)
    assert [clip.label for clip in shown[:2]] == ["turn 0", "turn 1"]
    counts = [len(room.embed_some(clips)[0]) for _ in range(10)]
    assert MOST_CLIPS_AN_ITEM + sum(counts) == MOST_CLIPS
    assert counts[-1] == 0


def test_a_recording_of_more_than_ten_minutes_is_named_and_a_part_of_it_embedded(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    soundfile.write(path, np.zeros(601 * 8000, dtype=np.int16), 8000, subtype="PCM_U8")
    room = ClipEmbedder(room=1_000_000)
    clip = room.embed(Clip("audio", AudioRef(str(path))))
    assert (clip.missing, clip.seconds, clip.source) == ("long", 601.0, "long.wav")
    assert room.embed(Clip("audio", AudioRef(str(path), start=0.5, end=600.75))).missing == "long"
    assert room.embed(Clip("audio", AudioRef(str(path), start=600.0))).missing == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are made by os.mkfifo, which this system lacks")
def test_a_pipe_is_refused_without_waiting_for_its_other_end(tmp_path: Path) -> None:
    path = tmp_path / "pipe.wav"
    os.mkfifo(path)
    clip = ClipEmbedder(room=1_000_000).embed(Clip("audio", AudioRef(str(path))))
    assert clip.missing == "unreadable"
    assert "pipe" in clip.problem


def test_a_device_that_never_ends_is_refused() -> None:
    clip = ClipEmbedder(room=1_000_000).embed(Clip("audio", AudioRef(os.devnull)))
    assert clip.missing == "unreadable"


@for_each("content", [None, b"", b"not audio at all"])
def test_a_recording_that_cannot_be_read_says_why(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "broken.wav"
    if content is not None:
        path.write_bytes(content)
    clip = ClipEmbedder(room=1_000_000).embed(Clip("audio", AudioRef(str(path))))
    assert clip.missing == "unreadable"
    assert "broken.wav" in clip.problem
    assert math.isnan(clip.seconds)


def test_a_recording_that_was_moved_with_its_run_is_embedded(recording: Path) -> None:
    ref = AudioRef(str(recording), sha256=hashlib.sha256(recording.read_bytes()).hexdigest())
    moved = recording.parent / "moved"
    moved.mkdir()
    recording.rename(moved / recording.name)
    assert ClipEmbedder(room=1_000_000, folder=moved / "run").embed(Clip("audio", ref)).uri
    assert ClipEmbedder(room=1_000_000).embed(Clip("audio", ref)).missing == "unreadable"


def test_a_recording_that_is_nowhere_is_gone_and_one_that_has_changed_is_not(recording: Path, tmp_path: Path) -> None:
    ref = AudioRef(str(recording), sha256="00")
    embedder = ClipEmbedder(room=1_000_000, folder=tmp_path / "run")
    changed = embedder.embed(Clip("audio", ref))
    assert (changed.missing, "the file has changed" in changed.problem) == ("unreadable", True)
    recording.unlink()
    gone = embedder.embed(Clip("audio", ref))
    assert (gone.missing, gone.problem, gone.source) == ("gone", str(recording), "clip.wav")


@pytest.mark.parametrize("path", ["a\0b.wav", "x" * 5000])
def test_a_path_that_no_system_takes_is_unreadable(tmp_path: Path, path: str) -> None:
    clip = ClipEmbedder(room=1_000_000, folder=tmp_path).embed(Clip("audio", AudioRef(path)))
    assert clip.missing == "unreadable"


def test_a_damaged_reference_says_what_is_wrong_with_it() -> None:
    clip = ClipEmbedder(room=10).embed(Clip("audio", None, problem="the path is empty"))
    assert (clip.missing, clip.problem) == ("unreadable", "the path is empty")


def test_negative_room_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        ClipEmbedder(room=-1)
