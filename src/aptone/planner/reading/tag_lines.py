"""Tags as lines of their own: narration that belongs to the speech beside it, apart from narration that tells more.

A tag is the sentence of a paragraph that names who speaks and how ("said Tom, laughing."), or a short deed between or
beside speech ("Tom laughed."). A reader says it in passing; it is no line of its own to judge, but tells of the speech.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from aptone.planner.reading.scene import ENDS_IN_TAG, ENGLISH_END, MANDARIN_END
from aptone.planner.reading.speech_tags import tag_length
from aptone.types import Language, Line

SHORT_DEED: dict[Language, int] = {"en": 12, "zh": 18}
"""Most words (Mandarin: characters) of narration beside speech that is a tag whatever it says."""

LONGEST_TAG: dict[Language, int] = {"en": 36, "zh": 48}
"""Most words (Mandarin: characters) of a tag; a longer sentence is cut at a comma, near the speech."""

_WORD = re.compile(r"[\w’'-]+")
_CHARACTER = re.compile(r"[\u3400-\u9fff]|[A-Za-z0-9]+")
_COMMA = re.compile(r"[,;，；、]\s*")
_OPEN_SPEECH = re.compile(r"(?:[,，—–-])[”’\"」』]*$")


class MarkedLine(NamedTuple):
    """Piece of a paragraph, and whether it is a tag."""

    line: Line
    is_tag: bool = False


def mark_tags(pieces: Sequence[Line], language: Language) -> list[tuple[MarkedLine, ...]]:
    """Return for each piece of paragraphs (see `split_speech`) its parts: tags marked, and cut from other narration.

    >>> pieces = [Line("Go,", "Tom"), Line("said Tom.", continues=True), Line("It rained.")]
    >>> [[(one.line.text, one.is_tag) for one in parts] for parts in mark_tags(pieces, "en")]
    [[('Go,', False)], [('said Tom.', True)], [('It rained.', False)]]
    """
    found: list[tuple[MarkedLine, ...]] = []
    for place, piece in enumerate(pieces):
        if piece.is_speech:
            found.append((MarkedLine(piece),))
            continue
        before = pieces[place - 1] if place and piece.continues else None
        behind = pieces[place + 1] if place + 1 < len(pieces) and pieces[place + 1].continues else None
        before = before if before is not None and before.is_speech else None
        behind = behind if behind is not None and behind.is_speech else None
        alone = before is None and behind is None
        if alone and place + 1 < len(pieces) and pieces[place + 1].is_speech and _announces(piece.text, language):
            behind = pieces[place + 1]  # ``Tom said:``, and the speech in a paragraph of its own
        found.append(tuple(_marked(piece, before, behind, language)))
    return found


def _marked(piece: Line, before: Line | None, behind: Line | None, language: Language) -> Iterator[MarkedLine]:
    if before is None and behind is None:
        yield MarkedLine(piece)
        return
    text = piece.text
    if _size(text, language) <= SHORT_DEED[language]:
        yield MarkedLine(piece, is_tag=True)
        return
    head = _tag_behind(text, before, language) if before is not None else 0
    tail = _tag_ahead(text, language) if behind is not None else len(text)
    if head >= tail:
        head = tail = len(text)
    parts = [(text[:head], True), (text[head:tail], False), (text[tail:], True)]
    goes_on = piece.continues
    for words, is_tag in parts:
        if words.strip():
            yield MarkedLine(replace(piece, text=words.strip(), continues=goes_on), is_tag)
            goes_on = True


def _tag_behind(text: str, speech: Line, language: Language) -> int:
    """Return the length of the tag that follows a speech; 0 without one."""
    end = _first_sentence(text, language)
    sentence = text[:end]
    attached = bool(_OPEN_SPEECH.search(speech.text)) or tag_length(sentence) > 0
    if language == "en":
        attached = attached or sentence.lstrip(" —–-,")[:1].islower()
    else:
        clause = re.split(r"[，,。！？；]", sentence.lstrip("，,—- "), maxsplit=1)[0]
        attached = tag_length(sentence) > 0 or bool(ENDS_IN_TAG.search(clause))
    if not attached:
        return 0
    if _size(sentence, language) > LONGEST_TAG[language]:
        cuts = [match.end() for match in _COMMA.finditer(sentence)]
        short = [cut for cut in cuts if _size(sentence[:cut], language) <= LONGEST_TAG[language]]
        end = short[-1] if short else end
    rest = text[end:]
    return len(text) if rest.strip() and _size(text, language) <= SHORT_DEED[language] else end


def _tag_ahead(text: str, language: Language) -> int:
    """Return the index at which the tag that announces a speech begins; the length of the text without one."""
    if not _announces(text, language):
        return len(text)
    ends = [match.end() for match in (ENGLISH_END if language == "en" else MANDARIN_END).finditer(text.rstrip())]
    start = next((end for end in reversed(ends) if end < len(text.rstrip())), 0)
    if _size(text[start:], language) > LONGEST_TAG[language]:
        cuts = [start + match.end() for match in _COMMA.finditer(text[start:].rstrip()[:-1])]
        long = [cut for cut in cuts if _size(text[cut:], language) <= LONGEST_TAG[language]]
        start = long[0] if long else start
    return start


def _announces(text: str, language: Language) -> bool:
    words = text.rstrip(" —–-\u3000")
    if words.endswith((":", "：")):
        return True
    if language == "zh":
        return words.endswith(("，", ",")) or bool(ENDS_IN_TAG.search(words))
    return words.endswith(",") or text.rstrip().endswith(("—", "–"))


def _first_sentence(text: str, language: Language) -> int:
    match = (ENGLISH_END if language == "en" else MANDARIN_END).search(text)
    return match.end() if match is not None else len(text)


def _size(text: str, language: Language) -> int:
    return len((_WORD if language == "en" else _CHARACTER).findall(text))
