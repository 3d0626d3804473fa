"""Words with which people describe a voice, beyond those that the ear says itself: idioms, inflections, comparisons.

``voices/descriptions.en.tsv`` and ``voices/descriptions.zh.tsv`` (apart from the planner's tables, which its revision
covers) hold a group of phrases a row: what they say, a tab, and phrases as `aptone.lexicon.phrases` reads them. What
a row says is text here; `aptone.ear.reading.vocabularies` knows the attributes and their values. A phrase that is
added to a row is known. ``voices/families.en.tsv`` and ``voices/families.zh.tsv`` hold words that stand for each other
in these phrases: a word that is added to a family is known in all of them.
"""

import functools
from importlib.resources import files
from typing import NamedTuple

from aptone.lexicon.phrases import PhraseBook
from aptone.types import Language


class Descriptions(NamedTuple):
    """Phrases of one language, ready to be looked up, and what each list of them says."""

    book: PhraseBook
    says: tuple[str, ...]


@functools.cache
def descriptions(language: Language) -> Descriptions:
    """Return the phrases of a language.

    >>> descriptions("en").says[0]
    'sex: male'
    """
    rows = table_rows(f"descriptions.{language}.tsv")
    book = PhraseBook(
        [phrases for _, phrases in rows], families=dict(table_rows(f"families.{language}.tsv")), language=language
    )
    return Descriptions(book, tuple(says for says, _ in rows))


def table_rows(name: str) -> list[tuple[str, str]]:
    """Return the rows of a table in ``voices`` of two fields; lines that begin with # are comments.

    Raises:
        ValueError: if a row has not two fields.
    """
    text = (files("aptone.lexicon") / "voices" / name).read_text(encoding="utf-8")
    rows = []
    for row in text.splitlines():
        if row.strip() and not row.startswith("#"):
            first, tab, second = row.partition("\t")
            if not tab or "\t" in second:
                raise ValueError(f"{name}: expected two fields, got {row.count(chr(9)) + 1}: {first!r}.")
            rows.append((first, second))
    return rows
