"""Degradation of speech by telephone and call codecs."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from aptone.audio.decode import load_av
from aptone.audio.degrade.filtering import band_pass, convolve_centred
from aptone.audio.write import encoded
from aptone.errors import AudioError, UsageError
from aptone.messages import message
from aptone.types import Audio

LOW_HERTZ = 300.0
HIGH_HERTZ = 3_400.0
_TRANSITION_HERTZ = 100.0


def telephone_band(audio: Audio) -> Audio:
    """The clip as a telephone line passes it: 300 to 3,400 Hz, without delay, at the same rate and length.

    A linear-phase filter, -6 dB at the two edges, -60 dB from 50 Hz beyond them on.

    Raises:
        AudioError: if the clip's rate is too low to hold the band.
    """
    if audio.rate < 2 * (HIGH_HERTZ + _TRANSITION_HERTZ):
        raise AudioError(message("audio.no-telephone-band", name=audio.source, rate=audio.rate, high=HIGH_HERTZ))
    taps = band_pass(low=LOW_HERTZ, high=HIGH_HERTZ, transition=_TRANSITION_HERTZ, rate=audio.rate)
    return Audio(convolve_centred(audio.samples, taps).astype(np.float32), rate=audio.rate, source=audio.source)


Integers = npt.NDArray[np.int64]

_MU_BIAS = 132
_MU_LARGEST = 32_635


def mu_law(samples: Integers) -> Integers:
    """Encode and decode with μ-law (G.711, table 2; North America and Japan).

    With m = min(|x|, 32635) + 132 and e = floor(log2 m) - 7, four bits of m below its highest one are kept, and the
    middle of their interval comes out.

    On the boundary of two intervals, which G.711 leaves open, libsndfile is followed, sample for sample; the reference
    code of ITU-T G.191 takes the other interval at 127 of the 65,536 values.

    >>> mu_law(np.array([0, 3, 1000, -1000, 32767])).tolist()
    [0, 0, 988, -988, 32124]
    """
    magnitude = np.minimum(np.abs(samples), _MU_LARGEST) + _MU_BIAS
    exponent = _floor_log2(magnitude) - 7
    mantissa = magnitude >> (exponent + 3) & 0x0F
    decoded = ((mantissa << 3) + _MU_BIAS << exponent) - _MU_BIAS
    return np.where(samples < 0, -decoded, decoded)


def a_law(samples: Integers) -> Integers:
    """Encode and decode with A-law (G.711, table 1; Europe and elsewhere): like μ-law, linear below 256, no zero.

    On the boundary of two intervals, which G.711 leaves open, the reference code of ITU-T G.191 is followed.

    >>> a_law(np.array([0, 20, 1000, -1000, 32767])).tolist()
    [8, 24, 1008, -1008, 32256]
    """
    # Negative numbers are complemented, so that -1 falls into the first negative interval as 0 does into the first
    # positive one.
    magnitude = np.where(samples < 0, ~samples, samples)
    exponent = np.maximum(_floor_log2(np.maximum(magnitude, 1)) - 7, 0)
    mantissa = magnitude >> (np.maximum(exponent, 1) + 3) & 0x0F
    decoded = np.where(exponent == 0, (mantissa << 4) + 8, (mantissa << 4) + 0x108 << np.maximum(exponent - 1, 0))
    signed: Integers = np.where(samples < 0, -decoded, decoded)
    return signed


def _floor_log2(values: Integers) -> Integers:
    """Exact for integers below 2^53, where the binary exponent of a float tells."""
    exponents: Integers = np.frexp(values.astype(np.float64))[1].astype(np.int64)
    return exponents - 1


Samples = npt.NDArray[np.float32]

_FLUSH_SECONDS = 0.25  # silence behind the clip, so that no codec keeps the clip's end to itself


class Codec(StrEnum):
    """The codings at hand; those below the line need the extra ``formats``."""

    MU_LAW = "mu-law"
    A_LAW = "a-law"
    ADPCM = "adpcm"
    GSM = "gsm"
    OPUS = "opus"
    MP3 = "mp3"
    # ---
    AMR = "amr"
    G722 = "g722"
    G723 = "g723"
    AAC = "aac"


@dataclass(frozen=True, slots=True)
class _Coding:
    """A codec's settings: its rate, the samples by which its output lags, and its encoder and decoder."""

    rate: int
    delay: int
    round_trip: Callable[[Samples], Samples]


def telephone_codec(audio: Audio, *, codec: Codec | str) -> Audio:
    """The clip after encoding and decoding, at the same rate and length, aligned with the original.

    The clip is resampled (soxr HQ) to the codec's rate and back, and the codec's delay is taken out. Samples beyond
    full scale are clipped, as a line does.

    ========== ============================================== ======= ==============
    codec      what                                           rate    bit rate
    ========== ============================================== ======= ==============
    ``mu-law`` ITU-T G.711 μ-law, exact                       8 kHz   64 kb/s
    ``a-law``  ITU-T G.711 A-law, exact                       8 kHz   64 kb/s
    ``adpcm``  ITU-T G.721 (now G.726), cordless phones       8 kHz   32 kb/s
    ``gsm``    GSM 06.10 full rate, old mobile phones         8 kHz   13 kb/s
    ``opus``   Opus, internet calls over a poor connection    16 kHz  about 13 kb/s
    ``mp3``    MP3 at its lowest rate                         16 kHz  8 kb/s
    ``amr``    AMR narrow-band, mobile phones                 8 kHz   12.2 kb/s
    ``g722``   ITU-T G.722, "HD voice"                        16 kHz  64 kb/s
    ``g723``   ITU-T G.723.1, early internet calls            8 kHz   6.3 kb/s
    ``aac``    AAC, in which m4a files hold speech            16 kHz  64 kb/s
    ========== ============================================== ======= ==============

    Raises:
        UsageError: if the codec is unknown.
        MissingExtraError: if the codec needs the extra ``formats`` and it is not installed.
        AudioError: if the encoder gives up.
    """
    if codec not in list(Codec):
        raise UsageError(f"unknown codec {codec!r}; expected one of {', '.join(Codec)}.")
    coding = _CODINGS[Codec(codec)]
    silence = np.zeros(round(_FLUSH_SECONDS * audio.rate), dtype=np.float32)
    clipped = np.clip(np.concatenate([audio.samples, silence]), -1, 1)
    sent = np.clip(soxr.resample(clipped, audio.rate, coding.rate, quality="HQ"), -1, 1)
    try:
        received = coding.round_trip(sent)[coding.delay :]
    except (RuntimeError, TypeError, ValueError, OSError) as error:
        raise AudioError(message("audio.codec-gave-up", name=audio.source, codec=codec, why=error)) from error
    samples = soxr.resample(received, coding.rate, audio.rate, quality="HQ")[: audio.samples.size]
    return Audio(np.ascontiguousarray(samples), rate=audio.rate, source=audio.source)


def _companded(law: Callable[[Integers], Integers]) -> Callable[[Samples], Samples]:
    def round_trip(samples: Samples) -> Samples:
        integers = np.clip(np.rint(samples.astype(np.float64) * 32768), -32768, 32767).astype(np.int64)
        return (law(integers) / 32768).astype(np.float32)

    return round_trip


def _by_soundfile(
    format: str, subtype: str, *, rate: int, compression: float | None = None, bitrate_mode: str | None = None
) -> Callable[[Samples], Samples]:
    def round_trip(samples: Samples) -> Samples:
        file = encoded(
            samples, rate=rate, format=format, subtype=subtype, compression=compression, bitrate_mode=bitrate_mode
        )
        decoded: Samples = soundfile.read(io.BytesIO(file), dtype="float32")[0]
        return decoded

    return round_trip


def _by_av(encoder: str, decoder: str, *, rate: int, bits_per_second: int) -> Callable[[Samples], Samples]:
    def round_trip(samples: Samples) -> Samples:
        av = load_av(f"The codec {decoder}")
        encoding = av.CodecContext.create(encoder, "w")
        encoding.sample_rate, encoding.layout, encoding.bit_rate = rate, "mono", bits_per_second
        encoding.format = encoding.codec.audio_formats[0]
        encoding.open()
        decoding = av.CodecContext.create(decoder, "r")
        decoding.sample_rate, decoding.layout = rate, "mono"
        decoding.extradata = encoding.extradata  # how AAC's packets are to be read; others have none
        sent = av.AudioFrame.from_ndarray(samples[np.newaxis], format="fltp", layout="mono")
        sent.sample_rate = rate
        to_encoder = av.AudioResampler(
            format=encoding.format, layout="mono", rate=rate, frame_size=encoding.frame_size or None
        )
        from_decoder = av.AudioResampler(format="fltp", layout="mono", rate=rate)
        received = [
            converted.to_ndarray()[0]
            for frame in [*to_encoder.resample(sent), *to_encoder.resample(None), None]
            for packet in encoding.encode(frame)
            for decoded in decoding.decode(packet)
            for converted in from_decoder.resample(decoded)
        ]
        return np.concatenate(received)

    return round_trip


# The delays, in samples at the codec's rate, are those that a cross-correlation of output and input shows (the tests
# measure them): G.722's filter bank, AMR's and G.723.1's look-ahead, MP3's encoder and decoder delay
# (576 + 529), AAC's first window.
_CODINGS = {
    Codec.MU_LAW: _Coding(8_000, 0, _companded(mu_law)),
    Codec.A_LAW: _Coding(8_000, 0, _companded(a_law)),
    Codec.ADPCM: _Coding(8_000, 0, _by_soundfile("AU", "G721_32", rate=8_000)),
    Codec.GSM: _Coding(8_000, 0, _by_soundfile("WAV", "GSM610", rate=8_000)),
    Codec.OPUS: _Coding(16_000, 0, _by_soundfile("OGG", "OPUS", rate=16_000, compression=0.97)),
    Codec.MP3: _Coding(
        16_000, 1_105, _by_soundfile("MP3", "MPEG_LAYER_III", rate=16_000, compression=0.99, bitrate_mode="CONSTANT")
    ),
    Codec.AMR: _Coding(8_000, 40, _by_av("libopencore_amrnb", "amrnb", rate=8_000, bits_per_second=12_200)),
    Codec.G722: _Coding(16_000, 22, _by_av("g722", "g722", rate=16_000, bits_per_second=64_000)),
    Codec.G723: _Coding(8_000, 60, _by_av("g723_1", "g723_1", rate=8_000, bits_per_second=6_300)),
    Codec.AAC: _Coding(16_000, 1_024, _by_av("aac", "aac", rate=16_000, bits_per_second=64_000)),
}
