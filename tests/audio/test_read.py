"""Files to arrays at a stated rate."""

import hashlib
import io
import math
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from aptone.audio import AudioInfo, from_array, probe, read, read_bytes, read_channels, read_ref, resample
from aptone.audio import read as read_function
from aptone.errors import AudioError
from aptone.types import AudioRef
from tests.tables import for_each

Samples = npt.NDArray[np.float32]
Save = Callable[[str, bytes], Path]

LOSSLESS = ("wav", "wav float", "rf64", "flac", "flac unknown", "alac")
ALL = (*LOSSLESS, "vorbis", "opus", "mp3", "mp3 constant", "mp3 variable", "m4a", "mp4", "aac", "webm")


def stereo_file(tmp_path: Path, samples: Samples) -> Path:
    path = tmp_path / "stereo.wav"
    soundfile.write(path, np.stack([samples, -samples / 2], axis=1), 16_000, subtype="FLOAT")
    return path


def similarity(left: Samples, right: Samples) -> float:
    """Largest normalised cross-correlation within ±2,000 samples."""
    size = 1 << (len(left) + len(right)).bit_length()
    spectrum = np.fft.rfft(left, size) * np.conj(np.fft.rfft(right, size))
    correlation = np.fft.irfft(spectrum, size)
    near = np.concatenate([correlation[-2000:], correlation[:2000]])
    return float(near.max() / np.linalg.norm(left) / np.linalg.norm(right))


@for_each("name", LOSSLESS)
def test_lossless_formats_give_back_every_sample(
    name: str, encoded: dict[str, bytes], save: Save, samples: Samples
) -> None:
    audio = read(save("clip.bin", encoded[name]), rate=None)
    assert audio.rate == 16_000
    assert np.array_equal(audio.samples, samples)


@for_each("name", [name for name in ALL if name not in LOSSLESS])
def test_lossy_formats_give_back_the_sound(name: str, encoded: dict[str, bytes], save: Save, samples: Samples) -> None:
    audio = read(save("clip.bin", encoded[name]), rate=16_000)
    # Delay and padding of a codec come to at most three frames of 1,152 samples.
    assert 0 <= audio.samples.size - samples.size <= 3 * 1152
    assert similarity(audio.samples, samples) > 0.9


@for_each("name", ["wav", "flac", "opus"])
def test_a_file_in_memory_is_read_as_one_on_the_disk(name: str, encoded: dict[str, bytes], save: Save) -> None:
    audio = read_bytes(encoded[name], name="clip", rate=8000)
    assert audio.source == "clip"
    assert np.array_equal(audio.samples, read(save("clip.bin", encoded[name]), rate=8000).samples)
    with pytest.raises(AudioError, match=r"clip: .*(truncated|whole|cut)"):
        read_bytes(encoded[name][:-20], name="clip", rate=None)


def test_an_empty_file_in_memory_is_refused() -> None:
    with pytest.raises(AudioError, match=r"clip: the file is empty \(0 bytes\)"):
        read_bytes(b"", name="clip", rate=None)


@for_each("name", ["vorbis", "opus", "mp3"])
def test_blocks_give_the_same_samples_as_one_read_of_the_decoder(
    name: str, encoded: dict[str, bytes], save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save("clip.bin", encoded[name])
    whole = soundfile.read(path, dtype="float32")[0]
    monkeypatch.setattr("aptone.audio.decode.BLOCK_SAMPLES", 1_000)
    # The MP3 decoder rounds differently, in the last of 24 bits, after the seek with which soundfile.read begins.
    assert np.abs(read(path, rate=None).samples - whole).max() <= (1.2e-7 if name == "mp3" else 0.0)


@for_each("name", ALL)
def test_a_part_of_a_file_equals_the_part_of_the_whole(name: str, encoded: dict[str, bytes], save: Save) -> None:
    path = save("clip.bin", encoded[name])
    whole = read(path, rate=None)
    part = read(path, rate=None, start=0.75, end=1.25)
    first, last = round(0.75 * whole.rate), round(1.25 * whole.rate)
    assert np.array_equal(part.samples, whole.samples[first:last])


def test_a_vbr_mp3_without_a_tag_is_read_to_its_end(encoded: dict[str, bytes], save: Save, samples: Samples) -> None:
    # libsndfile takes the length from the size of the file and the first frame's bit rate, and stops half-way.
    data = encoded["mp3 variable"]
    path = save("clip.mp3", data)
    assert len(soundfile.read(path)[0]) < 0.8 * samples.size
    assert read(path, rate=None).samples.size >= samples.size


def test_reading_at_another_rate_equals_reading_and_then_resampling(
    encoded: dict[str, bytes], save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save("clip.wav", encoded["wav"])
    expected = resample(read(path, rate=None), rate=11_025)
    monkeypatch.setattr("aptone.audio.decode.BLOCK_SAMPLES", 999)
    audio = read(path, rate=11_025)
    assert audio.samples.size == 22_050  # 32,000 × 11,025 / 16,000
    assert audio == expected


def test_a_file_with_two_channels_asks_for_a_choice(tmp_path: Path, samples: Samples) -> None:
    path = stereo_file(tmp_path, samples)
    with pytest.raises(AudioError, match=r"stereo\.wav: expected one channel, got 2; choose one with channel=0"):
        read(path, rate=None)
    assert np.array_equal(read(path, rate=None, channel=1).samples, -samples / 2)
    # (s - s / 2) / 2 = s / 4
    assert np.allclose(read(path, rate=None, channel="mix").samples, samples / 4, atol=1e-7)
    with pytest.raises(AudioError, match="no channel 2; the channels are 0 to 1"):
        read(path, rate=None, channel=2)


def test_all_channels_are_what_each_channel_alone_is(tmp_path: Path, samples: Samples) -> None:
    path = stereo_file(tmp_path, samples)
    for rate in (None, 8_000):
        channels = read_channels(path, rate=rate, start=0.5)
        assert channels == tuple(read(path, rate=rate, channel=number, start=0.5) for number in (0, 1))


def test_the_content_decides_and_not_the_name(encoded: dict[str, bytes], save: Save) -> None:
    assert probe(save("clip.wav", encoded["flac"])).format == "flac pcm_16"
    assert probe(save("clip.mp3", encoded["webm"])).format == "webm opus"


@for_each("name", ALL)
def test_probe_says_what_read_finds(name: str, encoded: dict[str, bytes], save: Save) -> None:
    path = save("clip.bin", encoded[name])
    audio = read(path, rate=None)
    info = probe(path)
    assert (info.frames, info.rate, info.channels) == (audio.samples.size, audio.rate, 1)
    assert info.seconds == audio.seconds


def test_probe_of_a_wav_file(encoded: dict[str, bytes], save: Save) -> None:
    assert probe(save("a.wav", encoded["wav"])) == AudioInfo(32_000, 16_000, 1, 2.0, "wav pcm_16")


@for_each("name", ALL)
@for_each("share", [0.1, 0.53, 0.97])
def test_a_truncated_file_is_refused(name: str, share: float, encoded: dict[str, bytes], save: Save) -> None:
    data = encoded[name]
    with pytest.raises(AudioError, match=r"cut\.bin: .*(truncated|damaged|index|decoded)"):
        read(save("cut.bin", data[: int(share * len(data))]), rate=None)


def test_a_header_that_promises_more_than_max_seconds_is_refused_before_decoding(
    encoded: dict[str, bytes], save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save("long.wav", encoded["wav"])
    monkeypatch.setattr("aptone.audio.decode.SndfileStream.blocks", None)  # decoding would raise a TypeError
    with pytest.raises(AudioError, match=r"long\.wav: the clip is longer than 1\.5 s; choose a part"):
        read(path, rate=None, max_seconds=1.5)
    with pytest.raises(AudioError, match="longer than nan s"):
        read(path, rate=None, max_seconds=math.nan)


def test_a_file_that_does_not_tell_its_length_is_stopped_while_decoding(encoded: dict[str, bytes], save: Save) -> None:
    with pytest.raises(AudioError, match=r"longer than 1\.5 s"):
        read(save("long.webm", encoded["webm"]), rate=None, max_seconds=1.5)


def test_a_part_of_a_long_file_may_be_read(encoded: dict[str, bytes], save: Save) -> None:
    path = save("long.wav", encoded["wav"])
    assert read(path, rate=None, start=0.5, end=1.5, max_seconds=1.0).seconds == 1.0


def test_more_samples_than_memory_should_hold_are_refused(
    encoded: dict[str, bytes], save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["aptone.audio.read"], "MAX_SAMPLES", 60_000)
    path = save("clip.wav", encoded["wav"])
    assert read(path, rate=None).samples.size == 32_000
    with pytest.raises(AudioError, match="more than 60000 samples at 48000 Hz; choose a part"):
        read(path, rate=48_000)


@for_each(
    ("start", "end", "message"),
    [
        (2.0, None, r"asked for 2 s to the end, but the recording lasts 2\.000 s"),
        (0.0, 2.5, r"asked for 0 s to 2\.5 s, but the recording lasts 2\.000 s"),
        (-0.1, None, r"cannot start at -0\.1 s"),
        (math.nan, None, "cannot start at nan s"),
        (1.0, 1.0, r"that starts at 1\.0 s cannot end at 1\.0 s"),
        (1.0, math.inf, "cannot end at inf s"),
        (1.0, 1.00001, "there is no sample at 16000 Hz"),
    ],
)
def test_a_part_outside_the_file_is_refused(
    start: float, end: float | None, message: str, encoded: dict[str, bytes], save: Save
) -> None:
    with pytest.raises(AudioError, match=message):
        read(save("clip.wav", encoded["wav"]), rate=None, start=start, end=end)


def test_a_part_outside_a_file_that_does_not_tell_its_length_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    path = save("clip.webm", encoded["webm"])
    with pytest.raises(AudioError, match="but the recording lasts 2"):
        read(path, rate=None, start=1.0, end=9.0)
    with pytest.raises(AudioError, match="but the recording lasts 2"):
        read(path, rate=None, start=9.0)


@for_each("bad", [np.nan, np.inf, -np.inf, 1e38])
def test_samples_that_are_no_numbers_are_refused(bad: float, tmp_path: Path) -> None:
    path = tmp_path / "bad.wav"
    soundfile.write(path, np.array([0.1, bad, 0.2]), 16_000, subtype="FLOAT")
    with pytest.raises(AudioError, match=r"bad\.wav: some samples are NaN, infinite"):
        read(path, rate=None)
    with pytest.raises(AudioError, match="some samples are NaN, infinite"):
        read(path, rate=8_000)


def test_a_damaged_channel_does_not_spoil_the_other(tmp_path: Path) -> None:
    path = tmp_path / "half.wav"
    soundfile.write(path, np.array([[0.5, np.nan], [0.25, 3e38]]), 16_000, subtype="FLOAT")
    assert read(path, rate=None, channel=0).samples.tolist() == [0.5, 0.25]
    with pytest.raises(AudioError, match="some samples are NaN, infinite"):
        read(path, rate=None, channel="mix")


@for_each(("format", "subtype"), [("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("OGG", "OPUS")])
def test_a_file_without_samples_is_refused(format: str, subtype: str, tmp_path: Path) -> None:
    path = tmp_path / "none.bin"
    soundfile.write(path, np.zeros(0), 16_000, format=format, subtype=subtype)
    with pytest.raises(AudioError, match=r"none\.bin"):
        read(path, rate=None)
    with pytest.raises(AudioError, match=r"none\.bin"):
        probe(path)


def test_a_clip_that_leaves_no_sample_at_the_new_rate_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.wav"
    soundfile.write(path, np.array([0.5, 0.5]), 48_000)
    with pytest.raises(AudioError, match="too short to leave a sample at 8000 Hz"):
        read(path, rate=8_000)


def test_an_absurd_rate_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    with pytest.raises(AudioError, match="expected a sample rate between 1000 and 768000 Hz, a whole number, got 10"):
        read(save("clip.wav", encoded["wav"]), rate=10)
    data = bytearray(encoded["wav"])
    data[24:28] = (3).to_bytes(4, "little")
    with pytest.raises(AudioError, match="got 3; the header is damaged"):
        read(save("slow.wav", bytes(data)), rate=None)


def test_a_reference_is_read_and_its_hash_is_checked(encoded: dict[str, bytes], save: Save) -> None:
    path = save("clip.wav", encoded["wav"])
    digest = hashlib.sha256(encoded["wav"]).hexdigest()
    audio = read_ref(AudioRef(str(path), start=0.5, end=1.0, sha256=digest.upper()), rate=8_000)
    assert audio.samples.size == 4_000
    assert read_ref(AudioRef(str(path)), rate=None) == read(path, rate=None)
    with pytest.raises(AudioError, match=r"clip\.wav: the file has changed: expected SHA-256 00"):
        read_ref(AudioRef(str(path), sha256="00" * 32), rate=None)


def test_the_source_is_the_path(encoded: dict[str, bytes], save: Save) -> None:
    path = save("clip.wav", encoded["wav"])
    assert read_function(path, rate=None).source == os.fspath(path)
    assert read(str(path), rate=None) == from_array(read(path, rate=None).samples, rate=16_000, source=os.fspath(path))


def test_memory_holds_little_more_than_what_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    soundfile.write(path, np.zeros(4_000_000, dtype=np.int16), 16_000)  # 16 MB of samples as 32-bit floats
    read(path, rate=None, end=1.0)
    tracemalloc.start()
    try:
        audio = read(path, rate=None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # A buffer that grows by an eighth, and some blocks of a megabyte.
    assert peak < 1.2 * audio.samples.nbytes + 4 * 2**20
    assert isinstance(audio.samples.base, bytes)


@for_each("name", ["m4a", "mp4"])
@for_each("tail", [b"junk" * 100, b"\xff" * 50], ids=["letters", "other"])
def test_bytes_behind_an_mp4_file_are_ignored(name: str, tail: bytes, encoded: dict[str, bytes], save: Save) -> None:
    plain = read(save("plain.m4a", encoded[name]), rate=None)
    assert np.array_equal(read(save("tail.m4a", encoded[name] + tail), rate=None).samples, plain.samples)


def test_a_small_file_of_many_samples_is_mixed_block_by_block() -> None:
    file = io.BytesIO()
    with soundfile.SoundFile(file, "w", samplerate=48_000, channels=8, format="FLAC", subtype="PCM_16") as flac:
        for _ in range(160):
            flac.write(np.zeros((48_000, 8), np.float32))
    data = file.getvalue()
    whole = 160 * 48_000 * 8 * 4  # bytes of all its samples as floats: 246 MB
    tracemalloc.start()
    audio = read_bytes(data, name="silence.flac", rate=16_000, channel="mix", max_decoded=160 * 48_000 * 8)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert audio.samples.size == 160 * 16_000
    assert len(data) < 200_000
    assert peak < whole / 5
    with pytest.raises(AudioError, match="8 channels at 48000 Hz are more than 61439999 samples to decode"):
        read_bytes(data, name="silence.flac", rate=16_000, channel="mix", max_decoded=160 * 48_000 * 8 - 1)
