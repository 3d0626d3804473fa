"""Terms of the judge, and the table of what fits which way of asking."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import RecordError
from aptone.rooms.answer.data import CATEGORIES, AnswerStyle, Dimension
from aptone.rooms.answer.judge.terms import (
    MANNERS,
    RATES,
    SHIPPED,
    VOLUMES,
    Complement,
    Manner,
    Sound,
    load_complements,
    manner_of,
    sound_emotion,
    sound_of,
)
from aptone.rooms.answer.judge.wording import simplicity, wording_fit
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


def rows() -> list[Complement]:
    return [row for of in load_complements().categories.values() for row in of.values()]


def test_every_way_of_asking_has_its_reason_signs_and_examples_in_both_languages() -> None:
    for row in rows():
        for language in ("en", "zh"):
            assert row.reason[language]
            assert len(row.signs[language]) >= 10
            assert len(row.examples[language]) >= 2


def test_what_opposes_a_way_of_asking_is_another_of_its_dimension() -> None:
    for dimension, of in load_complements().categories.items():
        for way, row in of.items():
            assert way not in row.opposes
            assert set(row.opposes) <= set(CATEGORIES[dimension])


def test_a_sound_that_is_known_in_part_is_judged_by_that_part() -> None:
    sad = load_complements().categories[Dimension.EMOTION]["sad"]
    assert sad.sound_fit(Sound(rate="slow")) == sad.rate["slow"] == 1.0
    # (0.1^0.6 * 1.0^0.15)^(1 / 0.75)
    assert sad.sound_fit(Sound({"happy": 1.0}, rate="slow")) == pytest.approx(0.1**0.8)


def test_a_sound_in_doubt_lies_between_what_it_may_be() -> None:
    sad = load_complements().categories[Dimension.EMOTION]["sad"]
    assert sad.sound_fit(Sound({"happy": 0.5, "calm": 0.5})) == pytest.approx((0.1 + 1.0) / 2)


@for_each(
    "damage",
    [
        lambda table: table["categories"]["emotion"].pop("sad"),
        lambda table: table["categories"]["emotion"]["sad"]["rate"].pop("slow"),
        lambda table: table["categories"]["emotion"]["sad"]["emotion"].update(happy=1.5),
        lambda table: table["manners"].pop("friendly"),
        lambda table: table.pop("categories"),
    ],
)
def test_a_table_with_a_gap_is_refused(damage: Any, tmp_path: Path) -> None:
    table = json.loads(SHIPPED.read_text(encoding="utf-8"))
    damage(table)
    (tmp_path / "table.json").write_text(json.dumps(table), encoding="utf-8")
    with pytest.raises(RecordError, match="no table"):
        load_complements(tmp_path / "table.json")


def test_short_words_in_short_sentences_are_simple() -> None:
    # 3 letters a word and 3 words a sentence are below 3.5 and 6: as simple as can be
    assert simplicity("The cat sat. The dog ran.") == 1.0
    # 12 letters a word are above 6: only the sentence of 2 words counts, for half
    assert simplicity("Considerable refurbishment.") == pytest.approx(0.5)
    assert simplicity("猫坐下了。") > simplicity("根据目前可以获得的全部资料这件事情的发展仍然存在相当大的不确定性。")
    assert simplicity("…") == 0.0


def test_a_longer_sign_counts_once_with_the_shorter_one_inside_it() -> None:
    of = load_complements().categories[Dimension.EMOTION]
    assert wording_fit("sad", of, "Is it?", "I am so sorry.", language="en").signs == ("so sorry",)


def test_signs_are_found_as_whole_words() -> None:
    of = load_complements().categories[Dimension.GENDER]
    assert wording_fit("male", of, "Is it?", "The manager has a siren.", language="en").signs == ()
    assert wording_fit("male", of, "Is it?", "Yes, Sir!", language="en").signs == ("sir",)
    assert wording_fit("male", of, "Is it?", "Yes, ma’am.", language="en").wrong == ("ma'am",)


def test_a_brief_answer_to_sarcasm_is_better_than_a_long_one() -> None:
    of = load_complements().categories[Dimension.SARCASM]
    brief, long = (
        wording_fit("sarcastic", of, "Is it?", words, language="en").fit
        for words in ("It is a meeting.", "It is a meeting. " * 12)
    )
    assert brief > long
