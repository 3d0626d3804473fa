from aptone.models.pronunciation import pronounce, spell
from tests.tables import for_each

KNOWN = {"walk": "W AO K", "wait": "W EY T", "dish": "D IH SH", "moon": "M UW N", "base": "B EY S", "dance": "D AE N S"}


@for_each(
    ("word", "phones"),
    [
        ("walk", "W AO K"),
        ("walks", "W AO K S"),
        ("moons", "M UW N Z"),
        ("dishes", "D IH SH IH Z"),
        ("walked", "W AO K T"),
        ("waited", "W EY T IH D"),
        ("dancing", "D AE N S IH NG"),
        ("moonbase", "M UW N B EY S"),
        ("blick", "B L IH K"),
    ],
)
def test_unknown_words_are_known_ones_with_endings_two_in_one_or_spelled(word: str, phones: str) -> None:
    assert pronounce(word, KNOWN.get) == phones


def test_a_word_without_latin_letters_is_a_murmur() -> None:
    assert spell("風") == "AH"
