"""The tag behind a quotation that goes on with its sentence: she screamed, said Tom, 她喊道.

It tells how that quotation is spoken, and no other one. Where a story is cut into speech and narration, the tag is the
beginning of the line behind the speech. English writes it without a capital, or behind a comma; Mandarin lets it end in
a verb of speaking, without a colon, which would announce what follows.
"""

import re

from aptone.types import Language

_SENTENCE_END = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)[.!?…]+(?=\s|$)|\n")
_OPENS_SMALL = re.compile(
    r"[\s—–-]*(?:he|she|they|we|it|the|an?|his|her|my|our|their|(?:\w+ed|said|says|sang|began|spoke|came)\s+"
    r"(?:[A-Z]|he|she|they|the|an?|his|her|my|our|their)[\w’'-]*)\b"
)
"""A pronoun or a description without a capital, or a verb before its subject: the sentence began in the speech. What
only goes on without a capital may be a text with short rows."""
_MANDARIN_TAG = re.compile(
    r"\s*[^，。！？：；,!?:;\n]{0,16}?(?:[说问喊叫嚷吼骂答哭笑叹]|道|低语|自语|惊呼)(?:着|了一句|了一声|了)?"
    r"(?:[。！？…]+|，[^。！？：:\n]{0,60}[。！？…]+|$)"
)


def tag_end(narration: str, *, language: Language, behind: str = "") -> int:
    """How many characters of a narration are the tag of the speech before it; 0 where it has none.

    >>> tag_end("she screamed in terror. Nobody answered.", language="en")
    23
    >>> tag_end("Nobody answered.", language="en"), tag_end("Tom said softly.", language="en", behind="Come,")
    (0, 16)
    >>> tag_end("她喊道。没有人回答。", language="zh"), tag_end("她喊道：", language="zh")
    (4, 0)

    A tag that ends in a comma is counted whole: it stands between two parts of one speech.

    Args:
        narration: without what is quoted.
        language: of the story.
        behind: the speech, where it is known; an English one that ends in a comma has its tag behind it.
    """
    if language == "zh":
        found = _MANDARIN_TAG.match(narration)
        return found.end() if found else 0
    if not (_OPENS_SMALL.match(narration) or behind.rstrip("”’\"' ").endswith(",")):
        return 0
    end = _SENTENCE_END.search(narration)
    return end.end() if end else len(narration)


def ends_a_sentence(tag: str) -> bool:
    """Whether the speech is over with its tag: ``she said.``, and not ``she said,`` between two parts of it."""
    return tag.rstrip()[-1:] in tuple(".!?…。！？")
