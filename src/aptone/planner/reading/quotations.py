"""Quotations in English and Mandarin typography."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CLOSING = {"“": "”", "「": "」", "『": "』", "‘": "’", '"': '"', "＂": "＂"}
"""Opening marks and their closing ones. An apostrophe (’) is never an opening one."""

STRAIGHT = "'"
"""Quotation mark of short plain texts; in a story it is an apostrophe."""

LOW_OPENING = "„"
"""Opening mark that is closed by “ or ”."""

_ENDS_A_SENTENCE = re.compile(r"[.!?…,;:—–\-。！？，；：~～]$")
_SINGLE = re.compile(r"(?<![^\s(—–-])'(\S(?:[^']|(?<=\w)'(?=\w)){0,600}?[,.!?…—–-])'(?!\w)")
_SPEAKING_COLON = re.compile(r"[:：,，]\s*$")


@dataclass(frozen=True, slots=True)
class Quotation:
    """Quotation within a line.

    Args:
        start: index of its opening mark.
        end: index behind its closing mark, or the end of the line where it is not closed.
        is_closed: true if the closing mark is there; a speech over several paragraphs closes at its last one.
    """

    start: int
    end: int
    text: str
    is_closed: bool = True


def with_curly_quotes(lines: Sequence[str]) -> list[str]:
    """Replace straight single quotation marks by ‘ and ’ in the lines of a text that has no others.

    An apostrophe is recognised by what stands beside it; a text with other quotation marks stays as it is.

    >>> with_curly_quotes(["'It's late,' said Tom."])
    ["‘It's late,’ said Tom."]
    """
    other = set(CLOSING) | {LOW_OPENING}
    if any(mark in line for line in lines for mark in other) or not any(map(_SINGLE.search, lines)):
        return list(lines)
    return [_SINGLE.sub("‘\\1’", line) for line in lines]


def find_quotations(line: str, *, straight: bool = False) -> tuple[Quotation, ...]:
    """Return all quotations of a line, in order; nested ones are part of the outer one.

    Args:
        straight: accept ' as an opening mark, except after a letter.

    >>> [found.text for found in find_quotations("“Go,” said Tom. “She said ‘no’.”")]
    ['Go,', 'She said ‘no’.']
    >>> [found.text for found in find_quotations("She says 'it's late' in Tom's voice.", straight=True)]
    ["it's late"]
    """
    return tuple(_quotations(line, straight))


def _quotations(line: str, straight: bool) -> Iterator[Quotation]:
    place = 0
    unclosed: set[str] = set()  # marks that nothing closes any more: looking again would take long in a hostile line
    while place < len(line):
        mark = line[place]
        if mark in unclosed or not (_opens(line, place) or (straight and _opens_straight(line, place))):
            place += 1
            continue
        end = _closing_place(line, place)
        if end < 0:
            if mark not in "\"＂‘'":  # one of these may be inches, or an apostrophe that was set wrongly
                yield Quotation(place, len(line), line[place + 1 :].strip(), is_closed=False)
                return
            unclosed.add(mark)
            place += 1
            continue
        yield Quotation(place, end + 1, line[place + 1 : end].strip())
        place = end + 1


def _opens(line: str, place: int) -> bool:
    mark = line[place]
    if mark == LOW_OPENING:
        return True
    if mark not in CLOSING:
        return False
    if mark in '‘"':  # not after a letter: that is an apostrophe, or 6" of rain
        before = line[place - 1] if place else " "
        return not (before.isascii() and before.isalnum())
    return True


def _opens_straight(line: str, place: int) -> bool:
    before, behind = line[place - 1 : place] or " ", line[place + 1 : place + 2] or " "
    return line[place] == STRAIGHT and not before.isalnum() and not behind.isspace()


def _closing_place(line: str, place: int) -> int:
    mark = line[place]
    if mark == LOW_OPENING:
        return next((index for index in range(place + 1, len(line)) if line[index] in "“”"), -1)
    closing = CLOSING.get(mark, mark)
    depth = 1
    for index in range(place + 1, len(line)):
        if line[index] == closing and not (closing in "’'" and _is_apostrophe(line, index)):
            depth -= 1
            if depth == 0:
                return index
        elif line[index] == mark and mark not in (closing, "‘"):
            depth += 1
    return -1


def _is_apostrophe(line: str, place: int) -> bool:
    around = line[place - 1 : place] + line[place + 1 : place + 2]
    return len(around) == 2 and around.isalpha() and around.isascii()


def is_speech(line: str, quotation: Quotation) -> bool:
    """Return true if a quotation is speech, and not a name, a title or a word in inverted commas.

    Speech is all of its line, ends as a sentence or clause does, or follows a colon or comma.

    >>> line = "The “expert” had left."
    >>> is_speech(line, find_quotations(line)[0])
    False
    """
    rest = (line[: quotation.start] + line[quotation.end :]).strip(" 　—–-…")
    if not rest:
        return True
    if not quotation.text:
        return False
    if _SPEAKING_COLON.search(line[: quotation.start]):
        return True
    return bool(_ENDS_A_SENTENCE.search(quotation.text)) or not quotation.is_closed
