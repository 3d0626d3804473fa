"""Every word of the reports, English and Mandarin side by side: by where it stands, in a table for each."""

from collections.abc import Callable, Mapping

from aptone.report.phrase import Phrase
from aptone.report.words_page import PAGE
from aptone.report.words_trust import TRUST
from aptone.report.words_verbs import VERBS
from aptone.types import Language

PHRASES: Mapping[str, Phrase] = {**PAGE, **TRUST, **VERBS}
"""Key to phrase; a test sees to it that no two tables have the same key."""


def words(language: Language, phrases: Mapping[str, Phrase] = PHRASES) -> Callable[..., str]:
    """A function from a key, and what fills its braces, to the phrase in a language.

    Args:
        language: of the phrases.
        phrases: key to phrase; a room brings its own.

    >>> words("zh")("items_count", count=3)
    '3 个条目'

    Raises:
        KeyError: by the function, if the key is unknown or a brace is not filled.
    """

    def word(key: str, /, **filled: object) -> str:
        phrase: str = getattr(phrases[key], language)
        return phrase.format(**filled)

    return word
