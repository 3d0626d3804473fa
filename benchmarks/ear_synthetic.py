"""Clean synthetic speech by four synthesisers: how often the ear calls its recording anything but normal.

    python -m benchmarks.ear_synthetic --data DATA

Fifty clips each of espeak-ng (two voices of the training data, five others), flite (voices ``awb`` and ``rms``, which
were not trained on), festival, which was not trained on at all, and WORLD, which rebuilds clips of test speakers from
pitch, envelope and noise. Sentences were not trained on. Half of the clips have exact silence at both ends. A second
row has faint noise, 45 dB below the speech. Programs: apt install espeak-ng flite festival festvox-us-slt-hts; pip
install pyworld "setuptools<81".
"""

import argparse
import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from aptone.audio import add_noise, read
from aptone.ear import load_ear
from aptone.stats.intervals import wilson_interval
from aptone.types import Audio
from benchmarks.ear_data import load_set
from benchmarks.made_with import with_revisions
from recipes.claims.vocoder import analyse, load_world, synthesise

RESULTS = Path(__file__).parent / "results"
RATE = 16_000
CLIPS = 50
"""Clips of each synthesiser."""
NOISE = 45.0
"""Decibels that the faint noise lies below the speech."""
GOAL = 0.05
SENTENCES = (
    "Tell your brother that we know where he is.",
    "The last boat leaves the harbour before the storm.",
    "Nobody asked you to carry all of that upstairs.",
    "It was the third letter this week, and the shortest.",
    "Would you mind closing the door on your way out?",
    "We counted seven lights on the far side of the lake.",
    "My sister keeps the spare key under a flower pot.",
    "After midnight the streets were wet and empty.",
    "I cannot believe that you found the place again.",
    "Bring the large map, the small one has no rivers.",
)
VARIANTS = ("en-us", "en-gb", "en-us+m7", "en-us+f4", "en-gb+f5", "en-us+m4", "en-gb-x-rp")
FLITE = ("awb", "rms")


def spoken(command: list[str], path: Path) -> Audio:
    """Run a synthesiser that writes a file, and read it."""
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return read(path, rate=RATE)


def by_programs(generator: np.random.Generator) -> Iterator[tuple[str, Audio]]:
    """Speak sentences with three programs."""
    with tempfile.TemporaryDirectory() as folder:
        path, text = Path(folder) / "clip.wav", Path(folder) / "text.txt"
        for number in range(CLIPS):
            sentence = SENTENCES[number % len(SENTENCES)]
            speed, pitch = int(generator.integers(130, 200)), int(generator.integers(30, 70))
            voice = VARIANTS[number % len(VARIANTS)]
            options = ["-v", voice, "-s", str(speed), "-p", str(pitch)]
            yield "espeak-ng", spoken(["espeak-ng", *options, "-w", str(path), sentence], path)
            stretch = f"duration_stretch={generator.uniform(0.85, 1.25):.2f}"
            options = ["-voice", FLITE[number % len(FLITE)], "--setf", stretch]
            yield "flite", spoken(["flite", *options, "-t", sentence, "-o", str(path)], path)
            text.write_text(sentence, encoding="utf-8")
            stretch = f"(Parameter.set 'Duration_Stretch {generator.uniform(0.85, 1.25):.2f})"
            yield "festival", spoken(["text2wave", "-eval", stretch, "-o", str(path), str(text)], path)


def by_world(data: Path, generator: np.random.Generator) -> Iterator[tuple[str, Audio]]:
    """Rebuild clips of test speakers."""
    world = load_world()
    clips = [clip for name in ("ravdess", "nemo", "emodb") for clip in load_set(data, name, part="test")]
    for place in generator.permutation(len(clips))[:CLIPS]:
        audio = read(clips[int(place)].path, rate=RATE)
        yield "WORLD", synthesise(world, analyse(world, audio))


def between_silences(audio: Audio, generator: np.random.Generator) -> Audio:
    """Put exact silence before and after every second clip."""
    if generator.random() < 0.5:
        return audio
    before, after = (np.zeros(int(generator.uniform(0.1, 0.6) * RATE), np.float32) for _ in range(2))
    return Audio(np.concatenate([before, audio.samples, after]), rate=RATE, source=audio.source)


def main() -> None:
    """Hear all clips, print the shares and write them."""
    parser = argparse.ArgumentParser(description="Recording condition of clean synthetic speech by the ear.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with one folder a set.")
    parser.add_argument("--ear", default="full", help="Ear: full or permissive.")
    options = parser.parse_args()
    ear = load_ear(options.ear)
    generator = np.random.default_rng(20_262)
    heard: dict[str, dict[str, list[str]]] = {"clean": {}, "faint noise": {}}
    for clips in (by_programs(generator), by_world(options.data, generator)):
        for machine, plain in clips:
            audio = between_silences(plain, generator)
            noisy = add_noise(audio, snr_db=NOISE, seed=generator, kind="pink")
            for row, one in (("clean", audio), ("faint noise", noisy)):
                condition = ear.perceive(one).recording_condition
                heard[row].setdefault(machine, []).append(max(condition, key=condition.__getitem__))
    record: dict[str, object] = {"what": "recording condition of clean synthetic speech", "goal": GOAL}
    for row, machines in heard.items():
        said = {machine: dict(Counter(each)) for machine, each in machines.items()}
        wrong = sum(count for counts in said.values() for name, count in counts.items() if name != "normal")
        total = sum(map(len, machines.values()))
        low, high = wilson_interval(wrong, total, confidence=0.95)
        record[row] = {"heard": said, "not normal": wrong, "clips": total, "share": round(wrong / total, 3)}
        print(f"{row}: {wrong} of {total} not normal, [{low:.3f}, {high:.3f}]; {said}")
    suffix = "" if options.ear == "full" else f"_{options.ear}"
    part = "ear" if options.ear == "full" else "permissive ear"
    path = RESULTS / f"ear_synthetic{suffix}.json"
    path.write_text(json.dumps(with_revisions(record, part), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
