"""Augmentations of a clip with known attributes.

A corpus of acted emotions holds few slow, loud, whispered, telephoned or laughing voices. Level, speed, pitch, voicing,
recording condition, music and sounds are changed here, each at random and all reproducibly.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.audio.degrade import add_noise, drop_outs, far_field, mix_in, telephone_band
from aptone.audio.resample import change_speed, shift_pitch, stretch
from aptone.ear.describe import Music, Texture, VocalEvent
from aptone.types import Audio, RecordingCondition

Generator = np.random.Generator
Known = Mapping[str, Any]
"""Known attributes of a style."""

EVENTS: Mapping[str, VocalEvent] = MappingProxyType(
    {
        "laughing": VocalEvent.LAUGHTER,
        "breathing": VocalEvent.BREATH,
        "coughing": VocalEvent.COUGH,
        "sneezing": VocalEvent.SNEEZE,
        "crying_baby": VocalEvent.CRYING_BABY,
    }
)
"""Kinds of sound in the set of sounds, and the vocal event of each."""
LOUDER, SOFTER = 12.0, -18.0
FASTER = 0.3
HIGHER = 4.0
LPC_ORDER = 18
PLAIN: Known = MappingProxyType({"recording_condition": RecordingCondition.NORMAL, "music": Music.ABSENT})


@dataclass(frozen=True, slots=True)
class Beside:
    """Music, and vocal sounds by kind."""

    music: Sequence[Audio] = ()
    events: Mapping[VocalEvent, Sequence[Audio]] = field(default_factory=dict)


def plain(audio: Audio, generator: Generator, beside: Beside) -> tuple[Audio, Known]:
    """Return the clip unchanged."""
    return audio, PLAIN


def moved(audio: Audio, generator: Generator, beside: Beside) -> tuple[Audio, Known]:
    """Change the level, and speed, pitch or both."""
    kind = generator.integers(3)
    if kind == 0:
        audio = stretch(audio, float(np.exp(generator.uniform(-FASTER, FASTER))))
    elif kind == 1:
        audio = shift_pitch(audio, float(generator.uniform(-HIGHER, HIGHER)))
    else:
        audio = change_speed(audio, 2.0 ** float(generator.uniform(-HIGHER, HIGHER) / 12.0))
    gain = 10.0 ** float(generator.uniform(SOFTER, LOUDER) / 20.0)
    return Audio(audio.samples * np.float32(gain), rate=audio.rate, source=audio.source), PLAIN


def conditioned(audio: Audio, generator: Generator, beside: Beside) -> tuple[Audio, Known]:
    """Apply a recording condition, or add music."""
    kind = int(generator.integers(5 if beside.music else 4))
    if kind == 0:
        return telephone_band(audio), {**PLAIN, "recording_condition": RecordingCondition.PHONE}
    if kind == 1:
        rt60, distance = float(generator.uniform(0.5, 1.2)), float(generator.uniform(2.0, 4.0))
        far = far_field(audio, rt60=rt60, distance=distance, seed=generator)
        return far, {**PLAIN, "recording_condition": RecordingCondition.FAR_FIELD}
    if kind == 2:
        lossy = drop_outs(audio, share=float(generator.uniform(0.12, 0.3)), seed=generator, mean_burst_packets=5.0)
        return lossy, {**PLAIN, "recording_condition": RecordingCondition.INTERMITTENT}
    if kind == 3:
        noise = ("white", "pink", "babble")[int(generator.integers(3))]
        noisy = add_noise(audio, snr_db=float(generator.uniform(0.0, 12.0)), seed=generator, kind=noise)  # type: ignore[arg-type]
        return noisy, {**PLAIN, "recording_condition": RecordingCondition.NOISY}
    piece = beside.music[int(generator.integers(len(beside.music)))]
    start = int(generator.integers(max(1, piece.samples.size - audio.samples.size)))
    part = Audio(piece.samples[start : start + audio.samples.size], rate=piece.rate, source=piece.source)
    over = mix_in(audio, part, level_db=float(generator.uniform(-14.0, -4.0)))
    return over, {"music": Music.PRESENT}


def with_event(audio: Audio, generator: Generator, beside: Beside) -> tuple[Audio, Known]:
    """Add a vocal sound, before or after the words."""
    kinds = [kind for kind, clips in beside.events.items() if clips]
    if not kinds:
        return audio, PLAIN
    kind = kinds[int(generator.integers(len(kinds)))]
    clips = beside.events[kind]
    sound = clips[int(generator.integers(len(clips)))].samples[: 3 * audio.rate]
    level = float(np.sqrt(np.mean(np.square(audio.samples))) / max(1e-6, float(np.sqrt(np.mean(np.square(sound))))))
    heard = (sound * np.float32(level * 10.0 ** (float(generator.uniform(-3.0, 9.0)) / 20.0))).astype(np.float32)
    pause = np.zeros(round(0.15 * audio.rate), dtype=np.float32)
    parts = [audio.samples, pause, heard] if generator.random() < 0.5 else [heard, pause, audio.samples]
    joined = np.concatenate(parts)
    return Audio(joined, rate=audio.rate, source=audio.source), {**PLAIN, "events": (kind,)}


def whispered(audio: Audio, generator: Generator, beside: Beside) -> tuple[Audio, Known]:
    """Replace the voice by noise through the filter of every 20 ms, found by linear prediction."""
    window, hop = 640, 320
    shape = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(window) + 0.5) / window)
    samples = np.pad(audio.samples.astype(np.float64), (hop, 2 * window))
    made = np.zeros(samples.size)
    for start in range(0, samples.size - window, hop):
        frame = samples[start : start + window] * shape
        made[start : start + window] += shape * _noise_like(frame, generator)
    whisper = made[hop : hop + audio.samples.size]
    tilted = np.append(whisper[:1], whisper[1:] - 0.6 * whisper[:-1])  # a whisper has less at the low end
    gain = 10.0 ** float(generator.uniform(-14.0, -4.0) / 20.0)
    level = np.sqrt(np.mean(np.square(audio.samples))) / max(1e-9, float(np.sqrt(np.mean(np.square(tilted)))))
    quiet = (tilted * level * gain).astype(np.float32)
    return Audio(quiet, rate=audio.rate, source=audio.source), {**PLAIN, "texture": Texture.WHISPERED}


def _noise_like(frame: npt.NDArray[np.float64], generator: Generator) -> npt.NDArray[np.float64]:
    """Return noise with the spectral envelope and the energy of a frame."""
    size = 2 * frame.size
    correlation = np.fft.irfft(np.abs(np.fft.rfft(frame, size)) ** 2)[: LPC_ORDER + 1]
    if correlation[0] < 1e-12:
        return np.zeros_like(frame)
    correlation[0] *= 1.0001
    lags = np.abs(np.subtract.outer(np.arange(LPC_ORDER), np.arange(LPC_ORDER)))
    predictor = np.linalg.solve(correlation[lags], correlation[1:])
    response = np.fft.rfft(np.append(1.0, -predictor), size)
    noise = np.fft.rfft(generator.standard_normal(frame.size), size)
    made: npt.NDArray[np.float64] = np.fft.irfft(noise / response)[: frame.size]
    scaled: npt.NDArray[np.float64] = made * np.sqrt(np.sum(frame**2) / max(1e-12, float(np.sum(made**2))))
    return scaled


Variant = Callable[[Audio, Generator, Beside], tuple[Audio, Known]]
VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {"plain": plain, "moved": moved, "conditioned": conditioned, "with-event": with_event, "whispered": whispered}
)
