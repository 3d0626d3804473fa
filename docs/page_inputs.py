"""Inputs of the commands that the pages show: small files, made from the shipped example and two synthesisers.

Every page gets a folder of its own with all of them, so that the order of pages changes nothing. Ratings are made up by
a formula, and every page that shows figures about them says so.
"""

import csv
import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "lighthouse"
RATE = 16_000

Samples = npt.NDArray[np.float64]

BOOK = """Chapter 1

The storm had stood over the island since noon, and the lamp was dark.
Mara ran down the last steps and threw the door open.
"Get out! The water is over the wall!" she shouted.
Nobody answered. She took the telephone from its hook and turned the crank.
"Is anybody there?" she asked, afraid.

Chapter 2

In the morning the sea was flat, and the child was the first to laugh.
"Look, the boat is here!" he cried happily.
Mara looked at the broken wall for a long time.
"We will build it again," she said calmly.
"Not today," said the child. "Today we eat pancakes."
"""

CHAPTERS: tuple[tuple[tuple[str, str, float, float], ...], ...] = (
    (
        ("slt", "Chapter one.", 1.0, 1.0),
        ("slt", "The storm had stood over the island since noon, and the lamp was dark.", 1.0, 1.0),
        ("slt", "Mara ran down the last steps and threw the door open.", 1.0, 1.0),
        ("slt", "Get out! The water is over the wall!", 1.15, 1.35),
        ("slt", "she shouted.", 1.0, 1.0),
        ("slt", "Nobody answered. She took the telephone from its hook and turned the crank.", 1.0, 1.0),
        ("slt", "Is anybody there?", 0.7, 0.85),
        ("slt", "she asked, afraid.", 1.0, 1.0),
    ),
    (
        ("slt", "Chapter two.", 1.0, 1.0),
        ("slt", "In the morning the sea was flat, and the child was the first to laugh.", 1.0, 1.0),
        ("slt", "Look, the boat is here!", 0.65, 0.8),
        ("slt", "he cried happily.", 1.0, 1.0),
        ("slt", "Mara looked at the broken wall for a long time.", 1.0, 1.0),
        ("slt", "We will build it again,", 0.85, 0.95),
        ("slt", "she said calmly.", 1.0, 1.0),
        ("slt", "Not today,", 1.1, 1.2),
        ("slt", "said the child.", 1.0, 1.0),
        ("slt", "Today we eat pancakes.", 1.2, 1.3),
    ),
)
"""Voice, words, rate and pitch. The lines of the book, two of them read against their story: slow, low and quiet."""

CALLS: dict[str, tuple[tuple[str, str, float, float, float], ...]] = {
    "call-1": (
        ("slt", "My parcel has been lost for three weeks now, and nobody tells me anything!", 1.3, 1.4, -14.0),
        ("kal16", "I am sorry. Let us look for it together. May I have the number?", 0.9, 0.95, -24.0),
        ("slt", "It is four four seven. This is the third time that I call!", 1.25, 1.35, -15.0),
        ("kal16", "Thank you. I see it here. It will be with you tomorrow.", 0.9, 0.95, -24.0),
    ),
    "call-2": (
        ("slt", "My parcel has been lost for three weeks now, and nobody tells me anything!", 1.3, 1.4, -14.0),
        ("kal16", "That is great news! What else can I do for you today?", 1.35, 1.5, -14.0),
        ("slt", "It is four four seven. This is the third time that I call!", 1.25, 1.35, -15.0),
        ("kal16", "Wonderful! Have a fantastic day!", 1.35, 1.5, -14.0),
    ),
}
"""Voice, words, rate, pitch and level in dBFS: an upset customer, a calm agent and a cheerful one."""

SYSTEM = '''"""A dialogue system to try things with: says the same calm sentence to everybody."""

import subprocess
import sys

words = "I understand. Let us look at it together."
subprocess.run(["flite", "-voice", "kal16", "-t", words, "-o", sys.argv[2]], check=True)
'''


def speak(voice: str, words: str, *, rate: float = 1.0, pitch: float = 1.0, level: float = -23.0) -> Samples:
    """What flite says, at 16 kHz and a level in dBFS."""
    mean = 170.0 if voice == "slt" else 105.0
    settings = {"duration_stretch": 1.0 / rate, "int_f0_target_mean": mean * pitch}
    options = [part for name, value in settings.items() for part in ("--setf", f"{name}={value:.3f}")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spoken.wav"
        subprocess.run(["flite", "-voice", voice, *options, "-t", words, "-o", str(path)], check=True)
        samples, found = soundfile.read(path)
    assert found == RATE, found
    louder: Samples = samples * 10.0 ** ((level - 10.0 * np.log10(np.mean(samples**2))) / 20.0)
    return np.clip(louder, -0.99, 0.99)


LISTENERS = """# Answers of made-up listeners: all prefer the new version, but for one line and now and then.
import sys
from pathlib import Path

from aptone.studio.project import Project
from aptone.studio.store.imported_ratings import put_ratings
from aptone.types import Rating

with Project.open(Path(sys.argv[1])) as project:
    stored = project.tasks.get(sys.argv[2])
    ratings = [
        Rating(stored.task.name, item, f"listener {person}", {stored.task.controls[0].name: better})
        for place, item in enumerate(sorted(stored.items))
        for person in range(3)
        for better in ["first" if item == "sleep" or (place + 2 * person) % 7 == 0 else "second"]
    ]
    put_ratings(project.writer, project.people, stored, ratings, source="made up").result()
"""
"""Script that answers a task between two systems."""


def make_inputs(folder: Path) -> None:
    """Write all inputs into an empty folder."""
    _story(folder)
    _versions(folder)
    _book(folder)
    _calls(folder)
    _rated(folder)
    _described(folder)
    _tables(folder)
    (folder / "answer.py").write_text(SYSTEM, encoding="utf-8")
    (folder / "listeners.py").write_text(LISTENERS, encoding="utf-8")


def _records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXAMPLE / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]


def write_lines(path: Path, records: Sequence[dict[str, Any]]) -> None:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    samples, rate = soundfile.read(source)
    target.parent.mkdir(exist_ok=True)
    soundfile.write(target, samples, rate)


def _story(folder: Path) -> None:
    shutil.copytree(EXAMPLE / "clips", folder / "clips")
    shutil.copytree(EXAMPLE.parent, folder / "examples")
    shutil.copy(EXAMPLE / "manifest.jsonl", folder / "manifest.jsonl")
    shutil.copy(EXAMPLE / "story.en.txt", folder / "story.txt")
    shutil.copy(EXAMPLE / "story.zh.txt", folder / "story.zh.txt")
    _copy(EXAMPLE / "clips" / "wall-apt.opus", folder / "clip.wav")
    for number, kind in enumerate(("flat", "wrong", "apt"), start=1):
        _copy(EXAMPLE / "clips" / f"wall-{kind}.opus", folder / "takes" / f"take{number}.wav")


def _versions(folder: Path) -> None:
    """Two versions of a synthesiser: the old one reads all lines flat, the new one all but one aptly."""
    for version, kinds in (("old", {}), ("new", {"sleep": "wrong"})):
        default = "flat" if version == "old" else "apt"
        records = []
        for record in _records():
            name, _, kind = record["id"].rpartition("-")
            if kind == kinds.get(name, default):
                records.append({**record, "id": name})
        write_lines(folder / f"{version}.jsonl", records)


def _book(folder: Path) -> None:
    (folder / "book.txt").write_text(BOOK, encoding="utf-8")
    (folder / "book").mkdir()
    subtitles: list[str] = []
    film: list[Samples] = []
    start = 0.0
    pause = np.zeros(RATE // 2)
    for number, lines in enumerate(CHAPTERS, start=1):
        parts = []
        for voice, words, rate, pitch in lines:
            spoken = speak(
                voice, words, rate=rate, pitch=pitch, level=-16.0 if rate > 1.1 else -23.0 if rate > 0.8 else -32.0
            )
            parts += [spoken, pause]
            end = start + spoken.size / RATE
            subtitles.append(f"{len(subtitles) + 1}\n{_stamp(start)} --> {_stamp(end)}\n{words}\n")
            start = end + 0.5
        film += parts
        soundfile.write(folder / "book" / f"chapter-{number}.wav", np.concatenate(parts), RATE)
    soundfile.write(folder / "film.wav", np.concatenate(film), RATE)
    (folder / "film.srt").write_text("\n".join(subtitles), encoding="utf-8")


def _stamp(seconds: float) -> str:
    whole = round(seconds * 1000)
    return f"{whole // 3_600_000:02}:{whole // 60_000 % 60:02}:{whole // 1000 % 60:02},{whole % 1000:03}"


def _calls(folder: Path) -> None:
    """Stereo recordings, the user left and the agent right."""
    (folder / "calls").mkdir()
    for name, turns in CALLS.items():
        channels: list[list[Samples]] = [[], []]
        for number, (voice, words, rate, pitch, level) in enumerate(turns):
            spoken = np.concatenate([speak(voice, words, rate=rate, pitch=pitch, level=level), np.zeros(RATE // 2)])
            channels[number % 2].append(spoken)
            channels[1 - number % 2].append(np.zeros(spoken.size))
        soundfile.write(
            folder / "calls" / f"{name}.wav", np.stack([np.concatenate(side) for side in channels], 1), RATE
        )


def _rated(folder: Path) -> None:
    """Ratings of three listeners that are made up: apt readings get about 4, flat ones 2, wrong ones 1.

    Every clip comes twice, the second time as a telephone would carry it and half a point worse.
    """
    generator = np.random.default_rng(0)
    rated, rows = [], []
    for record in _records():
        samples, rate = soundfile.read(folder / record["audio"])
        phone = f"phone/{record['id']}.wav"
        (folder / "phone").mkdir(exist_ok=True)
        soundfile.write(folder / phone, _telephone(samples, rate), rate)
        for number, audio in enumerate((record["audio"], phone)):
            name = f"{record['id']}-phone" if number else record["id"]
            middle = {"apt": 4.2, "flat": 2.0, "wrong": 1.0}[record["ids"]["reading"]] - 0.5 * number
            given = {rater: _half_points(generator.normal(middle, 0.6)) for rater in ("ada", "ben", "cleo")}
            rated.append({**record, "id": name, "audio": audio, "ratings": given})
            rows += [(name, rater, score) for rater, score in given.items()]
    write_lines(folder / "rated.jsonl", rated)
    with (folder / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "rater", "rating"), *rows])


def _half_points(score: float) -> float:
    return float(np.clip(np.round(2.0 * score) / 2.0, 0.0, 5.0))


def _telephone(samples: Samples, rate: int) -> Samples:
    """What lies between 300 and 3,400 Hz."""
    spectrum = np.fft.rfft(samples)
    hertz = np.fft.rfftfreq(samples.size, 1.0 / rate)
    spectrum[(hertz < 300.0) | (hertz > 3400.0)] = 0.0
    return np.fft.irfft(spectrum, samples.size)


def _described(folder: Path) -> None:
    clips = "clips/keeper-apt.opus", "clips/wall-apt.opus", "clips/sleep-apt.opus"
    captions = (
        ("A deep male voice speaks slowly over a telephone.", "A slow, deep male voice on the phone."),
        ("A woman shouts angrily, fast and loud.", "A loud, frightened woman shouts."),
        ("A soft, slow female voice; she laughs.", "A soft, slow female voice."),
    )
    write_lines(
        folder / "captions.jsonl",
        [
            {"id": f"c{number}", "audio": clip, "caption": caption, "reference": reference, "system": "mine"}
            for number, (clip, (caption, reference)) in enumerate(zip(clips, captions, strict=True), start=1)
        ],
    )
    write_lines(
        folder / "pairs.jsonl",
        [
            {
                "id": f"p{number}",
                "audio": clip,
                "description": reference,
                "ratings": [number + 1, number + 2, number + 1, number, 3],
            }
            for number, (clip, (_, reference)) in enumerate(zip(clips, captions, strict=True), start=1)
        ],
    )


def _tables(folder: Path) -> None:
    """Tables of ratings, all of them made up: of valence and arousal, of captions, of emotion over time."""
    generator = np.random.default_rng(1)
    rows: list[tuple[object, ...]] = [("file", "rater", "valence", "arousal", "dominance", "emotion", "sex", "spoken")]
    for record in _records():
        if record["language"] == "en":
            place = generator.integers(2, 5, size=3)
            for rater in ("r1", "r2", "r3"):
                given = np.clip(place + generator.integers(0, 2, size=3), 1, 5)
                rows.append((record["audio"], rater, *given.tolist(), "neutral", "female", "en"))
    with (folder / "vad.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    captions = [json.loads(line) for line in (folder / "captions.jsonl").read_text(encoding="utf-8").splitlines()]
    rated = [
        {**record, "id": f"{record['id']}-{kind}", "caption": caption, "human_score": score}
        for record in captions
        for kind, caption, score in (
            ("true", record["reference"], 4.6),
            ("given", record["caption"], 3.2),
            ("false", "A cheerful child sings loudly.", 1.2),
        )
    ]
    write_lines(folder / "rated-captions.jsonl", rated)
    for number in (1, 2):
        seconds = int(soundfile.info(folder / "book" / f"chapter-{number}.wav").duration)
        wave = 0.4 * np.sin(np.arange(seconds) / 4.0)
        points = [(round(value, 2), round(-value, 2), 0.1) for value in wave.tolist()]
        with (folder / f"chapter-{number}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("valence", "arousal", "dominance"), *points])
    write_lines(
        folder / "talks.jsonl",
        [
            {"audio": f"book/chapter-{number}.wav", "ratings": f"chapter-{number}.csv", "part": part}
            for number, part in ((1, "train"), (2, "dev"))
        ],
    )
    given = [("call-1", "ada", 4), ("call-1", "ben", 4), ("call-2", "ada", 1), ("call-2", "ben", 2)]
    with (folder / "dialogue-ratings.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("dialogue", "rater", "rating"), *given])
    write_lines(
        folder / "clips.jsonl",
        [
            {"id": name, "clip": f"clips/wall-{name}.opus", "words": "Get out!", "clarity": clarity, "system": "old"}
            for name, clarity in (("apt", 4.5), ("flat", 4.0), ("wrong", 2.5))
        ],
    )
