import hypothesis.strategies as st
from hypothesis import given

from aptone.planner.normalise import normalise_condition, normalise_emotion
from aptone.types import Language
from tests.tables import for_each


@for_each("text", ["angry", " Angry.", "ANGER", "Ａｎｇｒｙ", "生气", "愤怒", "愤怒的", "“angry”"])
def test_spellings_of_one_emotion_are_one_vote(text: str) -> None:
    assert normalise_emotion(text, language="en") == "angry"
    assert normalise_emotion(text, language="zh") == "愤怒"


@for_each(
    ("text", "language", "expected"),
    [
        ("Calm  turning into JOY", "en", "calm turning into joy"),  # no list: it stays one description
        ("sadness, and longing", "en", "sad, longing"),
        ("Joy / happiness", "en", "happy"),
        ("self - assured", "en", "self-assured"),
        ("温柔的、坚定", "zh", "温柔、坚定"),
        ("悲伤和愤怒", "zh", "悲伤、愤怒"),
        ("平和", "zh", "平和"),  # 和 is part of the word
        ("语气温和坚定的", "zh", "语气温和坚定"),
        ("!?", "en", ""),
    ],
)
def test_free_descriptions_are_told_apart_but_not_by_their_spelling(
    text: str, language: Language, expected: str
) -> None:
    assert normalise_emotion(text, language=language) == expected


@for_each("text", ["", "  ", "normal", "Normal speaking.", "正常说话", "none", "N/A", "无"])
def test_a_recording_condition_that_says_nothing_is_the_normal_one(text: str) -> None:
    assert normalise_condition(text, language="en") == "normal"


def test_a_recording_condition_without_a_name_of_ours_stays_as_it_is() -> None:
    assert normalise_condition("Through a closed door!", language="en") == "through a closed door"


@given(st.text(max_size=60), st.sampled_from(["en", "zh"]))
def test_normalising_twice_changes_nothing_more(text: str, language: Language) -> None:
    for normalise in (normalise_emotion, normalise_condition):
        once = normalise(text, language=language)
        assert normalise(once, language=language) == once
