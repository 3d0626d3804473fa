"""Words by which the built-in filters judge a sentence, from lists that a person can read and extend.

``templates/words.<language>.json`` holds, for each way of asking, what gives it away (``revealing``) and what nobody
asks in that way (``unfit``); what sarcasm turns round (``praise``); and by which words a sentence is about who asks
(``self``). English entries are whole words or phrases, ``*`` at the end stands for any ending; Mandarin ones are looked
for as they are.
"""

import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aptone.rooms.answer.build.candidate_bank import TEMPLATES
from aptone.rooms.answer.records import Dimension
from aptone.types import Language

FACT: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"^(?:what|which|who|whose|when|where|why|how)\b|^(?:is|are|was|were|do|does|did|can|could|will|would) "
        r"(?:the|a|an|there)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"什么是|几点|多少|哪一年|哪里是|谁是|为什么|是什么"),
}
"""How a request for a fact begins, which is answered alike however it is asked."""


@dataclass(frozen=True, slots=True)
class WordList:
    """Some words, and how they are found."""

    pattern: re.Pattern[str]

    def find(self, text: str) -> str:
        """The first of the words that stands in a text; empty if none does.

        >>> word_list(("oh joy", "thank*"), language="en").find("Thanks, that is sweet.")
        'thanks'
        """
        match = self.pattern.search(text.replace("’", "'"))
        return match.group().lower() if match else ""


def word_list(words: Sequence[str], *, language: Language) -> WordList:
    """A list of words to look for."""
    if language == "zh":
        return WordList(re.compile("|".join(map(re.escape, words))))
    parts = [re.escape(word).replace(r"\*", r"\w*") for word in sorted(words, key=len, reverse=True)]
    return WordList(re.compile(rf"(?<![\w'])(?:{'|'.join(parts)})(?![\w'])", re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class FilterWords:
    """The lists of one language.

    Args:
        revealing: by dimension and way, what gives the way away.
        unfit: by way, what nobody asks so.
        praise: what sarcasm turns round: without it, a sentence cannot be meant the other way.
        own: by which a sentence is about who asks.
        hash: of the file.
    """

    revealing: Mapping[Dimension, Mapping[str, WordList]]
    unfit: Mapping[str, WordList]
    praise: WordList
    own: WordList
    hash: str


@functools.cache
def filter_words(language: Language) -> FilterWords:
    """The lists of a language, loaded once."""
    raw = (TEMPLATES / f"words.{language}.json").read_bytes()
    data = json.loads(raw)

    def lists(given: Mapping[str, Sequence[str]]) -> dict[str, WordList]:
        return {way: word_list(words, language=language) for way, words in given.items()}

    return FilterWords(
        revealing={Dimension(name): lists(given) for name, given in data["revealing"].items()},
        unfit=lists(data["unfit"]),
        praise=word_list(data["praise"], language=language),
        own=word_list(data["self"], language=language),
        hash=hashlib.sha256(raw).hexdigest()[:16],
    )
