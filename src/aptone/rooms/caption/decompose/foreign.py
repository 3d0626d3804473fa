"""Is a caption in a language that the grammar does not know? "Grave" is a heavy rhythm in English, not in French."""

import re
from collections.abc import Mapping

from aptone.messages import message

NEITHER_LANGUAGE = message("caption.foreign-language")

FEWEST = 2
"""Small words of other languages from which on a caption may be foreign: a single one may be a name or a loan."""

SMALL_WORDS: Mapping[str, str] = {
    "en": "the a an and of with in is are his her he she they their it its this that to at as by for from no not but "
    "voice speaker speaks speaking speech tone",
    "fr": "une les des est et avec elle dans qui du au très voix parle d'une d'un",
    "de": "der das und ist mit eine einer ein nicht sehr sie er von stimme spricht",
    "es": "el los las una con y que su muy del voz habla",
    "it": "il gli che di è voce parla molto della",
    "pt": "uma com em ele ela fala muito da não",
    "nl": "een het en met van stem spreekt zijn",
    "pl": "jest się nie głos mówi głosem bardzo",
}
"""Frequent words of captions by language, such as a caption of a sentence or two can hardly do without."""

_ENGLISH = frozenset(SMALL_WORDS["en"].split())
_FOREIGN = frozenset(word for words in SMALL_WORDS.values() for word in words.split()) - _ENGLISH
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def is_foreign(caption: str) -> bool:
    """Whether small words of other languages in Latin letters outnumber English ones. Without either, it is not.

    >>> is_foreign("Une voix d'homme calme et grave."), is_foreign("Male, grave, slow."), is_foreign("He is calm.")
    (True, False, False)
    """
    words = [word.casefold() for word in _WORD.findall(caption.replace("’", "'"))]
    foreign = sum(word in _FOREIGN for word in words)
    return foreign >= FEWEST and foreign > sum(word in _ENGLISH for word in words)
