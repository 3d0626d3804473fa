"""Four captions whose right order is known, and what labels say is true of a recording."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.ear.describe import Intensity, Pitch, Rate, Style, Volume, mentions, style_in
from aptone.ear.labelled_clips import LabelledClip
from aptone.errors import RecordError
from aptone.rooms.caption.bench.four_captions import (
    LONGER,
    Kind,
    TrueClip,
    captions_of,
    four_captions,
    label_style,
    quadrant,
    sabotage,
    stratified,
    with_acoustics,
)
from aptone.rooms.caption.bench.perturb import Perturbation
from aptone.types import Emotion, Language, Perception, Score, Sex
from tests.tables import for_each

STYLE = Style(
    emotion=Emotion.ANGRY,
    intensity=Intensity.STRONG,
    sex=Sex.FEMALE,
    pitch=Pitch.HIGH,
    rate=Rate.FAST,
    volume=Volume.LOUD,
)


@given(st.integers(0, 2**32), st.sampled_from(["en", "zh"]))
def test_true_captions_say_the_same_at_any_length_and_the_sabotaged_one_does_not(seed: int, language: Language) -> None:
    false = sabotage(STYLE, seed=seed)
    reference, captions = captions_of(STYLE, false.style, seed=seed, language=language)
    for text in (reference, captions[Kind.TRUE], captions[Kind.LONG], captions[Kind.CONCISE]):
        assert style_in(text, language=language) == STYLE
    assert style_in(captions[Kind.SABOTAGED], language=language) == false.style != STYLE
    assert len(captions[Kind.LONG]) >= LONGER * len(captions[Kind.TRUE])
    assert captions[Kind.LONG].startswith(captions[Kind.TRUE])
    assert captions[Kind.CONCISE].count("." if language == "en" else "。") == 1


def test_what_is_sabotaged_goes_in_turn_and_by_what_there_is() -> None:
    assert [sabotage(STYLE, seed=seed).kind for seed in range(5)] == list(Perturbation)
    assert sabotage(Style(), seed=0).kind is Perturbation.EVENT
    assert sabotage(Style(rate=Rate.FAST), seed=0).kind is Perturbation.ACOUSTICS


def test_samples_know_their_clip_and_kind() -> None:
    samples = four_captions([TrueClip("one", Path("one.wav"), STYLE, "de")], seed=3)
    assert [sample.id for sample in samples] == ["one-true", "one-sabotaged", "one-long", "one-concise"]
    assert {sample.reference for sample in samples} == {samples[0].reference}
    assert samples[0].spoken == "de"
    assert [bool(sample.ids["false"]) for sample in samples] == [False, True, False, False]
    assert mentions(samples[2].caption, language="en")
    assert four_captions([TrueClip("one", Path("one.wav"), STYLE, "de")], seed=3) == samples


def test_strata_give_equally_many_until_one_runs_out() -> None:
    counts = {(Emotion.ANGRY, Sex.MALE): 10, (Emotion.CALM, Sex.MALE): 10, (Emotion.SAD, Sex.FEMALE): 2}
    clips = [
        TrueClip(f"{emotion}-{number}", Path("x"), Style(emotion=emotion, sex=sex))
        for (emotion, sex), count in counts.items()
        for number in range(count)
    ]
    drawn = stratified(clips, number=12, seed=0)
    # 4 rounds of three would be 12, but the third stratum has 2: 2 + 2 + 2, then the other two share 6
    assert Counter(one.style.emotion for one in drawn) == {Emotion.ANGRY: 5, Emotion.CALM: 5, Emotion.SAD: 2}
    assert drawn == stratified(clips, number=12, seed=0) != stratified(clips, number=12, seed=1)
    assert len(stratified(clips, number=99, seed=0)) == 22


@for_each(("emotion", "name"), [(Emotion.HAPPY, "++"), (Emotion.SAD, "--"), (None, "0")])
def test_quadrants_are_those_of_the_emotions_usual_place(emotion: Emotion | None, name: str) -> None:
    assert quadrant(emotion) == name


def clip(emotion: str, *, sex: str = "", intensity: str = "") -> LabelledClip:
    return LabelledClip(Path("a.wav"), "s", sex, "", "en", emotion, intensity, "", "test")


def test_an_intensity_goes_with_its_emotion_and_not_with_neutral_speech() -> None:
    strong = Style(emotion=Emotion.ANGRY, intensity=Intensity.STRONG, sex=Sex.FEMALE)
    assert label_style(clip("anger", sex="female", intensity="strong")) == strong
    assert label_style(clip("neutral", intensity="normal")) == Style(emotion=Emotion.NEUTRAL)
    assert label_style(clip("", intensity="strong")) == Style()
    with pytest.raises(RecordError, match=r"a\.wav: .*hangry"):
        label_style(clip("hangry"))


def test_only_what_is_out_of_the_ordinary_is_added() -> None:
    measures = {"pitch level": Score(40.0), "articulation rate": Score(4.40), "jitter": Score(2.2)}
    heard = Perception(seconds=2.0, measures=measures, sex={Sex.MALE: 1.0})
    style = with_acoustics(Style(sex=Sex.FEMALE), heard, language=None)
    # 40 semitones are far above every norm; 4.40 syllables a second are the middle of all languages
    assert style == Style(sex=Sex.FEMALE, pitch=Pitch.VERY_HIGH)
    assert style.rate is not Rate.MODERATE
