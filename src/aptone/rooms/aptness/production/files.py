"""Files of a production report: retakes and voices as CSV, markers of each recording for audio editors."""

import csv
import io
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aptone.audio import probe
from aptone.errors import AudioError, UsageError
from aptone.files import make_folder, write_whole
from aptone.messages import message, translate, words
from aptone.report.notation import NARRATION, group_name, one_line, unnamed_group
from aptone.report.plan_text import evidence_rows
from aptone.rooms.aptness.production.book_lines import ProductionLine, gather_lines
from aptone.rooms.aptness.production.direction import direct
from aptone.rooms.aptness.production.markers import EDITORS, ENDINGS, Editor, Marker, marker_files
from aptone.rooms.aptness.production.retakes import LineApart, Retake, RetakeFilter, RetakeList, order_retakes
from aptone.rooms.aptness.production.voices import VoiceReport, voice_report
from aptone.run import Run
from aptone.run.tables import csv_cell
from aptone.types import Emotion, Json, Language, in_language

FOLDER = "production"
"""Folder of the files within that of the run."""

RETAKES, VOICES = "retakes.csv", "voices.csv"

FEWEST_MARKED, SHARE_MARKED = 10, 0.1
"""Markers that are written without being asked for: a tenth of the lines, and at least ten."""

COLUMNS = (
    *("list", "rank", "recording", "start", "end", "chapter", "character", "kind", "line", "aptness", "expected"),
    *(
        "gain",
        "gain_low",
        "gain_high",
        "trust",
        "emotion",
        "rhythm",
        "intonation",
        "evidence",
        "direction",
        "reason",
        "id",
    ),
)
VOICE_COLUMNS = (
    *("list", "character", "measure", "unit", "usual", "difference", "lines", "chapter", "recording", "start", "end"),
    *("line", "id"),
)
UNITS: Mapping[str, str] = {"pitch level": "semitones", "articulation rate": "syllables/s", "loudness": "dB"}


@dataclass(frozen=True, slots=True)
class Production:
    """Production report of a run over a book."""

    lines: tuple[ProductionLine, ...]
    retakes: RetakeList
    voices: VoiceReport


def production_of(run: Run) -> Production | None:
    """Return the production report of a run; ``None`` for runs over something else than a book."""
    lines = gather_lines(run.entries, run.main_score)
    return Production(tuple(lines), order_retakes(lines), voice_report(lines)) if lines else None


def require_production(run: Run) -> Production:
    """Return the production report of a run.

    Raises:
        UsageError: if the run is not over a book.
    """
    found = production_of(run)
    if found is None:
        raise UsageError(message("production.no-book", folder=run.folder))
    return found


def checked_filter(production: Production, choice: RetakeFilter) -> RetakeFilter:
    """Return the choice, if the book has such characters and chapters.

    Raises:
        UsageError: if it has not; the message lists those that it has.
    """
    for what, chosen, known in (
        ("character", choice.characters, {line.character for line in production.lines}),
        ("chapter", choice.chapters, {line.chapter for line in production.lines}),
    ):
        if unknown := sorted(chosen - known):
            names = ", ".join(sorted(name for name in known if name)[:20])
            raise UsageError(message("production.unknown-name", what=what, name=repr(unknown[0]), names=names))
    return choice


def write_production_files(run: Run, production: Production, *, language: Language) -> tuple[Path, ...]:
    """Write the files of a production report beside the report: all retakes, voices, and markers for every editor."""
    folder = run.folder / FOLDER
    make_folder(folder)
    write_whole(folder / RETAKES, retakes_csv(production.retakes, language=language))
    write_whole(folder / VOICES, voices_csv(production.voices, language=language))
    worst = max(FEWEST_MARKED, round(SHARE_MARKED * len(production.lines)))
    marked = RetakeFilter(worst=worst).apply(production.retakes.retakes)
    markers = write_markers(run, production, marked, editors=EDITORS, language=language)
    return folder / RETAKES, folder / VOICES, *markers


def write_markers(
    run: Run, production: Production, retakes: Sequence[Retake], *, editors: Sequence[Editor], language: Language
) -> tuple[Path, ...]:
    """Write the markers of retakes, for each recording and editor, and return the paths.

    They replace those of an earlier time; a recording without a retake has none.
    """
    folder = run.folder / FOLDER
    make_folder(folder)
    endings = [ending for editor in editors for ending in ENDINGS[editor]]
    for name in {line.recording for line in production.lines if line.recording}:
        for ending in endings:
            (folder / f"{name}{ending}").unlink(missing_ok=True)
    by_recording: defaultdict[str, list[Marker]] = defaultdict(list)
    for rank, retake in enumerate(retakes, start=1):
        if retake.line.has_place:
            by_recording[retake.line.recording].append(_marker(rank, retake, language))
    sources = {Path(name).name: _found(name, run) for name in reversed(run.config.inputs)}
    written = []
    for name, markers in by_recording.items():
        named, seconds = _recording(sources.get(name), name, folder, markers)
        for editor in editors:
            for ending, text in marker_files(markers, recording=named, seconds=seconds, editor=editor).items():
                write_whole(folder / f"{name}{ending}", text)
                written.append(folder / f"{name}{ending}")
    return tuple(written)


def retakes_csv(retakes: RetakeList, *, language: Language, chosen: Sequence[Retake] | None = None) -> str:
    """Return retakes as CSV, those that gain most first, and behind them the lines apart with their reasons.

    Args:
        chosen: the retakes to list; by default all, and the lines apart only then.
    """
    listed = retakes.retakes if chosen is None else chosen
    rows = [_retake_row(rank, one, language) for rank, one in enumerate(listed, start=1)]
    if chosen is None:
        rows += [_apart_row(one, language) for one in retakes.apart]
    return _csv(COLUMNS, rows)


def voices_csv(voices: VoiceReport, *, language: Language) -> str:
    """Return the habits of voices, the chapters that drift and the lines out of the usual as CSV."""
    return _csv(VOICE_COLUMNS, _voice_rows(voices, language))


def character_name(line: ProductionLine, language: Language) -> str:
    """Return the name of a line's speaker for people: narration and unknown speakers have one, too."""
    if line.role:
        return line.role
    return words(language, "production")("unknown_speaker") if line.is_speech else unnamed_group(NARRATION, language)


def _retake_row(rank: int, retake: Retake, language: Language) -> dict[str, Json]:
    return {
        "list": "retake",
        "rank": rank,
        **_line_fields(retake.line, language),
        "expected": round(retake.expected, 3),
        "gain": round(retake.gain, 3),
        "gain_low": round(retake.low, 3),
        "gain_high": round(retake.high, 3),
        "trust": round(retake.trust, 3),
        "direction": direct(retake.line, language=language),
    }


def _apart_row(apart: LineApart, language: Language) -> dict[str, Json]:
    return {"list": "apart", **_line_fields(apart.line, language), "reason": translate(apart.reason, language)}


def _line_fields(line: ProductionLine, language: Language) -> dict[str, Json]:
    plan = line.plan
    return {
        "recording": line.recording,
        "start": line.start if line.has_place else None,
        "end": line.end if line.has_place else None,
        "chapter": group_name(line.chapter, language),
        "character": character_name(line, language),
        "kind": "speech" if line.is_speech else "narration",
        "line": line.text,
        "aptness": round(line.score, 3) if line.scores else None,
        "emotion": in_language(plan.emotion, Emotion, language) if plan else "",
        "rhythm": plan.rhythm.label(language) if plan and plan.rhythm else "",
        "intonation": plan.intonation.label(language) if plan and plan.intonation else "",
        "evidence": " | ".join(evidence_rows(plan, language=language)) if plan else "",
        "id": line.id,
    }


def _voice_rows(voices: VoiceReport, language: Language) -> Iterator[dict[str, Json]]:
    for habit in voices.habits:
        name = habit.role or unnamed_group(NARRATION, language)
        yield {
            "list": "usual",
            "character": name,
            "measure": habit.measure,
            "unit": UNITS[habit.measure],
            "usual": round(habit.median, 2),
            "lines": habit.lines,
        }
    for drift in voices.drifts:
        yield {
            "list": "chapter",
            "character": drift.habit.role or unnamed_group(NARRATION, language),
            "measure": drift.habit.measure,
            "unit": UNITS[drift.habit.measure],
            "usual": round(drift.habit.median, 2),
            "difference": round(drift.difference, 2),
            "lines": drift.lines,
            "chapter": group_name(drift.chapter, language),
        }
    for outlier in voices.outliers:
        fields = _line_fields(outlier.line, language)
        yield {
            **{name: fields[name] for name in VOICE_COLUMNS if name in fields},
            "list": "line",
            "measure": outlier.habit.measure,
            "unit": UNITS[outlier.habit.measure],
            "usual": round(outlier.habit.median, 2),
            "difference": round(outlier.difference, 2),
        }


def _marker(rank: int, retake: Retake, language: Language) -> Marker:
    line = retake.line
    name = f"{rank}. +{retake.gain:.1f} {character_name(line, language)}: {one_line(line.text, limit=60)}"
    return Marker(max(0.0, line.start), max(0.0, line.start, line.end), name, direct(line, language=language))


def _found(name: str, run: Run) -> Path | None:
    """Return where an input of a run lies: as it was typed, or by the folder of the run."""
    places = (Path(name), run.folder.parent / name)
    return next((place for place in places if place.is_file()), None)


def _recording(source: Path | None, name: str, folder: Path, markers: Sequence[Marker]) -> tuple[str, float]:
    """Return how marker files name a recording, by the way from their folder where it is there; and its duration."""
    end = max(marker.end for marker in markers)
    if source is None:
        return name, end
    try:
        return os.path.relpath(source.resolve(), folder.resolve()), probe(source).seconds
    except (AudioError, ValueError):  # another drive has no relative path
        return name, end


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, Json]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([csv_cell(row.get(column)) for column in columns])
    return text.getvalue()
