import unicodedata

import pytest

from aptone.report.safe_text import one_line, visible
from tests.tables import for_each


@for_each("code", [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C, 0x200B, 0xFEFF])
def test_marks_that_turn_or_hide_text_are_spelled_out(code: int) -> None:
    assert visible(f"a{chr(code)}b") == f"a⟨U+{code:04X}⟩b"


def test_no_control_character_but_tab_and_line_feed_survives() -> None:
    every = "".join(map(chr, range(0x10000)))
    kept = {character for character in visible(every) if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")}
    assert kept == {"\t", "\n"}


def test_lone_surrogates_become_something_that_a_file_can_hold() -> None:
    assert visible("\ud83d!").encode() == "\ufffd!".encode()


def test_line_ends_of_every_system_become_line_feeds() -> None:
    assert visible("a\r\nb\rc\u2028d") == "a\nb\nc\nd"


def test_delete_gets_its_picture() -> None:
    assert visible("\x7f") == "␡"


def test_ordinary_text_of_any_script_stays_as_it_is() -> None:
    text = "Grüße, 你好，سلام, नमस्ते, 👩\u200d🚀"
    assert visible(text) == text


def test_cut_text_is_no_longer_than_its_limit_and_ends_in_an_ellipsis() -> None:
    assert visible("x" * 100_000, limit=10) == "x" * 9 + "…"
    assert visible("\r\n" * 50, limit=10).endswith("…")


def test_text_of_just_the_limit_is_not_cut() -> None:
    assert visible("0123456789", limit=10) == "0123456789"


def test_a_stand_in_cannot_push_text_over_the_limit() -> None:
    assert len(visible("\u202e" * 10, limit=10)) <= 10


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        visible("a", limit=0)


def test_one_line_has_single_spaces_only() -> None:
    assert one_line(" a\t\tb\n\nc ") == "a b c"
    assert one_line("a \n" * 1000, limit=9).startswith("a a a a")


def test_one_line_says_when_it_cut_white_space_away() -> None:
    assert one_line("a" + " " * 1000 + "b", limit=10) == "a…"
