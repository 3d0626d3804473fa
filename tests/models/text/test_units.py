import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.models.text.units import LONGEST_RUN, TextUnits, is_han, runs

UNITS = TextUnits(["voice", "tremb", "##ling", "声音", "声", "低沉的", "低沉", "!", "ok"], buckets=3)


def test_an_english_word_is_whole_or_in_its_longest_pieces() -> None:
    assert UNITS.numbers("Voice") == [0]
    assert UNITS.numbers("TREMBLING voice!") == [1, 2, 0, 7]


def test_mandarin_is_cut_into_the_longest_runs_that_are_known() -> None:
    assert UNITS.numbers("低沉的声音") == [5, 3]
    assert UNITS.numbers("低沉声") == [6, 4]


def test_both_languages_stand_in_one_text_and_width_does_not_matter() -> None:
    assert UNITS.numbers("声音ok！") == [3, 8, 7]
    assert UNITS.numbers("ＯＫ!") == [8, 7]


def test_what_is_unknown_has_a_bucket_behind_the_vocabulary_and_always_the_same() -> None:
    (number,) = UNITS.numbers("Привет")
    assert 9 <= number < len(UNITS) == 12
    assert UNITS.numbers("привет") == [number]
    assert all(number >= 9 for number in UNITS.numbers("鹦鹉"))
    assert len(UNITS.numbers("x" * 500)) == 1


def test_without_a_bucket_there_is_no_cutter() -> None:
    with pytest.raises(ValueError, match="at least one bucket, got 0"):
        TextUnits(["a"], buckets=0)


@given(st.text())
def test_every_text_is_cut_into_units_that_exist(text: str) -> None:
    numbers = UNITS.numbers(text)
    assert all(0 <= number < len(UNITS) for number in numbers)
    assert bool(numbers) == bool(list(runs(text)))
    assert all(run == run.strip() and run for run in runs(text))


@given(st.text(alphabet="低沉的声音", min_size=1, max_size=40))
def test_nothing_of_a_mandarin_text_is_lost(text: str) -> None:
    names = ["声音", "声", "低沉的", "低沉", "低", "沉", "的", "音"]
    cutter = TextUnits(names, buckets=1)
    assert "".join(names[number] for number in cutter.numbers(text)) == text
    assert all(is_han(name) and len(name) <= LONGEST_RUN for name in names)
