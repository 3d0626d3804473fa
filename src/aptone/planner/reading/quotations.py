"""Quotations in English and Mandarin typography."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CLOSING = {"“": "”", "「": "」", "『": "』", "‘": "’", '"': '"', "＂": "＂", "«": "»", "»": "«", "‹": "›", "﹁": "﹂"}
"""Opening marks and their closing ones. An apostrophe (’) is never an opening one; » opens in texts that close by «."""

STRAIGHT = "'"
"""Quotation mark of short plain texts; in a story it is an apostrophe."""

LOW_OPENING = "„"
"""Opening mark that is closed by “ or ”."""

LONGEST_SPAN = 12
"""Most paragraphs over which a quotation goes on without its mark being repeated."""

_ENDS_A_SENTENCE = re.compile(r"[.!?…,;:—–\-。！？，；：~～][”’\"」』）)]*$")
_SINGLE = re.compile(r"(?<![^\s(—–-])'(\S(?:[^']|(?<=\w)'(?=\w)){0,600}?[,.!?…—–-])'(?!\w)")
_SPEAKING_COLON = re.compile(r"[:：,，]\s*$")
_ELISION = re.compile(
    r"[‘'](?:tis|twas|twere|twill|twould|twixt|em|cause|cos|bout|til|till|tain|ere|neath|gainst|\d)", re.I
)
_ENDS_SPEECH = frozenset('.,!?…—–-;:)”"。，！？；：')
_MAY_OPEN = re.compile(f"[{''.join(CLOSING)}{LOW_OPENING}{STRAIGHT}]")
_BEFORE_OPENING = frozenset(" \t\u3000\u00a0\n(（[—–-:：,，;")


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
    """Replace straight single quotation marks by ‘ and ’ in the lines of a text whose speech stands in them.

    An apostrophe is recognised by what stands beside it; a text whose speech stands in other marks stays as it is.

    >>> with_curly_quotes(["'It's late,' said Tom."])
    ["‘It's late,’ said Tom."]
    """
    other = set(CLOSING) | {LOW_OPENING}
    single = sum(len(_SINGLE.findall(line)) for line in lines)
    opened = sum(line.lstrip()[:1] in other for line in lines)
    inside = opened or any(mark in line for line in lines for mark in other)
    if not single or (inside and single < 3 * max(1, opened)):
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


def paragraph_quotations(lines: Sequence[str]) -> list[tuple[Quotation, ...]]:
    """Return the quotations of each paragraph of a text; one that goes on over paragraphs is in each of them.

    Its mark may be repeated where each paragraph begins, or stand at its beginning and end alone.

    >>> [[found.text for found in line] for line in paragraph_quotations(["“Go", "home.” He left.", "“Go", "“on.”"])]
    [['Go'], ['home.'], ['Go'], ['on.']]
    """
    found = [find_quotations(line) for line in lines]
    place = 0
    while place < len(lines):
        quotations = found[place]
        if not quotations or quotations[-1].is_closed or lines[place][quotations[-1].start] not in "“「『«":
            place += 1
            continue
        mark = lines[place][quotations[-1].start]
        end = _end_of_span(lines, place, mark)
        for inner in range(place + 1, end + 1):
            found[inner] = tuple(_continued(lines[inner], CLOSING[mark], is_last=inner == end))
        place = max(end, place + 1)
    return found


def _end_of_span(lines: Sequence[str], place: int, mark: str) -> int:
    """Return the paragraph that closes a quotation which the next one does not open again; `place` if none does."""
    for number in range(place + 1, min(len(lines), place + 1 + LONGEST_SPAN)):
        opens, closes = lines[number].find(mark), lines[number].find(CLOSING[mark])
        if closes >= 0 and (opens < 0 or closes < opens):
            return number
        if opens >= 0:
            return place
    return place


def _continued(line: str, closing: str, *, is_last: bool) -> Iterator[Quotation]:
    if not is_last:
        yield Quotation(0, len(line), line.strip(), is_closed=False)
        return
    end = line.index(closing)
    yield Quotation(0, end + 1, line[:end].strip())
    for found in find_quotations(line[end + 1 :]):
        yield Quotation(found.start + end + 1, found.end + end + 1, found.text, found.is_closed)


def _quotations(line: str, straight: bool) -> Iterator[Quotation]:
    place = 0
    unclosed: set[str] = set()  # marks that nothing closes any more: looking again would take long in a hostile line
    while (found := _MAY_OPEN.search(line, place)) is not None:
        place = found.start()
        mark = line[place]
        if mark in unclosed or not (_opens(line, place) or (straight and _opens_straight(line, place))):
            place += 1
            continue
        end = _closing_place(line, place)
        if end < 0:
            # Within a line, one of these may be inches, or an apostrophe that was set wrongly.
            if mark not in "\"＂‘'»" or (mark in '"＂‘' and not line[:place].strip() and line[place + 1 :].strip()):
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
    before = line[place - 1] if place else " "
    if mark in '‘"':  # not after a letter: that is an apostrophe, or 6" of rain
        return not (before.isascii() and before.isalnum()) and not (mark == "‘" and _ELISION.match(line, place))
    if mark == "«":
        return before in _BEFORE_OPENING
    if mark == "»":  # the closing mark of most texts: it opens where a word follows
        behind = line[place + 1 : place + 2]
        return before in _BEFORE_OPENING and (behind.isalnum() or behind in tuple("…¿¡—–‘“›"))
    return True


def _opens_straight(line: str, place: int) -> bool:
    before, behind = line[place - 1 : place] or " ", line[place + 1 : place + 2] or " "
    return line[place] == STRAIGHT and not before.isalnum() and not behind.isspace()


def _closing_place(line: str, place: int) -> int:
    mark = line[place]
    if mark == LOW_OPENING:
        return next((index for index in range(place + 1, len(line)) if line[index] in "“”"), -1)
    if mark == "‘":
        return _closing_single(line, place)
    closing = CLOSING.get(mark, mark)
    depth = 1
    for index in range(place + 1, len(line)):
        if line[index] == closing and not (closing in "’'" and _is_apostrophe(line, index)):
            depth -= 1
            if depth == 0:
                return index
        elif line[index] == mark and mark not in (closing, "»"):
            depth += 1
    return -1


def _closing_single(line: str, place: int) -> int:
    """Return where ‘ is closed: behind the end of a clause, rather than at an apostrophe (the boys’ room, o’ them)."""
    first = -1
    inner = 0  # double quotation marks within it
    for index in range(place + 1, len(line)):
        character = line[index]
        if character in "“”":
            inner += 1 if character == "“" else -1
        elif character == "‘" and (line[index - 1].isspace() or line[index - 1] in "“(—–"):
            if first >= 0:
                return first
        elif character == "’" and not _is_apostrophe(line, index) and inner <= 0:
            if line[index - 1] in _ENDS_SPEECH:
                return index
            if first < 0 and not _may_elide(line, index):
                first = index
    return first


def _may_elide(line: str, place: int) -> bool:
    """Return true if ’ may stand for letters: at the beginning or end of a word within a sentence (’em, o’, boys’)."""
    before, behind = line[place - 1 : place], line[place + 1 : place + 2]
    if behind.isalpha() and behind.isascii():
        return True
    following = line[place + 1 : place + 3].lstrip()
    return before in ("s", "n", "o", "d") and behind == " " and following[:1].isalpha() and following[:1].islower()


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
