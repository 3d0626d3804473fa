"""Claims about a voice, checked against hand-made perceptions."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.ear.claims.limits import load_limits
from aptone.ear.claims.rules import MEASURES
from aptone.ear.claims.verification import Claim, Verdict, check, check_all, described_sex
from aptone.ear.describe import (
    ATTRIBUTES,
    Attribute,
    Intensity,
    Music,
    Pitch,
    Rate,
    Texture,
    VocalEvent,
    Volume,
    style_of,
    values_of,
)
from aptone.ear.measures.norms import norm
from aptone.messages import message
from aptone.types import (
    TYPICAL_VAD,
    AgeBand,
    ClosedSet,
    Emotion,
    Intonation,
    Perception,
    RecordingCondition,
    Rhythm,
    Score,
    Sex,
    SoundEvent,
)
from tests.tables import for_each

MAN = {Sex.FEMALE: 0.0, Sex.MALE: 1.0}
SCALES: tuple[Attribute, ...] = ("pitch", "pitch_variation", "rate", "volume")


def measured(sex: dict[Sex, float] = MAN, **measures: float) -> Perception:
    return Perception(
        seconds=2.0, sex=sex, measures={name.replace("_", " "): Score(measures[name]) for name in measures}
    )


def spreads(attribute: Attribute, away: float) -> Perception:
    """A man whose measure for an attribute lies so many spreads from the norm of all languages."""
    centre, spread = norm(MEASURES[attribute], sex=Sex.MALE, language=None)
    return Perception(seconds=2.0, sex=MAN, measures={MEASURES[attribute]: Score(centre + away * spread)})


def verdict(attribute: Attribute, value: ClosedSet, perception: Perception, **options: Any) -> Verdict:
    return check(Claim(attribute, value), perception, **options).verdict


def test_a_low_voice_is_low_and_not_high_and_the_evidence_says_in_hertz_how_low() -> None:
    # 12 log2(71.8 / 100) = -5.74; the men's norm is 5.17 with a spread of 5.51: (-5.74 - 5.17) / 5.51 = -1.98
    low = measured(pitch_level=12.0 * math.log2(0.718))
    found = check(Claim("pitch", Pitch.LOW), low)
    assert found.verdict is Verdict.TRUE
    assert found.evidence["en"] == "pitch 72 Hz, 2.0 spreads below men's norm"
    assert found.evidence["zh"] == "音高 72 Hz，比男声常模低 2.0 个离差"
    assert verdict("pitch", Pitch.HIGH, low) is verdict("pitch", Pitch.MEDIUM, low) is Verdict.FALSE


def test_what_is_very_low_is_also_low_but_what_is_low_is_not_very_low() -> None:
    assert verdict("pitch", Pitch.LOW, spreads("pitch", -3.0)) is Verdict.TRUE
    assert verdict("pitch", Pitch.VERY_LOW, spreads("pitch", -0.6)) is not Verdict.TRUE


def test_a_pitch_is_low_for_the_sex_that_is_described_and_else_for_the_one_that_is_heard() -> None:
    # 131 Hz are 4.67 semitones above 100 Hz: ordinary for a man (5.17), 2.4 spreads of 4.08 below a woman's 14.43
    voice = measured(pitch_level=4.67)
    assert verdict("pitch", Pitch.MEDIUM, voice) is Verdict.TRUE
    assert verdict("pitch", Pitch.VERY_LOW, voice, described=Sex.FEMALE) is Verdict.TRUE
    claims = [Claim("sex", Sex.FEMALE), Claim("pitch", Pitch.VERY_LOW)]
    assert [found.verdict for found in check_all(claims, voice)] == [Verdict.FALSE, Verdict.TRUE]


def test_an_unclear_sex_makes_the_reading_an_absolute_one() -> None:
    # Half way between the norms in spreads: (x - 14.43) / 4.08 + (x - 5.17) / 5.51 = 0 at x = 10.49
    found = check(Claim("pitch", Pitch.MEDIUM), measured({Sex.FEMALE: 0.5, Sex.MALE: 0.5}, pitch_level=10.49))
    assert found.verdict is Verdict.TRUE
    assert found.evidence["en"].endswith(", at all voices' norm")
    assert found.evidence["zh"].endswith("，与全体嗓音常模相当")


@for_each(
    ("claims", "sex"),
    [
        ([], None),
        ([Claim("sex", Sex.FEMALE)], Sex.FEMALE),
        ([Claim("sex", Sex.FEMALE), Claim("sex", Sex.MALE)], None),
        ([Claim("sex", Sex.FEMALE, is_denied=True)], None),
        ([Claim("sex", Sex.UNCLEAR)], None),
    ],
)
def test_a_description_has_a_sex_if_it_names_one_and_only_one(claims: list[Claim], sex: Sex | None) -> None:
    assert described_sex(claims) is sex


@given(st.sampled_from(SCALES), st.floats(-6.0, 6.0), st.floats(0.0, 3.0))
def test_the_higher_the_measure_the_less_true_the_lowest_value(attribute: Attribute, away: float, more: float) -> None:
    lowest, *_, highest = values_of(attribute)
    for value, sign in ((lowest, 1.0), (highest, -1.0)):
        before = check(Claim(attribute, value), spreads(attribute, away)).support
        after = check(Claim(attribute, value), spreads(attribute, away + more)).support
        assert sign * before >= sign * after - 1e-9


@given(st.sampled_from(SCALES), st.floats(-6.0, 6.0))
def test_what_the_ear_itself_would_say_is_always_verified(attribute: Attribute, away: float) -> None:
    perception = spreads(attribute, away)
    own = getattr(style_of(perception), attribute)
    assert verdict(attribute, own, perception) is Verdict.TRUE


@given(st.sampled_from(SCALES), st.floats(-6.0, 6.0), st.integers(0, 4))
def test_the_denial_of_a_false_claim_is_true_and_undecided_stays_undecided(
    attribute: Attribute, away: float, place: int
) -> None:
    values = values_of(attribute)
    value = values[place % len(values)]
    claimed = check(Claim(attribute, value), spreads(attribute, away))
    denied = check(Claim(attribute, value, is_denied=True), spreads(attribute, away))
    allowed = {
        Verdict.TRUE: {Verdict.FALSE, Verdict.UNDECIDED},
        Verdict.FALSE: {Verdict.TRUE},
        Verdict.UNDECIDED: {Verdict.UNDECIDED},
    }
    assert denied.verdict in allowed[claimed.verdict]
    assert denied.support in (-claimed.support, 0.0)
    assert denied.evidence == claimed.evidence


@given(st.sampled_from(SCALES), st.floats(-6.0, 6.0))
def test_to_deny_what_the_ear_itself_would_say_is_false(attribute: Attribute, away: float) -> None:
    perception = spreads(attribute, away)
    own = getattr(style_of(perception), attribute)
    assert check(Claim(attribute, own, is_denied=True), perception).verdict is Verdict.FALSE


def test_to_deny_a_value_that_only_passes_is_undecided() -> None:
    # A pace just above the limit of "fast" passes for it; the ear calls it moderate up to 0.5 spreads.
    (limits,) = load_limits().scales["rate"]["fast"]
    assert limits.yes < 0.49
    ordinary = spreads("rate", limits.yes + 0.01)
    assert verdict("rate", Rate.FAST, ordinary) is Verdict.TRUE
    found = check(Claim("rate", Rate.FAST, is_denied=True), ordinary)
    assert (found.verdict, found.support) == (Verdict.UNDECIDED, 0.0)
    very_low = spreads("pitch", -3.0)  # what is very low is low, too
    assert check(Claim("pitch", Pitch.LOW, is_denied=True), very_low).verdict is Verdict.FALSE


def test_to_deny_an_emotion_is_false_only_where_it_leads_or_nearly_leads() -> None:
    anger = TYPICAL_VAD[Emotion.ANGRY]

    def denied(angry: float) -> Verdict:
        heard = Perception(seconds=2.0, emotion={"playful": 0.4, "angry": angry}, vad=anger)
        assert verdict("emotion", Emotion.ANGRY, heard) is Verdict.TRUE  # valence and arousal are those of anger
        return check(Claim("emotion", Emotion.ANGRY, is_denied=True), heard).verdict

    # 0.7 of the leader's 0.4 are 0.28
    assert [denied(share) for share in (0.2, 0.27, 0.29, 0.6)] == [Verdict.UNDECIDED] * 2 + [Verdict.FALSE] * 2


def test_to_deny_a_sound_is_false_only_where_the_ear_reported_that_very_sound() -> None:
    laughing = load_limits().sounds["laughing"]
    faint = sounding(laughing=1.1 * laughing.yes, breathing=0.05)  # enough for both claims, too little for a report
    reported = Perception(seconds=2.0, events=(SoundEvent("breathing", 0.5, 1.0, 0.6),))

    def verdicts(event: VocalEvent, heard: Perception) -> list[Verdict]:
        return [found.verdict for found in check_all([Claim("events", event), Claim("events", event, True)], heard)]

    assert verdicts(VocalEvent.LAUGHTER, faint) == [Verdict.TRUE, Verdict.UNDECIDED]
    assert verdicts(VocalEvent.BREATH, reported) == [Verdict.TRUE, Verdict.FALSE]
    assert verdicts(VocalEvent.SIGH, reported) == [Verdict.TRUE, Verdict.UNDECIDED]  # a breath passes for a sigh


def test_between_the_limits_a_claim_is_undecided_with_a_support_of_nothing_half_way() -> None:
    (limits,) = load_limits().scales["volume"]["soft"]
    found = check(Claim("volume", Volume.SOFT), spreads("volume", (limits.yes + limits.no) / 2.0))
    assert found.verdict is Verdict.UNDECIDED
    assert abs(found.support) < 1e-6


def felt(emotion: Emotion, **shares: float) -> Perception:
    return Perception(seconds=2.0, emotion=shares, vad=TYPICAL_VAD[emotion])


def test_the_emotion_that_leads_is_true_a_near_miss_is_not_and_its_opposite_is_false() -> None:
    angry = felt(Emotion.ANGRY, angry=0.7, disgust=0.2, happy=0.05, sad=0.05)
    assert verdict("emotion", Emotion.ANGRY, angry) is Verdict.TRUE
    assert verdict("emotion", Emotion.DISGUST, angry) is not Verdict.TRUE
    assert verdict("emotion", Emotion.DISGUST, felt(Emotion.ANGRY, angry=0.45, disgust=0.4, sad=0.15)) is Verdict.TRUE
    assert verdict("emotion", Emotion.CALM, angry) is Verdict.FALSE
    evidence = check(Claim("emotion", Emotion.CALM), angry).evidence
    assert (
        evidence["en"]
        == "angry 0.70, disgust 0.20, calm 0.00; valence -0.51, arousal +0.59 (usual for calm: +0.50, -0.40)"
    )
    assert evidence["zh"] == "愤怒 0.70，厌恶 0.20，平静 0.00；效价 -0.51，唤醒度 +0.59（平静通常为 +0.50, -0.40）"


def test_an_emotion_that_merely_passes_is_told_apart_from_one_that_is_heard() -> None:
    angry = felt(Emotion.ANGRY, angry=0.5, disgust=0.3, happy=0.1, sad=0.1)
    passing = check(Claim("emotion", Emotion.DISGUST), angry).evidence
    assert passing["en"].endswith(": near enough not to be an error, though angry is heard first")
    assert passing["zh"].endswith("：相近，不算错误，但首先听出的是愤怒")
    assert "near enough" not in check(Claim("emotion", Emotion.ANGRY), angry).evidence["en"]


def test_an_emotion_that_leads_is_the_ears_own_only_with_much_support() -> None:
    scarcely = check(Claim("emotion", Emotion.ANGRY), felt(Emotion.DISGUST, angry=0.5, disgust=0.45, sad=0.05))
    clearly = check(Claim("emotion", Emotion.ANGRY), felt(Emotion.ANGRY, angry=0.95, disgust=0.05))
    assert scarcely.verdict is clearly.verdict is Verdict.TRUE
    assert (scarcely.is_own, clearly.is_own) == (False, True)


@given(st.sampled_from(list(Emotion)), st.floats(0.0, 0.5), st.floats(0.0, 0.5))
def test_a_likelier_emotion_is_never_less_true(claimed: Emotion, share: float, more: float) -> None:
    def support(of_claimed: float) -> float:
        rest = Emotion.FEAR if claimed is not Emotion.FEAR else Emotion.HAPPY
        return check(Claim("emotion", claimed), felt(rest, **{claimed: of_claimed, rest: 1.0 - of_claimed})).support

    assert support(share + more) >= support(share)


def test_without_valence_and_arousal_the_emotions_that_were_heard_give_them() -> None:
    known = Perception(seconds=2.0, emotion={"happy": 1.0})
    assert verdict("emotion", Emotion.HAPPY, known) is Verdict.TRUE
    assert verdict("emotion", Emotion.SAD, known) is Verdict.FALSE
    assert "valence +0.81" in check(Claim("emotion", Emotion.HAPPY), known).evidence["en"]


def test_emotions_that_have_no_name_here_are_passed_over() -> None:
    found = check(Claim("emotion", Emotion.HAPPY), Perception(seconds=2.0, emotion={"happy": 0.9, "smug": 0.1}))
    assert found.verdict is Verdict.TRUE
    assert "smug" not in found.evidence["en"]


def test_a_sex_is_true_where_the_ear_is_sure_of_it_and_false_where_it_is_sure_of_the_other() -> None:
    for share, expected in ((0.97, Verdict.TRUE), (0.03, Verdict.FALSE)):
        heard = Perception(seconds=2.0, sex={Sex.FEMALE: share, Sex.MALE: 1.0 - share})
        assert verdict("sex", Sex.FEMALE, heard) is expected
    assert check(Claim("sex", Sex.MALE), measured()).evidence["en"] == "male 1.00, female 0.00"
    assert verdict("sex", Sex.UNCLEAR, measured()) is Verdict.UNDECIDED


def test_of_ages_only_young_adults_are_verified_and_only_children_refuted() -> None:
    adult = Perception(seconds=2.0, age={AgeBand.YOUNG_ADULT: 0.98, AgeBand.UNCLEAR: 0.02})
    assert verdict("age", AgeBand.YOUNG_ADULT, adult) is Verdict.TRUE
    assert verdict("age", AgeBand.CHILD, adult) is Verdict.FALSE
    assert verdict("age", AgeBand.ELDERLY, adult) is Verdict.UNDECIDED
    unlike = Perception(seconds=2.0, age={AgeBand.YOUNG_ADULT: 0.01, AgeBand.UNCLEAR: 0.99})
    assert verdict("age", AgeBand.YOUNG_ADULT, unlike) is Verdict.FALSE
    assert verdict("age", AgeBand.CHILD, unlike) is Verdict.UNDECIDED


def test_an_intensity_is_held_against_its_third() -> None:
    strong = Perception(seconds=2.0, intensity=0.9)
    assert verdict("intensity", Intensity.STRONG, strong) is Verdict.TRUE
    assert verdict("intensity", Intensity.SLIGHT, strong) is Verdict.FALSE
    assert verdict("intensity", Intensity.CLEAR, Perception(seconds=2.0, intensity=0.5)) is Verdict.TRUE
    assert check(Claim("intensity", Intensity.CLEAR), strong).evidence["en"] == "intensity 0.90 of 1"


def test_a_rhythm_or_an_intonation_is_true_if_it_leads_or_nearly_leads() -> None:
    heard = Perception(
        seconds=2.0,
        rhythm={Rhythm.BRISK: 0.5, Rhythm.TENSE: 0.4, Rhythm.HEAVY: 0.1},
        intonation={Intonation.FLAT: 0.9, Intonation.RISING: 0.1},
    )
    assert verdict("rhythm", Rhythm.BRISK, heard) is verdict("rhythm", Rhythm.TENSE, heard) is Verdict.TRUE
    assert verdict("rhythm", Rhythm.HEAVY, heard) is verdict("rhythm", Rhythm.RELAXED, heard) is Verdict.FALSE
    assert verdict("intonation", Intonation.FLAT, heard) is Verdict.TRUE
    assert check(Claim("rhythm", Rhythm.HEAVY), heard).evidence["en"] == "brisk 0.50, heavy 0.10"
    assert check(Claim("rhythm", Rhythm.BRISK), heard).evidence["zh"] == "轻快型 0.50"


def test_a_recording_condition_that_the_ear_does_not_know_stays_open() -> None:
    heard = Perception(seconds=2.0, recording_condition={"normal": 0.1, "phone": 0.9})
    assert verdict("recording_condition", RecordingCondition.PHONE, heard) is Verdict.TRUE
    assert verdict("recording_condition", RecordingCondition.NORMAL, heard) is Verdict.FALSE
    assert verdict("recording_condition", RecordingCondition.INNER_MONOLOGUE, heard) is Verdict.UNDECIDED


def test_music_is_present_absent_or_undecided() -> None:
    for heard, present in ((0.95, Verdict.TRUE), (0.05, Verdict.FALSE), (0.4, Verdict.UNDECIDED)):
        perception = Perception(seconds=2.0, music=heard)
        assert verdict("music", Music.PRESENT, perception) is present
        assert check(Claim("music", Music.ABSENT), perception).support == pytest.approx(
            -check(Claim("music", Music.PRESENT), perception).support
        )


def voice(hnr: float, jitter: float, shimmer: float, tilt: float, voiced: float = 0.0) -> dict[str, Score]:
    """Measures so many spreads from men's norms."""
    away = {"HNR": hnr, "jitter": jitter, "shimmer": shimmer, "spectral tilt": tilt, "voiced share": voiced}
    norms = {name: norm(name, sex=Sex.MALE, language=None) for name in away}
    return {name: Score(norms[name].centre + away[name] * norms[name].spread) for name in away}


def test_a_rough_voice_is_rough_and_not_clear_and_hidden_over_the_phone() -> None:
    rough = voice(-1.5, 1.5, 1.5, 0.0)
    heard = Perception(seconds=2.0, sex=MAN, measures=rough)
    assert verdict("texture", Texture.ROUGH, heard) is Verdict.TRUE
    assert verdict("texture", Texture.CLEAR, heard) is verdict("texture", Texture.WHISPERED, heard) is Verdict.FALSE
    assert "HNR -1.5 spreads, jitter +1.5 spreads" in check(Claim("texture", Texture.ROUGH), heard).evidence["en"]
    phone = Perception(seconds=2.0, sex=MAN, measures=rough, recording_condition={"phone": 0.9})
    found = check(Claim("texture", Texture.ROUGH), phone)
    assert found.verdict is Verdict.UNDECIDED
    assert found.evidence["en"] == "the recording is phone, which hides the grain of a voice"


def test_a_whisper_is_told_by_how_little_is_voiced() -> None:
    heard = Perception(seconds=2.0, sex=MAN, measures=voice(0.0, 0.0, 0.0, 0.0, voiced=-4.0))
    assert verdict("texture", Texture.WHISPERED, heard) is Verdict.TRUE


def sounding(**sounds: float) -> Perception:
    return Perception(seconds=2.0, sounds={name.replace("_", " "): peak for name, peak in sounds.items()})


def test_a_sound_is_true_from_its_limit_on_and_one_never_taught_by_those_made_alike() -> None:
    limits = load_limits().sounds["breathing"]
    loud, faint = sounding(breathing=limits.yes * 1.01), sounding(breathing=limits.no * 0.9)
    for event in (VocalEvent.BREATH, VocalEvent.SIGH, VocalEvent.YAWN):
        assert verdict("events", event, loud) is Verdict.TRUE
        assert verdict("events", event, faint) is Verdict.FALSE
    assert "which is made like sigh" in check(Claim("events", VocalEvent.SIGH), loud).evidence["en"]
    assert verdict("events", VocalEvent.COUGH, loud) is Verdict.UNDECIDED  # nothing about coughs was heard
    assert verdict("events", VocalEvent.SINGING, loud) is Verdict.UNDECIDED


def test_an_event_that_the_ear_reported_is_true_whatever_its_confidence() -> None:
    heard = Perception(seconds=2.0, events=(SoundEvent("laughing", 0.5, 1.0, 0.01), SoundEvent("rain", 0.0, 2.0, 0.9)))
    assert verdict("events", VocalEvent.LAUGHTER, heard) is Verdict.TRUE
    assert check(Claim("events", VocalEvent.LAUGHTER), heard).evidence["zh"] == "笑声：最高 0.010"
    assert verdict("events", VocalEvent.COUGH, heard) is Verdict.UNDECIDED


def test_a_sound_that_was_not_heard_at_all_is_false_and_finite() -> None:
    found = check(Claim("events", VocalEvent.LAUGHTER), sounding(laughing=0.0))
    assert found.verdict is Verdict.FALSE
    assert -1.0 <= found.support < -0.5


@for_each("attribute", ATTRIBUTES)
def test_of_a_clip_in_which_nothing_was_judged_every_claim_is_undecided_with_the_reason(attribute: Attribute) -> None:
    topics = ("emotion", "intensity", "sex", "age", "rhythm", "intonation", "recording_condition", "music", "measures")
    silent = Perception(seconds=1.0, unjudged=dict.fromkeys((*topics, "events"), message("ear.clip-silent")))
    for value in values_of(attribute):
        for found in check_all([Claim(attribute, value), Claim(attribute, value, is_denied=True)], silent):
            assert found.verdict is Verdict.UNDECIDED
            assert math.isnan(found.support)
            assert found.evidence == {"en": "not judged: the clip is silent", "zh": "未判断：音频是静音"}


def test_a_measure_that_is_undefined_says_why() -> None:
    reason = "3 voiced frames, need 10"
    heard = Perception(seconds=1.0, measures={"pitch level": Score(math.nan, reason=reason)})
    assert check(Claim("pitch", Pitch.LOW), heard).evidence["en"] == f"not judged: {reason}"
    assert check(Claim("rate", Rate.FAST), heard).evidence == {"en": "not judged", "zh": "未判断"}
    without = Perception(seconds=1.0, measures=voice(0.0, 0.0, 0.0, 0.0) | {"HNR": Score(math.nan, reason=reason)})
    assert check(Claim("texture", Texture.CLEAR), without).evidence["en"] == f"not judged: {reason}"
    assert check(Claim("texture", Texture.WHISPERED), heard).evidence["en"] == "not judged"


def test_numbers_that_are_no_probabilities_give_no_error() -> None:
    odd = Perception(
        seconds=1.0,
        emotion={"happy": -3.0, "sad": math.nan},
        rhythm={Rhythm.BRISK: math.nan},
        sex={Sex.FEMALE: math.nan},
        sounds={"laughing": math.nan, "coughing": -1.0},
        measures={"pitch level": Score(4.67)},
    )
    claims = [Claim(attribute, value) for attribute in ATTRIBUTES for value in values_of(attribute)]
    for found in check_all(claims, odd):
        assert math.isnan(found.support) or -1.0 <= found.support <= 1.0


def test_the_denial_of_an_emotion_that_is_not_heard_is_true() -> None:
    sad = felt(Emotion.SAD, sad=0.8, neutral=0.15, angry=0.01)
    assert check(Claim("emotion", Emotion.ANGRY, is_denied=True), sad).verdict is Verdict.TRUE
    assert check(Claim("emotion", Emotion.SAD, is_denied=True), sad).verdict is Verdict.FALSE


def test_at_most_two_emotions_pass_where_one_clearly_leads() -> None:
    sad = felt(Emotion.SAD, sad=0.6, fear=0.2, neutral=0.1, disgust=0.1)
    passing = [emotion for emotion in Emotion if verdict("emotion", emotion, sad) is Verdict.TRUE]
    assert passing[:1] == [Emotion.SAD] or Emotion.SAD in passing
    assert len(passing) <= 2


@pytest.mark.parametrize("attribute", ["pitch", "pitch_variation", "rate", "volume"])
def test_opposites_of_a_scale_exclude_each_other_wherever_the_clip_lies(attribute: Attribute) -> None:
    scale = load_limits().scales[attribute]
    names = list(scale)
    low, high = names[: len(names) // 2], names[len(names) // 2 + 1 :]

    def holds(name: str, away: float) -> bool:
        return min(limits.lean(away) for limits in scale[name]) >= 1.0

    for step in range(-400, 401):
        away = step / 100.0
        assert not (any(holds(name, away) for name in low) and any(holds(name, away) for name in high)), away
