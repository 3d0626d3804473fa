"""CEAEval-D from recordings of yours: long audio and the story that is read in it become lines to annotate.

Section 3.2 and appendices A and B of the paper, before people come in: works → speech → transcript → lines with their
times → clips with context → weak labels → a manifest, a rating task, and a report of rejects with reasons.
`line_places` finds and checks the lines, `weak_labels` describes them, `portions` chooses what people annotate, `files`
writes.

Without a transcript nothing is built: lines spread over a recording by their length alone would be seconds off, and a
chapter that was never read would go unnoticed.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from aptone.audio import probe
from aptone.errors import AudioError, UsageError
from aptone.files import make_folder
from aptone.models import Transcriber
from aptone.models.asking.writers import LISTENER_MAX_TOKENS
from aptone.planner import LARGEST_WINDOW, context_window
from aptone.rooms.aptness.books.alignment import tokens_of
from aptone.rooms.aptness.books.book import PlacedLine, cut_lines
from aptone.rooms.aptness.books.book_text import Book
from aptone.rooms.aptness.books.chapters import Division
from aptone.rooms.aptness.books.works import Work, refuse_same_names
from aptone.rooms.aptness.build.files import CLIPS, WORKS, BuildResult, collect
from aptone.rooms.aptness.build.line_places import AlignedWork, RejectedWork, Stopped, align_work, read_book
from aptone.rooms.aptness.build.report import PLACED, Candidate, PortionSettings
from aptone.rooms.aptness.build.weak_labels import WeakStep
from aptone.rooms.aptness.data import make_items
from aptone.rooms.aptness.step import CarryOut
from aptone.run import Display, RunConfig, RunFolder
from aptone.types import AudioRef, Item, Json, Language, Sample, is_finite_number

AUDIO_TOKENS, PROMPT_TOKENS = 25.0, 400.0
"""Tokens of a second of sound, those of Qwen's Omni models (other models have fewer); of the question with a clip."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Workload of one work: minutes of recordings, NaN where unreadable; `problem` says why it gives no lines."""

    work: str
    minutes: float
    lines: int
    is_heard: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices, in the currency of the provider; NaN where unknown.

    Args:
        minute: price of a minute of sound that is transcribed.
        input: price of a million tokens that the captioner reads or hears.
        output: price of a million tokens that it writes.
        longest: tokens of the longest caption.
    """

    minute: float = math.nan
    input: float = math.nan
    output: float = math.nan
    longest: float = LISTENER_MAX_TOKENS

    @classmethod
    def of(cls, settings: Mapping[str, Json]) -> "Prices":
        """The prices among the options of transcriber and captioner.

        Raises:
            UsageError: if one is no number.
        """
        names = {
            "minute": "transcriber.price_per_minute",
            "input": "captioner.input_price",
            "output": "captioner.output_price",
            "longest": "captioner.max_tokens",
        }
        given = {}
        for option, name in names.items():
            value = settings.get(name)
            if value is None:
                continue
            if not is_finite_number(value) or value < 0:
                raise UsageError(f"--set {name}: expected a number that is not negative, got {value!r}.")
            given[option] = float(value)
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Costs:
    """Upper bound of the cost of a build; NaN where a price is unknown, 0 for work on this machine."""

    transcripts: float
    captions: float

    @property
    def total(self) -> float:
        """Both; NaN if one is not known."""
        return self.transcripts + self.captions


def estimate_workload(works: Sequence[Work], books: Mapping[str, Book | RejectedWork]) -> list[Workload]:
    """Estimate the workload of each work without decoding its recordings."""
    found = []
    for work in works:
        book, problem, minutes = books[work.key], "", math.nan
        try:
            minutes = sum(probe(recording).seconds for recording in work.recordings) / 60
        except AudioError as error:
            problem = str(error)
        if isinstance(book, RejectedWork):
            found.append(Workload(work.name, minutes, 0, False, book.reason))
            continue
        lines = sum(bool(tokens_of(line.line.text, book.language)) for line in book.lines if not line.is_heading)
        found.append(Workload(work.name, minutes, lines, not work.transcripts and not work.is_subtitled, problem))
    return found


def cost_bound(workloads: Sequence[Workload], prices: Prices, *, pays_transcripts: bool, pays_captions: bool) -> Costs:
    """Return the cost if every minute is speech, every line is found, and every caption has its full length.

    Args:
        pays_transcripts: whether the transcriber is on another machine.
        pays_captions: whether the captioner is.

    >>> one = Workload("a", minutes=10.0, lines=100, is_heard=True)
    >>> cost_bound([one], Prices(minute=0.006), pays_transcripts=True, pays_captions=False)
    Costs(transcripts=0.06, captions=0.0)
    """
    usable = [work for work in workloads if not work.problem]
    minutes = sum(work.minutes for work in usable if work.is_heard)
    lines = sum(work.lines for work in usable)
    sound = AUDIO_TOKENS * 60 * sum(work.minutes for work in usable)
    captions = ((sound + PROMPT_TOKENS * lines) * prices.input + prices.longest * lines * prices.output) / 1e6
    return Costs(minutes * prices.minute if pays_transcripts else 0.0, captions if pays_captions else 0.0)


RATERS = 1
"""People who annotate a line besides calibration: in the paper each has stories of their own."""


@dataclass(frozen=True, slots=True)
class CeaevalDSettings:
    """Settings of the set.

    Args:
        context: lines of the story with each line: so many before it, and at the beginning lines behind it instead.
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
        """Settings that an item depends on: with other values, a folder is another set."""
        return {"context": self.context, "division": self.division, "by_phrase": self.by_phrase}


def read_books(works: Sequence[Work], division: Division) -> dict[str, Book | RejectedWork]:
    """The texts of all works, by the key of the work; those that cannot be read say why.

    Raises:
        RecordError: if two works have one name.
    """
    refuse_same_names(works, where="these works")
    return {work.key: read_book(work, division) for work in works}


def languages_to_hear(works: Sequence[Work], books: Mapping[str, Book | RejectedWork]) -> list[Language]:
    """Languages that a transcriber is needed for."""
    heard = [books[work.key] for work in works if not work.transcripts and not work.is_subtitled]
    return list(dict.fromkeys(book.language for book in heard if isinstance(book, Book)))


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
) -> BuildResult:
    """Build the set, or go on with it: what was heard, cut and described before is not done again.

    Args:
        transcribers: transcribers by language, for works without a transcript.
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
    aligned: list[AlignedWork] = []
    rejected: list[RejectedWork] = []
    for work in works:
        book = books[work.key]
        if isinstance(book, RejectedWork):
            rejected.append(book)
            continue
        found = align_work(
            work,
            book,
            transcriber=lambda language: transcribers[language],
            folder=folder / WORKS / work.key,
            carry_out=carry_out,
            by_phrase=settings.by_phrase,
            display=shows(f"{work.name}: minutes searched for speech"),
        )
        if isinstance(found, Stopped):
            return BuildResult(folder, stopped=found.reason)
        if isinstance(found, RejectedWork):
            rejected.append(found)
        else:
            aligned.append(found)
    candidates = [one for work in aligned for one in make_candidates(work, settings.context, folder)]
    items = [replace(candidate.item, position=place) for place, candidate in enumerate(candidates)]
    ended = carry_out(items, step, folder=folder, config=config, width=width, label="lines") if items else None
    return collect(
        aligned,
        rejected,
        candidates,
        ended.run.entries if ended else (),
        step=step,
        portions=settings.portions,
        raters=settings.raters,
        shards=settings.shards,
        described={**settings.decisive(), "raters": settings.raters},
        folder=folder,
        stopped=ended.stopped if ended else "",
    )


def make_candidates(work: AlignedWork, context: int, folder: Path) -> list[Candidate]:
    """The lines of a work that have a clip, as items: cut out, with their context and where they come from."""
    clips = cut_lines(work.placed, work.work.recordings, folder / CLIPS / work.work.key)
    lines, found = [line.line.line for line in work.content_lines], []
    for place, line in enumerate(work.content_lines):
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


def _with_place(item: Item, work: AlignedWork, line: PlacedLine) -> Item:
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
    """Return the origin of a line; story, scene and character name lines that no split may separate."""
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
