"""Answers of ears about held-out speakers, and descriptions with known attributes."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.ear import load_ear
from aptone.ear.describe import (
    ATTRIBUTES,
    Music,
    Style,
    Texture,
    VocalEvent,
    attributes_of,
    lexicon,
    mentions,
    values_of,
)
from aptone.errors import RecordError
from aptone.rooms.style.embedding.built_in import EMOTIONS, LARGEST, NAMES
from aptone.types import Emotion, Language, Sex, language_of_text
from recipes.style import examples as style_lessons
from recipes.style.examples import (
    DENIED,
    DescriptionPair,
    EarAnswers,
    Rows,
    description_pairs,
    descriptions,
    read_answers,
    read_rows,
    with_answers,
)
from recipes.style.rows import decode, encode, write_rows
from tests.recipes.style.tiny_styles import draw_style, make_styles, rows_of, write_answers
from tests.tables import for_each

TEMPERATURES = load_ear("full").meaning.temperatures


def heard(emotion: str = "sad", *, valence: float = -0.5, sex_logit: float = 1.0) -> EarAnswers:
    logits = np.array([2.0 * (name == emotion) for name in EMOTIONS])
    return EarAnswers(logits, valence, 0.25, 0.4, sex_logit)


def number(rows: Rows, row: int, name: str) -> float:
    return float(rows.numbers[row, NAMES.index(name)])


def drawn(
    count: int, *, languages: Language | None = None, style: Style | None = None
) -> list[tuple[Style, DescriptionPair]]:
    generator = np.random.default_rng(3)
    found = []
    for seed in range(count):
        each = style or draw_style(generator)
        found += [(each, pair) for pair in description_pairs(encode(each), count=6, seed=seed)]
    return [(each, pair) for each, pair in found if languages in (None, pair.true.language)]


def test_several_answers_about_a_clip_are_averaged_and_only_those_asked_for_count(tmp_path: Path) -> None:
    first, *_, last = write_answers(tmp_path, make_styles(8))
    both = read_answers([first, last])
    one, other = read_answers([first]), read_answers([last])
    assert set(both) == set(one)
    for name, said in both.items():
        assert said.valence == pytest.approx((one[name].valence + other[name].valence) / 2)
        assert said.emotion_logits == pytest.approx((one[name].emotion_logits + other[name].emotion_logits) / 2)
    chosen = sorted(one)[:2]
    assert set(read_answers([first], speakers={first: chosen})) == set(chosen)


@for_each("content", [b"", b"no arrays", b"PK\x03\x04 no archive"])
def test_a_file_that_holds_no_arrays_is_named(content: bytes, tmp_path: Path) -> None:
    broken = tmp_path / "broken.npz"
    broken.write_bytes(content)
    with pytest.raises(RecordError, match=r"broken\.npz: cannot be read .* `python -m recipes.style rows`"):
        read_rows(broken)
    with pytest.raises(RecordError, match=r"broken\.npz: cannot be read .* `python -m recipes.ear run`"):
        read_answers([broken])


def test_a_file_that_holds_something_else_is_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", name=np.array(["a"]))
    np.save(tmp_path / "single.npy", np.ones(3))
    for path in (tmp_path / "other.npz", tmp_path / "single.npy"):
        with pytest.raises(RecordError, match="cannot be read"):
            read_rows(path)


def test_feeling_and_sex_come_from_the_answer_and_the_rest_stays(tmp_path: Path) -> None:
    rows = rows_of(make_styles(3))
    answered = with_answers(rows, {rows.name[0]: heard()})
    assert answered.name.tolist() == [rows.name[0]] * 2  # as it is, and moved; others have no answer
    # softmax of 2 / temperature against nine zeros
    share = math.exp(2 / TEMPERATURES["emotion"]) / (math.exp(2 / TEMPERATURES["emotion"]) + 9)
    assert number(answered, 0, "probability of sad") == pytest.approx(share, rel=1e-5)
    assert number(answered, 0, "log odds of sad") == pytest.approx(math.log(share / (1 - share)), rel=1e-4)
    assert (number(answered, 0, "valence"), number(answered, 0, "arousal")) == (-0.5, 0.25)
    strength = 1 / (1 + math.exp(-0.4 / TEMPERATURES["intensity"])) - 0.5
    assert number(answered, 0, "intensity") == pytest.approx(strength, rel=1e-5)
    assert number(answered, 0, "log odds of female") == pytest.approx(1 / TEMPERATURES["sex"], rel=1e-5)
    assert number(answered, 0, "loudness for anyone") == number(rows, 0, "loudness for anyone")
    assert number(rows, 0, "valence") != -0.5  # what was given stays as it was
    sure = with_answers(rows, {rows.name[0]: heard(sex_logit=99.0)})
    assert number(sure, 0, "log odds of female") == LARGEST


def test_what_a_version_changed_for_the_shipped_ear_changes_the_answer_as_well() -> None:
    rows = rows_of(make_styles(1))
    sad, angry = NAMES.index("probability of sad"), NAMES.index("probability of angry")
    rows.numbers[:, [NAMES.index(f"probability of {name}") for name in EMOTIONS]] = 0.1
    rows.numbers[1, sad], rows.numbers[1, angry] = 0.2, 0.0
    rows.numbers[1, NAMES.index("valence")] = rows.numbers[0, NAMES.index("valence")] - 0.75
    answers = {rows.name[0]: heard(valence=-0.5)}
    moved, kept = with_answers(rows, answers), with_answers(rows, answers, move=False)
    # twice as probable is log 2 more, from nothing to something is 2 at most; both against an emotion that stayed
    for name, change in (("sad", math.log(0.2001 / 0.1001)), ("angry", -2.0)):
        own, calm = (NAMES.index(f"probability of {each}") for each in (name, "calm"))
        before = math.log(kept.numbers[1, own] / kept.numbers[1, calm])
        after = math.log(moved.numbers[1, own] / moved.numbers[1, calm])
        assert after - before == pytest.approx(change, abs=1e-4)
    assert number(moved, 1, "valence") == -1.0  # -0.5 - 0.75 lies beyond the end
    assert np.array_equal(kept.numbers[0], moved.numbers[0])


def test_without_the_plain_version_the_answer_is_taken_as_it_is() -> None:
    rows = rows_of(make_styles(1)).take(np.array([1]))
    answers = {rows.name[0]: heard()}
    assert np.array_equal(with_answers(rows, answers).numbers, with_answers(rows, answers, move=False).numbers)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), drawn_with=st.integers(0, 10_000))
def test_a_description_says_only_what_is_true_and_denies_only_what_is_not(seed: int, drawn_with: int) -> None:
    style = draw_style(np.random.default_rng(drawn_with))
    held = attributes_of(style)
    for pair in description_pairs(encode(style), count=4, seed=seed):
        said = attributes_of(decode(pair.true.style))
        assert said
        assert pair.true.text.strip()
        for attribute, value in said.items():
            assert (value == held[attribute]) is (attribute not in pair.true.denied)
        assert pair.true.denied <= set(said)
        assert pair.true.text != pair.flipped.text


def test_half_of_the_descriptions_are_in_each_language_and_written_in_it() -> None:
    found = drawn(20)
    languages = [pair.true.language for _, pair in found]
    assert languages.count("en") == languages.count("zh") == len(found) / 2
    for _, pair in found:
        assert pair.true.language == pair.flipped.language
        assert pair.true.language == language_of_text(pair.true.text)


def test_the_same_seed_gives_the_same_descriptions_and_another_seed_others() -> None:
    row = encode(draw_style(np.random.default_rng(1)))
    assert list(description_pairs(row, count=6, seed=1)) == list(description_pairs(row, count=6, seed=1))
    assert list(description_pairs(row, count=6, seed=1)) != list(description_pairs(row, count=6, seed=3))
    told = descriptions(row, count=6, seed=1)
    assert told == [said for pair in description_pairs(row, count=6, seed=1) for said in pair]


def test_most_lessons_flip_what_counts_and_the_emotion_most_often() -> None:
    flipped = [
        attribute
        for _, pair in drawn(60)
        if not pair.true.denied and not pair.flipped.denied
        for attribute in ATTRIBUTES
        if pair.true.style[ATTRIBUTES.index(attribute)] not in (-1, pair.flipped.style[ATTRIBUTES.index(attribute)])
    ]
    assert max(set(flipped), key=flipped.count) == "emotion"
    assert {"sex", "pitch", "rate", "volume", "texture"} <= set(flipped)


def test_some_lists_deny_the_opposite_of_what_is_true() -> None:
    denying = [pair.true for _, pair in drawn(60) if pair.true.denied]
    assert denying
    assert len(denying) / len(drawn(60)) < 5 * DENIED  # up to five words, two lists in five
    for said in denying:
        assert ("not " if said.language == "en" else "不") in said.text


def test_a_whisper_is_sometimes_rough_or_breathy_as_people_say_it() -> None:
    style = Style(emotion=Emotion.NEUTRAL, sex=Sex.MALE, texture=Texture.WHISPERED)
    beside = set()
    for _, pair in drawn(60, languages="en", style=style):
        found = [sense.value for one in mentions(pair.true.text, language="en") for sense in one.entry.means]
        if Texture.WHISPERED in found:
            beside |= {value for value in found if isinstance(value, Texture)}
        assert decode(pair.true.style).texture in (None, Texture.WHISPERED) or "texture" in pair.true.denied
    assert beside == {Texture.WHISPERED, Texture.ROUGH, Texture.BREATHY, Texture.PRESSED}


def test_of_several_sounds_a_list_names_the_first_and_says_so() -> None:
    style = Style(emotion=Emotion.SAD, music=Music.ABSENT, events=(VocalEvent.SIGH, VocalEvent.SOB))
    counts = {len(decode(pair.true.style).events) for _, pair in drawn(30, style=style)}
    assert {0, 1} <= counts


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_value_has_words_that_mean_it_and_nothing_else(language: Language) -> None:
    named = 0
    for attribute in ATTRIBUTES:
        for value in values_of(attribute):
            words = style_lessons._words(attribute, value, language)
            named += words == (value.label(language),)
            for word in words:
                entry = lexicon(language).get(word)
                means = {sense for sense in entry.means if sense.attribute != "intensity"} if entry else set()
                assert means == {(attribute, value)} or words == (value.label(language),)
    assert named  # some have no word of their own and are called by their name


def test_rows_written_for_the_lessons_are_read_with_their_sets(tmp_path: Path) -> None:
    write_rows(make_styles(4), tmp_path / "rows.npz")
    assert set(read_rows(tmp_path / "rows.npz").set.tolist()) == {"ravdess", "nemo"}
