"""Sounds of the headphone check: what one ear hears, what both together hear, and what loudspeakers leave."""

import io
import wave

import numpy as np
import pytest

from aptone.studio.headphones import CHOICES, GAP, RATE, SOUND, Stereo, as_wav, trial


def parts(sound: Stereo) -> list[Stereo]:
    step = round(SOUND * RATE) + round(GAP * RATE)
    return [sound[place * step : place * step + round(SOUND * RATE)] for place in range(CHOICES)]


def level(samples: Stereo, *, low: float, high: float) -> float:
    power = np.abs(np.fft.rfft(samples)) ** 2
    frequency = np.fft.rfftfreq(len(samples), 1 / RATE)
    return float(power[(frequency >= low) & (frequency <= high)].sum())


@pytest.mark.parametrize("place", range(CHOICES))
def test_the_hidden_pitch_is_a_difference_of_both_ears_around_600_hertz_and_in_neither_alone(place: int) -> None:
    for number, sound in enumerate(parts(trial("huggins", place, seed=4))):
        left, right = sound[:, 0], sound[:, 1]
        difference, whole = level(left - right, low=565, high=635), level(left, low=565, high=635)
        assert level(left - right, low=800, high=8000) < 0.02 * level(left, low=800, high=8000)
        if number == place:
            assert difference > 0.5 * whole
        else:
            assert difference < 1e-9 * whole
        assert level(right, low=565, high=635) == pytest.approx(whole, rel=0.2)  # one ear hears plain noise


@pytest.mark.parametrize("place", range(CHOICES))
def test_headphones_hear_the_softest_tone_and_loudspeakers_cancel_another(place: int) -> None:
    sounds = parts(trial("antiphase", place, seed=5))
    ears = [float(np.sqrt(np.mean(sound[:, 0] ** 2))) for sound in sounds]
    mixed = [float(np.sqrt(np.mean(sound.sum(axis=1) ** 2))) for sound in sounds]
    assert int(np.argmin(ears)) == place
    assert sorted(ears)[0] / sorted(ears)[1] == pytest.approx(10 ** (-6 / 20), rel=0.01)
    assert int(np.argmin(mixed)) != place
    assert min(mixed) < 1e-9


def test_a_trial_is_a_stereo_file_that_is_not_clipped_and_the_same_again() -> None:
    sound = trial("huggins", 1, seed=6)
    assert np.abs(sound).max() < 1
    assert np.array_equal(sound, trial("huggins", 1, seed=6))
    with wave.open(io.BytesIO(as_wav(sound))) as file:
        assert (file.getnchannels(), file.getframerate(), file.getnframes()) == (2, RATE, len(sound))
