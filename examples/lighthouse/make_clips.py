"""Make the example clips and their manifest: four lines in English and two in Mandarin, each read three ways.

An *apt* reading does what the story asks for, a *flat* one has no melody and one pace, a *wrong* one does the opposite.
The voices are synthetic (flite and espeak-ng, both in most Linux distributions), so what a reading does is known:
rate, pitch, melody and loudness are set, and the telephone is the one of `aptone.audio`. The manifest has no plans: how
a line should sound is read from the story.

    python examples/lighthouse/make_clips.py
"""

import json
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from aptone.audio import from_array, read, resample, telephone_band, write
from aptone.types import Audio

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Reading:
    """How a line is read.

    Factors on the voice's own rate, pitch and melody; how the pitch ends against how it begins (espeak-ng only: flite
    always falls); loudness in dB; through a telephone or not.
    """

    rate: float = 1.0
    pitch: float = 1.0
    melody: float = 1.0
    ends: float = 1.0
    loudness: float = -25.0
    phone: bool = False


FLAT = Reading(melody=0.05)


@dataclass(frozen=True)
class Spoken:
    """A line, and how the apt and the wrong reading of it sound."""

    name: str
    language: str
    line: str
    role: str
    apt: Reading
    wrong: Reading
    read_as: str = ""


LINES = [
    Spoken(
        "wall",
        "en",
        "Get out! The water is over the wall!",
        "Mara",
        Reading(rate=1.15, pitch=1.35, melody=2.6, loudness=-16.0),
        Reading(rate=0.7, pitch=0.8, melody=0.6, loudness=-34.0),
    ),
    Spoken(
        "anybody",
        "en",
        "Is anybody there?",
        "Mara",
        Reading(rate=1.3, pitch=1.0, ends=3.2, loudness=-20.0),
        Reading(rate=0.65, pitch=0.85, ends=0.6, loudness=-32.0),
        "is anybody there?",
    ),
    Spoken(
        "keeper",
        "en",
        "Stay where you are. We will not come tonight.",
        "the keeper",
        Reading(rate=0.75, pitch=0.95, melody=1.0, loudness=-23.0, phone=True),
        Reading(rate=1.4, pitch=1.3, melody=1.8, loudness=-20.0),
    ),
    Spoken(
        "sleep",
        "en",
        "Sleep now. The wind is going home.",
        "Mara",
        Reading(rate=0.75, pitch=0.95, melody=1.2, loudness=-27.0),
        Reading(rate=1.35, pitch=1.35, melody=2.4, loudness=-15.0),
    ),
    Spoken(
        "wall-zh",
        "zh",
        "快出来！水漫过墙了！",
        "玛拉",
        Reading(rate=1.15, pitch=1.6, melody=1.3, ends=0.6, loudness=-16.0),
        Reading(rate=0.7, pitch=0.8, melody=0.5, ends=1.5, loudness=-34.0),
        "kuai4 chu1 lai2! shui3 man4 guo4 qiang2 le5!",
    ),
    Spoken(
        "sleep-zh",
        "zh",
        "睡吧，风要回家了。",
        "玛拉",
        Reading(rate=0.75, pitch=1.1, melody=0.8, ends=0.5, loudness=-27.0),
        Reading(rate=1.4, pitch=1.2, melody=1.4, ends=1.8, loudness=-15.0),
        "shui4 ba5, feng1 yao4 hui2 jia1 le5.",
    ),
]


def main() -> None:
    """Write the clips and the manifest."""
    (FOLDER / "clips").mkdir(exist_ok=True)
    records = []
    for spoken in LINES:
        story = [text for text in (FOLDER / f"story.{spoken.language}.txt").read_text("utf-8").splitlines() if text]
        place = next(index for index, text in enumerate(story) if spoken.line in text)
        flat = replace(FLAT, phone=False)
        for kind, reading in (("apt", spoken.apt), ("flat", flat), ("wrong", spoken.wrong)):
            clip = FOLDER / "clips" / f"{spoken.name}-{kind}.opus"
            write(clip, speak(spoken, reading))
            records.append(
                {
                    "id": f"{spoken.name}-{kind}",
                    "audio": f"clips/{clip.name}",
                    "line": spoken.line,
                    "role": spoken.role,
                    "context": story[:place],
                    "following": story[place + 1 :],
                    "language": spoken.language,
                    "ids": {"story": "lighthouse", "reading": kind},
                }
            )
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    (FOLDER / "manifest.jsonl").write_text(text, encoding="utf-8")
    print(f"{len(records)} clips")


def speak(spoken: Spoken, reading: Reading) -> Audio:
    """One reading of a line, at 16 kHz."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "voice.wav"
        command = espeak(spoken, reading, path) if spoken.read_as else flite(spoken, reading, path)
        subprocess.run(command, check=True)
        audio = resample(read(path, rate=None), rate=16_000)
    if reading.phone:
        audio = telephone_band(audio)
    samples = audio.samples.astype(np.float64)
    level = 10.0 * np.log10(np.mean(samples**2))
    louder = np.clip(samples * 10.0 ** ((reading.loudness - level) / 20.0), -0.99, 0.99)
    return from_array(louder.astype(np.float32), rate=16_000, source=spoken.name)


def flite(spoken: Spoken, reading: Reading, path: Path) -> list[str]:
    """The command that reads a line with flite; the voice's own pitch is about 170 Hz (Mara) or 105 Hz (the keeper)."""
    voice, pitch, deviation = ("slt", 170.0, 18.0) if spoken.role == "Mara" else ("kal16", 105.0, 11.0)
    settings = {
        "duration_stretch": 1.0 / reading.rate,
        "int_f0_target_mean": pitch * reading.pitch,
        "int_f0_target_stddev": deviation * reading.melody,
    }
    options = [part for name, value in settings.items() for part in ("--setf", f"{name}={value:.3f}")]
    return ["flite", "-voice", voice, *options, "-t", spoken.line, "-o", str(path)]


def espeak(spoken: Spoken, reading: Reading, path: Path) -> list[str]:
    """The command that reads a line with espeak-ng, word by word, so that its pitch can move from beginning to end."""
    voice = "cmn-latn-pinyin+f3" if spoken.language == "zh" else "en-us+f3"
    words = spoken.read_as.split()
    parts = []
    for place, word in enumerate(words):
        pitch = 50.0 * reading.pitch * reading.ends ** (place / (len(words) - 1) - 0.5)
        settings = f'rate="{100 * reading.rate:.0f}%" pitch="{pitch:.0f}%" range="{100 * reading.melody:.0f}%"'
        parts.append(f"<prosody {settings}>{word}</prosody>")
    return ["espeak-ng", "-m", "-v", voice, "-w", str(path), f"<speak>{' '.join(parts)}</speak>"]


if __name__ == "__main__":
    main()
