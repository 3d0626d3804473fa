"""Rhythm, intonation and recording condition from a feeling and cues."""

from aptone.planner.reading.cues import Cue
from aptone.planner.story_reader import RHYTHM_POINTS, delivery, nearest_rhythm
from aptone.types import Emotion, Intonation, RecordingCondition, Rhythm, Vad
from tests.tables import for_each


@for_each(
    ("emotion", "rhythm", "intonation"),
    [
        (Emotion.HAPPY, Rhythm.BRISK, Intonation.RISING),
        (Emotion.SAD, Rhythm.LOW_PACED, Intonation.FALLING),
        (Emotion.FEAR, Rhythm.TENSE, Intonation.FLAT),
        (Emotion.DISGUST, Rhythm.HEAVY, Intonation.CURVED),
        (Emotion.NEUTRAL, Rhythm.RELAXED, Intonation.FLAT),
        (Emotion.CALM, Rhythm.RELAXED, Intonation.FLAT),
    ],
)
def test_without_cues_the_feeling_decides(emotion: Emotion, rhythm: Rhythm, intonation: Intonation) -> None:
    found = delivery(emotion)
    assert (found.rhythm, found.intonation) == (rhythm, intonation)
    assert found.recording_condition is RecordingCondition.NORMAL
    assert found.because == ()


def test_a_cue_decides_and_the_first_of_its_kind_counts() -> None:
    first, second = (Cue(Rhythm.LOW_PACED, "whispered", "narration"), Cue(Rhythm.BRISK, "laughed", "narration"))
    phone = Cue(RecordingCondition.PHONE, "over the phone", "narration")
    rising = Cue(Intonation.RISING, "?", "line")
    found = delivery(Emotion.ANGRY, [first, second, phone, rising])
    assert (found.rhythm, found.intonation) == (Rhythm.LOW_PACED, Intonation.RISING)
    assert found.recording_condition is RecordingCondition.PHONE
    assert found.because == (first, rising, phone)


@for_each("rhythm", list(Rhythm))
def test_every_rhythm_is_the_nearest_to_its_own_point(rhythm: Rhythm) -> None:
    assert nearest_rhythm(Vad(*RHYTHM_POINTS[rhythm])) is rhythm
