"""Idioms, similes and comparisons of captions, read by families of words rather than by single sentences."""

from aptone.rooms.caption.decompose.built_in import decompose, take_apart
from aptone.rooms.caption.decompose.readable import coverage_of
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


@for_each(
    ("caption", "expected"),
    [
        ("He could be reading out a bus timetable.", ["sex male", "emotion neutral"]),
        ("She might as well be ordering groceries.", ["sex female", "emotion neutral"]),
        ("Like someone dictating an invoice.", ["emotion neutral"]),
        ("As if calming a skittish foal.", ["emotion calm"]),
        ("As though face to face with a crocodile.", ["emotion fear"]),
        ("Like a man whose dog has died.", ["sex male", "emotion sad"]),
        ("As if they had just won the raffle.", ["emotion happy"]),
        ("Like a mouthful of sour milk.", ["emotion disgust"]),
        ("As though a penguin had walked in.", ["emotion surprise"]),
        ("Somebody ate his sandwich.", ["emotion angry", "sex male"]),
        ("All the enthusiasm of a filing cabinet.", ["emotion boredom"]),
    ],
)
def test_situations_that_a_speaker_is_compared_with(caption: str, expected: list[str]) -> None:
    assert claims(caption) == expected


@for_each(
    ("caption", "expected"),
    [
        ("She hurls the words.", ["sex female", "emotion angry"]),
        ("She chews every word.", ["sex female", "rate slow"]),
        ("She gulps down the syllables.", ["sex female", "rate fast"]),
        ("She forces each syllable out.", ["sex female", "texture pressed"]),
        ("He never rises above a murmur.", ["sex male", "volume soft"]),
        ("He is simmering, not raising his voice.", ["sex male", "emotion angry", "!volume loud"]),
        ("She spoke in low spirits.", ["sex female", "emotion sad"]),
        ("A jolly baritone.", ["emotion happy", "sex male", "pitch low"]),
        ("All the melody of a dial tone.", ["pitch_variation monotone"]),
        ("She can hardly get the words out for laughing.", ["sex female", "emotion happy", "events laughter"]),
    ],
)
def test_what_somebody_does_with_the_words(caption: str, expected: list[str]) -> None:
    assert claims(caption) == expected


@for_each(
    "caption",
    [
        "She is reading out a menu.",
        "He ordered coffee and walked the dog.",
        "Their dog lives next to the waiting room.",
        "The speaker lives near a grenade factory.",
    ],
)
def test_the_same_words_outside_a_comparison_claim_no_feeling(caption: str) -> None:
    assert not [one for one in claims(caption) if one.startswith("emotion")]


def test_an_unknown_simile_is_no_claim_and_leaves_the_caption_incomplete() -> None:
    caption = "She sounds like a flugelhorn in a fishbowl."
    taken = take_apart(caption, language="en")
    assert [unit.attribute for unit in taken.units] == ["sex"]
    assert not coverage_of(caption, taken, language="en").is_complete
