"""``aptone build ceaeval-d`` as it is typed, on long recordings of which it is known what is said when.

*Real voices, made-up transcript*: clips of NEMO (people of one part, every sentence once a work) are strung together
with pauses, six works of some five minutes. Some of the sentences are said and left out of the text, some stand in the
text and are never said. The transcript is made up: the words of each phrase as the speech detector parts it, with a
share of errors. No transcriber is as simple as that; the next part has a real one.

*Synthetic voice, real transcriber*: lines of MELD's test part read by flite, transcribed by Moonshine, likewise with
lines left out on either side; and beside them, as a work of its own, the same recording with the text of others.

Counted are lines that are said and stand in the text: how many become items, and how far each end of an item lies from
where the speech of its clip begins or ends. Lines that were never said, or of another text, should not become items.
*By length* is what would be had without a transcript: the lines of the text spread over the speech by their letters;
the reason why the build has no such option.

Time is CPU time of the whole command (search for speech, transcript, alignment, clips, ear, captions, files), as a
share of the sound; beside it, in the same run, that of Moonshine alone on the same pieces. Memory is the largest of the
whole process, for one recording of NEMO's clips and for all of them in one long file, four times over.

The limits of `aptone.rooms.aptness.build.line_places` were chosen on texts of MELD's and CPED's train parts, without
sound; that lines which only their neighbours place are left out, and the pause that parts phrases for a transcriber
without times, on dev parts of both sets. Seen before: the figures of ``benchmarks/audiobook.py`` on the same test
speakers, which has no such limits.

    python -m benchmarks.ceaeval_d --data DATA
"""

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from aptone.audio import find_speech, read, resample, write
from aptone.models.moonshine import Moonshine
from aptone.models.speakers.command import CommandSpeaker
from aptone.planner.labelled_dialogues import read_meld
from aptone.planner.reading.attribution import split_speech
from aptone.rooms.aptness.books.alignment import tokens_of
from aptone.rooms.aptness.books.chapters import heading_of
from aptone.rooms.aptness.books.line_times import HeardWord
from aptone.rooms.aptness.books.transcription import cut_into_pieces
from aptone.types import Audio, Line, Segment
from benchmarks.audiobook import Spoken, made_up_words, speech_books, strung_together
from benchmarks.made_with import with_revisions

RATE = 16_000
ERRORS = (0.05, 0.15, 0.30)
"""Shares of words that the made-up transcript gets wrong."""
UNWRITTEN, UNSAID = 0.10, 0.15
"""Shares of lines that are said and not in the text, and that are in the text and never said."""
OTHER_LINES = 200
COPIES = 4
"""Copies of all recordings that are concatenated to measure the memory of a long one."""
PARTS = ("real voices, made-up transcript", "memory", "synthetic voice, real transcriber")
TYPED = """
import re, sys, time
from pathlib import Path
from aptone.cli.main import main
try:
    main(sys.argv[1:])
finally:
    (peak,) = re.findall(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
    print(time.process_time(), peak, file=sys.stderr)
"""
"""The command, and behind what it says its CPU seconds and its largest memory in kB."""


@dataclass(frozen=True, slots=True)
class LongRecording:
    """A recording, its text, and when each line of the text is said.

    Args:
        path: of the recording.
        text: of the story.
        said: for each line of the text when it is said; ``None`` for those that nobody says.
        seconds: it lasts.
        spoken: everything that is said, in the text or not.
    """

    path: Path
    text: Path
    said: tuple[Segment | None, ...]
    seconds: float
    spoken: tuple[Spoken, ...]


def make_recording(
    clips: Iterator[tuple[Audio, str]], folder: Path, name: str, generator: np.random.Generator
) -> LongRecording:
    """String clips together and write their text, with lines left out on either side."""
    kept: list[tuple[Audio, str]] = []
    written: list[tuple[str, bool]] = []
    for audio, text in clips:
        chance = generator.random()
        if chance < UNSAID:
            written.append((text, False))
            continue
        kept.append((audio, text))
        if chance >= UNSAID + UNWRITTEN:
            written.append((text, True))
    whole, spoken = strung_together(iter(kept), generator)
    times = {one.text: one.speech for one in spoken}
    written = [(text, is_said) for text, is_said in written if not is_said or text in times]  # clips without speech
    path, text_path = folder / f"{name}.wav", folder / f"{name}.txt"
    write(path, Audio(whole.samples / max(1.0, float(np.abs(whole.samples).max())), rate=RATE))
    text_path.write_text("".join(f"{text}\n" for text, _ in written), encoding="utf-8")
    said = tuple(times.get(text) if is_said else None for text, is_said in written)
    return LongRecording(path, text_path, said, whole.seconds, tuple(spoken))


def write_transcript(path: Path, words: Sequence[HeardWord]) -> None:
    """Words with their times as subtitles."""

    def clock(seconds: float) -> str:
        whole, fraction = divmod(round(seconds * 1000), 1000)
        return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d},{fraction:03d}"

    rows = []
    for number, word in enumerate(words, start=1):
        start = word.time.start
        rows.append(f"{number}\n{clock(start)} --> {clock(max(word.time.end, start + 0.002))}\n{word.token}\n")
    path.write_text("\n".join(rows), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Ran:
    """Result of a command: its output, CPU seconds, largest memory in MB."""

    printed: Any
    cpu: float
    memory: float


def run_build(works: Sequence[dict[str, Any]], folder: Path) -> Ran:
    """Type the command, in a process of its own."""
    folder.mkdir(parents=True)
    listed = folder / "works.jsonl"
    listed.write_text("".join(f"{json.dumps(work)}\n" for work in works), encoding="utf-8")
    command = [sys.executable, "-c", TYPED, "build", "ceaeval-d", str(listed), "-o", str(folder / "set"), "--json"]
    surroundings = os.environ | {"APTONE_CACHE": str(folder / "cache.sqlite")}
    ended = subprocess.run(command, env=surroundings, capture_output=True, check=False)
    *_, result = ended.stderr.decode().splitlines()
    cpu, kilobytes = map(float, result.split())
    return Ran(json.loads(ended.stdout), cpu, kilobytes / 1024)


def items_of(folder: Path) -> dict[tuple[str, int], Segment]:
    """Return the start and end of each item, by its work and the number of its line."""
    found = {}
    for row in map(json.loads, (folder / "set" / "manifest.jsonl").read_text(encoding="utf-8").splitlines()):
        time_of = row["weak"]["heard"]["boundaries"]
        found[row["ids"]["work"], int(row["ids"]["line"])] = Segment(time_of["start"], time_of["end"])
    return found


def figures(recordings: Sequence[LongRecording], found: dict[tuple[str, int], Segment]) -> dict[str, float]:
    """Count the lines that became items, the errors of their ends, and the items that were never said."""
    offs: list[float] = []
    worse: list[float] = []
    said = unsaid = wrong = 0
    for recording in recordings:
        for number, truth in enumerate(recording.said, start=1):
            item = found.get((recording.path.stem, number))
            if truth is None:
                unsaid, wrong = unsaid + 1, wrong + (item is not None)
                continue
            said += 1
            if item is not None:
                ends = (abs(item.start - truth.start), abs(item.end - truth.end))
                offs += ends
                worse.append(max(ends))
    errors = np.array(offs)
    return {
        "lines_said": said,
        "share_found": round(len(worse) / said, 4),
        "median_seconds_off": round(float(np.median(errors)), 4),
        "seconds_off_at_95_percent": round(float(np.quantile(errors, 0.95)), 4),
        "both_ends_within_0.3_s": round(float((np.array(worse) <= 0.3).mean()), 4),
        "lines_never_said": unsaid,
        "never_said_but_items": wrong,
    }


def by_length(recordings: Sequence[LongRecording]) -> dict[str, float]:
    """The lines of each text spread over the speech of its recording by their letters, without a transcript."""
    found: dict[tuple[str, int], Segment] = {}
    for recording in recordings:
        speech = find_speech(read(recording.path, rate=RATE))
        lines = recording.text.read_text(encoding="utf-8").splitlines()
        ends = np.cumsum([0, *map(len, lines)]) / sum(map(len, lines)) * sum(part.seconds for part in speech)
        borders = np.concatenate([[0.0], np.cumsum([part.seconds for part in speech])])
        parts = np.minimum(np.searchsorted(borders, ends, side="right") - 1, len(speech) - 1)
        times = [speech[part].start + end - borders[part] for part, end in zip(parts.tolist(), ends, strict=True)]
        for number, (start, end) in enumerate(pairwise(times), start=1):
            found[recording.path.stem, number] = Segment(start, max(start, end))
    return figures(recordings, found)


def measure_real_voices(data: Path, part: str, books: int, folder: Path, seed: int) -> dict[str, Any]:
    """Works of real voices with made-up transcripts of several shares of errors."""
    generator = np.random.default_rng(seed)
    clips = speech_books(data / "nemo", part, books, seed)
    recordings = [make_recording(one, folder, f"nemo{number}", generator) for number, one in enumerate(clips)]
    seconds = sum(one.seconds for one in recordings)
    rows: list[dict[str, Any]] = []
    pieces = [cut_into_pieces([one.path], folder / "pieces" / one.path.stem) for one in recordings]
    for share in ERRORS:
        works = []
        for recording, own in zip(recordings, pieces, strict=True):
            transcript = folder / f"{recording.path.stem}-{share}.srt"
            write_transcript(transcript, made_up_words(own, recording.spoken, share, generator))
            name, files = recording.path.stem, (str(recording.path), str(recording.text), str(transcript))
            keys = ("recordings", "text", "transcripts")
            works.append({"work": name, "language": "en", **dict(zip(keys, files, strict=True))})
        ran = run_build(works, folder / f"errors-{share}")
        rows.append(
            {
                "share_of_errors": share,
                **figures(recordings, items_of(folder / f"errors-{share}")),
                "cpu_seconds_a_second_of_sound": round(ran.cpu / seconds, 4),
            }
        )
    return {
        "minutes": round(seconds / 60, 1),
        "works": rows,
        "by_length": by_length(recordings),
    }


def measure_memory(data: Path, part: str, books: int, folder: Path, seed: int) -> dict[str, float]:
    """Largest memory of the command on one recording, and on all of them put behind one another."""
    generator = np.random.default_rng(seed)
    folder.mkdir()
    clips = speech_books(data / "nemo", part, books, seed)
    recordings = [make_recording(one, folder, f"part{number}", generator) for number, one in enumerate(clips)]
    found: dict[str, float] = {}
    for name, chosen in (("short", recordings[:1]), ("long", recordings * COPIES)):
        sound, text, transcript = (folder / f"{name}{ending}" for ending in (".wav", ".txt", ".srt"))
        write(sound, Audio(np.concatenate([read(each.path, rate=RATE).samples for each in chosen]), rate=RATE))
        text.write_text("".join(each.text.read_text(encoding="utf-8") for each in chosen), encoding="utf-8")
        spoken = [
            Spoken(one.text, _later(one.clip, begun), _later(one.speech, begun))
            for each, begun in zip(chosen, np.cumsum([0.0, *(each.seconds for each in chosen)]).tolist(), strict=False)
            for one in each.spoken
        ]
        pieces = cut_into_pieces([sound], folder / "pieces" / name)
        write_transcript(transcript, made_up_words(pieces, spoken, ERRORS[0], generator))
        work = {"work": name, "recordings": str(sound), "text": str(text), "transcripts": str(transcript)}
        ran = run_build([{**work, "language": "en"}], folder / name)
        found[f"minutes_{name}"] = round(sum(each.seconds for each in chosen) / 60, 1)
        found[f"lines_{name}"] = ran.printed["lines"]
        found[f"megabytes_{name}"] = round(ran.memory)
    return found


def _later(time_of: Segment, seconds: float) -> Segment:
    return Segment(time_of.start + seconds, time_of.end + seconds)


def is_one_line(text: str) -> bool:
    """Return True if a book has this as one line: no words of somebody else in quotation marks, no heading."""
    (first, *others) = [*split_speech([Line(text)], roles=set()), Line("")]
    return first.text == text and len(others) == 1 and not heading_of(first.text)


def read_aloud(texts: Path, part: str, first: int, count: int) -> Iterator[tuple[Audio, str]]:
    """Lines of MELD, each once, read by two voices of flite in turn."""
    lines = [one.line.text for dialogue in read_meld(texts, parts=(part,)) for one in dialogue.lines]
    speaker, seen = CommandSpeaker("flite"), set[str]()
    for number, line in enumerate(lines[first : first + count]):
        plain = " ".join(line.replace("’", "'").split()).encode("ascii", "ignore").decode()
        if len(tokens_of(plain, "en")) < 1 or plain in seen or not is_one_line(plain):
            continue
        seen.add(plain)
        audio = asyncio.run(speaker.speak(plain, language="en", voice="slt" if number % 2 else "rms"))
        yield resample(audio, rate=RATE), plain


def measure_transcriber(texts: Path, part: str, lines: int, folder: Path, seed: int) -> dict[str, Any]:
    """A work read by a synthesiser and heard by Moonshine, and the same recording with another text."""
    generator = np.random.default_rng(seed)
    recording = make_recording(read_aloud(texts, part, 0, lines), folder, "flite", generator)
    others = [one.line.text for dialogue in read_meld(texts, parts=("train",)) for one in dialogue.lines][:OTHER_LINES]
    (folder / "other.txt").write_text("".join(f"{line}\n" for line in others), encoding="utf-8")
    own = {"work": "flite", "recordings": str(recording.path), "text": str(recording.text)}
    ran = run_build([own], folder / "flite")
    pieces = cut_into_pieces([recording.path], folder / "pieces" / "flite")
    listener = Moonshine(pauses=False)
    sounds = [read(folder / "pieces" / "flite" / piece.file, rate=RATE) for piece in pieces.pieces]
    asyncio.run(listener.transcribe(sounds[0], language="en"))  # loads the model
    begun = time.process_time()
    for sound in sounds:
        asyncio.run(listener.transcribe(sound, language="en"))
    alone = time.process_time() - begun
    swapped = {"work": "swapped", "recordings": str(recording.path), "text": str(folder / "other.txt")}
    mixed = run_build([swapped], folder / "swapped")
    return {
        "minutes": round(recording.seconds / 60, 1),
        **figures([recording], items_of(folder / "flite")),
        "cpu_seconds_a_second_of_sound": round(ran.cpu / recording.seconds, 4),
        "cpu_of_moonshine_alone": round(alone / recording.seconds, 4),
        "times_moonshine_alone": round(ran.cpu / alone, 2),
        "by_length": by_length([recording]),
        "other_text": {"lines": len(others), "items": mixed.printed["lines"]},
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="A set of lines from long recordings.")
    parser.add_argument("--data", type=Path, required=True, help="Folder of the sets: nemo, and text with meld in it.")
    parser.add_argument("--part", default="test", help="Speakers and dialogues; what is tuned is tuned on dev.")
    parser.add_argument("--books", type=int, default=6, help="Number of works with real voices.")
    parser.add_argument("--lines", type=int, default=200, help="Number of synthesised lines.")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS, help="Measure only these parts.")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "ceaeval_d.json")
    options = parser.parse_args()
    before = json.loads(options.output.read_text(encoding="utf-8"))["results"] if options.output.is_file() else {}
    results: dict[str, Any] = {name: before[name] for name in PARTS if name in before}
    voices, memory, transcriber = PARTS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, part, seed = options.data, options.part, options.seed
        if voices in options.only:
            results[voices] = measure_real_voices(data, part, options.books, folder, seed)
        if memory in options.only:
            results[memory] = measure_memory(data, part, options.books, folder / "memory", seed)
        if transcriber in options.only:
            results[transcriber] = measure_transcriber(data / "text", part, options.lines, folder, seed)
    record = {
        "what": "aptone build ceaeval-d on recordings of which it is known what is said when",
        "part": options.part,
        "seed": options.seed,
        "versions": {"python": platform.python_version()} | {one: version(one) for one in ("aptone", "numpy")},
        "results": results,
    }
    print(json.dumps(results, indent=2))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(with_revisions(record), indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
