"""Lines that a chat model wrote to be spoken: the words alone, and whether they can be used."""

import re

from aptone.messages import message
from aptone.models.asking.guard import guard
from aptone.types import Language

_HAN = re.compile(r"[\u3400-\u9fff]")
_ASIDE = re.compile(r"[(（*\[【][^)）*\]】]{0,60}[)）*\]】]")
_SPEAKER = re.compile(r"^\s*(?:user|agent|assistant|用户|助手)\s*[:：]\s*", re.IGNORECASE)


def spoken_line(text: str) -> str:
    """The words alone: stage directions and the name of the speaker are taken off, and nothing else is mended.

    >>> spoken_line("User: (shouts) Get out! *slams the door*")
    'Get out!'
    """
    return guard(_ASIDE.sub(" ", _SPEAKER.sub("", text)))


def line_problem(words: str, language: Language, *, longest: int) -> str:
    """Why words cannot be a line in a language; empty if they can.

    >>> line_problem("Bonjour", "zh", longest=100)
    "the words are not in the language 'zh'"
    """
    if not any(character.isalpha() for character in words):
        return message("models.no-words")
    if len(words) > longest:
        return message("models.line-too-long", count=len(words), limit=longest)
    letters = sum(character.isalpha() for character in words)
    han = len(_HAN.findall(words))
    if (language == "zh") != (2 * han > letters):
        return message("models.words-other-language", language=repr(language))
    return ""
