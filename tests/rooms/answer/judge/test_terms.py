from hypothesis import given
from hypothesis import strategies as st

from aptone.rooms.answer.data import AnswerStyle
from aptone.rooms.answer.judge.terms import MANNERS, RATES, VOLUMES, Manner, Sound, manner_of, sound_emotion, sound_of
from aptone.types import Emotion
from tests.tables import for_each


def test_every_emotion_of_the_ear_has_a_place_in_the_table() -> None:
    assert all(sound_emotion(emotion.value) and sound_emotion(emotion.zh) for emotion in Emotion)


@for_each(
    ("style", "sound"),
    [
        (AnswerStyle(rate="很慢", volume="soft", pitch="very high"), Sound({}, "slow", "quiet", "high")),
        (AnswerStyle(rate="moderate", volume="normal", pitch="medium"), Sound({}, "normal", "normal", "normal")),
        (AnswerStyle({"purple": 1.0}, rate="purple"), Sound()),
        (AnswerStyle({"happy": 1.0, "cheerful": 1.0, "purple": 2.0, "sad": 2.0}), Sound({"happy": 0.5, "sad": 0.5})),
    ],
)
def test_a_sound_keeps_what_it_understands(style: AnswerStyle, sound: Sound) -> None:
    assert sound_of(style) == sound
    assert sound.is_known is (sound != Sound())


@given(st.sampled_from(MANNERS), st.sampled_from(["", *RATES]), st.sampled_from(["", *VOLUMES]))
def test_a_manner_is_read_back_from_its_words(feeling: str, rate: str, volume: str) -> None:
    words = ", ".join(filter(None, (feeling, rate, volume)))
    found = manner_of(words)
    assert found is not None
    assert found.feeling == feeling
    if rate and volume:
        assert found == Manner(feeling, rate, volume)


def test_words_that_are_no_manner_are_none() -> None:
    assert manner_of("drunk, fast") is None
    assert manner_of("") is None


def test_a_sound_has_its_feelings_in_the_terms_of_recorded_dialogues() -> None:
    assert Sound({"happy": 0.5, "playful": 0.25, "calm": 0.25}).manner == {"cheerful": 0.75, "friendly": 0.25}
