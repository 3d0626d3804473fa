"""Subtitles (SRT, VTT, ASS) as blocks: each is speech, with its time and, where the file has it, its speaker."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from aptone.errors import MissingExtraError, RecordError
from aptone.messages import message
from aptone.planner.reading.quotations import find_quotations, is_speech
from aptone.planner.reading.speech_tags import script_label
from aptone.rooms.aptness.books.formats.blocks import Block, LeftOut, SourcePlace, SourceText, TimedSpan
from aptone.rooms.aptness.subtitles import Cue, subtitles_in
from aptone.rooms.aptness.text_files import read_utf8
from aptone.types import Line, Segment

WHAT = message("books.kind-subtitles")
TIMED_SUFFIXES = (".srt", ".vtt", ".ass", ".ssa")
"""Endings of files of subtitles."""

_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^<>]{1,60})>")
_VTT_BLOCK = re.compile(r"^(?:NOTE|STYLE|REGION)\b.*?(?:\n[ \t]*\n|\Z)", re.DOTALL | re.MULTILINE)
_SOUND = re.compile(r"\[[^\[\]]{1,80}\]|（[^（）]{1,40}）|【[^【】]{1,40}】|♪+[^♪]*♪*")
_BRACKETS = re.compile(r"^\(([^()]{1,60})\)\s*")
_UPPER = re.compile(
    r"^(?:-\s*)?(?P<name>[A-Z][A-Z .'’-]{1,30}|[\u4e00-\u9fff·]{2,8})\s*"
    r"(?:\((?P<direction>[^()]{1,60})\)\s*)?[:：]\s*(?P<said>\S.*)$"
)
_DASH = re.compile(r"^[-–—]\s*(?=[^\s\d])")
_TURNS = re.compile(r"(?:^|\s)[-–—]\s*(?=\S)")


def read_timed_text(path: Path) -> SourceText:
    """Return the text of subtitles.

    Raises:
        MissingExtraError: for ASS, without pysubs2.
        RecordError: if they cannot be understood.
    """
    cues, voices = read_cues(path)
    left_out: list[LeftOut] = []
    if is_narrated(cues):
        blocks = [_paragraph(cue) for cue in cues]
    else:
        blocks = [block for cue in cues for block in _blocks(cue, voices.get(cue.number, ""), left_out)]
    if not blocks:
        raise RecordError(message("books.no-text", name=path, what=WHAT))
    return SourceText(tuple(blocks), left_out=tuple(left_out))


def read_cues(path: Path) -> tuple[tuple[Cue, ...], dict[int, str]]:
    """Return the subtitles of a file in the order of time, and who speaks, by their number, where the file says so.

    Raises:
        MissingExtraError: for ASS, without pysubs2.
        RecordError: if they cannot be understood.
    """
    text = read_utf8(path, what="subtitles")
    if path.suffix.lower() in (".ass", ".ssa") or text.lstrip().startswith("[Script Info]"):
        return _ass(text, path)
    if text.startswith("WEBVTT"):
        text = _VTT_BLOCK.sub("", text)
        cues = subtitles_in(_VOICE.sub(lambda match: f"⟦{match[1]}⟧", text), source=str(path))
        voices = {cue.number: found[1] for cue in cues if (found := re.match(r"⟦([^⟦⟧]*)⟧", cue.text))}
        return tuple(Cue(cue.number, cue.time, re.sub(r"⟦[^⟦⟧]*⟧", "", cue.text)) for cue in cues), voices
    return subtitles_in(text, source=str(path)), {}


def _ass(text: str, path: Path) -> tuple[tuple[Cue, ...], dict[int, str]]:
    try:
        import pysubs2
    except ImportError as error:
        raise MissingExtraError(WHAT, extra="books") from error
    try:
        events = pysubs2.SSAFile.from_string(text, format_="ass").events
    except (pysubs2.exceptions.Pysubs2Error, ValueError, IndexError, KeyError, UnicodeError) as error:
        raise RecordError(message("books.subtitles-damaged", name=path, why=str(error)[:200])) from error
    cues, voices = [], {}
    for number, event in enumerate(events, start=1):
        words = " ".join(event.plaintext.split())
        if event.is_comment or event.is_drawing or not words or not 0 <= event.start < event.end:
            continue
        cues.append(Cue(number, Segment(event.start / 1000, event.end / 1000), words))
        if event.name.strip():
            voices[number] = event.name.strip()
    if not cues:
        raise RecordError(message("books.no-text", name=path, what=WHAT))
    return tuple(sorted(cues, key=lambda cue: (cue.time.start, cue.number))), voices


def cue_speech(text: str, voice: str = "") -> tuple[str, str, str]:
    """Return speaker, direction and words of a subtitle, without sounds in brackets.

    >>> cue_speech("TOM (whispering): Go. [door slams]"), cue_speech("(angry) Go."), cue_speech("Go.", "Ann")
    (('TOM', 'whispering', 'Go.'), ('', 'angry', 'Go.'), ('Ann', '', 'Go.'))
    """
    words = " ".join(_SOUND.sub(" ", text).split())
    words = _DASH.sub("", words)
    role, direction = voice, ""
    if match := _UPPER.match(words):
        label = script_label(words)
        if label is not None or match["name"].isupper():
            role, direction, words = match["name"].strip(), match["direction"] or "", match["said"]
    if bracket := _BRACKETS.match(words):
        direction = ", ".join(part for part in (direction, bracket[1]) if part)
        words = words[bracket.end() :]
    return role, direction, words.strip()


def _paragraph(cue: Cue) -> Block:
    times = (TimedSpan(0, len(cue.text), cue.time),)
    return Block(cue.text, place=SourcePlace("subtitle", cue.number), times=times)


def _blocks(cue: Cue, voice: str, left_out: list[LeftOut]) -> Iterator[Block]:
    place = SourcePlace("subtitle", cue.number)
    if not cue.is_spoken:
        left_out.append(LeftOut("sound", cue.text, place))
        return
    turns = [part.strip() for part in _TURNS.split(cue.text) if part.strip()]
    if len(turns) < 2 or not re.match(r"\s*[-–—]", cue.text):
        turns = [cue.text]
    for turn in turns:
        role, direction, words = cue_speech(turn, voice)
        if words:
            times = (TimedSpan(0, len(words), cue.time),) if len(turns) == 1 else ()  # whose part is when is not known
            yield Block(words, "speech", role=role, direction=direction, place=place, times=times)


def cue_lines(cues: Sequence[Cue], voices: Mapping[int, str]) -> list[Line]:
    """Return a line for each subtitle: speech, or narration where it only describes a sound.

    Subtitles of a text that is read aloud, with its quotation marks, stay as they are.
    """
    if is_narrated(cues):
        return [Line(cue.text, voices.get(cue.number, "")) for cue in cues]
    return [_line(cue, voices.get(cue.number, "")) for cue in cues]


def _line(cue: Cue, voice: str) -> Line:
    if not cue.is_spoken:
        return Line(cue.text)
    role, direction, words = cue_speech(cue.text, voice)
    return Line(words or cue.text, role, speech=True, direction=direction)


def is_narrated(cues: Sequence[Cue]) -> bool:
    """Return true for subtitles of a story that is read aloud: speech stands in quotation marks, beside narration."""
    texts = [cue.text for cue in cues if cue.is_spoken]
    spoken = sum(any(is_speech(text, found) for found in find_quotations(text)) for text in texts)
    return spoken >= max(1, 0.1 * len(texts))
