"""In which language an answer is, as far as its transcript shows it: by its script, or by its smallest words.

This judges what a transcriber wrote. One that knows a single language writes down any other as nonsense of its own, so
that nothing of it shows here; a transcriber of many languages, or a ready transcript, is what this check is for.
"""

import unicodedata
from collections import Counter
from collections.abc import Mapping

SCRIPTS: Mapping[str, str] = {
    "CJK": "zh",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "HANGUL": "ko",
    "CYRILLIC": "ru",
    "ARABIC": "ar",
    "DEVANAGARI": "hi",
    "HEBREW": "he",
    "GREEK": "el",
    "THAI": "th",
}
"""First word of a character's Unicode name to the language that is usually written so."""

_SMALL_WORDS: Mapping[str, str] = {
    "en": "the and you is to of it that in i a for what this are be with not have your do can let me",
    "de": "der die das und ich du ist nicht ein eine zu mit es wir sie dass was auf für den dir mir",
    "fr": "le la les et je tu est que de des un une pas vous nous il elle ce pour dans ça avec mon",
    "es": "el la los y yo tú es que de un una no por con para lo en me te está muy qué mi",
    "it": "il la gli e io tu è che di un una non per con lo in mi ti sono molto cosa del",
    "pt": "o a os e eu você é que de um uma não por com para em me muito isso do da meu",
    "nl": "de het een en ik je is niet dat van met wij zij wat op voor te maar dit jij mij",
    "pl": "i w nie na się to że jest do z co jak tak ale ja ty jestem bardzo mi cię",
}
SMALL_WORDS: Mapping[str, frozenset[str]] = {name: frozenset(words.split()) for name, words in _SMALL_WORDS.items()}
"""Words that hardly a sentence of a language is without."""

ENOUGH = 3
"""Small words that a text must have before it is told which language it is."""
LEAD = 2
"""And how many more than of any other language."""
JAPANESE = 0.1
"""Share of kana from which on a text with Chinese characters is Japanese."""


def language_spoken(text: str) -> str:
    """The code of a transcript's language; empty where it cannot be told.

    >>> language_spoken("I am sorry that you have to do this."), language_spoken("Das tut mir leid, und ich bin da.")
    ('en', 'de')
    >>> language_spoken("我很抱歉。"), language_spoken("Okay!")
    ('zh', '')
    """
    scripts = Counter(script for character in text if character.isalpha() and (script := _script(character)))
    letters = scripts.total()
    if not letters:
        return ""
    if scripts["ja"] >= JAPANESE * letters:
        return "ja"
    script, count = scripts.most_common(1)[0]
    if script != "latin":
        return script if 2 * count >= letters else ""
    words = Counter(word.strip(".,;:!?¿¡\"'“”’") for word in text.casefold().split())
    found = sorted(((sum(words[word] for word in small), name) for name, small in SMALL_WORDS.items()), reverse=True)
    (most, language), (second, _) = found[:2]
    return language if most >= ENOUGH and most - second >= LEAD else ""


def _script(character: str) -> str:
    first = unicodedata.name(character, "").partition(" ")[0]
    return "latin" if first == "LATIN" else SCRIPTS.get(first, "")
