"""A story as ordered lines: narration, or what a role says.

Files that are understood, by their ending:

===================  =====================================================================================
``.txt`` (any other)  one line of the story on each line that is not empty
``.jsonl``            one line of the story on each: a text, or ``{"role": …, "text": …}``
``.json``             an array of such lines, or ``{"language": …, "lines": [...]}``
``.srt``              subtitles, one line of the story for each, with its times
===================  =====================================================================================

A record of a manifest, with our names or those of the public CEAEval release, is a story too: the lines before the
target, the target, the lines after it.
"""

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from textwrap import shorten
from typing import Literal, NamedTuple

from aptone.errors import RecordError, UsageError
from aptone.planner.reading.attribution import attribute, paragraph_pieces
from aptone.planner.reading.quotations import with_curly_quotes
from aptone.planner.reading.speech_tags import script_label
from aptone.rooms.aptness.books.subtitles import read_subtitles
from aptone.rooms.aptness.text_file import read_utf8
from aptone.types import Json, Language, Line, Segment, from_json, language_of_text, loads

NEAR = 0.6
"""Share of characters from which on a line counts as the one that was meant, for a hint."""

LONGEST_SHOWN = 80
"""Characters of such a line that are shown."""

_AROUND_WORDS = '“”„「」『』‘’"＂ \t\n\u3000'
"""Quotation marks and spaces that may stand around words that were copied from a story."""

LONGEST_LINE = 20_000
"""Characters of one line; what is longer is a file without line breaks, or no story."""


class LineContext(NamedTuple):
    """A line of a story with what stands before and after it."""

    before: tuple[Line, ...]
    target: Line
    after: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """A story as ordered lines.

    Args:
        language: language of the story; by default that of its characters.
        times: time of each line, where known; as many as there are lines, or none.

    Raises:
        ValueError: if there are times, but not one for each line.
    """

    lines: tuple[Line, ...]
    language: Language
    times: tuple[Segment, ...] = ()
    source: str = "story"

    def __post_init__(self) -> None:
        if self.times and len(self.times) != len(self.lines):
            raise ValueError(f"{self.source}: {len(self.lines)} lines, but {len(self.times)} times.")

    def find(self, words: str, *, occurrence: int | None = None) -> int:
        """The place of the line that holds some words.

        Args:
            words: words of the line, as they stand in the story.
            occurrence: number of the line among several that hold them, from 1 on.

        Raises:
            UsageError: if no line holds them, or several do and none was chosen.
        """
        wanted = words.strip()
        if not wanted:
            raise UsageError(f"{self.source}: the words of the line are missing.")
        places = [place for place, line in enumerate(self.lines) if wanted in line.text]
        if not places and (pattern := _loosely(wanted)) is not None:
            places = [place for place, line in enumerate(self.lines) if pattern.search(line.text)]
        if occurrence is None and len(places) == 1:
            return places[0]
        if occurrence is not None and 1 <= occurrence <= len(places):
            return places[occurrence - 1]
        counted = {0: "no line holds", 1: "only one line holds"}.get(len(places), f"{len(places)} lines hold")
        choice = f", or say which one (--occurrence, from 1 to {len(places)})" if len(places) > 1 else ""
        near = get_close_matches(wanted, [line.text for line in self.lines], n=1, cutoff=NEAR) if not places else ()
        nearest = "".join(f" The nearest one is {shorten(text, LONGEST_SHOWN, placeholder='…')!r}." for text in near)
        raise UsageError(f"{self.source}: {counted} {words!r}; give the words of exactly one line{choice}.{nearest}")

    def around(self, place: int) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
        """The lines before and after one of them."""
        return self.lines[:place], self.lines[place + 1 :]

    def around_words(self, place: int, words: str) -> LineContext:
        """The words of one line as it is spoken, with everything before and after them.

        A paragraph is cut at its quotation marks: what stands beside the words is narration, or other speech.

        Args:
            words: words of the line, as they stand in the story.
        """
        before, after = self.around(place)
        pieces = paragraph_pieces(self.lines[place])
        wanted = words.strip(_AROUND_WORDS)
        if wanted not in self.lines[place].text and (pattern := _loosely(wanted)) is not None:
            found = pattern.search(self.lines[place].text)
            wanted = found.group().strip(_AROUND_WORDS) if found is not None else wanted
        holding = [number for number, piece in enumerate(pieces) if wanted in piece.text]
        if not holding:  # copied with its tag: the one speech in it is the line
            holding = [number for number, piece in enumerate(pieces) if piece.is_speech and piece.text in wanted]
            wanted = pieces[holding[0]].text if len(holding) == 1 else wanted
        if len(holding) != 1:
            return LineContext(before, Line(wanted or words.strip(), self.lines[place].role), after)
        number = holding[0]
        piece = pieces[number]
        head, _, tail = piece.text.partition(wanted)
        if not any(character.isalnum() for character in tail):  # "Go" of "Go," is the whole of it
            wanted, tail = (wanted + tail).rstrip().rstrip(_AROUND_WORDS), ""
        first = (replace(piece, text=head.strip()),) if head.strip(_AROUND_WORDS) else ()
        last = (replace(piece, text=tail.strip(), continues=True),) if tail.strip(_AROUND_WORDS) else ()
        target = replace(piece, text=wanted, continues=bool(first) or piece.continues)
        return LineContext(before + pieces[:number] + first, target, last + pieces[number + 1 :] + after)


def _loosely(words: str) -> re.Pattern[str] | None:
    """Words in any case, quotation marks and spaces, without punctuation at their ends; None if nothing is left."""
    plain = words.strip(string.punctuation + string.whitespace + "“”‘’「」『』，。！？；：、…—")
    if not plain:
        return None
    parts = []
    for part in re.split(r"(\s+|['’‘]|[\"“”])", plain):
        if not part:
            continue
        if part.isspace():
            parts.append(r"\s+")
        else:
            parts.append("['’‘]" if part in "'’‘" else '["“”]' if part in '"“”' else re.escape(part))
    return re.compile("".join(parts), flags=re.IGNORECASE)


def load_story(path: Path, *, language: Language | None = None, roles: bool = True) -> Story:
    """The story in a file.

    Args:
        path: path of the file; formats as in the table above.
        language: language of the story; by default that of its characters.
        roles: whether to say who speaks, by rules, where the file does not.

    Raises:
        RecordError: if the file is not UTF-8, is empty, or cannot be understood; the message names the line.
    """
    kind = path.suffix.lower()
    times: tuple[Segment, ...] = ()
    stated: Language | None = None
    if kind == ".srt":
        cues = read_subtitles(path)
        lines, times = tuple(Line(cue.text) for cue in cues), tuple(cue.time for cue in cues)
    elif kind in (".jsonl", ".json"):
        lines, stated = _from_json(path, read_utf8(path, what="a story"))
    else:
        text = read_utf8(path, what="a story")
        lines = tuple(Line(line.strip()) for line in text.splitlines() if line.strip())
    return make_story(lines, language=language or stated, times=times, source=str(path), roles=roles)


def make_story(
    lines: Sequence[Line | str],
    *,
    language: Language | None = None,
    times: Sequence[Segment] = (),
    source: str = "story",
    roles: bool = True,
) -> Story:
    """The story of some lines.

    Args:
        language: language of the story; by default that of its characters.
        times: time of each line, where known.
        roles: whether to say who speaks, by rules, where the lines do not.

    Raises:
        RecordError: if there is no line, or one is too long.
    """
    made = tuple(Line(line) if isinstance(line, str) else line for line in lines)
    if not any(line.role for line in made):
        texts = with_curly_quotes([line.text for line in made])
        made = tuple(replace(line, text=text) for line, text in zip(made, texts, strict=True))
    if not any(line.text.strip() for line in made):
        raise RecordError(f"{source}: the story is empty; expected at least one line of text.")
    for number, line in enumerate(made, start=1):
        if len(line.text) > LONGEST_LINE:
            raise RecordError(
                f"{source}: line {number} has {len(line.text):,} characters, and a line of a story has at most "
                f"{LONGEST_LINE:,}; break it where somebody else begins to speak."
            )
    spoken = attribute([_without_time(line) for line in made]) if roles else made
    return Story(spoken, language or language_of(made), tuple(times), source)


def _without_time(line: Line) -> Line:
    """A message of a chat as a turn of who wrote it; any other line as it is."""
    label = script_label(line.text) if not line.role else None
    return replace(line, text=label.said, role=label.name) if label is not None and label.is_sure else line


def language_of(lines: Sequence[Line]) -> Language:
    """The language by its characters: Mandarin where at least a third of the letters are Chinese characters.

    >>> language_of([Line("“睡吧，Tom。”")]), language_of([Line("The sign read 出口.")])
    ('zh', 'en')
    """
    return language_of_text("".join(line.text for line in lines))


def _from_json(path: Path, text: str) -> tuple[tuple[Line, ...], Language | None]:
    if path.suffix.lower() == ".jsonl" and not text.lstrip().startswith("["):
        rows = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
        entries = [(f"{path}, line {number}", loads(row, what=f"{path}, line {number}")) for number, row in rows]
        return tuple(_line(data, where) for where, data in entries), None
    whole = loads(text, what=str(path)) if text.strip() else []
    language: Language | None = None
    if isinstance(whole, Mapping):
        language = _stated_language(whole.get("language"), path)
        if unknown := sorted(set(whole) - {"language", "lines"}):
            raise RecordError(f"{path}: unknown field {unknown[0]!r}; a story has language and lines.")
        whole = whole.get("lines")
    if not isinstance(whole, Sequence) or isinstance(whole, str):
        raise RecordError(f'{path}: expected an array of lines, or an object with them under "lines".')
    return tuple(_line(data, f"{path}, line {number}") for number, data in enumerate(whole, start=1)), language


def _stated_language(data: Json, path: Path) -> Language | None:
    choices: dict[Json, Literal["en", "zh"] | None] = {None: None, "en": "en", "zh": "zh"}
    if not (data is None or isinstance(data, str)) or data not in choices:
        raise RecordError(f"{path}: the language is en or zh, got {data!r}.")
    return choices[data]


def _line(data: Json, where: str) -> Line:
    if isinstance(data, str):
        return Line(data.strip())
    try:
        line = from_json(Line, data)
    except RecordError as error:
        raise RecordError(
            f'{where}: {error} A line of a story is a text, or {{"role": …, "text": …}}; records with recordings are '
            "read as a manifest."
        ) from error
    return Line(line.text.strip(), line.role.strip())
