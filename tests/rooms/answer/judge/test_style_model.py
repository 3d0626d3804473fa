"""The learned model of answer styles that is shipped."""

import math

import pytest

from aptone.rooms.answer.judge.style_model import STYLES, load_style_model, question_style
from aptone.rooms.answer.judge.terms import MANNERS, RATES, VOLUMES, Manner, Sound

QUESTION = "It might rain later though."


def fit(feeling: str, rate: str, volume: str, *, asked: Manner, answer: str = "") -> float:
    emotion = {"cheerful": "happy", "unfriendly": "angry"}.get(feeling, feeling)
    sound = Sound({emotion: 1.0}, rate, volume)  # type: ignore[dict-item]
    return load_style_model().fit(asked, sound, QUESTION, answer)


def test_a_fast_and_loud_cheer_is_rather_answered_in_kind_than_sadly() -> None:
    asked = Manner("cheerful", "fast", "loud")
    assert fit("cheerful", "fast", "loud", asked=asked) > fit("sad", "slow", "quiet", asked=asked)


def test_a_slow_and_quiet_sadness_is_rather_answered_slowly() -> None:
    asked = Manner("sad", "slow", "quiet")
    assert fit("sad", "slow", "quiet", asked=asked) > fit("cheerful", "fast", "loud", asked=asked)


def test_the_words_of_an_answer_say_how_it_is_said() -> None:
    asked = Manner("neutral", "normal", "normal")
    glad, sorry = "Wonderful, I am so happy about it!", "Oh no, that would be so sad."
    cheerful = [fit("cheerful", "normal", "normal", asked=asked, answer=words) for words in (glad, sorry)]
    sad = [fit("sad", "slow", "quiet", asked=asked, answer=words) for words in (glad, sorry)]
    assert cheerful[0] > cheerful[1]
    assert sad[1] > sad[0]


def test_a_fit_is_a_probability_for_every_manner_and_style() -> None:
    for asked in (Manner(name) for name in MANNERS):
        for style in STYLES:
            assert 0.0 < fit(*style, asked=asked) < 1.0


def test_what_is_not_known_of_a_style_is_summed_over() -> None:
    asked = Manner("neutral")
    scores = load_style_model().scores(asked, QUESTION)
    parts = [
        load_style_model().scores(asked, QUESTION, rate=rate, volume=volume)["sad"]
        for rate in RATES
        for volume in VOLUMES
    ]
    assert min(parts) < scores["sad"]
    assert all(math.isfinite(score) for score in (*parts, *scores.values()))


def test_a_manner_without_rate_and_volume_is_the_mean_over_what_occurs() -> None:
    import numpy as np

    counts = np.zeros(len(STYLES))
    counts[STYLES.index(("sad", "slow", "quiet"))] = 3
    counts[STYLES.index(("sad", "normal", "quiet"))] = 1
    shares = question_style(Manner("sad"), counts)
    # first the five feelings, then slow, normal, fast: 3/4, 1/4, 0
    assert shares[MANNERS.index("sad")] == 1.0
    assert shares[5:8].tolist() == [0.75, 0.25, 0.0]
    never_seen = question_style(Manner("sad", "fast", "loud"), counts)
    assert never_seen[5:8].tolist() == [0.0, 0.0, 1.0]


def test_an_answer_is_related_to_its_question_rather_than_to_another() -> None:
    related = load_style_model().related
    assert related("Do you think it will rain later?", "The forecast says that it stays dry.") > 0.5
    assert related("Do you think it will rain later?", "My brother repairs old guitars.") < 0.5


def test_the_file_says_what_it_was_fitted_to() -> None:
    assert load_style_model().about["trained_on"] == "StyleTalk, train (MIT)"
    assert len(load_style_model().revision) == 12


def test_an_unknown_feeling_of_a_sound_is_no_feeling_of_the_model() -> None:
    assert load_style_model().fit(Manner("sad"), Sound({"sad": 0.5, "angry": 0.5}), QUESTION) == pytest.approx(
        (fit("sad", "", "", asked=Manner("sad")) + fit("unfriendly", "", "", asked=Manner("sad"))) / 2
    )
