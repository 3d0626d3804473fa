"""Film scripts: Fountain, and plain text with names on rows of their own above what they say."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aptone.rooms.aptness.books.formats.blocks import Block, LeftOut, LeftOutReason, SourcePlace, SourceText, shortened
from aptone.rooms.aptness.text_files import read_utf8

FEWEST_CUES = 4
"""Fewest speeches from which on a plain text may be a script."""

_SCENE = re.compile(
    r"\s*(?:\d+[A-Z]?[.)]?\s+)?(?:(?:INT|EXT|EST|INT\.?/EXT|EXT\.?/INT|I\.?/E)[. /].+"
    r"|第\s*[零〇一二三四五六七八九十百\d]+\s*[场場幕].*|(?:内景|外景|內景)[.．。、\s].*)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?P<number>\d+[A-Z]?)[.)]?\s+(?P<scene>.+?)(?:\s+(?P=number)[.)]?)?")
_TRANSITION = re.compile(
    r"\s*(?:[A-Z][A-Z ]{1,30} TO:|FADE (?:IN|OUT)[.:]?|CUT TO BLACK[.:]?|THE END|CONTINUED:?|\(?MORE\)?)\s*"
)
_NAME = re.compile(
    r"(?P<name>[A-Z][A-Z0-9 .'’#&/-]{0,36}?[A-Z0-9.)]|[A-Z]|[\u4e00-\u9fff·]{2,8})\s*"
    r"(?P<extensions>(?:\([^()]{1,40}\)\s*|（[^（）]{1,40}）\s*)*)\^?"
)
_CONTINUED = re.compile(r"\(?(?:CONT['’]?D|CONTINUED|CONT\.)\)?", re.IGNORECASE)
_BRACKETS = re.compile(r"\(([^()]{1,200})\)|（([^（）]{1,200})）")
_EMPHASIS = re.compile(r"(?<!\\)(\*{1,3}|_)(?=\S)(.+?)(?<=[^\s\\])\1")
_TITLE_FIELD = re.compile(r"([A-Za-z][A-Za-z ]{1,30}):\s*(.*)")
_PLAY = re.compile(r"^(?P<name>[A-Z][A-Z'’ -]{1,30})\.\s+(?P<said>\S.*)$")


@dataclass(slots=True)
class _Turn:
    """Speech that is being read."""

    role: str
    row: int
    direction: str = ""
    words: list[str] = field(default_factory=list)


def read_fountain(path: Path) -> SourceText:
    """Return the text of a Fountain file.

    Raises:
        RecordError: if it is not UTF-8.
    """
    return fountain_text(read_utf8(path, what="a script"))


def fountain_text(text: str) -> SourceText:
    r"""Return the text of a Fountain script: scene headings, action, and speeches with their directions.

    >>> found = fountain_text("INT. BARN - NIGHT\n\nRain.\n\nTOM (V.O.)\n(angry)\nGet *out*.\n").blocks
    >>> [(block.kind, block.role, block.direction, block.text) for block in found][1:]
    [('action', '', '', 'Rain.'), ('speech', 'TOM', 'V.O., angry', 'Get out.')]
    """
    left_out: list[LeftOut] = []
    text = _without(r"/\*.*?\*/", text, "comment", left_out)
    text = _without(r"\[\[.*?\]\]", text, "comment", left_out)
    rows = text.split("\n")
    title, start = _title_page(rows, left_out)
    return SourceText(tuple(_fountain_blocks(rows, start, left_out)), title, None, tuple(left_out))


def _without(pattern: str, text: str, reason: LeftOutReason, left_out: list[LeftOut]) -> str:
    """Return a text without some parts; rows keep their numbers."""

    def gone(match: re.Match[str]) -> str:
        left_out.append(LeftOut(reason, shortened(match[0].strip("/*[] \n"))))
        return "\n" * match[0].count("\n")

    return re.sub(pattern, gone, text, flags=re.DOTALL)


def _title_page(rows: Sequence[str], left_out: list[LeftOut]) -> tuple[str, int]:
    first = next((number for number, row in enumerate(rows) if row.strip()), 0)
    if not rows or (match := _TITLE_FIELD.match(rows[first])) is None or match[1].lower() not in (
        "title", "credit", "author", "authors", "source", "draft date", "contact", "copyright", "notes", "revision",
    ):  # fmt: skip
        return "", 0
    end = next((number for number in range(first, len(rows)) if not rows[number].strip()), len(rows))
    page = rows[first:end]
    title = ""
    for number, row in enumerate(page):
        if row.lower().startswith("title:"):
            lines = [row.partition(":")[2], *_indented(page[number + 1 :])]
            title = " ".join(_plain(line) for line in lines if line.strip())
    left_out.append(LeftOut("front-matter", shortened(" ".join(page)), SourcePlace("row", first + 1)))
    return title.strip(), end


def _indented(rows: Sequence[str]) -> Iterator[str]:
    for row in rows:
        if not row.startswith((" ", "\t")):
            return
        yield row


def _fountain_blocks(rows: Sequence[str], start: int, left_out: list[LeftOut]) -> Iterator[Block]:
    action: list[str] = []
    begun = start
    turn: _Turn | None = None
    for number in range(start, len(rows) + 1):
        row = rows[number].rstrip("\t") if number < len(rows) else ""
        bare = row.strip()
        if turn is not None:
            if bare or row == "  ":
                _add_to_turn(turn, bare)
            else:
                yield from _speech(turn)
                turn = None
            continue
        blank_before = number == start or not rows[number - 1].strip()
        follows = number + 1 < len(rows) and bool(rows[number + 1].strip())
        kind = _fountain_kind(bare, blank_before=blank_before, follows=follows)
        if action and (kind != "action" or not bare):
            yield Block(" ".join(action), "action", place=SourcePlace("row", begun + 1))
            action = []
        if kind == "action" and bare:
            begun = begun if action else number
            action.append(_plain(bare.removeprefix("!").removeprefix("~").strip("><").strip()))
        elif kind == "character":
            turn = _turn(bare.removeprefix("@"), number)
        elif bare:
            yield from _fountain_mark(kind, bare, SourcePlace("row", number + 1), left_out)
    if turn is not None:
        yield from _speech(turn)


def _fountain_mark(kind: str, row: str, place: SourcePlace, left_out: list[LeftOut]) -> Iterator[Block]:
    """Yield the heading of a section or scene; note what is nothing of the story."""
    if kind == "section":
        yield Block(_plain(row.lstrip("# ")), "heading", min(6, len(row) - len(row.lstrip("#"))), place=place)
    elif kind == "scene":
        yield Block(_plain(re.sub(r"\s*#[^#]+#\s*$", "", row.removeprefix("."))), "heading", 6, place=place)
    else:
        left_out.append(LeftOut("comment", shortened(row), place))


def _fountain_kind(row: str, *, blank_before: bool, follows: bool) -> str:
    if re.fullmatch(r"={3,}", row):
        return "break"
    if row.startswith("#"):
        return "section"
    if row.startswith("="):
        return "synopsis"
    if row.startswith(("!", "~")):
        return "action"
    if re.match(r"\.[^.\s]", row) or (blank_before and _SCENE.fullmatch(row)):
        return "scene"
    if row.startswith(">"):
        return "action" if row.endswith("<") else "transition"
    if blank_before and not follows and _TRANSITION.fullmatch(row):
        return "transition"
    if row.startswith("@") or (blank_before and follows and _NAME.fullmatch(row) and not _TRANSITION.fullmatch(row)):
        return "character"
    return "action"


def _turn(row: str, number: int) -> _Turn:
    row = row.rstrip("^ ")
    match = _NAME.fullmatch(row)
    name, extensions = (match["name"], match["extensions"] or "") if match else (row.partition("(")[0], row)
    said = [one or other for one, other in _BRACKETS.findall(extensions)]
    kept = [one.strip() for one in said if not _CONTINUED.fullmatch(one.strip())]
    return _Turn(name.strip(" :："), number, ", ".join(kept))


def _add_to_turn(turn: _Turn, row: str) -> None:
    bracket = _BRACKETS.fullmatch(row)
    if bracket is not None:
        direction = (bracket[1] or bracket[2]).strip()
        if not _CONTINUED.fullmatch(direction) and direction.upper() != "MORE":
            turn.direction = f"{turn.direction}, {direction}" if turn.direction else direction
    elif row:
        turn.words.append(_plain(row.removeprefix("~")))


def _speech(turn: _Turn) -> Iterator[Block]:
    if turn.words:
        place = SourcePlace("row", turn.row + 1)
        yield Block(" ".join(turn.words), "speech", role=turn.role, direction=turn.direction, place=place)


def _plain(row: str) -> str:
    """Return a row without emphasis."""
    return " ".join(_EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", row)).replace("\\*", "*").replace("\\_", "_").split())


def is_screenplay(rows: Sequence[str]) -> bool:
    """Return true if rows are those of a script: scene headings and names, or names that recur, above their words."""
    cues = [rows[number].strip() for number in _cue_rows(rows)]
    names = Counter(_turn(cue, 0).role for cue in cues)
    scenes = sum(_SCENE.fullmatch(row) is not None for row in rows if row.strip())
    filled = sum(bool(row.strip()) for row in rows)
    recurring = sum(count for count in names.values() if count > 1)
    if len(cues) < FEWEST_CUES and not (scenes and len(cues) >= FEWEST_CUES // 2):
        return False
    return (scenes > 0 and len(cues) >= 0.05 * filled) or (recurring >= 0.8 * len(cues) and len(cues) >= 0.2 * filled)


def _cue_rows(rows: Sequence[str]) -> list[int]:
    """Return the rows that name who speaks: capitals alone on a row, words on the next one."""
    found = []
    for number, row in enumerate(rows):
        bare = row.strip()
        if not bare or len(bare) > 50 or (number and rows[number - 1].strip()):
            continue
        if _SCENE.fullmatch(bare) or _TRANSITION.fullmatch(bare) or _NAME.fullmatch(bare) is None:
            continue
        if re.search(r"[\u4e00-\u9fff]", bare) is None and sum(one.isalpha() for one in bare) < 2:
            continue
        if number + 1 < len(rows) and rows[number + 1].strip():
            found.append(number)
    return found


def screenplay_blocks(rows: Sequence[str], left_out: list[LeftOut]) -> Iterator[Block]:
    """Yield the blocks of a script in plain text; see `is_screenplay`."""
    cues = set(_cue_rows(rows))
    action: list[str] = []
    begun, number = 0, 0
    while number <= len(rows):
        row = rows[number] if number < len(rows) else ""
        bare = row.strip()
        is_heading = bool(_SCENE.fullmatch(bare)) if bare else False
        if (not bare or number in cues or is_heading or _TRANSITION.fullmatch(bare)) and action:
            yield Block(" ".join(action), "action", place=SourcePlace("row", begun + 1))
            action = []
        if number in cues:
            turn = _turn(bare, number)
            number += 1
            while number < len(rows) and rows[number].strip():
                _add_to_turn(turn, rows[number].strip())
                number += 1
            yield from _speech(_joined_directions(turn))
            continue
        if is_heading:
            yield Block(_unnumbered(bare), "heading", 6, place=SourcePlace("row", number + 1))
        elif bare and _TRANSITION.fullmatch(bare):
            left_out.append(LeftOut("comment", bare, SourcePlace("row", number + 1)))
        elif bare:
            begun = begun if action else number
            action.append(bare)
        number += 1


def _unnumbered(heading: str) -> str:
    """Return the heading of a scene without its number, which shooting scripts set at both margins.

    >>> _unnumbered("12A  INT. BARN - NIGHT      12A"), _unnumbered("INT. ROOM 12")
    ('INT. BARN - NIGHT', 'INT. ROOM 12')
    """
    match = _NUMBERED.fullmatch(heading.strip())
    return match["scene"].strip() if match is not None else heading


def _joined_directions(turn: _Turn) -> _Turn:
    """Return a turn whose direction over two rows is no words: ``(whispering,`` and ``to Ann)``."""
    text = " ".join(turn.words)
    match = re.match(r"[(（]([^()（）]{1,200})[)）]\s*", text)
    if match is None:
        return turn
    direction = f"{turn.direction}, {match[1]}" if turn.direction else match[1]
    return _Turn(turn.role, turn.row, direction, [text[match.end() :]] if text[match.end() :] else [])


def play_label(row: str, names: Counter[str]) -> tuple[str, str] | None:
    """Return name and words of a row of a play, ``HAMLET. To be``; None if the name does not recur."""
    match = _PLAY.match(row)
    return (match["name"].strip(), match["said"]) if match is not None and names[match["name"].strip()] > 1 else None


def play_names(rows: Sequence[str]) -> Counter[str]:
    """Return how often each name in capitals stands before a full stop at the beginning of a row."""
    return Counter(match["name"].strip() for row in rows if (match := _PLAY.match(row)) is not None)
