"""What a text denies, and what takes a feeling back."""

from aptone.lexicon.negation import denied, taken_back
from aptone.lexicon.phrases import tokens
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


def is_taken(text: str, word: str, language: Language) -> bool:
    words = tokens(text, language)
    place = text.casefold().index(word)
    number = next(index for index, (start, end) in enumerate(words.places) if start <= place < end)
    return any(one.start <= number < one.end for one in taken_back(words, language))


@for_each(
    ("text", "word", "language"),
    [
        ("She was not angry.", "angry", "en"),
        ("He was no longer afraid of the dark.", "afraid", "en"),
        ("He was more hurt than angry.", "angry", "en"),
        ("She had been furious all morning.", "furious", "en"),
        ("His anger was gone.", "anger", "en"),
        ("The anger had gone out of him.", "anger", "en"),
        ("His voice was void of joy.", "joy", "en"),
        ("Without so much as a trace of joy.", "joy", "en"),
        ("She answered with little joy.", "joy", "en"),
        ("He spoke, lacking any warmth.", "warmth", "en"),
        ("他并不生气。", "生气", "zh"),
        ("语气里听不出一点害怕。", "害怕", "zh"),
        ("她不再害怕。", "害怕", "zh"),
        ("与其说难过，不如说累。", "难过", "zh"),
    ],
)
def test_a_feeling_that_is_denied_compared_away_or_over_is_taken_back(text: str, word: str, language: Language) -> None:
    assert is_taken(text, word, language)


@for_each(
    ("text", "word", "language"),
    [
        ("She was angry.", "angry", "en"),
        ("He was more hurt than angry.", "hurt", "en"),
        ("He could not help smiling.", "smiling", "en"),
        ("She was not tired but furious.", "furious", "en"),
        ("She blinked back tears.", "tears", "en"),
        ("He had gone the colour of ash.", "ash", "en"),
        ("Her throat had gone tight with grief.", "grief", "en"),
        ("他忍不住笑了。", "笑", "zh"),
        ("她不觉大喜。", "大喜", "zh"),
        ("他不是累，而是害怕。", "害怕", "zh"),
    ],
)
def test_a_feeling_that_is_there_stays(text: str, word: str, language: Language) -> None:
    assert not is_taken(text, word, language)
