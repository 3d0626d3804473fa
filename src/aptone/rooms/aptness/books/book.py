"""A whole audiobook, or a film with subtitles: lines with their times, cut out of the recordings, as items to judge.

Every line becomes an item. One whose place in the recordings is not known brings the reason instead of a clip, and is
unscored for it: never guessed, never dropped.
"""

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Literal

from aptone.audio import cut_many, probe, write_lossless
from aptone.errors import RecordError, UsageError
from aptone.files import natural_order
from aptone.messages import message
from aptone.planner import LARGEST_WINDOW
from aptone.report.notation import NARRATION, UNKNOWN_SPEAKER, UNTITLED, WHOLE_TEXT, unnamed_group
from aptone.rooms.aptness.books.alignment import tokens_of
from aptone.rooms.aptness.books.book_text import Book, BookLine, make_line
from aptone.rooms.aptness.books.line_borders import snap_to_pauses
from aptone.rooms.aptness.books.line_times import (
    BookAlignment,
    HeardWord,
    LineTime,
    SpokenWord,
    TextAlignment,
    align_text,
    order_recordings,
    time_lines,
)
from aptone.rooms.aptness.data import make_items, subtitled_story
from aptone.rooms.aptness.step import JUDGED_RATE, AptnessStep, BatchedAptnessStep
from aptone.rooms.aptness.subtitles import Overlaps, spoken_alone
from aptone.run import Call
from aptone.types import AudioRef, Item, Json, Language, Outcome, Sample, Segment, from_json, schema_name, to_json

RECORDINGS = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".m4a", ".mp4", ".m4b", ".aac", ".webm")
"""Endings of the files of a folder that count as recordings."""

PROBLEM, ALIGNMENT = "problem", "alignment"
"""Keys of an item's payload besides a sample's fields: why the line has no clip; where it was found."""

Narration = Literal["judge", "skip"]
"""Treatment of narration: judged, by a plan of pace and tone, or only context."""

Heard = Literal["alone", "with another", "not at all"]
"""Audibility of a line: by itself; at once with another one, so that no clip is cut; or not at all, as a subtitle
that describes a sound."""


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A numbered line of a book and where it is spoken; if not `heard` alone, it is only context of its neighbours."""

    number: int
    line: BookLine
    time: LineTime
    heard: Heard = "alone"


@dataclass(frozen=True, slots=True)
class BookStep:
    """Judges the lines that have a clip; says of the others why they have none."""

    step: AptnessStep

    def __call__(self, item: Item, call: Call, /) -> Outcome | Awaitable[Outcome]:
        """The outcome of one line."""
        lost = _without_clip(item)
        return self.step(_sample_only(item), call) if lost is None else lost


@dataclass(frozen=True, slots=True)
class BatchedBookStep(BookStep):
    """The same for several lines at once, for judges that hear them together."""

    step: BatchedAptnessStep

    @property
    def batch_size(self) -> int:
        """Batch size of the judge."""
        return self.step.batch_size

    async def batch(self, items: Sequence[Item], calls: Sequence[Call], /) -> list[Outcome]:
        """The outcomes of some lines; only those with a clip reach the judge."""
        lost = {place: outcome for place, item in enumerate(items) if (outcome := _without_clip(item)) is not None}
        heard = [place for place in range(len(items)) if place not in lost]
        lines = [_sample_only(items[place]) for place in heard]
        judged = await self.step.batch(lines, [calls[place] for place in heard])
        found = lost | dict(zip(heard, judged, strict=True))
        return [found[place] for place in range(len(items))]


def book_step(step: AptnessStep) -> BookStep:
    """The step for lines of a book around one for samples."""
    return BatchedBookStep(step) if isinstance(step, BatchedAptnessStep) else BookStep(step)


def _without_clip(item: Item) -> Outcome | None:
    """The outcome of a line that has no clip; ``None`` for those that have one."""
    problem = item.payload.get(PROBLEM)
    if not (isinstance(problem, str) and problem):
        return None
    return Outcome.unscored(problem, evidence={ALIGNMENT: item.payload.get(ALIGNMENT)})


def _sample_only(item: Item) -> Item:
    payload = {name: value for name, value in item.payload.items() if name not in (PROBLEM, ALIGNMENT)}
    return replace(item, payload=payload)


def spoken_samples(items: Iterable[Item]) -> list[Sample]:
    """The samples of the lines that have a clip."""
    return [from_json(Sample, _sample_only(item).payload) for item in items if not item.payload.get(PROBLEM)]


def find_recordings(sources: Sequence[Path]) -> list[Path]:
    """The recordings that were named; those of a folder in the order in which people count (2 before 10).

    Raises:
        UsageError: if a folder holds none.
    """
    found: list[Path] = []
    for source in sources:
        if not source.is_dir():
            found.append(source)
            continue
        inside = [path for path in source.iterdir() if path.suffix.lower() in RECORDINGS and path.is_file()]
        if not inside:
            known = ", ".join(RECORDINGS)
            raise UsageError(f"{source}: no recording is in this folder; expected files such as {known}.")
        found += sorted(inside, key=natural_order)
    return found


def lay_text(book: Book, words: Sequence[Sequence[HeardWord]]) -> TextAlignment:
    """Return the words of a book beside those that were heard in each of its recordings, in any order of these."""
    lines = [tokens_of(line.line.text, book.language) for line in book.lines]
    return align_text(lines, order_recordings([token for line in lines for token in line], words))


def place_lines(
    book: Book, text: TextAlignment, speech: Sequence[Sequence[Segment]], spoken: Mapping[int, SpokenWord] | None = None
) -> tuple[list[PlacedLine], BookAlignment]:
    """Return when each line of a book is spoken.

    Args:
        spoken: words whose time is known from the sound itself (`word_times`), by their place in the text.
    """
    alignment = time_lines(text, spoken)
    times = snap_to_pauses(alignment.lines, speech)
    return list(map(PlacedLine, count(1), book.lines, times)), replace(alignment, lines=times)


def cut_lines(placed: Sequence[PlacedLine], recordings: Sequence[Path], folder: Path) -> dict[int, Path]:
    """The clip of each line whose times count, by the number of the line; clips that are there are not cut again.

    Args:
        recordings: recordings of the lines; each is decoded once.

    Raises:
        AudioError: if a recording cannot be read.
    """
    folder.mkdir(parents=True, exist_ok=True)
    there = {path.stem: path for path in folder.iterdir() if path.suffix in (".flac", ".wav")}
    clips: dict[int, Path] = {}
    for number, recording in enumerate(recordings):
        wanted = []
        for line in placed:
            if line.heard != "alone" or line.time.problem or line.time.time is None or line.time.recording != number:
                continue
            stem = f"{line.number:06d}-{line.time.time.start:.3f}-{line.time.time.end:.3f}"
            if stem in there:
                clips[line.number] = there[stem]
            else:
                wanted.append((line.time.time, line.number, stem))
        wanted.sort(key=lambda clip: clip[0].start)
        end = probe(recording).seconds if wanted else 0.0
        segments = [Segment(time.start, min(time.end, end)) for time, _, _ in wanted]
        cut = cut_many(recording, segments, rate=JUDGED_RATE)
        for (_, line_number, stem), audio in zip(wanted, cut, strict=True):
            clips[line_number] = write_lossless(folder / stem, audio)
    return clips


def book_items(
    book: Book,
    placed: Sequence[PlacedLine],
    clips: Mapping[int, Path],
    recordings: Sequence[Path],
    *,
    narration: Narration = "judge",
) -> list[Item]:
    """The lines as items, without headings and tags; context are the lines before and after, across chapters.

    Args:
        narration: whether narration is judged, too, or only context of speech.
    """
    offsets = _offsets(placed, recordings)
    spoken = [line for line in placed if not line.line.is_heading and line.time.words]
    lines = [line.line.line for line in spoken]
    items: list[Item] = []
    for place, line in enumerate(spoken):
        if line.heard != "alone" or not line.line.is_judged or (narration == "skip" and line.line.kind == "narration"):
            continue
        sample = Sample(
            id=f"{line.number:06d}",
            audio=AudioRef(str(clips[line.number].absolute())) if line.number in clips else _NO_CLIP,
            target=line.line.line,
            context=tuple(lines[max(0, place - LARGEST_WINDOW) : place]),
            following=tuple(lines[place + 1 : place + 1 + LARGEST_WINDOW]),
            language=book.language,
            ids={
                "book": Path(book.source).name,
                "chapter": line.line.chapter
                or unnamed_group(UNTITLED if len(book.chapters) > 1 else WHOLE_TEXT, book.language),
                "role": line.line.line.role
                or unnamed_group(UNKNOWN_SPEAKER if line.line.kind == "speech" else NARRATION, book.language),
                **line.line.narration_mark,
            },
        )
        items.append(_item(sample, line.time, offsets, recordings, position=len(items)))
    return items


_NO_CLIP = AudioRef("-")


def _item(
    sample: Sample, time: LineTime, offsets: Sequence[float], recordings: Sequence[Path], *, position: int
) -> Item:
    found: dict[str, Json] = {"words": time.words, "found": time.found, "confidence": round(time.confidence, 4)}
    if time.is_held:
        found["held_by_neighbours"] = True
    if time.is_aligned:
        found["timed_by_sound"] = True
    if time.time is not None:
        found |= {
            "recording": recordings[time.recording].name,
            "start": round(time.time.start, 3),
            "end": round(time.time.end, 3),
            "at": round(offsets[time.recording] + time.time.start, 3),
        }
    if sample.audio is _NO_CLIP:
        payload = {name: value for name, value in to_json(sample).items() if name != "audio"}
        reason = time.problem or message("aptness.line-without-times")
        made = Item.make(sample.id, {**payload, PROBLEM: reason, ALIGNMENT: found}, position=position)
        return replace(made, payload={**made.payload, PROBLEM: reason})  # the message itself, not only its text
    (item,) = make_items([sample])
    return replace(item, payload={**item.payload, ALIGNMENT: found}, position=position)


def _offsets(placed: Iterable[PlacedLine], recordings: Sequence[Path]) -> list[float]:
    """Seconds of the whole book at which each recording begins, in the order in which the book has them."""
    found = (line.time.recording for line in placed if line.time.time is not None)
    offsets, reached = [0.0] * len(recordings), 0.0
    for number in dict.fromkeys([*found, *range(len(recordings))]):
        offsets[number] = reached
        reached += probe(recordings[number]).seconds
    return offsets


def subtitle_lines(
    subtitles: Path, recording: Path, *, language: Language | None, overlaps: Overlaps
) -> tuple[Book, list[PlacedLine]]:
    """Return the lines of a film whose subtitles have times, as lines of an aligned book.

    All of them are there, with the numbers of their subtitles: what is not judged is still context.

    Raises:
        RecordError: if the subtitles cannot be understood, overlap, or reach beyond the recording.
    """
    cues, story = subtitled_story(subtitles, language=language)
    alone = spoken_alone(cues, overlaps=overlaps, source=str(subtitles))
    if not any(is_alone and cue.is_spoken for cue, is_alone in zip(cues, alone, strict=True)):
        raise RecordError(f"{subtitles}: no subtitle has words that are spoken alone.")
    book = Book(tuple(map(make_line, story.lines)), story.language, str(subtitles))
    seconds = probe(recording).seconds
    placed = []
    for cue, line, is_alone in zip(cues, book.lines, alone, strict=True):
        words = len(tokens_of(line.line.text, book.language))
        time = LineTime(words, words, 0, cue.time)
        if cue.time.end > seconds:
            time = replace(time, problem=message("aptness.subtitle-beyond-end", end=cue.time.end, seconds=seconds))
        heard: Heard = "not at all" if not cue.is_spoken else "alone" if is_alone else "with another"
        placed.append(PlacedLine(cue.number, line, time, heard))
    return book, placed


def is_book_entry(payload: Mapping[str, Json]) -> bool:
    """Return whether an item is a line of a book that was aligned with its recordings."""
    return isinstance(payload.get(ALIGNMENT), Mapping) and payload.get("schema") == schema_name(Sample)
