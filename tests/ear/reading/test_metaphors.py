"""Pictures beside the noun of a scale, and where they say nothing."""

from aptone.ear.reading import read_description
from tests.tables import for_each


def stated(text: str) -> list[str]:
    return [("-" if one.is_denied else "") + str(one.senses[0].value) for one in read_description(text).judged]


@for_each(
    ("text", "expected"),
    [
        ("The register naps in a sewer.", ["low"]),
        ("A tune that is glued to its chair.", ["monotone"]),
        ("调子挂在房梁上", ["high"]),
        ("The melody: a kite.", []),  # a mark stands between
        ("The pitch never reaches the sewer.", []),  # denied in between: nothing is claimed
        ("The sewer is cold.", []),  # no noun of a scale
    ],
)
def test_a_picture_counts_beside_its_noun_only(text: str, expected: list[str]) -> None:
    assert [one for one in stated(text) if one in ("low", "high", "monotone", "lively")] == expected


def test_what_was_read_about_a_scale_needs_no_picture() -> None:
    assert stated("Her low register naps on a balcony.").count("high") == 0


@for_each(
    ("text", "expected"),
    [
        ("There is frost on every consonant.", ["angry"]),
        ("Bubbles in every syllable.", ["happy"]),
        ("The words wilt one by one.", ["sad"]),
        ("His tone is all cobwebs.", ["male", "boredom"]),
        ("Each vowel is wrapped in cotton wool.", ["soft"]),
        ("The sentences wade ashore.", ["slow"]),
        ("字字都像结了霜。", ["angry"]),
        ("他的语气里有一股火药味。", ["male", "angry"]),
        ("There is frost on the window.", []),  # nothing that is said
        ("The tone never reaches for the razor blades.", ["-angry"]),
        ("An angry voice, rain or no rain.", ["angry"]),  # a mark stands between
    ],
)
def test_words_and_voices_have_pictures_of_feelings(text: str, expected: list[str]) -> None:
    assert stated(text) == expected
