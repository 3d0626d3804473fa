"""Lines of a synthetic narration whose narrators make mistakes, found in the recording.

*English*: lines of MELD's test part, read by three voices of flite in turn, until there are ten minutes. Of the words,
5 % are misread as another one. One line in twelve is begun, broken off and said again; one in twenty is said twice; one
in forty is not read at all. Every twenty lines there is music, and an announcement that is not in the text. Transcribed
by Moonshine. A line counts as placed wrongly if it shares less than half of the speech of its last take, or if nobody
read it.

*Mandarin*: lines of CPED's test part, read by espeak-ng, with a made-up transcriber that gives no times and mishears
one character in ten: once with times shared out by length alone, once by the pauses.

    python -m benchmarks.audiobook_narration TEXTS
"""

import argparse
import asyncio
import json
import platform
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from aptone.audio import find_speech, resample, write
from aptone.models import Transcript
from aptone.models.speakers.command import CommandSpeaker
from aptone.planner.labelled_dialogues import read_cped, read_meld
from aptone.rooms.aptness.books.alignment import tokens_of
from aptone.rooms.aptness.books.book import PlacedLine, lay_text, place_lines
from aptone.rooms.aptness.books.book_text import Book, make_line
from aptone.rooms.aptness.books.line_times import HeardWord, heard_words
from aptone.rooms.aptness.books.pause_times import retime
from aptone.rooms.aptness.books.transcription import PIECES, Pieces, cut_into_pieces
from aptone.rooms.aptness.books.word_times import find_aligner, find_word_times
from aptone.types import Audio, Language, Line, Segment
from benchmarks.audiobook_acted import carry_out, transcribed
from benchmarks.made_with import with_revisions

RATE = 16_000
MISREAD, BROKEN_OFF, SAID_TWICE, NOT_READ = 0.05, 1 / 12, 1 / 20, 1 / 40
SECTION = 20
"""Lines between two announcements."""
VOICES = ("slt", "rms", "awb")
MISHEARD = 0.1
ANNOUNCEMENT = "This is part {number} of our recording, made for the listeners at home, and all of it is free to share."
Samples = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


@dataclass(frozen=True, slots=True)
class Narrated:
    """A line of the text, and when its last take is said; ``None`` if nobody reads it."""

    text: str
    time: Segment | None


class Studio:
    """A recording that grows, and the clock in it."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator
        self.parts: list[Samples] = [np.zeros(RATE, dtype=np.float32)]
        self.size = RATE

    def add(self, samples: Samples, *, pause: tuple[float, float] = (0.15, 0.9)) -> Segment:
        """Add a sound and a pause; return when the sound is heard."""
        silence = np.zeros(round(self.generator.uniform(*pause) * RATE), dtype=np.float32)
        time = Segment(self.size / RATE, (self.size + samples.size) / RATE)
        self.parts += [samples, silence]
        self.size += samples.size + silence.size
        return time

    def audio(self) -> Audio:
        """All of it, with a little noise."""
        whole = np.concatenate(self.parts)
        noise = self.generator.normal(0.0, 0.0005, whole.size).astype(np.float32)
        return Audio(whole / max(1.0, 1.1 * float(np.abs(whole).max())) + noise, rate=RATE)


def spoken(program: str, text: str, language: Language, voice: str) -> Samples:
    """A text read aloud, without silence at its ends."""
    audio = resample(asyncio.run(CommandSpeaker(program).speak(text, language=language, voice=voice)), rate=RATE)
    inside = find_speech(audio)
    if not inside:
        return np.zeros(0, dtype=np.float32)
    return audio.samples[round(inside[0].start * RATE) : round(inside[-1].end * RATE)]


def music(generator: np.random.Generator) -> Samples:
    """Some seconds of chords."""
    moments = np.arange(4 * RATE) / RATE
    roots = generator.choice([220.0, 246.9, 293.7, 329.6], size=4)
    chords = [np.sin(2 * np.pi * moments[:RATE] * root * factor) for root in roots for factor in (1.0, 1.25, 1.5)]
    bars = [sum(chords[3 * bar : 3 * bar + 3]) * np.exp(-moments[:RATE]) for bar in range(4)]
    return (0.05 * np.concatenate(bars)).astype(np.float32)


def narration(texts: Sequence[str], minutes: float, generator: np.random.Generator) -> tuple[Audio, list[Narrated]]:
    """The narration, and when each line is said."""
    studio, lines = Studio(generator), list[Narrated]()
    vocabulary = sorted({word for text in texts for word in text.split() if word.isalpha() and len(word) > 3})
    for number, text in enumerate(texts):
        if studio.size > minutes * 60 * RATE:
            break
        voice = VOICES[number // SECTION % len(VOICES)]
        if number % SECTION == 0:
            studio.add(music(generator))
            studio.add(spoken("flite", ANNOUNCEMENT.format(number=number // SECTION + 1), "en", voice))
        if generator.random() < NOT_READ:
            lines.append(Narrated(text, None))
            continue
        words = [str(generator.choice(vocabulary)) if generator.random() < MISREAD else word for word in text.split()]
        chance = generator.random()
        if chance < BROKEN_OFF and len(words) > 3:
            studio.add(spoken("flite", " ".join(words[: len(words) // 2 + 1]), "en", voice))
        elif chance < BROKEN_OFF + SAID_TWICE:
            studio.add(spoken("flite", " ".join(words), "en", voice))
        lines.append(Narrated(text, studio.add(spoken("flite", " ".join(words), "en", voice))))
    return studio.audio(), lines


def figures(lines: Sequence[Narrated], placed: Sequence[PlacedLine]) -> dict[str, float]:
    """Shares of the lines that were read."""
    read = [(line.time, one.time) for line, one in zip(lines, placed, strict=True) if line.time is not None]
    unread = [one.time for line, one in zip(lines, placed, strict=True) if line.time is None]
    found = [(truth, one.time) for truth, one in read if not one.problem and one.time is not None]
    shared = [min(time.end, truth.end) - max(time.start, truth.start) for truth, time in found]
    starts = np.array([abs(time.start - truth.start) for truth, time in found])
    ends = np.array([abs(time.end - truth.end) for truth, time in found])
    return {
        "lines_read": len(read),
        "placed": round(len(found) / len(read), 4),
        "placed_wrongly": sum(part < truth.seconds / 2 for part, (truth, _) in zip(shared, found, strict=True)),
        "lines_not_read": len(unread),
        "placed_though_not_read": sum(not one.problem for one in unread),
        "start_within_0.3_s": round(float((starts <= 0.3).mean()), 4),
        "both_ends_within_0.5_s": round(float((np.maximum(starts, ends) <= 0.5).mean()), 4),
        "median_seconds_off": round(float(np.median(starts)), 3),
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


def measure_english(texts: Path, minutes: float, seed: int) -> dict[str, float]:
    """Ten minutes of English, transcribed and aligned as a book is."""
    said = [one.line.text for dialogue in read_meld(texts) if dialogue.part == "test" for one in dialogue.lines]
    plain = [" ".join(text.replace("’", "'").split()).encode("ascii", "ignore").decode() for text in said]
    chosen = [text for text in plain if len(tokens_of(text, "en")) >= 4]
    audio, lines = narration(chosen, minutes, np.random.default_rng(seed))
    book = Book(tuple(make_line(Line(line.text)) for line in lines), "en", "narration")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "book.wav", audio)
        pieces = cut_into_pieces([folder / "book.wav"], folder / PIECES)
        text = lay_text(book, [transcribed(pieces, folder / PIECES)])
        times = find_word_times(text, pieces, find_aligner("en"), folder=folder, carry_out=carry_out)
        placed, _ = place_lines(book, times.text, pieces.speech(), times.spoken)
    heard = len(text.same) / len(text.text)
    return {"minutes": round(audio.seconds / 60, 1), "words_heard": round(heard, 4), **figures(lines, placed)}


def measure_mandarin(texts: Path, minutes: float, seed: int) -> dict[str, dict[str, float]]:
    """Some minutes of Mandarin with a made-up transcript."""
    generator = np.random.default_rng(seed)
    studio, lines = Studio(generator), list[Narrated]()
    said = [one.line.text for dialogue in read_cped(texts) if dialogue.part == "test" for one in dialogue.lines]
    for text in (text for text in said if len(tokens_of(text, "zh")) >= 4):
        if studio.size > minutes * 60 * RATE:
            break
        samples = spoken("espeak-ng", text, "zh", "")
        if samples.size:
            lines.append(Narrated(text, studio.add(samples)))
    book = Book(tuple(make_line(Line(line.text)) for line in lines), "zh", "narration")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "book.wav", studio.audio())
        pieces = cut_into_pieces([folder / "book.wav"], folder / PIECES)
    laid = lay_text(book, [list(made_up_transcript(pieces, lines, generator))])
    return {
        way: figures(lines, place_lines(book, times, pieces.speech())[0])
        for way, times in (("by the pauses", retime(laid, pieces)), ("by length alone", laid))
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Lines of a synthetic narration with mistakes.")
    parser.add_argument("texts", type=Path, help="Folder of the text sets, among them meld and cped.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "audiobook_narration.json")
    options = parser.parse_args()
    results = {
        "English": measure_english(options.texts, options.minutes, options.seed),
        "Mandarin": measure_mandarin(options.texts, options.minutes / 2, options.seed),
    }
    print(json.dumps(results, indent=2))
    packages = ("aptone", "moonshine-voice", "numpy", "pocketsphinx")
    record = {
        "what": "lines of a synthetic narration with misread words, second takes, announcements and music",
        "seed": options.seed,
        "versions": {"python": platform.python_version()} | {name: version(name) for name in packages},
        "results": results,
    }
    options.output.write_text(json.dumps(with_revisions(record), indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
