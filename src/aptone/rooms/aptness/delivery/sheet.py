"""Delivery sheet of a planned book: JSON for machines, CSV and HTML for actors, SSML for TTS systems.

All files are written a line at a time; only the plans of a run are held.
"""

import csv
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Literal, TextIO

import jinja2

from aptone.errors import RecordError
from aptone.files import make_folder, whole_file
from aptone.messages import labelled, message, translate, words
from aptone.report.notation import NARRATION as NARRATION_GROUP
from aptone.report.notation import UNTITLED, WHOLE_TEXT, unnamed_group
from aptone.report.page import assets, content_policy, new_environment
from aptone.report.plan_text import emotion_text, evidence_rows, in_words
from aptone.rooms.aptness.books.book_text import Book
from aptone.rooms.aptness.delivery.book_plan import NARRATION, UNKNOWN, PlannedLine
from aptone.rooms.aptness.delivery.ssml import Dialect, planned_prosody, ssml_document
from aptone.rooms.aptness.production.direction import instructions
from aptone.rooms.aptness.text_files import read_utf8
from aptone.run.tables import csv_cell
from aptone.types import Emotion, Json, Language, dumps, in_language, loads, to_json

Format = Literal["json", "csv", "html", "ssml"]
FORMATS: tuple[Format, ...] = ("json", "csv", "html", "ssml")

JSON_FILE, CSV_FILE, PAGE, SSML_FOLDER = "delivery.json", "delivery.csv", "delivery.html", "ssml"
COLUMNS = (
    *("number", "chapter", "character", "kind", "line", "instruction", "emotion", "confidence", "intensity", "rhythm"),
    *("intonation", "voice", "recording_condition", "evidence", "reason"),
)
_UNSAFE = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True)
class SheetOptions:
    """Options of a delivery sheet.

    Args:
        formats: files to write.
        dialect: vocabulary of the SSML.
        voices: names of voices by character, for SSML.
        language: language of instructions and names; ``None`` for that of the book.
    """

    formats: tuple[Format, ...] = FORMATS
    dialect: Dialect = "plain"
    voices: Mapping[str, str] | None = None
    language: Language | None = None


def load_voices(path: Path) -> dict[str, str]:
    """Read the names of voices by character from a JSON object.

    Raises:
        RecordError: if it is none.
    """
    data = loads(read_utf8(path, what="a list of voices"), what=str(path))
    if not isinstance(data, Mapping) or not all(isinstance(voice, str) and voice for voice in data.values()):
        raise RecordError(
            labelled(
                str(path),
                message("delivery.voices-no-object", example='{"Mara": "en-US-JennyNeural", "*": "en-US-GuyNeural"}'),
            )
        )
    return {name: str(voice) for name, voice in data.items()}


def write_sheet(
    folder: Path, book: Book, lines: Callable[[], Iterable[PlannedLine]], options: SheetOptions
) -> tuple[Path, ...]:
    """Write the files of a sheet, each whole or not at all, and return their paths.

    Args:
        lines: makes the lines again for each file.

    Raises:
        UsageError: if SSML needs the name of a voice that is not given.
        RunError: if a file cannot be written.
    """
    make_folder(folder)
    language = options.language or book.language
    written: list[Path] = []
    writers: dict[Format, tuple[str, Callable[[TextIO], None]]] = {
        "json": (JSON_FILE, lambda file: _write_json(file, book, lines(), language)),
        "csv": (CSV_FILE, lambda file: _write_csv(file, lines(), language)),
        "html": (PAGE, lambda file: _write_page(file, book, lines, language)),
    }
    for name in options.formats:
        if name == "ssml":
            written += _write_ssml(folder / SSML_FOLDER, book, lines(), options)
            continue
        path = folder / writers[name][0]
        with whole_file(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
            writers[name][1](file)
        written.append(path)
    return tuple(written)


def line_json(planned: PlannedLine, language: Language) -> dict[str, Json]:
    """Return a line of the sheet as JSON."""
    plan = planned.plan
    found: dict[str, Json] = {
        "number": planned.number,
        "chapter": planned.line.chapter,
        "kind": planned.line.kind,
        "character": planned.character,
        "text": planned.line.line.text,
        "plan": None if plan is None else to_json(plan),
        "instruction": "" if plan is None else instruction(planned, language),
        "prosody": planned_prosody(planned).to_json(),
    }
    if planned.reason:
        found["reason"] = translate(planned.reason, language)
    return found


def instruction(planned: PlannedLine, language: Language) -> str:
    """Return the plan of a line in the words of a director; says so where the story leaves it open."""
    return translate(message("production.semicolon"), language).join(line_instructions(planned, language))


def line_instructions(planned: PlannedLine, language: Language, *, evidence: bool = True) -> list[str]:
    """Return what the plan of a line asks for, of an actor or of the narrator; nothing without a plan."""
    if planned.plan is None:
        return []
    is_speech = planned.line.kind == "speech"
    return instructions(planned.plan, language=language, evidence=evidence, is_speech=is_speech)


def character_title(name: str, language: Language) -> str:
    """Return the name of a character for people: narration and unknown speakers have one, too."""
    if name == NARRATION:
        return unnamed_group(NARRATION_GROUP, language)
    return words(language, "production")("unknown_speaker") if name == UNKNOWN else name


def chapter_title(name: str, book: Book, language: Language) -> str:
    """Return the title of a chapter for people, also where it has none."""
    return name or unnamed_group(UNTITLED if len(book.chapters) > 1 else WHOLE_TEXT, language)


def _write_json(file: TextIO, book: Book, lines: Iterable[PlannedLine], language: Language) -> None:
    head = {"source": Path(book.source).name, "language": book.language, "characters": list(book.speakers)}
    file.write(dumps(head)[:-1] + ', "lines": [')
    for place, planned in enumerate(lines):
        file.write((",\n" if place else "\n") + dumps(line_json(planned, language)))
    file.write("\n]}\n")


def _write_csv(file: TextIO, lines: Iterable[PlannedLine], language: Language) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for planned in lines:
        row = _row(planned, language)
        writer.writerow([csv_cell(row[column]) for column in COLUMNS])


def _row(planned: PlannedLine, language: Language) -> dict[str, Json]:
    plan = planned.plan
    row: dict[str, Json] = dict.fromkeys(COLUMNS, "")
    row |= {
        "number": planned.number,
        "chapter": planned.line.chapter,
        "character": character_title(planned.character, language),
        "kind": planned.line.kind,
        "line": planned.line.line.text,
        "reason": translate(planned.reason, language),
    }
    if plan is not None:
        row |= {
            "instruction": instruction(planned, language),
            "emotion": in_language(plan.emotion, Emotion, language),
            "confidence": None if math.isnan(plan.confidence) else round(plan.confidence, 3),
            "intensity": None if math.isnan(plan.intensity) else plan.intensity,
            "rhythm": plan.rhythm.label(language) if plan.rhythm else "",
            "intonation": plan.intonation.label(language) if plan.intonation else "",
            "voice": in_words(", ".join(plan.voice), language) if plan.voice else "",
            "recording_condition": plan.recording_condition,
            "evidence": " | ".join(evidence_rows(plan, language=language)),
        }
    return row


def _write_ssml(folder: Path, book: Book, lines: Iterable[PlannedLine], options: SheetOptions) -> list[Path]:
    make_folder(folder)
    for old in folder.glob("*.ssml"):
        old.unlink()
    written = []
    for number, (chapter, part) in enumerate(groupby(lines, key=lambda one: one.line.chapter), start=1):
        name = _UNSAFE.sub("-", chapter_title(chapter, book, "en")).strip("-")[:40]
        path = folder / f"{number:03d}-{name}.ssml"
        with whole_file(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
            file.writelines(
                ssml_document(
                    part,
                    language=book.language,
                    voices=options.voices,
                    characters=book.speakers,
                    dialect=options.dialect,
                )
            )
        written.append(path)
    return written


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A line as the page shows it."""

    number: int
    chapter: int
    character: int
    name: str
    kind: str
    text: str
    instructions: tuple[str, ...]
    emotion: str
    evidence: tuple[str, ...]
    reason: str


def _write_page(file: TextIO, book: Book, lines: Callable[[], Iterable[PlannedLine]], language: Language) -> None:
    chapters = list(dict.fromkeys(one.line.chapter for one in lines()))
    characters = list(dict.fromkeys(one.character for one in lines() if one.line.is_judged))
    style = assets("palette.css", "plots.css", "report.css") + _asset("production.css")
    script = _asset("production.js")
    stream = _template().stream(
        title=book.title or Path(book.source).name,
        language=language,
        say=words(language, "delivery"),
        chapters=[chapter_title(name, book, language) for name in chapters],
        characters=[character_title(name, language) for name in characters],
        rows=_sheet_rows(lines(), chapters, characters, language),
        planned=sum(one.plan is not None for one in lines()),
        style=style,
        script=script,
        policy=content_policy(style=style, script=script),
    )
    stream.enable_buffering(64)
    for piece in stream:
        file.write(piece)


def _sheet_rows(
    lines: Iterable[PlannedLine], chapters: Sequence[str], characters: Sequence[str], language: Language
) -> Iterator[SheetRow]:
    chapter_places = {name: place for place, name in enumerate(chapters)}
    character_places = {name: place for place, name in enumerate(characters)}
    for one in lines:
        plan = one.plan
        yield SheetRow(
            one.number,
            chapter_places[one.line.chapter],
            character_places.get(one.character, -1) if one.line.is_judged else -1,
            character_title(one.character, language),
            one.line.kind,
            one.line.line.text,
            tuple(line_instructions(one, language, evidence=False)),
            emotion_text(plan, language=language) if plan else "",
            tuple(evidence_rows(plan, language=language)[:4]) if plan else (),
            translate(one.reason, language),
        )


def _asset(name: str) -> str:
    return resources.files("aptone.rooms.aptness").joinpath("pages", name).read_text(encoding="utf-8")


@cache
def _template() -> jinja2.Template:
    return new_environment("aptone.rooms.aptness").get_template("delivery.html.j2")
