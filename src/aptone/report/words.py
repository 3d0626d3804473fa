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

    A count of 1 takes the phrase of the key with ``_one`` behind it, where there is one.

    Args:
        language: of the phrases.
        phrases: key to phrase; a room brings its own.

    >>> words("zh")("items_count", count=3), words("en")("items_count", count=1)
    ('3 个条目', '1 item')

    Raises:
        KeyError: by the function, if the key is unknown or a brace is not filled.
    """

    def word(key: str, /, **filled: object) -> str:
        single = f"{key}_one"
        phrase: str = getattr(phrases[single if filled.get("count") == 1 and single in phrases else key], language)
        return phrase.format(**filled)

    return word
