import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

from dataclasses import astuple
from pathlib import Path

import numpy as np

from aptone.types import Emotion
from aptone.types.story import TYPICAL_VAD
from recipes.ear.data import Clip
from recipes.ear.labels import EMOTION_ORDER, label_tensors, sampling_weights


def clip(of_set: str, label: str, *, intensity: str = "", sex: str = "", age: str = "", language: str = "en") -> Clip:
    return Clip(Path(f"{label}.wav"), of_set, "someone", sex, age, language, label, intensity, "train", ())


def allowed(clips: list[Clip], row: int) -> set[str]:
    mask = label_tensors(clips, ("rain",)).allowed[row].tolist()
    return {emotion.value for emotion, known in zip(EMOTION_ORDER, mask, strict=True) if known}


def test_a_clip_may_only_be_taken_for_what_its_set_knows() -> None:
    clips = [clip("emodb", "boredom"), clip("emodb", "angry"), clip("csemotions", "playful"), clip("esc50", "rain")]
    assert allowed(clips, 0) == allowed(clips, 1) == {"boredom", "angry"}
    assert allowed(clips, 2) == {"playful"}
    assert len(allowed(clips, 3)) == len(EMOTION_ORDER)


def test_a_feeling_is_the_published_mean_and_less_of_it_at_normal_intensity() -> None:
    clips = [clip("ravdess", "angry", intensity=strength) for strength in ("normal", "strong", "")]
    strong = astuple(TYPICAL_VAD[Emotion.ANGRY])
    found = label_tensors(clips, ()).vad.tolist()
    assert found[0] == pytest.approx([0.7 * value for value in strong])
    assert found[1] == found[2] == pytest.approx(strong)


def test_every_emotion_has_a_place_in_the_space_of_feelings() -> None:
    assert list(TYPICAL_VAD) == list(Emotion)  # in the same order: networks count on it


def test_intensity_and_sex_count_only_where_they_are_known() -> None:
    clips = [
        clip("ravdess", "happy", intensity="strong", sex="female"),
        clip("ravdess", "neutral", intensity="normal", sex="male"),  # neutral has one intensity
        clip("nemo", "happy", intensity="strong"),
    ]
    labels = label_tensors(clips, ())
    assert labels.has_intensity.tolist() == [1, 0, 0]
    assert labels.intensity.tolist() == [1, 0, 1]
    assert (labels.has_sex.tolist(), labels.sex.tolist()) == ([1, 1, 0], [1, 0, 0])


def test_a_sound_has_an_event_and_no_feeling() -> None:
    labels = label_tensors([clip("esc50", "rain"), clip("emodb", "sad")], ("coughing", "rain"))
    assert labels.sound.tolist() == [1, -1]
    assert labels.feeling.tolist() == [0, 1]


def test_sets_and_classes_are_drawn_by_the_root_of_their_size_and_mandarin_more_often() -> None:
    clips = [clip("nemo", "sad")] * 3 + [clip("nemo", "happy")] + [clip("csemotions", "sad", language="zh")]
    # nemo: 4 clips, 3 sad and 1 happy: (4 * 3)^-1/2, (4 * 1)^-1/2; csemotions: (1 * 1)^-1/2, twice as often
    raw = np.array([12**-0.5] * 3 + [0.5, 2.0])
    assert sampling_weights(clips, mandarin=2.0).tolist() == pytest.approx((raw / raw.sum()).tolist())


def test_a_sound_is_never_drawn_as_speech() -> None:
    assert sampling_weights([clip("esc50", "rain"), clip("nemo", "sad")], mandarin=1.0).tolist() == [0.0, 1.0]


def test_the_voice_of_a_child_has_no_sex_and_between_child_and_adult_nothing_is_claimed() -> None:
    ages = ("11", "12", "16", "17")  # up to 11 a child, from 17 on an adult
    labels = label_tensors([clip("speechocean", "", sex="female", age=age) for age in ages], ())
    assert labels.child.tolist() == [1, 0, 0, 0]
    assert labels.has_age.tolist() == [1, 0, 0, 1]
    assert labels.has_sex.tolist() == [0, 0, 0, 1]
    assert labels.feeling.tolist() == [0, 0, 0, 0]


def test_acted_sets_have_adults_only_whatever_their_tables_say() -> None:
    labels = label_tensors([clip("emodb", "sad", sex="male", age=age) for age in ("", "9", "about 30")], ())
    assert (labels.child.tolist(), labels.has_age.tolist()) == ([0, 0, 0], [1, 1, 1])


def test_clips_of_one_set_have_one_number_and_of_another_another() -> None:
    labels = label_tensors([clip("nemo", "sad"), clip("emodb", "sad"), clip("nemo", "happy")], ())
    first, second, third = labels.corpus.tolist()
    assert first == third != second


def test_a_burst_without_a_name_is_no_event_and_neither_is_one_that_the_ear_was_not_trained_on() -> None:
    clips = [clip("emogator", "sighing"), clip("emogator", ""), clip("emogator", "crying"), clip("emodb", "sad")]
    assert label_tensors(clips, ("laughing", "sighing")).sound.tolist() == [1, -1, -1, -1]


def test_a_tenth_of_the_rows_is_without_emotions_and_each_such_set_has_the_same_share() -> None:
    clips = [clip("speechocean", "", age="30")] * 3 + [clip("synthetic", "")] + [clip("nemo", "sad")] * 4
    # three of one set and one of the other have 0.05 each set; four sad clips share 0.9
    expected = [0.05 / 3] * 3 + [0.05] + [0.9 / 4] * 4
    assert sampling_weights(clips, mandarin=1.0).tolist() == pytest.approx(expected)
    assert sampling_weights(clips[:4], mandarin=1.0).tolist() == pytest.approx([1 / 6] * 3 + [0.5])


def test_a_set_of_few_emotions_is_drawn_half_as_often() -> None:
    clips = [clip("korean", "sad"), clip("nemo", "sad")]
    assert sampling_weights(clips, mandarin=1.0).tolist() == pytest.approx([1 / 3, 2 / 3])
