"""English words as pieces."""

import pytest

from aptone.models.text.word_pieces import WordPieces, words

VOCABULARY = ["[UNK]", "[CLS]", "[SEP]", "un", "##happy", "##hap", "happy", "!", "u", "##n"]


def test_the_longest_known_piece_is_taken_first() -> None:
    # un + ##happy, not un + ##hap + …; 1 and 2 are the marks of beginning and end.
    assert WordPieces(VOCABULARY).numbers("Unhappy!", most=64) == (1, 3, 4, 7, 2)


def test_a_word_of_which_a_part_is_unknown_is_unknown_as_a_whole() -> None:
    assert WordPieces(VOCABULARY).numbers("unkind happy", most=64) == (1, 0, 6, 2)


def test_a_mark_written_in_a_text_is_no_mark() -> None:
    numbers = WordPieces(VOCABULARY).numbers("[SEP] happy [CLS]", most=64)
    assert numbers[1:-1].count(1) == numbers[1:-1].count(2) == 0


def test_a_long_text_keeps_its_beginning_and_both_marks() -> None:
    assert WordPieces(VOCABULARY).numbers("happy " * 100, most=5) == (1, 6, 6, 6, 2)


def test_an_endless_word_is_unknown() -> None:
    assert WordPieces(VOCABULARY).numbers("u" * 10_000, most=64) == (1, 0, 2)


def test_accents_case_and_curly_marks_do_not_matter() -> None:
    assert words("“Café”, DON’T") == words('"cafe", don\'t')


def test_a_vocabulary_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\[SEP\] is not in it"):
        WordPieces(["[UNK]", "[CLS]"])
