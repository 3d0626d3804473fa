"""What the style model reads of a clip: every number has its place, its meaning and its bounds."""

import json
import math
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.ear import load_ear
from aptone.ear.measures.norms import norm
from aptone.rooms.style.embedding.built_in import (
    AUDIO_FILE,
    CONDITIONS,
    EAR,
    EMOTIONS,
    LARGEST,
    LICENCE,
    MEASURED,
    META,
    NAMES,
    SOUNDS,
    TEXT_FILE,
    numbers_of,
)
from aptone.types import AgeBand, Intonation, Perception, Rhythm, Score, Sex, SoundEvent, Vad

SHARES = st.floats(0.0, 1.0) | st.just(math.nan)
VALUES = st.floats(-1.0, 1.0) | st.just(math.nan)
SCORES = st.builds(Score, st.floats(allow_nan=False, allow_infinity=False)) | st.just(Score(math.nan, reason="unclear"))


def distributions(*names: Any) -> st.SearchStrategy[dict[Any, float]]:
    return st.dictionaries(st.sampled_from(names), SHARES)


PERCEPTIONS = st.builds(
    Perception,
    seconds=st.just(2.0),
    emotion=distributions(*EMOTIONS, "envy"),
    vad=st.none() | st.builds(Vad, VALUES, VALUES, VALUES),
    intensity=SHARES,
    rhythm=distributions(*Rhythm),
    intonation=distributions(*Intonation),
    recording_condition=distributions(*CONDITIONS, "under water"),
    measures=st.dictionaries(st.sampled_from([*MEASURED, "another"]), SCORES),
    music=SHARES,
    events=st.lists(
        st.builds(SoundEvent, st.sampled_from([*SOUNDS, "rain"]), st.just(0.0), st.just(1.0), SHARES), max_size=3
    ).map(tuple),
    sex=distributions(*Sex),
    age=distributions(*AgeBand),
)


def numbers(**heard: Any) -> Mapping[str, float]:
    return dict(zip(NAMES, numbers_of(Perception(seconds=1.0, **heard)).tolist(), strict=True))


@settings(max_examples=60, deadline=None)
@given(PERCEPTIONS)
def test_whatever_was_heard_every_number_is_finite_and_bounded(heard: Perception) -> None:
    row = numbers_of(heard)
    assert row.shape == (len(NAMES),)
    assert row.dtype == np.float32
    assert np.isfinite(row).all()
    assert np.abs(row).max() <= LARGEST


def test_the_names_are_those_that_the_shipped_weights_were_taught_with_in_their_order() -> None:
    weights = files("aptone.rooms.style") / "weights"
    session = onnxruntime.InferenceSession((weights / TEXT_FILE).read_bytes())
    about = json.loads(session.get_modelmeta().custom_metadata_map[META])
    assert tuple(about["numbers"]) == NAMES
    assert about["licence"] == LICENCE
    audio = onnxruntime.InferenceSession((weights / AUDIO_FILE).read_bytes())
    assert json.loads(audio.get_modelmeta().custom_metadata_map[META])["revision"] == about["revision"]
    assert audio.get_inputs()[0].shape == [1, len(NAMES)]
    assert len(set(NAMES)) == len(NAMES)


def test_emotions_conditions_and_sounds_are_those_of_the_ear() -> None:
    meaning = load_ear(EAR).meaning
    assert meaning.emotions == EMOTIONS
    assert meaning.conditions == CONDITIONS
    assert set(SOUNDS) <= set(meaning.events)


def test_what_was_not_judged_is_nothing_special() -> None:
    row = numbers()
    special = {name for name, value in row.items() if value != 0.0}
    assert special == {f"{name} not measured" for name in MEASURED}


def test_probabilities_are_given_as_they_are_and_as_log_odds() -> None:
    row = numbers(emotion={"angry": 0.8, "sad": 0.2}, sex={Sex.FEMALE: 0.75, Sex.MALE: 0.25}, music=0.5)
    assert row["probability of angry"] == pytest.approx(0.8)
    assert row["log odds of angry"] == pytest.approx(math.log(4))  # 0.8 to 0.2
    # an emotion that is out of the question stops at exp(-4), whose odds are exp(-4) / (1 - exp(-4))
    assert row["log odds of happy"] == pytest.approx(-4 - math.log(1 - math.exp(-4)), abs=1e-5)
    assert row["log odds of female"] == pytest.approx(math.log(3))
    assert row["log odds of music"] == 0.0


def test_feeling_intensity_and_age_stand_where_they_should() -> None:
    row = numbers(vad=Vad(-0.5, 0.25, 0.1), intensity=0.9, age={AgeBand.CHILD: 0.2, AgeBand.YOUNG_ADULT: 0.8})
    assert (row["valence"], row["arousal"]) == (-0.5, 0.25)
    assert row["intensity"] == pytest.approx(0.4)  # from the middle
    assert row["log odds of adult"] == pytest.approx(math.log(4))


def test_a_measure_is_in_spreads_from_its_norm_for_the_sex_and_for_anyone() -> None:
    women, anyone = (norm("pitch level", sex=sex, language=None) for sex in (Sex.FEMALE, None))
    value = women.centre + 2.0 * women.spread
    row = numbers(measures={"pitch level": Score(value)}, sex={Sex.FEMALE: 1.0})
    assert row["pitch level for the sex"] == pytest.approx(2.0, rel=1e-5)
    assert row["pitch level for anyone"] == pytest.approx((value - anyone.centre) / anyone.spread, rel=1e-5)
    assert row["pitch level not measured"] == 0.0
    assert numbers(measures={"pitch level": Score(1e9)})["pitch level for anyone"] == LARGEST


def test_of_several_sounds_of_a_kind_the_surest_counts_and_other_sounds_do_not() -> None:
    heard = [("laughing", 0.05), ("laughing", 0.2), ("laughing", 0.1), ("rain", 0.9)]
    row = numbers(events=tuple(SoundEvent(name, 0.0, 1.0, sure) for name, sure in heard))
    assert row["confidence in laughter"] == pytest.approx(2.0)  # 0.2 in units of 0.1
    assert row["confidence in cough"] == 0.0


def test_rhythm_and_intonation_are_shares() -> None:
    row = numbers(rhythm={Rhythm.BRISK: 0.7, Rhythm.TENSE: 0.3}, intonation={Intonation.RISING: 1.0})
    assert row["probability of brisk rhythm"] == pytest.approx(0.7)
    assert row["probability of rising intonation"] == 1.0
    assert row["probability of flat intonation"] == 0.0
