"""CEAEval-D from recordings of yours: long audio and the story that is read in it become lines to annotate.

Section 3.2 and appendices A and B of the paper, before people come in: works → speech → transcript → lines with their
times → clips with context → what machines say of each → a manifest, a rating task, and a report of what fell and why.
`ceaeval_d_laying` finds the lines, `ceaeval_d_checks` doubts them, `ceaeval_d_weak` describes them,
`ceaeval_d_portions` chooses what people annotate, `ceaeval_d_files` writes.

Where no transcript can be had, nothing is built: lines that are spread over a recording by their length alone would lie
seconds beside what is said, and a chapter that was never read would go unnoticed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from aptone.errors import UsageError
from aptone.files import make_folder
from aptone.models import Transcriber
from aptone.planner import LARGEST_WINDOW, context_window
from aptone.rooms.aptness.books.book import PlacedLine, cut_lines
from aptone.rooms.aptness.books.chapters import Book, Division
from aptone.rooms.aptness.books.transcription import CarryOut
from aptone.rooms.aptness.books.works import Work, refuse_same_names
from aptone.rooms.aptness.build.files import CLIPS, WORKS, Built, collect
from aptone.rooms.aptness.build.line_places import FallenWork, LaidWork, Stopped, lay_work, read_book
from aptone.rooms.aptness.build.portions import PortionSettings
from aptone.rooms.aptness.build.report import PLACED, Candidate
from aptone.rooms.aptness.build.weak_labels import WeakStep
from aptone.rooms.aptness.data import make_items
from aptone.run import Display, RunConfig, RunFolder
from aptone.types import AudioRef, Entry, Item, Json, Language, Sample

RATERS = 1
"""People who annotate a line besides calibration: in the paper each has stories of their own."""


@dataclass(frozen=True, slots=True)
class CeaevalDSettings:
    """How the set is made.

    Args:
        context: lines of the story with each line: so many before it, and at the beginning lines behind it instead.
        division: how chapters are told.
        portions: what people annotate.
        raters: people a line.
        shards: format of the clips in shards for ``aptone train distil``: ``flac``, ``ogg`` or ``none``.
        by_phrase: whether every phrase is transcribed by itself, for transcribers that give no times.

    Raises:
        UsageError: if one makes no sense.
    """

    context: int = LARGEST_WINDOW
    division: Division = "headings"
    portions: PortionSettings = field(default_factory=PortionSettings)
    raters: int = RATERS
    shards: str = "flac"
    by_phrase: bool = False

    def __post_init__(self) -> None:
        if self.context < 0:
            raise UsageError(f"--context is 0 lines or more, got {self.context}.")
        if self.raters < 1:
            raise UsageError(f"--raters is 1 or more, got {self.raters}.")
        if self.shards not in ("flac", "ogg", "none"):
            raise UsageError(f"--shards is flac, ogg or none, got {self.shards!r}.")

    def decisive(self) -> dict[str, Json]:
        """What an item depends on: with other values, a folder is another set."""
        return {"context": self.context, "division": self.division, "by_phrase": self.by_phrase}


def read_books(works: Sequence[Work], division: Division) -> dict[str, Book | FallenWork]:
    """The texts of all works, by the key of the work; those that cannot be read say why.

    Raises:
        RecordError: if two works have one name.
    """
    refuse_same_names(works, where="these works")
    return {work.key: read_book(work, division) for work in works}


def languages_to_hear(works: Sequence[Work], books: Mapping[str, Book | FallenWork]) -> list[Language]:
    """Languages that a transcriber is needed for."""
    found: list[Language] = []
    for work in works:
        book = books[work.key]
        if isinstance(book, Book) and not work.transcripts and not work.is_subtitled and book.language not in found:
            found.append(book.language)
    return found


def build_ceaeval_d(
    works: Sequence[Work],
    settings: CeaevalDSettings,
    *,
    step: WeakStep,
    transcribers: Mapping[Language, Transcriber],
    folder: Path,
    config: RunConfig,
    carry_out: CarryOut,
    width: int,
    shows: Callable[[str], Display],
) -> Built:
    """Build the set, or go on with it: what was heard, cut and described before is not done again.

    Args:
        works: what it is made of.
        settings: how.
        step: what machines say of a line.
        transcribers: for each language of works without a transcript.
        folder: of the set.
        config: of the run over all lines.
        carry_out: how runs are carried out.
        width: lines that are described at once.
        shows: a display of progress, by its label.

    Raises:
        RecordError: if two works have one name.
        RunError: if the folder was begun with other settings, or cannot be written.
    """
    books = read_books(works, settings.division)
    make_folder(folder)
    with RunFolder(folder, config):
        pass  # what comes next has its place in it
    laid: list[LaidWork] = []
    fallen: list[FallenWork] = []
    for work in works:
        book = books[work.key]
        if isinstance(book, FallenWork):
            fallen.append(book)
            continue
        found = lay_work(
            work,
            book,
            transcriber=lambda language: transcribers[language],
            folder=folder / WORKS / work.key,
            carry_out=carry_out,
            by_phrase=settings.by_phrase,
            display=shows(f"{work.name}: minutes searched for speech"),
        )
        if isinstance(found, Stopped):
            return Built(folder, stopped=found.reason)
        if isinstance(found, FallenWork):
            fallen.append(found)
        else:
            laid.append(found)
    candidates = [one for work in laid for one in make_candidates(work, settings.context, folder)]
    items = [replace(candidate.item, position=place) for place, candidate in enumerate(candidates)]
    entries: tuple[Entry, ...] = ()
    stopped = ""
    if items:
        ended = carry_out(items, step, folder=folder, config=config, width=width, label="lines")
        entries, stopped = ended.run.entries, ended.stopped
    return collect(
        laid,
        fallen,
        candidates,
        entries,
        step=step,
        portions=settings.portions,
        raters=settings.raters,
        shards=settings.shards,
        described={**settings.decisive(), "raters": settings.raters},
        folder=folder,
        stopped=stopped,
    )


def make_candidates(work: LaidWork, context: int, folder: Path) -> list[Candidate]:
    """The lines of a work that have a clip, as items: cut out, with their context and where they come from.

    Args:
        work: whose lines were found.
        context: lines of the story with each.
        folder: of the set.
    """
    clips = cut_lines(work.placed, work.work.recordings, folder / CLIPS / work.work.key)
    told = work.told
    lines = [line.line.line for line in told]
    found = []
    for place, line in enumerate(told):
        if line.number not in clips:
            continue
        window = context_window(lines[max(0, place - context) : place], lines[place + 1 :][:context], size=context)
        sample = Sample(
            id=f"{work.work.key}-{line.number:06d}",
            audio=AudioRef(str(clips[line.number].absolute())),
            target=line.line.line,
            context=window.before,
            following=window.after,
            language=work.book.language,
            ids=_ids(work.work, line),
        )
        (item,) = make_items([sample])
        found.append(Candidate(work, line, clips[line.number], _with_place(item, work, line)))
    return found


def _with_place(item: Item, work: LaidWork, line: PlacedLine) -> Item:
    time = line.time.time
    assert time is not None
    found: dict[str, Json] = {
        "recording": work.work.recordings[line.time.recording].name,
        "start": round(time.start, 3),
        "end": round(time.end, 3),
        "words": line.time.words,
        "found": line.time.found,
        "held_by_neighbours": line.time.is_held,
        "transcript": work.transcript_of(line),
    }
    return replace(item, payload={**item.payload, PLACED: found})


def _ids(work: Work, line: PlacedLine) -> dict[str, str]:
    """Where a line comes from. Story, scene and character tell lines that no split may part."""
    world, chapter, role = work.world, line.line.chapter, line.line.line.role
    found = {
        "work": work.name,
        "story": world,
        "chapter": chapter,
        "scene": f"{world} / {chapter}" if chapter else world,
        "character": f"{world} / {role}" if role else "",
        "line": str(line.number),
        "speech": work.speech,
        "licence": work.licence,
        "source": work.source,
    }
    return {name: value for name, value in found.items() if value}
