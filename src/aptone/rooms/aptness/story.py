"""A story as ordered lines, narration or what a role says, read with care: UTF-8, or a clear word why not.

Files that are understood, by their ending:

===================  =====================================================================================
``.txt`` (any other)  one line of the story on each line that is not empty
``.jsonl``            one line of the story on each: a text, or ``{"role": …, "text": …}``
``.json``             an array of such lines, or ``{"language": …, "lines": [...]}``
``.srt``              subtitles (SubRip), one line of the story for each, with its times; clips are cut by them
===================  =====================================================================================

A record of a manifest, with our names or those of the public CEAEval release, is a story too: the lines before the
target, the target, the lines after it.
"""

import codecs
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import pairwise, takewhile
from pathlib import Path
from textwrap import shorten
from typing import Literal, NamedTuple

from aptone.errors import RecordError, UsageError
from aptone.planner.reading.attribution import attribute, paragraph_pieces
from aptone.planner.reading.quotations import with_curly_quotes
from aptone.planner.reading.speech_tags import script_label
from aptone.types import Json, Language, Line, Segment, from_json, language_of_text, loads

LARGEST_TEXT = 256 * 2**20
"""Bytes of a file; the longest novels have a few million characters."""

_OTHER_MARKS = {  # those of UTF-32 begin as those of UTF-16 do, so they come first
    "UTF-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "UTF-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}


def read_utf8(path: Path, *, what: str) -> str:
    r"""The text of a file in UTF-8, with or without a byte order mark; every line ends in ``\n``.

    Args:
        what: it is to be read as, for messages: "a story".

    Raises:
        RecordError: if it cannot be opened, is too large, or is not UTF-8; then with how to convert it.
    """
    refusal = f"{path}: cannot be read as {what}"
    try:
        if path.stat().st_size > LARGEST_TEXT:
            raise RecordError(f"{refusal} (it has more than {LARGEST_TEXT // 2**20} MiB); cut it into parts.")
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise RecordError(f"{refusal} (there is no such file); check the path.") from error
    except IsADirectoryError as error:
        raise RecordError(f"{refusal} (it is a folder); name a file in it.") from error
    except OSError as error:
        raise RecordError(f"{refusal} ({error.strerror or error}).") from error
    if name := next((name for name, marks in _OTHER_MARKS.items() if data.startswith(marks)), ""):
        raise RecordError(f"{refusal} (it is {name}); save it as UTF-8, for instance with iconv -f {name} -t UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = data.count(b"\n", 0, error.start) + 1
        raise RecordError(f"{refusal} (line {place} is not UTF-8); save it as UTF-8{_how(data)}.") from error
    if "\0" in text:
        raise RecordError(f"{refusal} (it holds NUL characters, so it is no text).")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _how(data: bytes) -> str:
    """A guess at the encoding, as advice only: which old encoding of Chinese text the whole file is valid in."""
    for name in ("GB18030", "BIG5"):
        with suppress(UnicodeDecodeError):
            if any("\u4e00" <= character <= "\u9fff" for character in data.decode(name)):
                return f"; it may be {name}: iconv -f {name} -t UTF-8"
    return ""


OVERLAP = 0.05
"""Seconds for which two subtitles may overlap before two lines count as spoken at once: about a frame of film."""

Overlaps = Literal["refuse", "skip", "keep"]
"""Treatment of lines that are spoken at once: refuse the file, leave these lines out, or cut them all the same."""

_CLOCK = r"(-?)(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})"
_TIMES = re.compile(rf"^\s*{_CLOCK}\s*-->\s*{_CLOCK}(?:\s.*)?$")
_NOT_SPOKEN = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|（[^（）]*）|【[^【】]*】|♪[^♪]*♪")
_STYLE = re.compile(r"</?[a-zA-Z][^<>]{0,100}>|\{\\[^{}]{0,100}\}")


@dataclass(frozen=True, slots=True)
class Cue:
    """One subtitle: its number in the file, from 1 on, and its text on one line, without styles."""

    number: int
    time: Segment
    text: str

    @property
    def is_spoken(self) -> bool:
        """Return whether there are words besides music and descriptions of sounds in brackets.

        >>> Cue(1, Segment(0.0, 1.0), "[door slams] ♪").is_spoken
        False
        """
        return any(character.isalnum() for character in _NOT_SPOKEN.sub("", self.text))


def read_subtitles(path: Path) -> tuple[Cue, ...]:
    """The subtitles of a file, in the order of time; those without words are left out.

    Raises:
        RecordError: if it is not UTF-8, holds no subtitles, or a time is negative, not a time, or not before its end;
            the message names the line.
    """
    cues = list(_cues(read_utf8(path, what="subtitles").split("\n"), path))
    if not cues:
        raise RecordError(
            f"{path}: there are no subtitles; expected blocks of a number, a time such as "
            "00:00:01,000 --> 00:00:02,500, and words."
        )
    return tuple(sorted(cues, key=lambda cue: (cue.time.start, cue.number)))


def _cues(rows: Sequence[str], path: Path) -> Iterator[Cue]:
    timed = [place for place, row in enumerate(rows) if "-->" in row]
    for number, (place, following) in enumerate(pairwise([*timed, len(rows)]), start=1):
        time = _time(rows[place], f"{path}, line {place + 1}")
        words = list(takewhile(str.strip, rows[place + 1 : following]))
        if following < len(rows) and place + 1 + len(words) == following and words and words[-1].strip().isdigit():
            words.pop()  # the number of the next one, where the empty line between them is missing
        if text := " ".join(_STYLE.sub("", " ".join(words)).split()):
            yield Cue(number, time, text)


def _time(row: str, where: str) -> Segment:
    match = _TIMES.match(row)
    if match is None:
        raise RecordError(f"{where}: expected times such as 00:00:01,000 --> 00:00:02,500, got {row.strip()[:60]!r}.")
    start, end = _seconds(match.groups()[:5], where), _seconds(match.groups()[5:], where)
    if not start < end:
        raise RecordError(f"{where}: a subtitle that begins at {start:g} s cannot end at {end:g} s.")
    return Segment(start, end)


def _seconds(clock: Sequence[str | None], where: str) -> float:
    sign, hours, minutes, seconds, fraction = clock
    if sign:
        raise RecordError(f"{where}: a time is negative; move the subtitles so that the recording begins at 0.")
    if int(minutes or 0) > 59 or int(seconds or 0) > 59:
        raise RecordError(f"{where}: minutes and seconds go up to 59, got {minutes}:{seconds}.")
    milliseconds = int((fraction or "").ljust(3, "0"))
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0) + milliseconds / 1000


def spoken_alone(cues: Sequence[Cue], *, overlaps: Overlaps, source: str) -> tuple[bool, ...]:
    """Return for each subtitle whether a clip may be cut by its times.

    Args:
        overlaps: handling of two that are shown at once: a clip of one would hold the other, too.

    Raises:
        RecordError: if two overlap and that is to be refused.
    """
    alone = [True] * len(cues)
    if overlaps == "keep":
        return tuple(alone)
    latest = 0  # place of the subtitle that has been on for longest; it may outlast several others
    for before, here in pairwise(range(len(cues))):
        latest = max(latest, before, key=lambda place: cues[place].time.end)
        if cues[latest].time.end - cues[here].time.start > OVERLAP:
            if overlaps == "refuse":
                raise RecordError(
                    f"{source}: subtitles {cues[latest].number} and {cues[here].number} are shown at the same time "
                    f"({cues[here].time.start:g} s), so a clip of one holds the other; correct their times, or have "
                    "such lines left out (--overlaps skip)."
                )
            alone[latest] = alone[here] = False
    return tuple(alone)


NEAR, LONGEST_SHOWN = 0.6, 80
"""Share of characters from which on a line counts as the one that was meant, for a hint; characters of it to show."""

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
            occurrence: number of the line among several that hold them, from 1 on.

        Raises:
            UsageError: if no line holds them, or several do and none was chosen.
        """
        wanted = words.strip()
        if not wanted:
            raise UsageError(f"{self.source}: the words of the line are missing; give them with --line.")
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

    def around_words(self, place: int, words: str) -> LineContext:
        """The words of one line as it is spoken, with everything before and after them.

        A paragraph is cut at its quotation marks: what stands beside the words is narration, or other speech.
        """
        before, after = self.lines[:place], self.lines[place + 1 :]
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
    parts = [part for part in re.split(r"(\s+|['’‘]|[\"“”])", plain) if part]
    loose = dict.fromkeys("'’‘", "['’‘]") | dict.fromkeys('"“”', '["“”]')
    pattern = "".join(r"\s+" if part.isspace() else loose.get(part, re.escape(part)) for part in parts)
    return re.compile(pattern, flags=re.IGNORECASE)


def load_story(path: Path, *, language: Language | None = None, roles: bool = True) -> Story:
    """The story in a file.

    Args:
        path: formats as in the table above.
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
        lines = tuple(Line(line.strip()) for line in read_utf8(path, what="a story").splitlines() if line.strip())
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
        stated = whole.get("language")
        if stated not in (None, "en", "zh"):
            raise RecordError(f"{path}: the language is en or zh, got {stated!r}.")
        language = "zh" if stated == "zh" else "en" if stated == "en" else None
        if unknown := sorted(set(whole) - {"language", "lines"}):
            raise RecordError(f"{path}: unknown field {unknown[0]!r}; a story has language and lines.")
        whole = whole.get("lines")
    if not isinstance(whole, Sequence) or isinstance(whole, str):
        raise RecordError(f'{path}: expected an array of lines, or an object with them under "lines".')
    return tuple(_line(data, f"{path}, line {number}") for number, data in enumerate(whole, start=1)), language


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
