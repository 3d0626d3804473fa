import pytest

from aptone.errors import RecordError, UnusableReplyError
from aptone.rooms.dialogue.config import TABLE
from aptone.rooms.dialogue.hearing.labels import heard_label, known_label
from aptone.rooms.dialogue.hearing.turns import tagged_emotion
from tests.tables import for_each


@for_each(
    ("name", "label"),
    [("Happiness", "happy"), ("愤怒", "angry"), ("calm", "neutral"), ("playful", "happy"), (" SAD ", "sad")],
)
def test_spellings_of_the_four_emotions_are_known(name: str, label: str) -> None:
    assert known_label(name, tuple(TABLE)) == label


@for_each("name", ["fear", "surprise", "bliss", ""])
def test_other_emotions_are_refused_not_guessed(name: str) -> None:
    with pytest.raises(RecordError, match="the table knows neutral, happy, angry, sad"):
        known_label(name, tuple(TABLE))


def test_a_table_of_your_own_may_know_more() -> None:
    assert known_label("fearful", ("neutral", "fear")) == "fear"
    assert known_label("calm", ("neutral", "calm")) == "calm"


def test_the_ear_gives_a_label_only_when_it_mostly_hears_one_of_them() -> None:
    known = tuple(TABLE)
    # calm and neutral together are likelier than angry
    assert heard_label({"angry": 0.4, "calm": 0.25, "neutral": 0.25, "fear": 0.1}, known)[:2] == ("neutral", "")
    assert heard_label({}, known) == ("", "no emotion was judged", {})
    label, why, shares = heard_label({"surprise": 0.6, "happy": 0.4}, known)
    assert (label, why) == ("", "the ear hears surprise (60 %), which the table does not know")
    assert shares == {"happy": 0.4}


def test_the_reason_names_no_emotion_as_unknown_that_the_table_knows() -> None:
    label, why, shares = heard_label({"angry": 0.45, "fear": 0.3, "disgust": 0.22, "boredom": 0.03}, tuple(TABLE))
    assert (label, shares) == ("", {"angry": 0.45})
    assert why == (
        "the ear hears angry (45 %), but emotions that the table does not know are likelier together "
        "(55 %: fear 30 %, disgust 22 %)"
    )


@for_each(
    ("text", "emotion"),
    [
        ("<|zh|><|ANGRY|><|Speech|><|woitn|>你好", "angry"),
        (" <|en|> <|EMO_UNKNOWN|> hello", ""),
        ("<|en|><|SAD|><|SAD|>x", "sad"),
    ],
)
def test_the_tag_of_an_emotion_is_read(text: str, emotion: str) -> None:
    assert tagged_emotion(text) == emotion


@for_each("text", ["I am <|HAPPY|>", "<|en|>hello <|SAD|>", "<|HAPPY|><|SAD|>x", "", "<|happy|>x", "<|HAPPY>x"])
def test_no_spoken_word_forges_a_tag(text: str) -> None:
    with pytest.raises(UnusableReplyError, match="does not begin with the tag of one emotion"):
        tagged_emotion(text)
