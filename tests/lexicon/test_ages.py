"""Ages in numbers, and numbers that are none."""

from aptone.lexicon.ages import find_ages
from aptone.types import Language, language_of_text
from tests.tables import for_each


def ages(text: str) -> list[tuple[str, str]]:
    language: Language = language_of_text(text)
    return [(text[one.start : one.end], str(one.band)) for one in find_ages(text, language)]


@for_each(
    ("text", "words", "band"),
    [
        ("A man, maybe mid-forties.", "mid-forties", "middle-aged"),
        ("a 70-year-old", "70-year-old", "elderly"),
        ("in her 40s", "40s", "middle-aged"),
        ("twenty-ish", "twenty-ish", "young adult"),
        ("sixteen or so", "sixteen or so", "teenager"),
        ("forty five years old", "forty five years old", "middle-aged"),
        ("a seven year old girl", "seven year old", "child"),
        ("perhaps seventy", "perhaps seventy", "elderly"),
        ("a girl of about nine", "of about nine", "child"),
        ("aged seven and shy", "aged seven", "child"),
        ("a man of sixty speaks", "of sixty", "elderly"),
        ("四十上下的女声", "四十上下", "middle-aged"),
        ("三十好几", "三十好几", "young adult"),
        ("年近七旬", "年近七旬", "elderly"),
        ("十五六岁", "十五六岁", "teenager"),
        ("50多岁", "50多岁", "middle-aged"),
    ],
)
def test_an_age_in_numbers_has_its_band(text: str, words: str, band: str) -> None:
    assert ages(text) == [(words, band)]


@for_each(
    "text",
    [
        "about 120 Hz",
        "two or so",
        "ten out of ten",
        "about 3 words",
        "the nineteenth line",
        "a man of few words",
        "a man of one idea",
        "三句话",
        "一半",
    ],
)
def test_other_numbers_are_no_ages(text: str) -> None:
    assert ages(text) == []
