from hypothesis import given
from hypothesis import strategies as st

from aptone.rooms.aptness.books.tokens import tokens_of
from tests.tables import for_each


@for_each(
    ("text", "tokens"),
    [
        ("It’s Tom's “own” — isn't it?", "its toms own isnt it"),
        ("21 men", "twenty one men"),
        ("twenty-one men", "twenty one men"),
        ("1,234,005 and 3.5%", "one million two hundred thirty four thousand five and three point five percent"),
        ("the 2nd, 3rd, 12th, 20th and 101st", "the second third twelfth twentieth and one hundred first"),
        ("agent 007, room 0", "agent zero zero seven room zero"),
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"),
        ("12345678901234", "one two three four five six seven eight nine zero one two three four"),
        ("rock & roll", "rock and roll"),
    ],
)
def test_english_is_words_with_numbers_written_out(text: str, tokens: str) -> None:
    assert tokens_of(text, "en") == tokens.split()


@for_each(
    ("text", "tokens"),
    [
        ("“走吧！”他说。", "走吧他说"),
        ("12个", "十二个"),
        ("两百零五", "二百零五"),
        ("205", "二百零五"),
        ("10086", "一万零八十六"),
        ("120003400", "一亿二千万三千四百"),
        ("3.14", "三点一四"),
        ("110", "一百一十"),
        ("0", "零"),
    ],
)
def test_mandarin_is_characters_with_numbers_written_out(text: str, tokens: str) -> None:
    assert "".join(tokens_of(text, "zh")) == tokens


def test_foreign_words_in_a_mandarin_text_stay_words() -> None:
    assert tokens_of("他叫Tom，对吧", "zh") == ["他", "叫", "tom", "对", "吧"]


@given(st.text(max_size=60))
def test_any_text_has_tokens_without_marks_or_spaces(text: str) -> None:
    for language in ("en", "zh"):
        for token in tokens_of(text, language):
            assert token
            assert not any(character.isspace() for character in token)


@given(st.integers(0, 10**12 - 1))
def test_a_number_with_and_without_its_commas_is_the_same(number: int) -> None:
    assert tokens_of(f"{number:,}", "en") == tokens_of(str(number), "en")
