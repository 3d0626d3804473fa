"""Idioms, similes and comparisons of captions, read by families of words rather than by single sentences."""

from aptone.rooms.caption.decompose.built_in import decompose
from aptone.types import language_of_text
from tests.tables import for_each


def claims(caption: str) -> list[str]:
    """Units as "attribute value", with ! before a denied one and > before what a value becomes."""
    return [
        f"{'!' if unit.is_denied else ''}{unit.attribute} {unit.value}{' > ' + unit.becomes if unit.becomes else ''}"
        for unit in decompose(caption, language=language_of_text(caption))
    ]


@for_each(
    ("caption", "expected"),
    [
        ("Bellowing at the top of his lungs.", ["volume very loud", "sex male"]),
        ("Clears her throat.", ["events throat clearing", "sex female"]),
        ("I hear contempt. He means it.", ["emotion disgust", "sex male", "intensity clear"]),
        ("At the top of his lungs, she yells.", ["volume very loud", "sex female"]),
        ("A woman at the end of his tether.", ["sex female", "emotion angry"]),
    ],
)
def test_a_pronoun_inside_an_idiom_gives_the_sex_where_nothing_else_does(caption: str, expected: list[str]) -> None:
    assert sorted(claims(caption)) == sorted(expected)


@for_each(
    ("caption", "expected"),
    [
        ("Low, soft, male.", ["pitch low", "volume soft", "sex male"]),
        ("A high, bright voice.", ["pitch high", "texture clear"]),
        ("High, normal loudness.", ["pitch high", "volume medium"]),
    ],
)
def test_high_and_low_are_pitches_beside_another_word_about_the_voice(caption: str, expected: list[str]) -> None:
    assert claims(caption) == expected
