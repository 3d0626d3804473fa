"""A story as ordered lines, narration or what a role says, from files and from text that was pasted.

Files that are understood, by what they begin with and by their ending:

===========================  ================================================================================
``.txt`` (any other)         one paragraph on each line that is not empty, or rows wrapped at a width; scripts
``.epub``, ``.docx``,        books and manuscripts: the paragraphs that belong to the story
``.pdf``, ``.html``, ``.md``
``.fountain``                a film script
``.jsonl``                   one line of the story on each: a text, or ``{"role": …, "text": …}``
``.json``                    an array of such lines, ``{"language": …, "lines": [...]}``, or a story file of
                             ``aptone read``
``.srt``, ``.vtt``, ``.ass``  subtitles, one line of the story for each, with its times; clips are cut by them
===========================  ================================================================================

A record of a manifest, with our names or those of the public CEAEval release, is a story too: the lines before the
target, the target, the lines after it. A pasted text is read as ``.txt``, or as subtitles where it begins like them.
"""

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from aptone.errors import RecordError, UsageError
from aptone.messages import message
from aptone.planner.reading.attribution import attribute, paragraph_pieces
from aptone.planner.reading.quotations import with_curly_quotes
from aptone.planner.reading.speech_tags import script_label
from aptone.rooms.aptness.books.formats.registry import format_of, read_source_text
from aptone.rooms.aptness.books.formats.timed_text import cue_lines, read_cues
from aptone.rooms.aptness.books.story_file import book_from_json, is_book_json
from aptone.rooms.aptness.story_json import lines_from_json
from aptone.rooms.aptness.subtitles import Cue, looks_like_subtitles, subtitles_in
from aptone.rooms.aptness.text_files import LONGEST_LINE, plain_text, read_utf8
from aptone.types import Language, Line, Segment, language_of_text, loads

NEAR, LONGEST_SHOWN = 0.6, 80
"""Share of characters from which on a line counts as the one that was meant, for a hint; characters of it to show."""

_AROUND_WORDS = '“”„「」『』‘’"＂ \t\n\u3000'
"""Quotation marks and spaces that may stand around words that were copied from a story."""
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’」』)）]*\s*$")


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
        if not wanted.strip(_AROUND_WORDS):
            raise UsageError(message("aptness.words-missing", name=self.source))
        places = [place for place, line in enumerate(self.lines) if wanted in line.text]
        if not places and (pattern := _loosely(wanted)) is not None:
            places = [place for place, line in enumerate(self.lines) if pattern.search(line.text)]
        if occurrence is None and len(places) == 1:
            return places[0]
        if occurrence is not None and 1 <= occurrence <= len(places):
            return places[occurrence - 1]
        raise UsageError(self._unclear(words, lines=len(places)))

    def _unclear(self, words: str, *, lines: int) -> str:
        """Say why it is not clear which line is meant, where so many hold the words."""
        values = {"name": self.source, "words": repr(words if len(words) <= LONGEST_SHOWN else _short(words))}
        if lines > 1:
            return message("aptness.several-lines-hold", count=lines, **values)
        if lines == 1:
            return message("aptness.one-line-holds", **values)
        near = get_close_matches(words.strip(), [line.text for line in self.lines], n=1, cutoff=NEAR)
        if not near:
            return message("aptness.no-line-holds", **values)
        return message("aptness.no-line-holds-near", near=repr(_short(near[0])), **values)

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


def holds_words(text: str, words: str) -> bool:
    """Return whether a text holds some words, in any case, quotation marks and spaces.

    >>> holds_words("“I don’t hate you,” she said.", "i don't hate you!")
    True
    """
    pattern = _loosely(words)
    return pattern is not None and pattern.search(text) is not None


def looks_like_prose(text: str) -> bool:
    """Return whether a text ends like a sentence, as no name of a file does.

    >>> looks_like_prose("“Go,” he said."), looks_like_prose("stories/Who goes there.txt")
    (True, False)
    """
    return _SENTENCE_END.search(text) is not None


def _short(words: str) -> str:
    text = " ".join(words.split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


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
    if path.suffix.lower() in (".jsonl", ".json"):
        text = read_utf8(path, what="a story")
        if path.suffix.lower() == ".json" and text.strip() and is_book_json(data := loads(text, what=str(path))):
            book = book_from_json(data, source=str(path))
            return Story(tuple(line.line for line in book.lines), language or book.language, source=str(path))
        lines, stated = lines_from_json(path, text)
        return make_story(lines, language=language or stated, source=str(path), roles=roles)
    if format_of(path) == "subtitles":
        cues, voices = read_cues(path)
        return _of_cues(cues, voices, language=language, source=str(path), roles=roles)
    source = read_source_text(path)
    blocks = [block for block in source.blocks if any(map(str.isalnum, block.text))]
    spoken = [
        Line(block.text, block.role, speech=block.kind == "speech", direction=block.direction) for block in blocks
    ]
    return make_story(spoken, language=language or source.language, source=str(path), roles=roles)


def story_from_text(text: str, *, language: Language | None = None, source: str = "story", roles: bool = True) -> Story:
    r"""The story in a text, such as one that was pasted: a line of the story on each line, or subtitles.

    >>> [line.role for line in story_from_text("It rained.\r\n“Go,” said Tom.").lines]
    ['', 'Tom']

    Raises:
        RecordError: if it is empty, or cannot be understood.
    """
    text = plain_text(text, refusal=source)
    if looks_like_subtitles(text):
        return _of_cues(subtitles_in(text, source=source), {}, language=language, source=source, roles=roles)
    rows = [row.strip() for row in text.splitlines() if row.strip()]
    return make_story(rows, language=language, source=source, roles=roles)


def _of_cues(
    cues: Sequence[Cue], voices: Mapping[int, str], *, language: Language | None, source: str, roles: bool
) -> Story:
    """The story of subtitles: all that is spoken is speech, also where nobody is known to say it."""
    lines = cue_lines(cues, voices)
    return make_story(lines, language=language, times=[cue.time for cue in cues], source=source, roles=roles)


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
        raise RecordError(message("aptness.story-empty", name=source))
    for number, line in enumerate(made, start=1):
        if len(line.text) > LONGEST_LINE:
            raise RecordError(
                message("aptness.line-too-long", name=source, number=number, length=len(line.text), most=LONGEST_LINE)
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
