"""The words are read back: what they say must go with the figures beside them."""

import itertools
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.judge.chat.verdict import ASPECTS
from aptone.judge.parameters import AspectVerdict
from aptone.judge.rationale import (
    GRADES,
    LENGTHS,
    NAMES,
    NATURALNESS,
    SUMMARY,
    VERDICTS,
    Length,
    grade,
    write_rationale,
)
from aptone.types import Language, Perception, Score

LANGUAGES: tuple[Language, ...] = ("en", "zh")
HEARD = Perception(
    seconds=2.0,
    measures={"articulation rate": Score(4.25), "loudness": Score(-23.0), "pitch range": Score(math.nan, reason="x")},
)
values = st.floats(0.0, 5.0)


def verdict(value: float, *, agrees: bool = False, asked: bool = True, heard: str = "heavy") -> AspectVerdict:
    return AspectVerdict(Score(value, range=(0.0, 5.0)), "tense", heard, {"fit": 0.5}, agrees=agrees, asked=asked)


def unjudged(why: str, *, heard: str = "") -> AspectVerdict:
    return AspectVerdict(Score(math.nan, reason=why), heard=heard, why=why, asked=False)


def six(scores: list[float], *, agrees: bool) -> dict[str, AspectVerdict]:
    return {
        name: verdict(score, agrees=agrees, asked=name != "naturalness")
        for name, score in zip(ASPECTS, scores, strict=True)
    }


def figure_of(name: str, text: str, language: Language) -> float:
    shown = NAMES[name][language]
    pattern = rf"; {shown}: (\d\.\d) of 5\." if language == "en" else rf"，{shown}(\d\.\d)分。"
    (found,) = re.findall(pattern, text)
    return float(found)


@given(st.lists(values, min_size=6, max_size=6), values, st.booleans(), st.sampled_from(LANGUAGES))
def test_the_words_of_every_aspect_go_with_its_figure(
    scores: list[float], overall: float, agrees: bool, language: Language
) -> None:
    aspects = six(scores, agrees=agrees)
    text = write_rationale(aspects, overall, HEARD, language=language)
    said = re.findall("|".join(sorted(VERDICTS[language].values(), key=len, reverse=True)), text)
    for (name, one), words in zip(itertools.islice(aspects.items(), 5), said, strict=True):
        figure = figure_of(name, text, language)
        assert abs(figure - one.score.value) <= 0.05 + 1e-9
        assert words == VERDICTS[language][grade(figure)]
    natural = figure_of("naturalness", text, language)
    assert NATURALNESS[language][grade(natural)] in text


@given(values, st.sampled_from(LANGUAGES), st.sampled_from(LENGTHS))
def test_the_summary_goes_with_the_overall_figure(overall: float, language: Language, length: Length) -> None:
    text = write_rationale({"rhythm": verdict(overall)}, overall, HEARD, language=language, length=length)
    pattern = r"Score: (\d\.\d) of 5\.$" if language == "en" else r"总分(\d\.\d)分（满分5分）。$"
    found = re.search(pattern, text)
    assert found is not None
    said = [name for name, words in SUMMARY[language].items() if words in text]
    assert grade(float(found[1])) in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_grades_say_the_same_and_better_words_need_better_figures(language: Language) -> None:
    for words in (VERDICTS, SUMMARY, NATURALNESS):
        assert len(set(words[language].values())) == len(GRADES)
    lowest = [low for low, _ in GRADES]
    assert lowest == sorted(lowest, reverse=True)


def test_a_rationale_reads_like_this() -> None:
    aspects = {
        "emotion": AspectVerdict(
            Score(4.5),
            "tender, tired",
            "between bored and calm",
            {"asked valence": 0.125, "heard valence": -0.1, "asked arousal": -0.5, "heard arousal": -0.48},
        ),
        "rhythm": AspectVerdict(Score(2.56), "relaxed", "low-paced"),
    }
    assert write_rationale(aspects, 4.05, HEARD, language="en") == (
        "The emotion should be “tender, tired”; the voice sounds like this: between bored and calm. That fits very "
        "well, as the two are close in valence (+0.1 and -0.1) and arousal (-0.5 and -0.5); emotion: 4.5 of 5. "
        "The rhythm that suits the line is relaxed; the one heard is most likely low-paced. That fits only in part; "
        "rhythm: 2.6 of 5. "
        "Overall the line suits its place in the story, with some things amiss; of what was asked for, emotion fits "
        "best and rhythm least. Score: 4.0 of 5."
    )


def test_a_mandarin_rationale_reads_like_this() -> None:
    aspects = {"rhythm": AspectVerdict(Score(5.0), "紧张型", "紧张型", agrees=True)}
    assert write_rationale(aspects, 5.0, HEARD, language="zh") == (
        "适合这句的节奏是紧张型，听到的最像紧张型。两者十分相符，节奏5.0分。"
        "总体来看，这句的表达正合语境。总分5.0分（满分5分）。"
    )


def test_what_was_heard_as_asked_but_scores_low_says_that_the_ear_is_not_sure() -> None:
    low, high = (write_rationale({"rhythm": verdict(v, agrees=True)}, v, HEARD, language="en") for v in (2.0, 5.0))
    assert "the ear is far from sure" in low
    assert "sure" not in high


def test_another_rhythm_that_fits_all_the_same_says_that_the_two_are_close() -> None:
    assert "close to each other" in write_rationale({"rhythm": verdict(4.0)}, 4.0, HEARD, language="en")


def test_feelings_are_called_close_only_where_they_are() -> None:
    far = {"asked valence": 0.6, "heard valence": -0.2, "asked arousal": 0.0, "heard arousal": 0.0}
    one = AspectVerdict(Score(4.0), "happy", "sad", far)
    assert "close" not in write_rationale({"emotion": one}, 4.0, HEARD, language="en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_longer_rationales_say_more_and_end_alike(language: Language) -> None:
    aspects = {"rhythm": verdict(3.0), "intonation": unjudged("the plan leaves it open")}
    short, medium, long = (write_rationale(aspects, 3.0, HEARD, language=language, length=length) for length in LENGTHS)
    assert len(short) < len(medium) < len(long)
    assert medium.endswith(short)
    assert long.endswith(short)
    assert "the plan leaves it open" in long
    assert "the plan leaves it open" not in medium
    assert "4.2" in long  # syllables per second


def test_numbers_have_mandarin_names_in_a_mandarin_text() -> None:
    one = AspectVerdict(Score(3.0), "恐惧", "害怕", {"asked valence": -0.6, "P(fear)": 0.5, "fit": 0.6})
    text = write_rationale({"emotion": one}, 3.0, HEARD, language="zh", length="long")
    assert "要求的效价 -0.60，P(恐惧) 0.50，吻合度 0.60" in text
    assert not re.search("[a-z]{3,}", text)


def test_sounds_that_nobody_asked_for_are_told_and_not_scored() -> None:
    aspects = {"rhythm": verdict(3.0), "paralinguistics": unjudged("nothing asked", heard="laughter")}
    assert "also heard laughter, which nobody asked for" in write_rationale(aspects, 3.0, HEARD, language="en")


def test_a_condition_that_nobody_asked_for_is_not_said_to_have_been_planned() -> None:
    aspects = {"rhythm": verdict(3.0), "recording_condition": verdict(1.0, asked=False, heard="noisy")}
    text = write_rationale(aspects, 3.0, HEARD, language="en")
    assert "a normal one is fine; it sounds most like noisy. That does not fit" in text
    assert "fits best" not in text  # one thing was asked for: there is nothing to compare it with


def test_a_plan_cannot_write_a_page_into_the_rationale() -> None:
    one = AspectVerdict(Score(3.0), "very\n\n{score} " * 500, "sad")
    text = write_rationale({"emotion": one}, 3.0, HEARD, language="en")
    assert len(text) < 500
    assert "\n" not in text
