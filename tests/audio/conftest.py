"""Recordings in every format, made on the spot from one known signal."""

import io
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import pytest
import soundfile

RATE = 16_000
Samples = npt.NDArray[np.float32]
Save = Callable[[str, bytes], Path]


def by_soundfile(samples: npt.ArrayLike, *, rate: int, format: str, subtype: str) -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, np.asarray(samples), rate, format=format, subtype=subtype)
    return buffer.getvalue()


def by_av(
    samples: Samples, *, rate: int, codec: str, container: str, options: dict[str, str], coding: dict[str, str]
) -> bytes:
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container, options=options) as output:
        stream = output.add_stream(codec, rate=rate, layout="mono", options=coding)
        assert isinstance(stream, av.AudioStream)
        frame = av.AudioFrame.from_ndarray(samples[np.newaxis], format="fltp", layout="mono")
        frame.sample_rate = RATE
        resampler = av.AudioResampler(format=stream.codec_context.format, layout="mono", rate=rate)
        for resampled in [*resampler.resample(frame), *resampler.resample(None), None]:
            output.mux(stream.encode(resampled))
    return buffer.getvalue()


@pytest.fixture(scope="session")
def samples() -> Samples:
    """Two seconds at 16 kHz: a tone that swells and fades, with a little noise; multiples of 2^-15, as 16 bits hold."""
    generator = np.random.default_rng(1)
    time = np.arange(2 * RATE) / RATE
    tone = 0.4 * np.sin(2 * np.pi * 220 * time) * np.sin(np.pi * 3 * time) ** 2
    noisy = tone + 0.02 * generator.standard_normal(time.size)
    rounded: Samples = (np.rint(noisy * 32768) / 32768).astype(np.float32)
    return rounded


@pytest.fixture(scope="session")
def encoded(samples: Samples) -> dict[str, bytes]:
    """The signal in every format, by name."""
    flac = bytearray(by_soundfile(samples, rate=RATE, format="FLAC", subtype="PCM_16"))
    flac[21] &= 0xF0  # the upper 4 of the 36 bits that hold the number of samples
    flac[22:26] = bytes(4)
    variable = {"global_quality": "500", "flags": "qscale"}
    mp3, untagged = {"codec": "libmp3lame", "container": "mp3"}, {"write_xing": "0", "id3v2_version": "0"}
    fragments = {"movflags": "frag_keyframe+empty_moov"}
    return {
        "wav": by_soundfile(samples, rate=RATE, format="WAV", subtype="PCM_16"),
        "wav float": by_soundfile(samples, rate=RATE, format="WAV", subtype="FLOAT"),
        "rf64": by_soundfile(samples, rate=RATE, format="RF64", subtype="PCM_16"),
        "flac": by_soundfile(samples, rate=RATE, format="FLAC", subtype="PCM_16"),
        "flac unknown": bytes(flac),
        "vorbis": by_soundfile(samples, rate=RATE, format="OGG", subtype="VORBIS"),
        "opus": by_soundfile(samples, rate=RATE, format="OGG", subtype="OPUS"),
        "mp3": by_soundfile(samples, rate=RATE, format="MP3", subtype="MPEG_LAYER_III"),
        "mp3 constant": by_av(samples, rate=RATE, **mp3, options=untagged, coding={}),
        "mp3 variable": by_av(samples, rate=RATE, **mp3, options=untagged, coding=variable),
        "m4a": by_av(samples, rate=RATE, codec="aac", container="ipod", options={}, coding={}),
        "alac": by_av(samples, rate=RATE, codec="alac", container="ipod", options={}, coding={}),
        "mp4": by_av(samples, rate=RATE, codec="aac", container="mp4", options=fragments, coding={}),
        "aac": by_av(samples, rate=RATE, codec="aac", container="adts", options={}, coding={}),
        "aac 8k": by_av(samples, rate=8_000, codec="aac", container="adts", options={}, coding={}),
        "webm": by_av(samples, rate=48_000, codec="libopus", container="webm", options={}, coding={}),
    }


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Writes bytes to a file with a name and gives back its path."""

    def write(name: str, data: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write
