"""The text model that comes with Aptone."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.planner.label_sets import LABEL_SETS, OURS, emotion_shares, typical_vad
from aptone.planner.text_model import Reading, load_text_model
from aptone.types import Emotion, Language, Line


def read(text: str, *context: Line, role: str = "", language: Language = "en") -> Reading:
    return load_text_model().read(context, Line(text, role), language=language)


@pytest.mark.parametrize(
    ("text", "language", "emotion"),
    [
        ("Oh my God, this is wonderful, I love it!", "en", Emotion.HAPPY),
        ("Shut up! Get out of my house!", "en", Emotion.ANGRY),
        ("I'm so sorry... she died.", "en", Emotion.SAD),
        ("The train leaves at four.", "en", Emotion.NEUTRAL),
        ("你给我滚！我再也不想见到你！", "zh", Emotion.ANGRY),
        ("哈哈太好了", "zh", Emotion.HAPPY),
    ],
)
def test_plain_feelings_are_read(text: str, language: Language, emotion: Emotion) -> None:
    assert read(text, language=language).likeliest is emotion


def test_pleasant_lines_have_a_higher_valence_than_unpleasant_ones_in_both_languages() -> None:
    assert read("I love you, thank you so much!").vad.valence > read("I hate you, you ruined my life.").vad.valence
    glad, cross = (read(text, language="zh").vad.valence for text in ("太好了，谢谢你", "你混蛋，滚出去"))
    assert glad > cross


def test_only_the_last_fifteen_lines_of_the_context_count() -> None:
    near = [Line(f"Line number {number}.", "ab"[number % 2]) for number in range(15)]
    far = [Line("I hate this!", "a")] * 10
    assert read("Well.", *far, *near, role="a") == read("Well.", *near, role="a")


def test_the_context_changes_what_is_read() -> None:
    assert read("Well.", Line("We won! We won!"), role="a").labels != read("Well.", role="a").labels


def test_the_names_of_the_roles_do_not_matter() -> None:
    lines = [Line("No!", "x"), Line("Yes.", "y"), Line("Stop it!", "x")]
    renamed = [Line(line.text, {"x": "Ann", "y": "Bob"}[line.role]) for line in lines]
    assert read("Fine.", *lines, role="x") == read("Fine.", *renamed, role="Ann")


def test_lines_read_beforehand_read_the_same() -> None:
    line = Line("Nobody had ever written this line before.")
    load_text_model().remember([line], language="en")
    assert math.isfinite(read(line.text).vad.valence)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=4), st.text(max_size=200), st.sampled_from(["en", "zh"]))
def test_any_text_gives_probabilities_that_sum_to_one(context: list[str], text: str, language: Language) -> None:
    reading = read(text, *(Line(one) for one in context), language=language)
    assert sum(reading.labels.values()) == pytest.approx(1)
    assert sum(reading.emotion.values()) == pytest.approx(1)
    assert all(share >= 0 for share in reading.labels.values())


def test_every_label_of_the_sets_is_one_of_our_emotions_or_says_how_pleasant_it_is() -> None:
    labels = {label for labels in LABEL_SETS.values() for label in labels}
    assert labels - set(OURS) == {"positive-other", "negative-other"}
    assert typical_vad("positive-other").valence > 0 > typical_vad("negative-other").valence


def test_shares_without_any_emotion_of_ours_give_none() -> None:
    assert emotion_shares({"negative-other": 1.0}) == {}


def test_the_weights_stay_small() -> None:
    folder = Path(__file__).resolve().parents[2] / "src" / "aptone" / "planner" / "weights"
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 4_000_000
