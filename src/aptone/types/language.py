"""Which of the two languages a text is written in."""

from aptone.types.closed_sets import Language


def language_of_text(text: str) -> Language:
    """The language by its characters: Mandarin where at least a third of the letters are Chinese characters.

    >>> language_of_text("“睡吧，Tom。”"), language_of_text("The sign read 出口.")
    ('zh', 'en')
    """
    letters = [character for character in text if character.isalpha()]
    chinese = sum("\u3400" <= character <= "\u9fff" for character in letters)
    return "zh" if letters and 3 * chinese >= len(letters) else "en"
