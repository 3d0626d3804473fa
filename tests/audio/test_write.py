"""Arrays to files."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from aptone.audio import Bits, encode_opus, encode_vorbis, from_array, probe, read, write
from aptone.errors import AudioError
from aptone.types import Audio
from tests.tables import for_each

Samples = npt.NDArray[np.float32]


@for_each(
    ("name", "bits", "format"),
    [
        ("a.wav", 16, "wav pcm_16"),
        ("a.wav", 24, "wav pcm_24"),
        ("a.wav", 32, "wav float"),
        ("a.flac", 16, "flac pcm_16"),
        ("a.FLAC", 24, "flac pcm_24"),
    ],
)
def test_what_is_written_is_read_back_bit_for_bit(
    name: str, bits: Bits, format: str, samples: Samples, tmp_path: Path
) -> None:
    audio = from_array(samples, rate=16_000)
    write(tmp_path / name, audio, bits=bits)
    assert probe(tmp_path / name).format == format
    assert np.array_equal(read(tmp_path / name, rate=None).samples, samples)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_full_scale_becomes_the_largest_integer(tmp_path: Path) -> None:
    write(tmp_path / "a.wav", from_array([1.0, -1.0], rate=8_000))
    assert soundfile.read(tmp_path / "a.wav", dtype="int16")[0].tolist() == [32767, -32768]


@for_each(("rate", "written"), [(8_000, 8_000), (22_050, 24_000), (44_100, 48_000), (96_000, 48_000)])
def test_opus_is_written_at_the_next_rate_that_it_knows(rate: int, written: int, tmp_path: Path) -> None:
    tone = 0.5 * np.sin(2 * np.pi * 300 * np.arange(rate) / rate)
    write(tmp_path / "a.opus", from_array(tone, rate=rate))
    info = probe(tmp_path / "a.opus")
    assert (info.format, info.rate, info.seconds) == ("ogg opus", written, 1.0)
    back = read(tmp_path / "a.opus", rate=rate).samples
    assert np.corrcoef(back, tone)[0, 1] > 0.98


@pytest.mark.slow
def test_a_long_clip_can_be_written_as_opus(tmp_path: Path) -> None:
    noise = 0.1 * np.random.default_rng(0).standard_normal(16_000 * 60)
    (tmp_path / "a.ogg").write_bytes(encode_opus(from_array(noise, rate=16_000)))
    assert read(tmp_path / "a.ogg", rate=None).samples.size == noise.size


def test_a_peak_beyond_full_scale_is_refused_where_it_would_be_clipped(tmp_path: Path) -> None:
    loud = from_array([0.0, 1.25], rate=8_000)
    for name in ("a.wav", "a.flac", "a.ogg"):
        with pytest.raises(AudioError, match=r"samples up to 1\.250 would be clipped"):
            write(tmp_path / name, loud)
    write(tmp_path / "a.wav", loud, bits=32)
    assert read(tmp_path / "a.wav", rate=None).samples.tolist() == [0.0, 1.25]


@for_each(("rate", "written"), [(4_000, 8_000), (8_000, 8_000), (22_050, 22_050), (44_100, 44_100), (96_000, 48_000)])
def test_vorbis_keeps_rates_from_8_to_48_khz(rate: int, written: int, tmp_path: Path) -> None:
    tone = 0.5 * np.sin(2 * np.pi * 300 * np.arange(rate) / rate)
    (tmp_path / "a.ogg").write_bytes(encode_vorbis(from_array(tone, rate=rate)))
    info = probe(tmp_path / "a.ogg")
    assert (info.format, info.rate, info.seconds) == ("ogg vorbis", written, 1.0)
    back = read(tmp_path / "a.ogg", rate=rate).samples
    assert np.corrcoef(back, tone)[0, 1] > 0.98


@for_each("encode", [encode_opus, encode_vorbis])
def test_a_player_hears_a_loud_clip_scaled_down(encode: Callable[[Audio], bytes], tmp_path: Path) -> None:
    tone = np.sin(2 * np.pi * 300 * np.arange(16_000) / 16_000)
    data = [encode(Audio((gain * tone).astype(np.float32), rate=16_000)) for gain in (1.0, 4.0)]
    levels = []
    for number, player in enumerate(data):
        (tmp_path / f"{number}.ogg").write_bytes(player)
        levels.append(np.abs(read(tmp_path / f"{number}.ogg", rate=None).samples).max())
    assert levels[0] == pytest.approx(levels[1], rel=1e-3)


@for_each(
    ("name", "bits", "message"),
    [
        ("a.mp3", 16, r"expected a name that ends in \.wav, \.flac, \.ogg or \.opus"),
        ("a", 16, "expected a name that ends in"),
        ("a.wav", 8, "8 bits are not to be had"),
        ("a.flac", 32, "32 bits are not to be had"),
        ("none/a.wav", 16, "cannot be written .* check that its folder exists"),
    ],
)
def test_what_cannot_be_written_is_said(name: str, bits: Bits, message: str, tmp_path: Path) -> None:
    with pytest.raises(AudioError, match=message):
        write(tmp_path / name, from_array([0.1], rate=8_000), bits=bits)


def test_a_rate_that_the_format_lacks_is_said(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match=r"cannot be encoded as FLAC PCM_16 at 700000 Hz"):
        write(tmp_path / "a.flac", from_array([0.1], rate=700_000))


def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    tmp_path: Path, samples: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"old")

    def refuse(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(AudioError, match="No space left on device"):
        write(path, from_array(samples, rate=16_000))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
