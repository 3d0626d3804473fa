"""Arrays to files, whole or not at all."""

import io
import os
import uuid
import wave
from pathlib import Path
from typing import Literal

import numpy as np
import soundfile

from aptone.audio.resample import resample
from aptone.errors import AudioError
from aptone.messages import message
from aptone.types import Audio

Writable = np.ndarray[tuple[int, ...], np.dtype[np.float32 | np.int32]]


def wav_bytes(audio: Audio) -> bytes:
    """A wav file with 16 bits a sample.

    A peak beyond full scale, as resampling can make it, is scaled down to full scale with everything else: clipping
    would be heard.
    """
    peak = max(1.0, float(np.abs(audio.samples).max()))
    whole = np.clip(np.rint(audio.samples.astype(np.float64) / peak * 32768.0), -32768, 32767).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(audio.rate)
        file.writeframes(whole.tobytes())
    return buffer.getvalue()


Bits = Literal[16, 24, 32]
"""Bits per sample: 16 and 24 are integers, 32 is floating point (wav only)."""

OPUS_RATES = (8_000, 12_000, 16_000, 24_000, 48_000)
_BLOCK = 16_384  # libsndfile's Ogg encoders keep a block on the stack and overflow it when one is very long


def write(path: str | os.PathLike[str], audio: Audio, *, bits: Bits = 16) -> None:
    """Write a recording as wav or flac of so many bits a sample, or Ogg Opus (ogg, opus), by the ending of the name.

    The file appears whole or not at all: it is written beside its place and then moved there. Integers are rounded
    from samples × 2^(bits-1); what was read from such a file is written back bit for bit. Opus knows only the rates 8,
    12, 16, 24 and 48 kHz: others are resampled to the next higher one, or to 48 kHz from above.

    Raises:
        AudioError: if the ending is not known, the folder is missing or not writable, or samples beyond full scale
            would have to be clipped.
    """
    name = os.fspath(path)
    target = Path(name)
    data = _encoded(audio, suffix=target.suffix.lower(), bits=bits, name=name)
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    try:
        try:
            with temporary.open("xb") as file:
                file.write(data)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise AudioError(message("audio.cannot-write", name=name, what=error.strerror)) from error


def write_lossless(stem: str | os.PathLike[str], audio: Audio) -> Path:
    """Write a clip for later work and give its path, the stem with the ending of what `encode_lossless` makes.

    Raises:
        AudioError: if the folder is missing or not writable.
    """
    suffix, bits = _lossless(audio)
    path = Path(f"{os.fspath(stem)}{suffix}")
    write(path, audio, bits=bits)
    return path


def encode_lossless(audio: Audio) -> tuple[bytes, str]:
    """The bytes of flac of 16 bits, or of wav of floats where flac would clip it, and the ending without the dot."""
    suffix, bits = _lossless(audio)
    return _encoded(audio, suffix=suffix, bits=bits, name=audio.source), suffix[1:]


def _lossless(audio: Audio) -> tuple[str, Bits]:
    return (".wav", 32) if float(np.abs(audio.samples).max()) > 1 else (".flac", 16)


def encode_opus(audio: Audio, *, compression: float | None = None) -> bytes:
    """An Ogg Opus file in memory, for corpora that must be small.

    A rate that Opus lacks is resampled as in `write`, and a peak beyond full scale is scaled down to it: this is
    for listening, not for measuring.

    Args:
        compression: compression level from 0 (256 kbit/s) to 1 (6 kbit/s); None for what the encoder thinks right.

    Raises:
        AudioError: if the encoder gives up.
    """
    return _opus(_within_full_scale(audio), compression=compression)


def encode_vorbis(audio: Audio) -> bytes:
    """An Ogg Vorbis file in memory, for players in reports: a tenth of the time that Opus takes, and twice the bytes.

    Rates outside 8 to 48 kHz are resampled to the nearer end, and a peak beyond full scale is scaled down to it: this
    is for listening, not for measuring.

    Raises:
        AudioError: if the encoder gives up.
    """
    scaled = _within_full_scale(audio)
    at_rate = resample(scaled, rate=min(max(audio.rate, OPUS_RATES[0]), OPUS_RATES[-1]))
    return _file(np.clip(at_rate.samples, -1, 1), at_rate, format="OGG", subtype="VORBIS")


def _within_full_scale(audio: Audio) -> Audio:
    peak = float(np.abs(audio.samples).max())
    return audio if peak <= 1 else Audio(audio.samples / np.float32(peak), rate=audio.rate, source=audio.source)


def _encoded(audio: Audio, *, suffix: str, bits: Bits, name: str) -> bytes:
    if suffix not in (".wav", ".flac", ".ogg", ".opus"):
        raise AudioError(message("audio.wrong-ending", name=name))
    if bits not in (16, 24, 32) or (bits == 32 and suffix == ".flac"):
        raise AudioError(message("audio.wrong-bits", name=name, bits=bits))
    peak = float(np.abs(audio.samples).max())
    if peak > 1 and not (suffix == ".wav" and bits == 32):
        raise AudioError(message("audio.would-clip", name=name, peak=peak))
    if suffix in (".ogg", ".opus"):
        return _opus(audio)
    samples, subtype = (audio.samples, "FLOAT") if bits == 32 else (_integers(audio, bits), f"PCM_{bits}")
    return _file(samples, audio, format=suffix[1:].upper(), subtype=subtype)


def _integers(audio: Audio, bits: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Samples as integers in the upper bits of 32; +1.0 has no place in two's complement and becomes the largest."""
    scale = 2.0 ** (bits - 1)
    rounded = np.rint(audio.samples.astype(np.float64) * scale)
    return np.clip(rounded, -scale, scale - 1).astype(np.int32) << (32 - bits)


def _opus(audio: Audio, *, compression: float | None = None) -> bytes:
    rate = next((rate for rate in OPUS_RATES if rate >= audio.rate), OPUS_RATES[-1])
    at_rate = resample(audio, rate=rate)
    return _file(np.clip(at_rate.samples, -1, 1), at_rate, format="OGG", subtype="OPUS", compression=compression)


def _file(samples: Writable, audio: Audio, *, format: str, subtype: str, compression: float | None = None) -> bytes:
    try:
        return encoded(samples, rate=audio.rate, format=format, subtype=subtype, compression=compression)
    except (RuntimeError, TypeError, ValueError) as error:
        values = {"name": audio.source, "format": format, "subtype": subtype, "rate": audio.rate}
        raise AudioError(message("audio.cannot-encode", **values, why=error)) from error


def encoded(
    samples: Writable,
    *,
    rate: int,
    format: str,
    subtype: str,
    compression: float | None = None,
    bitrate_mode: str | None = None,
) -> bytes:
    """The bytes of a file with one channel, as libsndfile writes it; its errors are those of soundfile."""
    buffer = io.BytesIO()
    settings = {"format": format, "subtype": subtype, "compression_level": compression, "bitrate_mode": bitrate_mode}
    with soundfile.SoundFile(buffer, "w", samplerate=rate, channels=1, **settings) as file:
        for begin in range(0, len(samples), _BLOCK):
            file.write(samples[begin : begin + _BLOCK])
    return buffer.getvalue()
