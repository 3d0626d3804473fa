from aptone.rooms.aptness.delivery.prosody import CONTOURS, RATES, Prosody, prosody_of
from aptone.types import Emotion, Intonation, Plan, Rhythm
from tests.tables import for_each


def test_a_plan_becomes_rate_pitch_contour_volume_and_emphasis() -> None:
    plan = Plan("angry", Rhythm.HEAVY, Intonation.RISING, voice=("shout", "fast"), intensity=0.9)
    found = prosody_of(plan)
    assert found.rate == 99  # 88 · 1.12 = 98.56
    assert found.pitch == 5  # 10 · 0.59 · 0.9 = 5.31
    assert found.contour == CONTOURS[Intonation.RISING]
    assert (found.volume, found.emphasis, found.style, found.degree) == (6, "strong", "angry", 1.8)


def test_a_sad_whisper_is_lower_slower_and_softer() -> None:
    found = prosody_of(Plan("sad", Rhythm.LOW_PACED, Intonation.FLAT, voice=("whisper",)))
    assert found.attributes == {"rate": "84%", "pitch": "-2%", "range": "-30%", "volume": "-8dB"}
    assert found.emphasis == ""


def test_a_narrator_goes_half_as_far_and_does_not_act() -> None:
    plan = Plan("angry", Rhythm.HEAVY, voice=("shout",), intensity=0.9)
    told = prosody_of(plan, is_speech=False)
    assert (told.rate, told.pitch, told.volume, told.emphasis, told.style) == (94, 2, 0, "", "")


def test_nothing_is_asked_for_where_the_story_does_not_say() -> None:
    unsaid = Plan("", Rhythm.BRISK, emotions={"sad": 1.0}, unsaid=0.9)
    unsure = Plan("", Rhythm.BRISK, emotions={"sad": 0.5, "angry": 0.5}, unsaid=0.1)
    for plan in (None, unsaid, unsure, Plan("")):
        assert prosody_of(plan) == Prosody()
        assert prosody_of(plan).to_json() == {}


def test_a_feeling_in_free_words_keeps_its_rhythm() -> None:
    assert prosody_of(Plan("wistful", Rhythm.RELAXED)).attributes == {"rate": "95%"}


@for_each("emotion", list(Emotion))
def test_every_emotion_rhythm_and_intonation_has_a_prosody(emotion: Emotion) -> None:
    for rhythm in Rhythm:
        for intonation in Intonation:
            found = prosody_of(Plan(emotion.zh, rhythm, intonation))
            assert found.rate == RATES[rhythm]
            assert -10 <= found.pitch <= 10


def test_a_hesitant_line_begins_with_a_pause() -> None:
    assert prosody_of(Plan("fear", voice=("hesitant",))).to_json()["pause_ms"] == 300
