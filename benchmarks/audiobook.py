"""Accuracy and speed of finding the lines of a book in its recordings.

*Words*: a text of 100,000 words, drawn by Zipf's law from 20,000, beside a transcript of it in which words are
misheard, left out and added. How many words that were heard as they stand are paired with themselves, and the time that
takes, beside Python's `difflib` with its defaults in the same run.

*Real clips, made-up transcript* (with --speech: a folder of clips with a labels.csv that has their texts): clips are
strung together with pauses into one long recording, so it is known when each line begins and ends. The recording is cut
into pieces by the speech detector, as a book is. What stands in for a transcriber knows the texts, mishears some words,
and times phrases as the speech detector parts them. No transcriber is as simple as that; the next part has a real one.

*Synthetic voice, real transcriber* (with --texts: the folder of the text sets): lines of MELD's test part, read by
flite and strung together, transcribed by Moonshine.

A line counts as placed where its times count; as right where both ends lie within 0.3 s of where the speech of its clip
begins and ends.

    python -m benchmarks.audiobook --speech NEMO --texts TEXTS
"""

import argparse
import asyncio
import csv
import difflib
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aptone.audio import find_speech, read, resample, write
from aptone.models import TimedText, Transcript
from aptone.models.speakers.command import CommandSpeaker
from aptone.planner.labelled_dialogues import read_meld
from aptone.rooms.aptness.books.alignment import align, tokens_of
from aptone.rooms.aptness.books.book import lay_text, place_lines
from aptone.rooms.aptness.books.line_times import HeardWord, heard_words
from aptone.rooms.aptness.books.transcription import Pieces, cut_into_pieces
from aptone.types import Audio, Segment
from benchmarks.audiobook_recordings import RATE, Studio, book_of, record_of, transcribed, write_record
from benchmarks.made_with import with_revisions

WORDS = 100_000
VOCABULARY = 20_000
ERRORS = (0.05, 0.15, 0.30)
"""Shares of words that a transcript gets wrong: half misheard, a quarter left out, a quarter added."""

RIGHT = 0.3
"""Seconds by which either end of a line may be off."""
PAUSES = (0.25, 1.2)
"""Seconds of silence between two lines, from and to."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A line as it lies in the long recording."""

    text: str
    clip: Segment
    speech: Segment


def zipf_words(generator: np.random.Generator, count: int) -> list[str]:
    """Words as frequent as in a book."""
    weights = 1.0 / np.arange(1, VOCABULARY + 1)
    return [f"w{word}" for word in generator.choice(VOCABULARY, size=count, p=weights / weights.sum())]


def misheard(words: Sequence[str], share: float, generator: np.random.Generator) -> tuple[list[str], list[int]]:
    """A transcript with errors, and which word of the text each of its words is; -1 for those that are none."""
    heard: list[str] = []
    origin: list[int] = []
    wrong = zipf_words(generator, 2 * len(words) + 2)
    chances = generator.random((len(words), 2))
    for place, word in enumerate(words):
        if chances[place, 0] < share / 2:
            heard.append(wrong[2 * place])
            origin.append(-1)
        elif chances[place, 0] >= 0.75 * share:  # what lies between is left out
            heard.append(word)
            origin.append(place)
        if chances[place, 1] < share / 4:
            heard.append(wrong[2 * place + 1])
            origin.append(-1)
    return heard, origin


def paired_rightly(partner: dict[int, int], origin: Sequence[int]) -> float:
    """Share of the words that were heard as they stand which have their own place in the text."""
    real = [place for place, text in enumerate(origin) if text >= 0]
    return sum(partner.get(place) == origin[place] for place in real) / len(real)


def measure_words(share: float, seed: int) -> dict[str, float]:
    """Ours and difflib on one text."""
    generator = np.random.default_rng(seed)
    text = zipf_words(generator, WORDS)
    heard, origin = misheard(text, share, generator)
    begun = time.process_time()
    pairs = align(text, heard)
    ours = time.process_time() - begun
    begun = time.process_time()
    blocks = difflib.SequenceMatcher(None, text, heard).get_matching_blocks()
    theirs = time.process_time() - begun
    by_difflib = {block.b + step: block.a + step for block in blocks for step in range(block.size)}
    return {
        "words": WORDS,
        "share_of_errors": share,
        "paired_rightly": round(paired_rightly({pair.heard: pair.text for pair in pairs}, origin), 4),
        "paired_rightly_by_difflib": round(paired_rightly(by_difflib, origin), 4),
        "seconds": round(ours, 2),
        "seconds_of_difflib": round(theirs, 2),
        "times_as_fast": round(theirs / ours, 1),
    }


def strung_together(clips: Iterator[tuple[Audio, str]], generator: np.random.Generator) -> tuple[Audio, list[Spoken]]:
    """Clips as one long recording with pauses, and when each line is spoken in it."""
    studio, lines = Studio(generator), list[Spoken]()
    for clip, text in clips:
        inside = find_speech(clip)
        if inside:
            whole = studio.add(clip.samples, pause=PAUSES)
            lines.append(Spoken(text, whole, Segment(whole.start + inside[0].start, whole.start + inside[-1].end)))
    return studio.audio(), lines


def made_up_words(
    pieces: Pieces, lines: Sequence[Spoken], share: float, generator: np.random.Generator
) -> list[HeardWord]:
    """Return a stand-in for a transcriber's output: phrases as the detector parts them, with their spoken words."""
    timed: list[tuple[float, str]] = []
    for line in lines:
        tokens = tokens_of(line.text, "en")
        lengths = np.cumsum([0, *(len(token) + 1 for token in tokens)])
        middles = line.speech.start + line.speech.seconds * (lengths[:-1] + lengths[1:]) / 2 / lengths[-1]
        timed += list(zip(middles.tolist(), tokens, strict=True))
    heard: list[HeardWord] = []
    place = 0
    for piece in pieces.pieces:
        phrases = []
        for phrase in piece.speech:
            own = []
            while place < len(timed) and timed[place][0] <= phrase.end:
                own.append(timed[place][1])
                place += 1
            text = " ".join(misheard(own, share, generator)[0])
            start = max(0.0, phrase.start - piece.start)
            phrases.append(TimedText(text, Segment(start, max(start, phrase.end - piece.start))))
        transcript = Transcript(" ".join(phrase.text for phrase in phrases), pieces=tuple(phrases))
        heard += heard_words(transcript, recording=0, offset=piece.start, span=Segment(0, 0), language="en")
    return heard


@dataclass(frozen=True, slots=True)
class Placed:
    """Placement of the lines of one long recording.

    Args:
        lines: how many there are.
        offs: of those that were placed, seconds by which the worse end is off.
        held: which of those were misheard and are held by their neighbours.
        words: of the text.
        found: those of them that were heard as they stand.
    """

    lines: int
    offs: list[float]
    held: list[bool]
    words: int
    found: int


def place(lines: Sequence[Spoken], heard: Sequence[HeardWord], pieces: Pieces) -> Placed:
    """Place the lines of one long recording."""
    book = book_of([line.text for line in lines], "en", "benchmark")
    placed, laid = place_lines(book, lay_text(book, [heard]), pieces.speech())
    offs, held = [], []
    for line, one in zip(lines, placed, strict=True):
        if one.time.problem or one.time.time is None:
            continue
        found = one.time.time
        offs.append(max(abs(found.start - line.speech.start), abs(found.end - line.speech.end)))
        held.append(one.time.is_held)
    return Placed(len(lines), offs, held, laid.words, laid.found)


def pooled(books: Sequence[Placed]) -> dict[str, float]:
    """Shares over the lines of several recordings."""
    lines = sum(book.lines for book in books)
    errors = np.array([off for book in books for off in book.offs])
    held = np.array([is_held for book in books for is_held in book.held], dtype=bool)
    found = sum(book.found for book in books) / sum(book.words for book in books)
    figures = {
        "lines": lines,
        "words_heard_as_they_stand": found,
        "placed": errors.size / lines,
        "right_of_placed": float((errors <= RIGHT).mean()),
        "held_by_neighbours": float(held.mean()),
        "median_seconds_off": float(np.median(errors)),
        "seconds_off_at_95_percent": float(np.quantile(errors, 0.95)),
    }
    if held.any():
        figures["right_of_held"] = float((errors[held] <= RIGHT).mean())
    return {name: round(value, 4) for name, value in figures.items()}


def speech_books(folder: Path, part: str, count: int, seed: int) -> Iterator[Iterator[tuple[Audio, str]]]:
    """Books of clips of the speakers of one part: every text once in each, in an order and by speakers of chance."""
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["split"] == part and row["text"].strip()]
    for number in range(count):
        order = np.random.default_rng([seed, number]).permutation(len(rows))
        chosen = {rows[place]["text"]: rows[place]["file"] for place in order}
        yield ((read(folder / file, rate=RATE, channel="mix"), text) for text, file in chosen.items())


def spoken_lines(texts: Path, count: int) -> Iterator[tuple[Audio, str]]:
    """Lines of MELD's test part, read by two voices of flite in turn."""
    lines = [one.line.text for dialogue in read_meld(texts) if dialogue.part == "test" for one in dialogue.lines]
    speaker = CommandSpeaker("flite")
    for number, line in enumerate(lines[:count]):
        plain = " ".join(line.replace("’", "'").split()).encode("ascii", "ignore").decode()
        if len(tokens_of(plain, "en")) < 1:
            continue
        audio = asyncio.run(speaker.speak(plain, language="en", voice="slt" if number % 2 else "rms"))
        yield resample(audio, rate=RATE), plain


def measure_times(
    books: Iterable[Iterator[tuple[Audio, str]]], shares: Sequence[float] | None, seed: int
) -> list[dict[str, float]]:
    """String clips together, cut, transcribe (really, or with these shares of errors), and place the lines."""
    generator = np.random.default_rng(seed)
    seconds = cutting = 0.0
    found: dict[float | None, list[Placed]] = {}
    for clips in books:
        whole, lines = strung_together(clips, generator)
        seconds += whole.seconds
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write(folder / "book.wav", whole)
            begun = time.process_time()
            pieces = cut_into_pieces([folder / "book.wav"], folder / "pieces")
            cutting += time.process_time() - begun
            for share in shares or (None,):
                heard = (
                    transcribed(pieces, folder / "pieces")
                    if share is None
                    else made_up_words(pieces, lines, share, generator)
                )
                found.setdefault(share, []).append(place(lines, heard, pieces))
    common = {
        "minutes": round(seconds / 60, 1),
        "seconds_of_work_to_cut_an_hour": round(cutting * 3600 / seconds, 1),
    }
    return [
        common | ({} if share is None else {"share_of_errors": share}) | pooled(placed)
        for share, placed in found.items()
    ]


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Lines of a book in its recordings.")
    parser.add_argument("--speech", type=Path, help="Folder of clips with their texts in a labels.csv.")
    parser.add_argument("--texts", type=Path, help="Folder of the text sets, among them meld.")
    parser.add_argument("--part", default="test", help="Speakers of the clips; what is tuned is tuned on dev.")
    parser.add_argument("--books", type=int, default=6, help="Number of books made of real clips.")
    parser.add_argument("--lines", type=int, default=300, help="Number of synthesised lines.")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "audiobook.json")
    options = parser.parse_args()
    results: dict[str, object] = {"words": [measure_words(share, options.seed) for share in ERRORS]}
    if options.speech is not None:
        books = speech_books(options.speech, options.part, options.books, options.seed)
        results["real clips, made-up transcript"] = measure_times(books, ERRORS, options.seed)
    if options.texts is not None:
        read_aloud = [spoken_lines(options.texts, options.lines)]
        results["synthetic voice, real transcriber"] = measure_times(read_aloud, None, options.seed)
    what = "lines of a book found in long recordings, and the time it takes to lay the words side by side"
    record = record_of(what, results, seed=options.seed, seconds_that_count_as_right=RIGHT)
    write_record(options.output, with_revisions(record))


if __name__ == "__main__":
    main()
