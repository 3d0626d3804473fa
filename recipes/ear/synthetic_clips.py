"""Clean synthetic speech for training: a set of clips whose recording condition is normal, whatever else they lack.

Synthesisers leave exact silence between words and have the same pulse in every period. An ear that heard people only
takes that for losses and noise. Voices and sentences of the three parts differ. The clips have no emotion, and their
sex is not judged. espeak-ng and flite are free for any use, and so is what they say.
"""

import csv
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aptone.audio import read, write
from aptone.ear.labelled_clips import COLUMNS, TABLE
from aptone.ear.network.filter_bank import RATE
from aptone.errors import UsageError
from aptone.types import Audio
from recipes.ear.data import SYNTHETIC_SET
from recipes.ear.naturalness_clips import SENTENCES

SEED = 20_261
CLIPS = {"train": 400, "dev": 40}
"""Clips of each part; the benchmark makes its own."""


@dataclass(frozen=True, slots=True)
class Voices:
    """Voices of a part: of flite, and variants of espeak-ng."""

    flite: tuple[str, ...]
    variants: tuple[str, ...]
    sentences: tuple[int, int]


VOICES = {
    "train": Voices(("kal16", "slt", "kal"), ("", "+m1", "+m2", "+m3", "+f1", "+f2", "+croak", "+whisper"), (0, 8)),
    "dev": Voices(("rms",), ("+m5", "+f3"), (8, 10)),
}


def make_synthetic(out: Path, *, seed: int = SEED) -> int:
    """Write the set to a folder of its name in `out`, with its table, and return the number of clips.

    Raises:
        UsageError: if a synthesiser is missing or fails.
    """
    folder = out / SYNTHETIC_SET
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(seed)
    rows = [row for part in CLIPS for row in _made(folder, part, generator)]
    with (folder / TABLE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return len(rows)


def _made(folder: Path, part: str, generator: np.random.Generator) -> Iterator[dict[str, str]]:
    voices = VOICES[part]
    for number in range(CLIPS[part]):
        machine = "flite" if number % 3 == 0 else "espeak-ng"
        language = "en-us" if machine == "flite" else list(SENTENCES)[number % len(SENTENCES)]
        chosen = voices.flite if machine == "flite" else voices.variants
        voice = chosen[int(generator.integers(len(chosen)))]
        text = SENTENCES[language].split("\n")[1:][int(generator.integers(*voices.sentences))].strip()
        name = f"{part}-{number:04}.ogg"
        write(folder / name, _said(machine, voice, language, text, generator))
        speaker = f"{machine}{language}{voice}" if machine == "espeak-ng" else f"{machine}-{voice}"
        yield {"file": name, "speaker": speaker, "language": language[:2], "text": text, "split": part}


def _said(machine: str, voice: str, language: str, text: str, generator: np.random.Generator) -> Audio:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "said.wav"
        if machine == "flite":
            stretch, pitch = generator.uniform(0.8, 1.3), generator.uniform(85, 220)
            options = ["-voice", voice, "--setf", f"duration_stretch={stretch:.2f}"]
            command = [machine, *options, "--setf", f"int_f0_target_mean={pitch:.0f}", "-t", text, "-o", str(path)]
        else:
            options = ["-s", f"{generator.integers(120, 220)}", "-p", f"{generator.integers(20, 80)}"]
            command = [machine, "-v", language + voice, *options, "-w", str(path), text]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            raise UsageError(f"{machine} with the voice {voice!r} fails ({error}); install it from Debian.") from error
        audio = read(path, rate=RATE)
    peak = float(np.abs(audio.samples).max())
    return Audio(audio.samples * np.float32(0.7 / max(peak, 1e-3)), rate=RATE, source=voice)
