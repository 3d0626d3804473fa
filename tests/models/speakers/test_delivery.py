import shutil
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.models.parts import load_speaker
from aptone.models.speakers.delivery import FULL_SCALE, Delivery, engine_options, louder
from aptone.run.attempts import run_to_the_end
from aptone.types import Audio
from tests.tables import for_each

FACTORS = st.floats(0.3, 3.0)


@given(FACTORS, FACTORS, FACTORS, st.floats(-9, 9))
def test_a_delivery_is_plain_at_strength_nought_and_itself_at_one(a: float, b: float, c: float, d: float) -> None:
    delivery = Delivery(a, b, c, d)
    assert delivery.scaled(0.0) == Delivery()
    assert delivery.scaled(1.0) == delivery


@given(FACTORS, FACTORS)
def test_a_higher_pitch_is_never_told_as_a_lower_number(one: float, other: float) -> None:
    low, high = sorted((one, other))
    for voice in ("", "slt"):
        numbers = [float(engine_options("flite", Delivery(pitch=x), voice=voice).options[1][19:]) for x in (low, high)]
        assert numbers[0] <= numbers[1]
    numbers = [int(engine_options("espeak-ng", Delivery(pitch=x), voice="").options[1]) for x in (low, high)]
    assert 0 <= numbers[0] <= numbers[1] <= 99


def test_flite_is_told_mean_and_deviation_of_the_voice() -> None:
    told = engine_options("flite", Delivery(pitch=2.0, range=0.5), voice="slt")
    # the voice's usual 171 and 27 Hz: 2 · 171, and 2 · 0.5 · 27
    assert told.options == ("--setf", "int_f0_target_mean=342.00", "--setf", "int_f0_target_stddev=27.00")


@for_each(("speaker", "voice"), [("flite", "rms"), ("piper", ""), ("api", ""), ("local", "")])
def test_what_an_engine_cannot_be_told_is_not_among_its_dials(speaker: str, voice: str) -> None:
    told = engine_options(speaker, Delivery(pitch=1.5, range=2.0), voice=voice)
    assert told.options == ()
    assert told.dials == ("rate", "loudness")


def test_louder_means_so_many_decibels_but_never_clipping() -> None:
    audio = Audio(np.array([0.1, -0.2], dtype=np.float32), rate=8000, source="x")
    assert louder(audio, 6.0206).samples == pytest.approx([0.2, -0.4], abs=1e-5)
    assert np.abs(louder(audio, 60.0).samples).max() == pytest.approx(FULL_SCALE)
    silent = Audio(np.zeros(4, dtype=np.float32), rate=8000, source="x")
    assert not louder(silent, 60.0).samples.any()


@for_each("wrong", [{"rate": 0.0}, {"pitch": -1.0}, {"decibels": float("nan")}])
def test_deliveries_that_are_none_are_refused(wrong: Mapping[str, float]) -> None:
    with pytest.raises(ValueError, match="positive"):
        Delivery(**wrong)


@pytest.mark.parametrize(("speaker", "voice"), [("espeak-ng", ""), ("flite", "slt")])
def test_engines_speak_higher_when_they_are_told_so(speaker: str, voice: str) -> None:
    if shutil.which(speaker) is None:
        pytest.skip(f"{speaker} is not installed")
    from aptone.audio import resample
    from aptone.ear.measures.pitch import track_pitch

    def pitch(delivery: Delivery) -> float:
        options = list(engine_options(speaker, delivery, voice=voice).options)
        made = load_speaker(speaker, options=options)
        audio = run_to_the_end(made.speak("The keeper did not answer for a long time.", language="en", voice=voice))
        return float(np.nanmedian(track_pitch(resample(audio, rate=16_000).samples).hz))

    assert pitch(Delivery(pitch=1.25)) / pitch(Delivery()) == pytest.approx(1.25, rel=0.08)
