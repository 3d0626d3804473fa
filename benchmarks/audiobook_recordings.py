"""Frame of the audiobook benchmarks: a long recording is cut, transcribed and aligned as a book is, and compared."""

import asyncio
import json
import platform
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.audio import find_speech, read, resample, write
from aptone.models.moonshine import Moonshine
from aptone.models.speakers.command import CommandSpeaker
from aptone.rooms.aptness.books.book import PlacedLine, lay_text, place_lines
from aptone.rooms.aptness.books.book_text import Book, make_line
from aptone.rooms.aptness.books.line_times import HeardWord, TextAlignment, heard_words
from aptone.rooms.aptness.books.transcription import PIECES, Pieces, cut_into_pieces
from aptone.rooms.aptness.books.word_times import find_aligner, find_word_times
from aptone.run import AnyStep, Ended, RunConfig, run_items
from aptone.types import Audio, Item, Language, Line, Segment, from_json, to_json

RATE = 16_000
Samples = npt.NDArray[np.float32]


def carry_out(
    items: Sequence[Item], step: AnyStep, *, folder: Path, config: RunConfig, width: int, label: str
) -> Ended:
    """Run in this process, without limits."""
    return run_items(items, step, folder=folder, config=config)


def book_of(texts: Sequence[str], language: Language, source: str) -> Book:
    """A book of these lines."""
    return Book(tuple(make_line(Line(text)) for text in texts), language, source)


def transcribed(pieces: Pieces, folder: Path) -> list[HeardWord]:
    """Transcribe by Moonshine, as a book is."""
    listener, heard = Moonshine(), list[HeardWord]()
    for piece in pieces.pieces:
        audio = read(folder / piece.file, rate=RATE)
        transcript = asyncio.run(listener.transcribe(audio, language="en"))
        span = Segment(0.0, audio.seconds)
        heard += heard_words(transcript, recording=0, offset=piece.start, span=span, language="en")
    return heard


@dataclass(frozen=True, slots=True)
class Found:
    """Lines of a book as they were found in a recording.

    Args:
        text: alignment with the transcript, before anything was timed by the sound.
        seconds: processor time to align with the sound and to place.
    """

    pieces: Pieces
    text: TextAlignment
    placed: list[PlacedLine]
    seconds: float


def cached_transcript(pieces: Pieces, folder: Path, cache: Path | None) -> list[HeardWord]:
    """What Moonshine hears, kept in a folder by the hash of the recording, so that a benchmark can be run again."""
    if cache is None:
        return transcribed(pieces, folder)
    path = cache / f"{pieces.recordings[0]}.json"
    if path.exists():
        return [from_json(HeardWord, word) for word in json.loads(path.read_text(encoding="utf-8"))]
    heard = transcribed(pieces, folder)
    cache.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([to_json(word) for word in heard]), encoding="utf-8")
    return heard


def find_lines(audio: Audio, book: Book, *, cache: Path | None = None) -> Found:
    """Cut a recording of English, transcribe it, align it by the sound and place the lines of the book.

    Args:
        cache: folder in which transcripts are kept.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "book.wav", audio)
        pieces = cut_into_pieces([folder / "book.wav"], folder / PIECES)
        text = lay_text(book, [cached_transcript(pieces, folder / PIECES, cache)])
        begun = time.process_time()
        times = find_word_times(text, pieces, find_aligner("en"), folder=folder, carry_out=carry_out)
        placed, _ = place_lines(book, times.text, pieces.speech(), times.spoken)
    return Found(pieces, text, placed, time.process_time() - begun)


def synthesised(program: str, text: str, language: Language, voice: str) -> Samples:
    """A text read aloud by a synthesiser, without silence at its ends; empty if it says nothing."""
    audio = resample(asyncio.run(CommandSpeaker(program).speak(text, language=language, voice=voice)), rate=RATE)
    inside = find_speech(audio)
    if not inside:
        return np.zeros(0, dtype=np.float32)
    return audio.samples[round(inside[0].start * RATE) : round(inside[-1].end * RATE)]


@dataclass(slots=True)
class Studio:
    """A recording that grows, and the clock in it."""

    generator: np.random.Generator
    parts: list[Samples] = field(default_factory=lambda: [np.zeros(RATE, dtype=np.float32)])
    size: int = RATE

    def add(self, samples: Samples, *, pause: tuple[float, float]) -> Segment:
        """Add a sound and a pause of some seconds, from and to; return when the sound is heard."""
        silence = np.zeros(round(self.generator.uniform(*pause) * RATE), dtype=np.float32)
        time = Segment(self.size / RATE, (self.size + samples.size) / RATE)
        self.parts += [samples, silence]
        self.size += samples.size + silence.size
        return time

    def audio(self, *, noise: float = 0.0) -> Audio:
        """All of it, without clipping.

        Args:
            noise: standard deviation of the noise that is added.
        """
        whole = np.concatenate(self.parts)
        whole = whole / max(1.0, (1.1 if noise else 1.0) * float(np.abs(whole).max()))
        if noise:
            whole = whole + self.generator.normal(0.0, noise, whole.size).astype(np.float32)
        return Audio(whole, rate=RATE)


PACKAGES = ("aptone", "moonshine-voice", "numpy", "pocketsphinx")


def record_of(what: str, results: Mapping[str, object], *, seed: int, **more: object) -> dict[str, object]:
    """Results with what they are, and the versions of what they were made with."""
    versions = {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
    return {"what": what, "seed": seed, "versions": versions, "results": results, **more}


def write_record(path: Path, record: Mapping[str, object]) -> None:
    """Print the results of a record and write it to a file."""
    print(json.dumps(record["results"], indent=2))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", encoding="utf-8")
