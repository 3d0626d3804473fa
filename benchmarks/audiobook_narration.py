"""Lines of synthetic narrations whose narrators make mistakes (`narrations.py`), found in the recordings.

*English*: ten minutes each of television dialogue (MELD), novels (`fiction`) and stories of our own, read by voices of
flite and espeak-ng in turn, transcribed by Moonshine. *Plain* ones have misread words, lines that are broken off,
said twice or not read, music and announcements; *hostile* ones also corrections, restarts within a line, near twins of
lines of which one may not be read, announcements that quote a line, and music under speech. What was tuned was tuned on
those of part `dev`; those of part `test` have other texts, voices and seeds and were made afterwards.

A line counts as placed wrongly if it shares less than half of the speech of its last take, or if nobody read it; as
spoilt if it is placed rightly, and more than half a second and a quarter of its length is other speech.

*Mandarin*: lines of CPED's test part, read by espeak-ng, with a made-up transcriber that gives no times and mishears
one character in ten: once with times shared out by length alone, once by the pauses.

    python -m benchmarks.audiobook_narration TEXTS
"""

import argparse
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from aptone.audio import write
from aptone.models import Transcript
from aptone.planner.labelled_dialogues import read_cped, read_meld
from aptone.rooms.aptness.books.alignment import tokens_of
from aptone.rooms.aptness.books.book import PlacedLine, lay_text, place_lines
from aptone.rooms.aptness.books.book_file import load_book
from aptone.rooms.aptness.books.line_times import HeardWord, heard_words
from aptone.rooms.aptness.books.pause_times import retime
from aptone.rooms.aptness.books.transcription import PIECES, Pieces, cut_into_pieces
from aptone.types import Segment
from benchmarks.audiobook_recordings import Studio, book_of, find_lines, record_of, synthesised, write_record
from benchmarks.made_with import with_revisions
from benchmarks.narrations import (
    HOSTILE,
    NOISE,
    PAUSE,
    PLAIN,
    Mistakes,
    Narrated,
    Narration,
    Voice,
    narrate,
)

MISHEARD = 0.1
FEWEST_WORDS = 4
"""Words of a line of dialogue that is read; those of novels and stories are read whole."""
PASSAGE = 250
"""Paragraphs of a novel."""
SLT, RMS, AWB, KAL = (Voice("flite", name) for name in ("slt", "rms", "awb", "kal16"))
BRITISH, SCOTTISH, WOMAN = (Voice("espeak-ng", name) for name in ("en-gb", "en-gb-scotland", "en-us+f3"))
SPOILT_SECONDS, SPOILT_SHARE = 0.5, 0.25


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a narration is made.

    Args:
        source: part of MELD; or a story of `narrated_books`; or a novel, by its id.
        first: first paragraph of the novel, or first line of the dialogues.
    """

    source: str
    seed: int
    voices: tuple[Voice, ...]
    mistakes: Mistakes
    part: Literal["dev", "test"]
    first: int = 0


RECIPES: Mapping[str, Recipe] = {
    "dialogue, plain": Recipe("meld test", 5, (SLT, RMS, AWB), PLAIN, "test"),
    "dialogue, hostile": Recipe("meld test", 31, (AWB, RMS, KAL), HOSTILE, "test", 1000),
    "novel, plain": Recipe("en089", 34, (RMS, SLT), PLAIN, "test", 300),
    "novel, hostile": Recipe("en222", 32, (SLT, SCOTTISH, RMS), HOSTILE, "test", 300),
    "story, hostile": Recipe("observatory", 33, (AWB, SLT), HOSTILE, "test"),
    "dev: dialogue, plain": Recipe("meld train", 15, (AWB, SLT, RMS), PLAIN, "dev"),
    "dev: dialogue, hostile": Recipe("meld dev", 11, (SLT, RMS, AWB), HOSTILE, "dev"),
    "dev: more dialogue, hostile": Recipe("meld train", 16, (RMS, KAL, AWB), HOSTILE, "dev", 3000),
    "dev: novel, plain": Recipe("en070", 14, (SLT, KAL), PLAIN, "dev", 300),
    "dev: novel, hostile": Recipe("en001", 12, (KAL, BRITISH, SLT), HOSTILE, "dev", 200),
    "dev: story, hostile": Recipe("ferry", 13, (RMS, WOMAN, AWB), HOSTILE, "dev"),
}


def plain(text: str) -> str:
    """A text in the letters that synthesisers know."""
    simple = text.replace("’", "'").replace("“", '"').replace("”", '"').replace("—", ", ")
    return " ".join(simple.split()).encode("ascii", "ignore").decode()


def texts_of(recipe: Recipe, texts: Path) -> list[str]:
    """The lines that a narrator is given."""
    if recipe.source.startswith("meld"):
        part = recipe.source.removeprefix("meld ")
        said = (
            plain(one.line.text) for dialogue in read_meld(texts) if dialogue.part == part for one in dialogue.lines
        )
        return [text for text in said if len(tokens_of(text, "en")) >= FEWEST_WORDS][recipe.first :]
    own = Path(__file__).parent / "narrated_books" / f"{recipe.source}.txt"
    if own.exists():
        return _lines_of(own)
    with tarfile.open(texts / "fiction" / "books.en.tar.xz") as archive, tempfile.TemporaryDirectory() as name:
        member = next(one for one in archive.getmembers() if Path(one.name).name.startswith(recipe.source))
        file = archive.extractfile(member)
        paragraphs = file.read().decode().split("\n") if file is not None else []
        passage = Path(name) / "passage.txt"
        passage.write_text("\n\n".join(paragraphs[recipe.first : recipe.first + PASSAGE]), encoding="utf-8")
        return _lines_of(passage)


def _lines_of(path: Path) -> list[str]:
    return [plain(line.line.text) for line in load_book(path).lines if tokens_of(line.line.text, "en")]


def _shared(one: Segment, other: Segment) -> float:
    return max(0.0, min(one.end, other.end) - max(one.start, other.start))


def figures(narration: Narration, placed: Sequence[PlacedLine]) -> dict[str, float]:
    """Shares of the lines that were read, and numbers of those that are at a wrong place."""
    lines = narration.lines
    read = [(line.time, one.time) for line, one in zip(lines, placed, strict=True) if line.time is not None]
    unread = [one.time for line, one in zip(lines, placed, strict=True) if line.time is None]
    found = [(truth, one.time) for truth, one in read if not one.problem and one.time is not None]
    right = [(truth, time) for truth, time in found if _shared(truth, time) >= truth.seconds / 2]
    others = [sum(_shared(time, one) for one in narration.said) - _shared(truth, time) for truth, time in right]
    spoilt = [
        other > max(SPOILT_SECONDS, SPOILT_SHARE * truth.seconds)
        for other, (truth, _) in zip(others, right, strict=True)
    ]
    starts = np.array([abs(time.start - truth.start) for truth, time in found])
    ends = np.array([abs(time.end - truth.end) for truth, time in found])
    return {
        "lines_read": len(read),
        "placed": round(len(found) / len(read), 4),
        "placed_wrongly": len(found) - len(right),
        "spoilt": int(sum(spoilt)),
        "lines_not_read": len(unread),
        "placed_though_not_read": sum(not one.problem for one in unread),
        "start_within_0.3_s": round(float((starts <= 0.3).mean()), 4),
        "both_ends_within_0.5_s": round(float((np.maximum(starts, ends) <= 0.5).mean()), 4),
        "median_seconds_off": round(float(np.median(starts)), 3),
    }


def pooled(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Numbers over several narrations, and the share of lines that are placed."""
    counts = ("lines_read", "placed_wrongly", "spoilt", "lines_not_read", "placed_though_not_read")
    total: dict[str, float] = {name: sum(row[name] for row in rows) for name in counts}
    placed = sum(row["placed"] * row["lines_read"] for row in rows)
    return total | {"placed": round(placed / total["lines_read"], 4)}


def measure_english(recipe: Recipe, texts: Path, minutes: float, *, cache: Path | None = None) -> dict[str, float]:
    """Some minutes of English, transcribed and aligned as a book is."""
    generator = np.random.default_rng(recipe.seed)
    narration = narrate(texts_of(recipe, texts), minutes, generator, voices=recipe.voices, mistakes=recipe.mistakes)
    book = book_of([line.text for line in narration.lines], "en", "narration")
    found = find_lines(narration.audio, book, cache=cache)
    heard = len(found.text.same) / len(found.text.text)
    reasons = Counter(str(getattr(one.time.problem, "id", "")) for one in found.placed if one.time.problem)
    length = {"minutes": round(narration.audio.seconds / 60, 1), "words_heard": round(heard, 4)}
    return {
        **length,
        **figures(narration, found.placed),
        **{f"without place: {why}": count for why, count in reasons.items()},
    }


def made_up_transcript(
    pieces: Pieces, lines: Sequence[Narrated], generator: np.random.Generator
) -> Iterator[HeardWord]:
    """Yield what a transcriber without times hears in each piece, with one character in ten wrong."""
    timed = []
    for line in lines:
        tokens = tokens_of(line.text, "zh")
        if line.time is not None:
            step = line.time.seconds / max(1, len(tokens))
            timed += [(line.time.start + (place + 0.5) * step, token) for place, token in enumerate(tokens)]
    others = sorted({token for _, token in timed})
    place = 0
    for piece in pieces.pieces:
        own = []
        while place < len(timed) and timed[place][0] <= piece.speech[-1].end + 0.1:
            is_wrong = generator.random() < MISHEARD
            own.append(str(generator.choice(others)) if is_wrong else timed[place][1])
            place += 1
        span = Segment(0.0, piece.speech[-1].end - piece.start)
        yield from heard_words(Transcript("".join(own)), recording=0, offset=piece.start, span=span, language="zh")


def measure_mandarin(texts: Path, minutes: float, seed: int) -> dict[str, dict[str, float]]:
    """Some minutes of Mandarin with a made-up transcript."""
    generator = np.random.default_rng(seed)
    studio, lines = Studio(generator), list[Narrated]()
    said = [one.line.text for dialogue in read_cped(texts) if dialogue.part == "test" for one in dialogue.lines]
    for text in (text for text in said if len(tokens_of(text, "zh")) >= FEWEST_WORDS):
        if studio.size > minutes * 60 * 16_000:
            break
        samples = synthesised("espeak-ng", text, "zh", "")
        if samples.size:
            lines.append(Narrated(text, studio.add(samples, pause=PAUSE)))
    narration = Narration(studio.audio(noise=NOISE), lines, [line.time for line in lines if line.time is not None])
    book = book_of([line.text for line in lines], "zh", "narration")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "book.wav", narration.audio)
        pieces = cut_into_pieces([folder / "book.wav"], folder / PIECES)
    laid = lay_text(book, [list(made_up_transcript(pieces, lines, generator))])
    return {
        way: figures(narration, place_lines(book, times, pieces.speech())[0])
        for way, times in (("by the pauses", retime(laid, pieces)), ("by length alone", laid))
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Lines of synthetic narrations with mistakes.")
    parser.add_argument("texts", type=Path, help="Folder of the text sets, among them meld, cped and fiction.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=5, help="Random seed of the Mandarin narration.")
    parser.add_argument("--part", choices=("dev", "test"), help="Measure this part only, and write nothing.")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "audiobook_narration.json")
    parser.add_argument("--cache", type=Path, help="Folder in which transcripts are kept between runs.")
    options = parser.parse_args()
    english: dict[str, dict[str, float]] = {}
    for name, recipe in RECIPES.items():
        if options.part in (None, recipe.part):
            english[name] = measure_english(recipe, options.texts, options.minutes, cache=options.cache)
            print(name, english[name], flush=True)
    if options.part is not None:
        return
    results: dict[str, object] = {"English": english}
    for part in ("test", "dev"):
        rows = [english[name] for name, recipe in RECIPES.items() if recipe.part == part]
        results[f"English, all of part {part}"] = pooled(rows)
    results["Mandarin"] = measure_mandarin(options.texts, options.minutes / 2, options.seed)
    what = "lines of synthetic narrations with misread words, second takes, corrections, announcements and music"
    record = record_of(what, results, seed=options.seed)
    write_record(options.output, with_revisions(record))


if __name__ == "__main__":
    main()
