import numpy as np
import numpy.typing as npt
import pytest

from aptone.ear.prosody import RATE, perceive
from aptone.types import Audio, Intonation, RecordingCondition, Rhythm


def voice(f0: npt.NDArray[np.float64], *, level: float = 0.1, harmonics: int = 30) -> Audio:
    """A sawtooth-like voice whose pitch follows `f0` (one value a sample), with syllables at 4 a second."""
    phase = 2.0 * np.pi * np.cumsum(f0) / RATE
    tone = sum(np.sin(number * phase) / number for number in range(1, harmonics + 1))
    syllables = 0.55 - 0.45 * np.cos(2.0 * np.pi * 4.0 * np.arange(f0.size) / RATE)
    samples = level * np.asarray(tone) * syllables
    return Audio(samples.astype(np.float32), RATE)


def test_a_steady_tone_has_the_pitch_that_it_was_made_with_and_is_flat() -> None:
    heard = perceive(voice(np.full(2 * RATE, 200.0)))
    # 12 * log2(200 / 100) = 12 semitones above 100 Hz; a steady tone has no range
    assert heard.measures["pitch level"].value == pytest.approx(12.0, abs=0.1)
    assert heard.measures["pitch range"].value == pytest.approx(0.0, abs=0.3)
    assert max(heard.intonation, key=lambda name: heard.intonation[name]) is Intonation.FLAT


@pytest.mark.parametrize(
    ("start", "end", "expected"), [(120.0, 240.0, Intonation.RISING), (240.0, 120.0, Intonation.FALLING)]
)
def test_an_octave_up_is_rising_and_an_octave_down_is_falling(start: float, end: float, expected: Intonation) -> None:
    heard = perceive(voice(np.geomspace(start, end, 2 * RATE)))
    # 90 % of an octave lies between the 5th and the 95th percentile: 10.8 semitones
    assert heard.measures["pitch range"].value == pytest.approx(10.8, abs=0.4)
    assert max(heard.intonation, key=lambda name: heard.intonation[name]) is expected


def test_up_and_down_again_is_curved() -> None:
    half = np.geomspace(120.0, 240.0, RATE)
    heard = perceive(voice(np.concatenate([half, half[::-1]])))
    assert max(heard.intonation, key=lambda name: heard.intonation[name]) is Intonation.CURVED


def test_syllables_are_counted() -> None:
    heard = perceive(voice(np.full(4 * RATE, 150.0)))
    count = heard.measures["rate"].value * max(heard.speech_seconds, 0.0)
    # four bumps a second for four seconds; the rate is per second of speech, or of voiced frames where that is longer
    assert heard.measures["rate"].value == pytest.approx(4.0, rel=0.35), count


def test_ten_times_the_amplitude_is_twenty_decibels_more() -> None:
    quiet = perceive(voice(np.full(RATE, 150.0), level=0.02)).measures["loudness"].value
    loud = perceive(voice(np.full(RATE, 150.0), level=0.2)).measures["loudness"].value
    assert loud - quiet == pytest.approx(20.0, abs=0.3)


def test_a_voice_without_anything_above_four_kilohertz_sounds_like_a_telephone() -> None:
    narrow = perceive(voice(np.full(RATE, 200.0), harmonics=16))  # up to 3.2 kHz
    wide = perceive(voice(np.full(RATE, 200.0), harmonics=38))  # up to 7.6 kHz
    assert narrow.recording_condition[RecordingCondition.PHONE] > 0.9
    assert wide.recording_condition[RecordingCondition.PHONE] < 0.1


def test_distributions_sum_to_one() -> None:
    heard = perceive(voice(np.full(RATE, 150.0)))
    assert sum(heard.rhythm.values()) == pytest.approx(1.0)
    assert sum(heard.intonation.values()) == pytest.approx(1.0)
    assert set(heard.rhythm) == set(Rhythm)


def test_silence_is_heard_as_nothing_and_the_reason_is_given() -> None:
    heard = perceive(Audio(np.zeros(RATE, dtype=np.float32), RATE))
    assert not heard.rhythm
    assert heard.unjudged["rhythm"] == "0 voiced frames, need 12"
    assert heard.speech_seconds == 0.0


def test_what_the_placeholder_cannot_hear_is_said() -> None:
    heard = perceive(voice(np.full(RATE, 150.0)))
    assert {"emotion", "vad", "sex", "age", "events"} <= set(heard.unjudged)


def test_the_rate_of_the_recording_does_not_matter() -> None:
    times = np.arange(2 * 48_000) / 48_000
    tone = sum(np.sin(2 * np.pi * 200.0 * k * times) / k for k in range(1, 31))
    heard = perceive(Audio((0.1 * np.asarray(tone)).astype(np.float32), 48_000))
    assert heard.measures["pitch level"].value == pytest.approx(12.0, abs=0.1)
