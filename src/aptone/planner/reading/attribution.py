"""Speaker attribution: roles for the lines of a story, by rules; unknown rather than guessed.

A role is taken from a tag beside the quotation (`speech_tags`). Where two people talk in turn, the lines between their
tagged ones follow from the turns, but only as long as nothing speaks against it. A pronoun names nobody.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from aptone.planner.reading.dash_dialogue import dash_quotations, is_dash_dialogue, opens_with_dash
from aptone.planner.reading.quotations import (
    CLOSING,
    LOW_OPENING,
    Quotation,
    find_quotations,
    is_speech,
    paragraph_quotations,
)
from aptone.planner.reading.speech_tags import UNNAMED, script_label, tag_after, tag_before, tag_with_colon
from aptone.types import Line

LONGEST_RUN = 6
"""Most turns without a tag in which two speakers are assumed to alternate; later, a third may have joined."""


@dataclass(slots=True)
class _Spoken:
    """Line that holds speech.

    Args:
        role: speaker; empty where unknown.
        tag: true if a tag names the speaker, or an unnamed one.
        begins: true if the line begins with the speech, as turns in an exchange do.
        continues: true if it continues the speech of the line before.
        parts: spans of the speech in the line.
        label: characters at the beginning that only name the speaker, as in a script.
        direction: stage direction in the label.
    """

    role: str = ""
    tag: bool = False
    begins: bool = False
    continues: bool = False
    parts: list[tuple[int, int]] = field(default_factory=list)
    label: int = 0
    direction: str = ""


def attribute(lines: Sequence[Line], *, roles: Iterable[str] = ()) -> tuple[Line, ...]:
    """Return the lines with the roles of those that hold speech, where known.

    A role that a line has already stays. Narration has none.

    >>> [line.role for line in attribute([Line("“Go,” said Tom."), Line("“No,” said Ann."), Line("“Go!”")])]
    ['Tom', 'Ann', 'Tom']

    Args:
        roles: names that are known beforehand.
    """
    return tuple(
        line if line.role or spoken is None else replace(line, role=spoken.role)
        for line, spoken in zip(lines, _speakers(lines, roles), strict=True)
    )


def split_speech(lines: Sequence[Line], *, roles: Iterable[str] = ()) -> tuple[Line, ...]:
    """Split lines into speech and narration: a paragraph that holds both is cut at its quotation marks.

    Speech stays speech where nobody is known to say it.

    >>> [(line.text, line.role, line.is_speech) for line in split_speech([Line("“Go,” said Tom."), Line("“Now?”")])]
    [('Go,', 'Tom', True), ('said Tom.', '', False), ('Now?', '', True)]
    """
    return tuple(piece for pieces in split_paragraphs(lines, roles=roles) for piece in pieces)


def split_paragraphs(lines: Sequence[Line], *, roles: Iterable[str] = ()) -> list[tuple[Line, ...]]:
    """Return for each line the pieces that `split_speech` cuts it into."""
    return [tuple(_pieces(line, spoken)) for line, spoken in zip(lines, _speakers(lines, roles), strict=True)]


def paragraph_pieces(line: Line) -> tuple[Line, ...]:
    """Cut a paragraph at its quotation marks, or behind the label of a script; speech keeps the paragraph's role.

    >>> [(piece.text, piece.role) for piece in paragraph_pieces(Line("“Go,” said Tom. “Now.”", "Tom"))]
    [('Go,', 'Tom'), ('said Tom.', ''), ('Now.', 'Tom')]
    >>> paragraph_pieces(Line("TOM (furious): Get out."))[0].direction
    'furious'
    """
    quotations = [quotation for quotation in find_quotations(line.text) if is_speech(line.text, quotation)]
    if quotations:
        parts = [(quotation.start, quotation.end) for quotation in quotations]
        return tuple(_pieces(Line(line.text), _Spoken(line.role, parts=parts)))
    label = script_label(line.text)
    if label is None or (line.role and line.role != label.name):
        return (line,)
    return (Line(label.said, label.name, speech=True, direction=label.direction),)


def _pieces(line: Line, spoken: _Spoken | None) -> Iterator[Line]:
    if spoken is None or line.role:
        yield line
        return
    place = spoken.label
    goes_on = line.continues
    for start, end in spoken.parts:
        if _has_words(narration := line.text[place:start].strip()):
            yield Line(narration, continues=goes_on)
            goes_on = True
        said = _words_of(line.text[start:end])
        yield Line(said, spoken.role, speech=True, continues=goes_on, direction=spoken.direction)
        goes_on = True
        place = end
    if _has_words(narration := line.text[place:].strip()):
        yield Line(narration, continues=goes_on)


def _words_of(speech: str) -> str:
    """Return the words of a quotation without its own marks; those of a quotation within it stay.

    >>> _words_of("“‘Go’ is what he said.”"), _words_of("“He said ‘go’")
    ('‘Go’ is what he said.', 'He said ‘go’')
    """
    words = speech.strip(" \u3000\u00a0")
    if dash := opens_with_dash(words):
        return words[dash:].strip(" \u00a0—–―")
    mark = words[:1]
    if mark in CLOSING or mark == LOW_OPENING:
        words = words[1:]
        closing = "“”" if mark == LOW_OPENING else CLOSING[mark]
        return words.removesuffix(next((one for one in closing if words.endswith(one)), "")).strip(" \u3000\u00a0")
    return words.rstrip("”」』»").strip(" \u3000\u00a0")


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def speech_spans(lines: Sequence[str]) -> list[tuple[Quotation, ...]]:
    """Return the speech of each paragraph of a text, in quotation marks or behind dashes."""
    by_dash = is_dash_dialogue(lines)
    return [
        dash_quotations(line)
        if by_dash and opens_with_dash(line)
        else tuple(quotation for quotation in found if is_speech(line, quotation))
        for line, found in zip(lines, paragraph_quotations(lines), strict=True)
    ]


def _speakers(lines: Sequence[Line], roles: Iterable[str]) -> list[_Spoken | None]:
    common = {word for line in lines for word in re.findall(r"\b[a-z][a-z’'-]+\b", line.text)}
    known = {*roles, *(line.role for line in lines if line.role), *_script_names(lines)}
    spans = speech_spans([line.text for line in lines])
    found = _tagged(lines, spans, known, common)
    # Names that a tag gave away are then known where a tag is less plain.
    known |= {spoken.role for spoken in found if spoken is not None and spoken.role}
    found = _tagged(lines, spans, known, common)
    for exchange in _exchanges(found):
        _alternate(exchange, lines, found)
    return found


def _script_names(lines: Sequence[Line]) -> set[str]:
    """Return names before a colon that recur or have a direction; a word that stands there once may be anything."""
    labels = [label for line in lines if (label := script_label(line.text)) is not None]
    names = Counter(label.name for label in labels)
    sure = {label.name for label in labels if label.direction or label.is_sure}
    return {name for name, count in names.items() if count > 1 or name in sure}


def _tagged(
    lines: Sequence[Line], spans: Sequence[Sequence[Quotation]], known: set[str], common: set[str]
) -> list[_Spoken | None]:
    found: list[_Spoken | None] = []
    is_open = False
    for line, quotations in zip(lines, spans, strict=True):
        spoken = _spoken(line, quotations, known, common, is_open=is_open)
        if spoken is not None and spoken.continues and not spoken.role and found and found[-1] is not None:
            spoken.role, spoken.tag = found[-1].role, found[-1].tag
        is_open = bool(quotations) and not quotations[-1].is_closed
        found.append(spoken)
    return found


def _spoken(
    line: Line, quotations: Sequence[Quotation], known: set[str], common: set[str], *, is_open: bool
) -> _Spoken | None:
    text = line.text
    if line.role:
        return _Spoken(line.role, tag=True, begins=True, parts=[(0, len(text))])
    if not quotations:
        return _without_quotation(text, known, common)
    role = _role(text, quotations, known, common)
    begins = not text[: quotations[0].start].strip(" 　—–-…")
    return _Spoken(
        role="" if role == UNNAMED else role,
        tag=bool(role),
        begins=begins,
        continues=is_open and begins,
        parts=[(quotation.start, quotation.end) for quotation in quotations],
    )


def _without_quotation(text: str, known: set[str], common: set[str]) -> _Spoken | None:
    role, said = tag_with_colon(text, known=known, common=common)
    start = len(text) - len(said)
    if role:
        return _Spoken("" if role == UNNAMED else role, tag=True, begins=True, parts=[(start, len(text))])
    label = script_label(text)
    if label is None or label.name not in known:
        return None
    start = len(text) - len(label.said)
    parts = [(start, len(text))]
    return _Spoken(label.name, tag=True, begins=True, parts=parts, label=start, direction=label.direction)


def _role(text: str, quotations: Sequence[Quotation], known: set[str], common: set[str]) -> str:
    """Return the one speaker whom the tags of a line name; two different ones make it unknown."""
    tags: list[str] = []
    for index, quotation in enumerate(quotations):
        start = quotations[index - 1].end if index else 0
        end = quotations[index + 1].start if index + 1 < len(quotations) else len(text)
        tags.append(tag_after(text[quotation.end : end], said=quotation.text, known=known, common=common))
        tags.append(tag_before(text[start : quotation.start], known=known, common=common))
    names = {tag for tag in tags if tag and tag != UNNAMED}
    if len(names) == 1:
        return names.pop()
    return UNNAMED if names or UNNAMED in tags else ""


def _exchanges(found: Sequence[_Spoken | None]) -> Iterator[list[list[int]]]:
    """Yield runs of lines that begin with speech, as turns: a speech over several lines is one turn."""
    turns: list[list[int]] = []
    for index, spoken in enumerate(found):
        if spoken is None or not spoken.begins:
            if turns:
                yield turns
            turns = []
        elif spoken.continues and turns:
            turns[-1].append(index)
        else:
            turns.append([index])
    if turns:
        yield turns


def _alternate(turns: Sequence[Sequence[int]], lines: Sequence[Line], found: Sequence[_Spoken | None]) -> None:
    """Assign turns without a tag to two alternating speakers, unless a tag contradicts it."""
    speakers = [found[turn[0]] for turn in turns]
    roles = [spoken.role if spoken is not None else "" for spoken in speakers]
    sides = [{role for role in roles[parity::2] if role} for parity in (0, 1)]
    if any(len(side) != 1 for side in sides) or sides[0] == sides[1]:
        return
    names = [side.copy().pop() for side in sides]
    since: int | None = None  # turns since the last one with a tag; none before the first
    for number, turn in enumerate(turns):
        spoken = speakers[number]
        if spoken is None or spoken.role:
            since = 0
            continue
        if since is None:
            continue
        since += 1
        name = names[number % 2]
        addresses_itself = any(name in lines[index].text for index in turn)
        if since > LONGEST_RUN or addresses_itself:
            return
        if spoken.tag:  # somebody without a name
            continue
        for index in turn:
            if (line_of_turn := found[index]) is not None:
                line_of_turn.role = name
