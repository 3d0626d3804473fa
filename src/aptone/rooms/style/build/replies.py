"""What the parts of this room that read replies of chat models have in common."""


def has_words(text: str) -> bool:
    """Whether a text says something: three letters or more.

    >>> has_words("..."), has_words("calm")
    (False, True)
    """
    return sum(character.isalpha() for character in text) >= 3
