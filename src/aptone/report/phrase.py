"""A phrase in both languages, of which all tables of words are made."""

from typing import NamedTuple


class Phrase(NamedTuple):
    """The same thing said in both languages; ``{names}`` in braces are filled in."""

    en: str
    zh: str
