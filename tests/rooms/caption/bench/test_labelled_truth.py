"""What labels say is true of a recording."""

from pathlib import Path

import pytest

from aptone.ear.describe import Intensity, Pitch, Rate, Style
from aptone.ear.labelled_clips import LabelledClip
from aptone.errors import RecordError
from aptone.rooms.caption.bench.labelled_truth import label_style, with_acoustics
from aptone.types import Emotion, Perception, Score, Sex


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
