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
