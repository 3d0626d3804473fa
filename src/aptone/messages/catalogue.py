"""Catalogues: the text of every message id, by language.

A catalogue is a gettext file for each part of the package and language, ``locale/<language>/LC_MESSAGES/<part>.po``,
compiled to ``.mo``. An id such as ``ear.clip-silent`` begins with the name of its part. Values stand in braces and are
formatted there (``{seconds:.2f}``); plural forms follow the value that is called ``count``.
"""

import gettext
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
"""Languages that have catalogues."""

LANGUAGE_VARIABLE = "APTONE_LANG"
"""Environment variable with the language of the reader."""

LOCALE = Path(__file__).parent / "locale"  # folder of the catalogues


class MessageError(KeyError):
    """An id that no catalogue holds, or a brace without a value: a mistake in the source, never in the input."""


@cache
def _translations(domain: str, language: Language) -> gettext.GNUTranslations:
    path = LOCALE / language / "LC_MESSAGES" / f"{domain}.mo"
    try:
        with path.open("rb") as file:
            return gettext.GNUTranslations(file)
    except FileNotFoundError:
        raise MessageError(f"there is no catalogue {domain!r} in the language {language!r}") from None


def template(id: str, language: Language, values: Mapping[str, object]) -> str:
    """Return the text of an id with its braces not yet filled; the value ``count`` chooses the plural form.

    Raises:
        MessageError: if the catalogue of the language does not hold the id.
    """
    translations = _translations(id.partition(".")[0], language)
    count = values.get("count")
    if isinstance(count, int) and (found := translations.ngettext(id, id, count)) != id:
        return found
    if (found := translations.gettext(id)) == id:
        raise MessageError(f"the catalogues of the language {language!r} have no message {id!r}")
    return found


def filled(id: str, language: Language, values: Mapping[str, object]) -> str:
    """Return the text of an id with its braces filled.

    Raises:
        MessageError: if the id is unknown or a brace has no value.
    """
    text = template(id, language, values)
    try:
        return text.format(**values)
    except KeyError as error:
        raise MessageError(f"message {id!r}: no value for {error}") from None


def reader_language() -> Language:
    """Return the language that ``APTONE_LANG`` names; English where it is not set, or names one without catalogues."""
    named = os.environ.get(LANGUAGE_VARIABLE, "")
    return next((language for language in LANGUAGES if language == named), "en")


def words(language: Language, scope: str) -> Callable[..., str]:
    """Return a function from a key, and the values of its braces, to the text of the id ``scope.key`` in a language.

    >>> words("zh", "report")("items_count", count=3), words("en", "report")("items_count", count=1)
    ('3 个条目', '1 item')

    Raises:
        MessageError: by the function, if the key is unknown or a brace has no value.
    """

    def word(key: str, /, **values: object) -> str:
        return filled(f"{scope}.{key}", language, values)

    return word


def name_in(language: Language, name: str, scope: str = "names") -> str:
    """Return an English name of ours, the id ``scope.name``, in a language; an unknown one comes back as it is.

    >>> name_in("zh", "crying baby"), name_in("zh", "wistful")
    ('婴儿哭声', 'wistful')
    """
    try:
        return template(f"{scope}.{name}", language, {})
    except MessageError:
        return name
