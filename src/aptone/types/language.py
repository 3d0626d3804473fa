"""Which of the two languages a text is written in, and the names of ours in the other one."""

from aptone.errors import RecordError
from aptone.messages import Language
from aptone.types.closed_sets import ClosedSet


def language_of_text(text: str) -> Language:
    """The language by its characters: Mandarin where at least a third of the letters are Chinese characters.

    >>> language_of_text("“睡吧，Tom。”"), language_of_text("The sign read 出口.")
    ('zh', 'en')
    """
    letters = [character for character in text if character.isalpha()]
    chinese = sum("\u3400" <= character <= "\u9fff" for character in letters)
    return "zh" if letters and 3 * chinese >= len(letters) else "en"


def in_language(text: str, closed: type[ClosedSet], language: Language) -> str:
    """A word for a reader of a language: the name that the set has for it there; what is no name of the set stays.

    A word that is in that language already stays as it is, however it is spelt.

    >>> from aptone.types import Emotion
    >>> [in_language(word, Emotion, "zh") for word in ("angry", "wistful")], in_language("furious", Emotion, "en")
    (['愤怒', 'wistful'], 'furious')
    """
    if language_of_text(text) == language:
        return text
    try:
        return closed.parse(text).label(language)
    except RecordError:
        return text
