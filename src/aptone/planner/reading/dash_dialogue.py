"""Dialogue that opens with a dash in place of quotation marks: ``— Go, said Tom.``, ``—Go —said Tom—. Now.``."""

import re
from collections.abc import Iterator, Sequence

from aptone.planner.reading.quotations import CLOSING, LOW_OPENING, Quotation
from aptone.planner.reading.speech_tags import tag_length

FEWEST_TURNS = 2
"""Fewest paragraphs with a dash from which on dashes may be the manner of a text."""

_OPENING = re.compile(r"\s*(?:—{1,2}|–|―|──?|--?(?=\s))[\s\u00a0]*(?=[^\s—–―\d-])")
_DASH = re.compile(r"(?<=[\w.,!?…。，！？’”)])\s*(?:[—–―]|(?<=\s)--?(?=\s))\s*(?=\S)")
_CLAUSE = re.compile(r"[,!?…，。！？.]+\s*")
_SENTENCE = re.compile(r"[.!?…。！？]+\s*")
_NARRATION = re.compile(r"(?:He|She|They|It|His|Her|Their|The)\s+[a-z]|[他她它]")


def opens_with_dash(line: str) -> int:
    """Return the length of the dash that opens a line of dialogue; 0 without one.

    >>> opens_with_dash("— Go!"), opens_with_dash("—Go!"), opens_with_dash("- 3 eggs"), opens_with_dash("Go!")
    (2, 1, 0, 0)
    """
    match = _OPENING.match(line)
    return match.end() if match is not None else 0


def is_dash_dialogue(lines: Sequence[str]) -> bool:
    """Return true if paragraphs of a text mark speech by a dash, and hardly any by quotation marks."""
    dashes = sum(opens_with_dash(line) > 0 for line in lines)
    marks = sum(line.lstrip()[:1] in CLOSING or line.lstrip()[:1] == LOW_OPENING for line in lines)
    return dashes >= FEWEST_TURNS and dashes >= 3 * marks


def dash_quotations(line: str) -> tuple[Quotation, ...]:
    """Return the speech of a paragraph that opens with a dash, without the tags within it.

    >>> [found.text for found in dash_quotations("—Go away, said Tom. Do not come back.")]
    ['Go away,', 'Do not come back.']
    >>> [found.text for found in dash_quotations("— Go away, — said Tom, — and stay there.")]
    ['Go away,', 'and stay there.']
    """
    start = opens_with_dash(line)
    if not start:
        return ()
    return tuple(
        Quotation(begin, end, line[begin:end].strip(" \u00a0—–―")) for begin, end in _spans(line, start) if end > begin
    )


def _spans(line: str, start: int) -> Iterator[tuple[int, int]]:
    begin = 0 if not line[:start].strip(" \u00a0—–―─-") else start
    for match in _CLAUSE.finditer(line, start):
        place = match.end()
        dash = _DASH.match(line, match.end() - len(match.group()) + len(match.group().rstrip()))
        if dash is not None:
            place = dash.end()
        if (found := _tag_end(line, place, dashed=dash is not None)) is None:
            continue
        yield begin, match.end()
        if found < len(line):
            yield from _rest(line, found)
        return
    for dash in _DASH.finditer(line, start):  # ``Go away —said Tom``: no clause ends before the tag
        if (found := _tag_end(line, dash.end(), dashed=True)) is not None:
            yield begin, dash.start()
            if found < len(line):
                yield from _rest(line, found)
            return
    yield begin, len(line)


def _rest(line: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the speech behind a tag; a further tag may stand in it."""
    yield from _spans(line, start)


def _tag_end(line: str, place: int, *, dashed: bool) -> int | None:
    """Return the index at which the speech goes on behind a tag at a place; None if there is no tag."""
    length = tag_length(line[place:])
    if not length:
        return None
    if dashed and (again := re.compile(r"\s*[—–―][.,]?\s*").search(line, place + length)) is not None:
        return again.end()
    end = _SENTENCE.search(line, place + length)
    if end is None:
        return len(line)
    return len(line) if _NARRATION.match(line, end.end()) else end.end()
