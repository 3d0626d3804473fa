"""Memory and cost of finding the lines of a book in ten hours of recording.

*Memory*: a recording is repeated until it lasts ten hours, read and cut into pieces as a book is, with a made-up
transcript of other words in every piece, so that nothing repeats in the text; the text is aligned with it, and all
lines are placed by their pauses. The peak memory of the process is printed.

*Cost*: CPU time of cutting, aligning with the sound and placing, beside that of the transcriber and of the ear, on one
copy of the recording. Ten hours of the three are not run: the cost of each piece does not depend on the others.

    python -m benchmarks.audiobook_long RECORDING
"""

import argparse
import asyncio
import json
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import soundfile

import aptone
from aptone.audio import read
from aptone.models import Transcript
from aptone.models.moonshine import Moonshine
from aptone.rooms.aptness.books.book import lay_text, place_lines
from aptone.rooms.aptness.books.book_text import Book
from aptone.rooms.aptness.books.line_times import HeardWord, heard_words
from aptone.rooms.aptness.books.transcription import PIECES, Pieces, cut_into_pieces
from aptone.rooms.aptness.books.word_times import find_aligner, find_word_times
from aptone.types import Segment
from benchmarks.audiobook import zipf_words
from benchmarks.audiobook_recordings import RATE, book_of, carry_out, record_of, write_record
from benchmarks.made_with import with_revisions

WORDS_A_SECOND, LINE = 2.5, 12


def repeated(recording: Path, output: Path, hours: float) -> None:
    """Write a recording again and again until it is long enough."""
    samples = read(recording, rate=RATE, channel="mix").samples
    with soundfile.SoundFile(output, "w", RATE, 1, format="WAV", subtype="PCM_16") as file:
        for _ in range(int(np.ceil(hours * 3600 * RATE / samples.size))):
            file.write(samples)


def made_up(pieces: Pieces, seed: int) -> tuple[Book, list[HeardWord]]:
    """A transcript without times of as many words as fit into the speech, and a book of the same words."""
    generator = np.random.default_rng(seed)
    heard, words = list[HeardWord](), list[str]()
    for piece in pieces.pieces:
        own = zipf_words(generator, max(1, round(WORDS_A_SECOND * sum(part.seconds for part in piece.speech))))
        words += own
        span = Segment(0.0, piece.speech[-1].end - piece.start)
        heard += heard_words(Transcript(" ".join(own)), recording=0, offset=piece.start, span=span, language="en")
    return book_of([" ".join(words[at : at + LINE]) for at in range(0, len(words), LINE)], "en", "made up"), heard


def measure_memory(recording: Path, hours: float, seed: int, folder: Path) -> dict[str, float]:
    """Cut, lay the text and place its lines; peak memory of this process."""
    repeated(recording, folder / "book.wav", hours)
    begun = time.process_time()
    pieces = cut_into_pieces([folder / "book.wav"], folder / PIECES)
    cutting = time.process_time() - begun
    book, heard = made_up(pieces, seed)
    begun = time.process_time()
    text = lay_text(book, [heard])
    times = find_word_times(text, pieces, None, folder=folder, carry_out=carry_out)
    placed, _ = place_lines(book, times.text, pieces.speech())
    return {
        "hours": round(soundfile.info(folder / "book.wav").duration / 3600, 2),
        "pieces": len(pieces.pieces),
        "lines": len(book.lines),
        "placed": round(sum(not line.time.problem for line in placed) / len(placed), 4),
        "cpu_seconds_to_cut": round(cutting, 1),
        "cpu_seconds_to_place": round(time.process_time() - begun, 1),
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def measure_cost(recording: Path, folder: Path) -> dict[str, float]:
    """CPU time of each part on the recording itself, with the transcript as its text."""
    begun = time.process_time()
    pieces = cut_into_pieces([recording], folder / PIECES)
    cutting = time.process_time() - begun
    listener, heard = Moonshine(), list[HeardWord]()
    begun = time.process_time()
    for piece in pieces.pieces:
        transcript = asyncio.run(listener.transcribe(read(folder / PIECES / piece.file, rate=RATE), language="en"))
        span = Segment(0.0, piece.speech[-1].end - piece.start)
        heard += heard_words(transcript, recording=0, offset=piece.start, span=span, language="en")
    transcribing = time.process_time() - begun
    words = [word.token for word in heard]
    book = book_of([" ".join(words[at : at + LINE]) for at in range(0, len(words), LINE)], "en", "heard")
    begun = time.process_time()
    times = find_word_times(lay_text(book, [heard]), pieces, find_aligner("en"), folder=folder, carry_out=carry_out)
    place_lines(book, times.text, pieces.speech(), times.spoken)
    aligning = time.process_time() - begun
    begun = time.process_time()
    for piece in pieces.pieces:
        aptone.hear(folder / PIECES / piece.file)
    hearing = time.process_time() - begun
    others = transcribing + hearing
    return {
        "minutes": round(sum(part.seconds for one in pieces.speech() for part in one) / 60, 1),
        "cutting": round(cutting, 1),
        "transcriber": round(transcribing, 1),
        "aligning": round(aligning, 1),
        "ear": round(hearing, 1),
        "times_ear_and_transcriber": round((cutting + aligning + others) / others, 3),
        "peak_megabytes_with_all_models": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Ten hours of recording.")
    parser.add_argument("recording", type=Path, help="Some minutes of speech.")
    parser.add_argument("--hours", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "audiobook_long.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        results: dict[str, object] = {
            "memory": measure_memory(options.recording, options.hours, options.seed, Path(one))
        }
        print(json.dumps(results, indent=2), flush=True)
        results["cost in CPU seconds"] = measure_cost(options.recording, Path(other))
    what = "memory over ten hours of recording, and cost beside the transcriber and the ear"
    record = record_of(what, results, seed=options.seed)
    write_record(options.output, with_revisions(record))


if __name__ == "__main__":
    main()
