"""Closed sets: every spelling of the public CEAEval release means one member, and nothing means two."""

import re
from collections import Counter

import pytest

from aptone.errors import RecordError
from aptone.types import AgeBand, ClosedSet, Emotion, Intonation, RecordingCondition, Rhythm, Sex
from tests.tables import for_each

SETS: list[type[ClosedSet]] = [Intonation, Rhythm, Emotion, RecordingCondition, Sex, AgeBand]

RELEASED_RHYTHMS = {
    "Lively": Rhythm.BRISK,
    "Solemn": Rhythm.HEAVY,
    "Low": Rhythm.LOW_PACED,
    "High-pitched": Rhythm.HIGH_ENERGY,
    "Relaxed": Rhythm.RELAXED,
    "Nervous": Rhythm.TENSE,
    "brisk": Rhythm.BRISK,
    "heavy": Rhythm.HEAVY,
    "low-paced": Rhythm.LOW_PACED,
    "high-energy": Rhythm.HIGH_ENERGY,
    "relaxed": Rhythm.RELAXED,
    "tense": Rhythm.TENSE,
}
MANDARIN_RHYTHMS = {
    "轻快型": Rhythm.BRISK,
    "凝重型": Rhythm.HEAVY,
    "低沉型": Rhythm.LOW_PACED,
    "高亢型": Rhythm.HIGH_ENERGY,
    "舒缓型": Rhythm.RELAXED,
    "紧张型": Rhythm.TENSE,
}
INTONATIONS = {
    "flat": Intonation.FLAT,
    "rising": Intonation.RISING,
    "curved": Intonation.CURVED,
    "falling": Intonation.FALLING,
}
MANDARIN_INTONATIONS = {
    "平直调": Intonation.FLAT,
    "上扬调": Intonation.RISING,
    "弯曲调": Intonation.CURVED,
    "下降调": Intonation.FALLING,
}
RECORDING_CONDITIONS = {
    "正常说话": RecordingCondition.NORMAL,
    "电话转录": RecordingCondition.PHONE,
    "远场": RecordingCondition.FAR_FIELD,
    "断断续续": RecordingCondition.INTERMITTENT,
    "内心独白": RecordingCondition.INNER_MONOLOGUE,
    "normal": RecordingCondition.NORMAL,
    "phone": RecordingCondition.PHONE,
    "far-field": RecordingCondition.FAR_FIELD,
    "intermittent": RecordingCondition.INTERMITTENT,
    "inner monologue": RecordingCondition.INNER_MONOLOGUE,
    # the words of the paper's planner prompt
    "normal speaking": RecordingCondition.NORMAL,
    "phone speech": RecordingCondition.PHONE,
    "distant voice": RecordingCondition.FAR_FIELD,
    "distant speech": RecordingCondition.FAR_FIELD,
}


def full_width(text: str) -> str:
    """ASCII as the wide forms that a Mandarin keyboard types: U+0021 to U+007E lie 0xFEE0 below them."""
    return "".join(
        chr(ord(mark) + 0xFEE0) if "!" <= mark <= "~" else "\u3000" if mark == " " else mark for mark in text
    )


def ways_to_type(text: str) -> set[str]:
    spaced = re.sub("-", " - ", text)
    plain = {text, text.upper(), text.title(), f"  {text}\n", spaced, text.replace("-", " "), text.replace("-", "_")}
    return plain | {full_width(way) for way in plain}


@for_each("suffix", ["", " type", " Type", "-type", " - type", "_type", " rhythm"])
@for_each(("spelling", "member"), RELEASED_RHYTHMS.items())
def test_a_released_rhythm_is_known_with_and_without_the_word_type(spelling: str, member: Rhythm, suffix: str) -> None:
    for way in ways_to_type(spelling + suffix):
        assert Rhythm.parse(way) is member


@for_each("suffix", ["", " tone", " Tone", "-tone", "_tone", " intonation"])
@for_each(("spelling", "member"), INTONATIONS.items())
def test_an_intonation_is_known_with_and_without_the_word_tone(spelling: str, member: Intonation, suffix: str) -> None:
    for way in ways_to_type(spelling + suffix):
        assert Intonation.parse(way) is member


@for_each(("spelling", "member"), [*MANDARIN_RHYTHMS.items(), *MANDARIN_INTONATIONS.items()])
def test_a_mandarin_name_is_known_with_and_without_its_last_character(spelling: str, member: ClosedSet) -> None:
    for way in (spelling, spelling[:-1], f" {spelling} ", f"「{spelling}」", f"{spelling}。"):
        assert type(member).parse(way) is member
    assert member.zh == member.label("zh") == spelling


@for_each(("spelling", "member"), RECORDING_CONDITIONS.items())
def test_a_released_recording_condition_is_known(spelling: str, member: RecordingCondition) -> None:
    for way in ways_to_type(spelling):
        assert RecordingCondition.parse(way) is member


def test_the_closed_sets_of_the_paper_have_its_members_in_its_order() -> None:
    assert [str(member) for member in Intonation] == ["flat", "rising", "curved", "falling"]
    assert [str(member) for member in Rhythm] == ["brisk", "heavy", "low-paced", "high-energy", "relaxed", "tense"]


@for_each("closed", SETS)
def test_no_spelling_means_two_members(closed: type[ClosedSet]) -> None:
    counted = Counter(alias for member in closed for alias in member._aliases)
    assert [alias for alias, times in counted.items() if times > 1] == []
    assert "" not in counted  # else an empty answer would mean a member


@for_each("closed", SETS)
def test_a_member_is_found_by_its_name_in_either_language(closed: type[ClosedSet]) -> None:
    for member in closed:
        assert closed.parse(member.label("en")) is closed.parse(member.label("zh")) is member
        assert member.label("en") == member.value == str(member)


@for_each("closed", SETS)
@for_each("spelling", ["", " ", "type", "tone", "型", "调", "slow", "brisk heavy", "none", "轻", "\ud800"])
def test_an_unknown_spelling_is_refused_with_the_choices(closed: type[ClosedSet], spelling: str) -> None:
    with pytest.raises(RecordError, match=f"is not a known {closed.__name__.lower()}; expected one of ") as caught:
        closed.parse(spelling)
    for member in closed:
        assert f"{member.value} ({member.zh})" in str(caught.value)


def test_the_message_about_an_unknown_spelling_stays_short() -> None:
    with pytest.raises(RecordError) as caught:
        Rhythm.parse("brisk " * 200_000)
    assert len(str(caught.value)) < 300


def test_spellings_of_sex_and_age_are_known() -> None:
    assert Sex.parse("女声") is Sex.parse("F") is Sex.parse("Woman") is Sex.FEMALE
    assert Sex.parse("男") is Sex.parse("male") is Sex.MALE
    assert AgeBand.parse("老人") is AgeBand.parse("Senior") is AgeBand.ELDERLY
    assert AgeBand.parse("middle aged") is AgeBand.parse("中年") is AgeBand.MIDDLE_AGED


def test_spellings_of_emotions_are_known() -> None:
    assert Emotion.parse("Joy") is Emotion.parse("开心") is Emotion.parse("happiness") is Emotion.HAPPY
    assert Emotion.parse("scared") is Emotion.parse("害怕") is Emotion.FEAR
    assert Emotion.parse("calm") is Emotion.CALM  # RAVDESS has calm beside neutral: they are two
    assert [str(member) for member in Emotion][:2] == ["neutral", "calm"]
