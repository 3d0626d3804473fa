"""What a text denies."""

from aptone.lexicon.negation import denied
from aptone.types import Language
from tests.tables import for_each


@for_each(
    ("text", "word", "language", "expected"),
    [
        ("She did not shout.", "shout", "en", True),
        ("She didn’t shout.", "shout", "en", True),
        ("Without laughing, she sighed.", "laughing", "en", True),
        ("Without laughing, she sighed.", "sighed", "en", False),  # the clause is over
        ("He did not turn, but shouted.", "shouted", "en", False),
        ("He could not help laughing.", "laughing", "en", False),
        ("If only he had shouted!", "shouted", "en", True),
        ("as though over the phone", "over", "en", True),
        ("not one two three four five six shout", "shout", "en", True),  # six words lie between
        ("not one two three four five six seven shout", "shout", "en", False),
        ("她没有笑", "笑", "zh", True),
        ("她没有动，笑了", "笑", "zh", False),
        ("他忍不住笑了", "笑", "zh", False),
        ("他不笑", "笑", "zh", True),
        ("他不慌不忙地笑", "笑", "zh", False),
        ("仿佛从电话里传来", "电话", "zh", True),
        ("", "", "zh", False),
    ],
)
def test_a_negation_reaches_as_far_as_its_clause(text: str, word: str, language: Language, expected: bool) -> None:
    assert denied(text, text.index(word), language) is expected
