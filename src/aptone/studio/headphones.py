"""Sounds of the headphone check: trials of three sounds, of which one is right, in stereo.

``huggins``: white noise in both ears, the same but for one sound, in which the phase of one ear turns by 180° around
600 Hz. Through headphones that sound has a faint pitch; loudspeakers mix the ears, and nothing is left of it (Milne,
Bianco, Poole et al. 2021, "An online headphone screening test based on dichotic pitch").

``antiphase``: three tones of 200 Hz, one of them 6 dB softer, another with the ears in opposite phase. Through
headphones the softer one is the softest; loudspeakers cancel the other (Woods, Siegel, Traer and McDermott 2017).
"""

import io
import wave
from typing import Literal

import numpy as np
import numpy.typing as npt

Kind = Literal["huggins", "antiphase"]
RATE = 44_100
CHOICES = 3
"""Sounds of a trial."""
SOUND, GAP, RAMP = 1.0, 0.5, 0.02
"""Seconds of a sound, of the silence between two, and of the fades at its ends."""
LEVEL = 0.1
"""Root mean square of a noise; tones have the same peak as its usual one."""
PITCH, BAND = 600.0, 0.06
"""Centre of the phase shift in Hz, and half its width as a share: Milne et al. use 600 Hz ± 6 %."""
TONE, SOFTER = 200.0, 10 ** (-6 / 20)

Stereo = npt.NDArray[np.float64]


def trial(kind: Kind, place: int, *, seed: int) -> Stereo:
    """Samples × two ears: three sounds with silence between them, the right one at a place from 0 to 2."""
    generator = np.random.default_rng(seed)
    others = [one for one in range(CHOICES) if one != place]
    opposite = others[int(generator.integers(len(others)))]
    parts: list[Stereo] = []
    for number in range(CHOICES):
        if number:
            parts.append(np.zeros((round(GAP * RATE), 2)))
        if kind == "huggins":
            parts.append(huggins(generator, with_pitch=number == place))
        else:
            parts.append(tone(softer=number == place, antiphase=number == opposite))
    return np.concatenate(parts)


def huggins(generator: np.random.Generator, *, with_pitch: bool) -> Stereo:
    """Noise that both ears share; with a pitch where one ear's phase turns by 180° around 600 Hz."""
    count = round(SOUND * RATE)
    noise = generator.normal(size=count)
    spectrum = np.fft.rfft(noise)
    frequency = np.fft.rfftfreq(count, 1 / RATE)
    low, high = PITCH * (1 - BAND), PITCH * (1 + BAND)
    turn = np.clip((frequency - low) / (high - low), 0.0, 1.0) * 2 * np.pi if with_pitch else np.zeros(frequency.size)
    other = np.fft.irfft(spectrum * np.exp(1j * turn), count)  # a whole turn across the band: opposite in its middle
    both = np.stack([noise, other], axis=1)
    return _faded(both * (LEVEL / np.sqrt(np.mean(both**2))))


def tone(*, softer: bool, antiphase: bool) -> Stereo:
    """Tone of 200 Hz, softer by 6 dB or with the ears in opposite phase."""
    wave_form = np.sin(2 * np.pi * TONE * np.arange(round(SOUND * RATE)) / RATE) * 3 * LEVEL
    wave_form = wave_form * (SOFTER if softer else 1.0)
    return _faded(np.stack([wave_form, -wave_form if antiphase else wave_form], axis=1))


def _faded(sound: Stereo) -> Stereo:
    ramp = np.sin(np.linspace(0, np.pi / 2, round(RAMP * RATE))) ** 2
    shape = np.ones(len(sound))
    shape[: ramp.size], shape[-ramp.size :] = ramp, ramp[::-1]
    return sound * shape[:, None]


def as_wav(sound: Stereo) -> bytes:
    """WAV file of 16 bits in stereo."""
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())
    return target.getvalue()
