"""Codecs, aligned."""

import sys

import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import Codec, from_array, telephone_codec
from aptone.audio.degrade.codec import mu_law
from aptone.errors import AudioError, MissingExtraError, UsageError
from tests.tables import for_each

Samples = npt.NDArray[np.float64]


def voice_band_noise(seconds: float, rate: int) -> Samples:
    """Noise from 300 to 3,000 Hz, falling, that swells and fades: something that speech codecs can carry."""
    generator = np.random.default_rng(3)
    length = round(seconds * rate)
    spectrum = np.fft.rfft(generator.standard_normal(length))
    hertz = np.fft.rfftfreq(length, 1 / rate)
    noise = np.fft.irfft(spectrum * ((hertz > 300) & (hertz < 3_000)) / (1 + hertz / 500), length)
    knots = np.arange(0, seconds + 0.1, 0.1)
    swelling: Samples = noise * np.interp(np.arange(length) / rate, knots, generator.uniform(size=knots.size) ** 2)
    scaled: Samples = 0.3 * swelling / np.abs(swelling).max()
    return scaled


def delay_and_likeness(sent: npt.NDArray[np.float32], heard: npt.NDArray[np.float32]) -> tuple[int, float]:
    size = 1 << (2 * len(sent)).bit_length()
    correlation = np.fft.irfft(np.fft.rfft(heard, size) * np.conj(np.fft.rfft(sent, size)), size)
    near = np.concatenate([correlation[-2_000:], correlation[:2_001]])
    likeness = near.max() / np.linalg.norm(sent) / np.linalg.norm(heard)
    return int(near.argmax()) - 2_000, float(likeness)


@pytest.mark.slow
@for_each("rate", [8_000, 16_000, 44_100])
@for_each("codec", list(Codec))
def test_output_and_input_stay_aligned(codec: Codec, rate: int) -> None:
    audio = from_array(voice_band_noise(2.0123, rate), rate=rate, source="x")
    heard = telephone_codec(audio, codec=codec)
    assert (heard.samples.size, heard.rate, heard.source) == (audio.samples.size, rate, "x")
    delay, likeness = delay_and_likeness(audio.samples, heard.samples)
    # Half a millisecond: a codec that models a voice moves phases about by a few samples.
    assert abs(delay) <= rate * 0.0005
    assert likeness > 0.7
    assert likeness < 0.999999  # it was coded


def test_mu_law_at_its_own_rate_is_the_formula_to_the_bit() -> None:
    audio = from_array(voice_band_noise(0.5, 8_000), rate=8_000)
    expected = mu_law(np.rint(audio.samples.astype(np.float64) * 32_768).astype(np.int64)) / 32_768
    assert np.array_equal(telephone_codec(audio, codec="mu-law").samples, expected.astype(np.float32))


def test_a_low_bit_rate_costs_more_than_a_high_one() -> None:
    audio = from_array(voice_band_noise(2.0, 8_000), rate=8_000)
    likeness = {
        codec: delay_and_likeness(audio.samples, telephone_codec(audio, codec=codec).samples)[1] for codec in Codec
    }
    assert likeness[Codec.MU_LAW] > likeness[Codec.ADPCM] > likeness[Codec.AMR] > likeness[Codec.G723]


def test_a_very_short_clip_keeps_its_length() -> None:
    for codec in Codec:
        assert telephone_codec(from_array([0.1, -0.1, 0.1], rate=16_000), codec=codec).samples.size == 3


def test_what_lies_above_the_codecs_band_is_gone() -> None:
    tone = 0.5 * np.sin(2 * np.pi * 6_000 * np.arange(16_000) / 16_000)
    heard = telephone_codec(from_array(tone, rate=16_000), codec="a-law").samples
    assert np.std(heard[1_000:-1_000]) < 0.001


def test_samples_beyond_full_scale_are_clipped() -> None:
    heard = telephone_codec(from_array(np.full(800, 3.0), rate=8_000), codec="mu-law")
    assert np.abs(heard.samples).max() == np.float32(32_124 / 32_768)  # the loudest code of μ-law


def test_an_unknown_codec_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown codec 'morse'; expected one of mu-law, a-law"):
        telephone_codec(from_array([0.1], rate=8_000), codec="morse")


def test_a_codec_that_needs_the_extra_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingExtraError, match=r"\[formats\]"):
        telephone_codec(from_array([0.1], rate=8_000), codec="amr")


def test_a_codec_that_gives_up_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no encoder")

    monkeypatch.setattr("aptone.audio.degrade.codec.soundfile.SoundFile", fail)
    with pytest.raises(AudioError, match=r"x: the codec gsm gave up \(no encoder\)"):
        telephone_codec(from_array([0.1], rate=8_000, source="x"), codec="gsm")
