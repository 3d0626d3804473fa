"""The measures of the ear against Praat and against the words that were said, and their processor time.

- Jitter, shimmer and harmonics-to-noise ratio: correlation (Pearson) with those of Praat (``jitter (local)``, ``shimmer
  (local)``, the mean of ``harmonicity (cc)``) over clips of acted speech, and both means.
- Syllables: counted by ear against counted in the text (vowels of Polish and German sentences): correlation of the
  counts over clips, and by how much all counts together are off.
- Processor time on one thread for a second of audio, in milliseconds and as a multiple of that of finding speech.

Needs recordings with labels.csv (columns file, text, split); for the first part also the package praat-parselmouth,
which Aptone does not depend on (GPL).

    python -m benchmarks.measures --data FOLDER     # with FOLDER/emodb/labels.csv, FOLDER/nemo/…, FOLDER/ravdess/…
"""

import argparse
import csv
import importlib
import importlib.util
import json
import platform
import re
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from aptone.audio import find_speech, from_array, read
from aptone.ear.measures.frames import RATE, frames_within, loudness_track
from aptone.ear.measures.pitch import track_pitch
from aptone.ear.measures.rhythm import syllable_nuclei
from aptone.ear.measures.voice import measure
from aptone.stats import pearson
from aptone.types import Audio
from benchmarks.made_with import with_revisions

SETS = ("ravdess", "emodb", "nemo")
POLISH = re.compile("[aąeęioóuy]")
SOFTENING = re.compile("i(?=[aąeęoóuy])")  # in Polish, an i before a vowel is no syllable of its own
GERMAN = re.compile("ei|ie|au|eu|äu|aa|ee|oo|ai|[aeiouäöüy]")


def syllables(text: str, language: str) -> int:
    """Count the syllables of a sentence, by its vowels.

    >>> syllables("Lubię czytać przed snem.", "pl"), syllables("Das will sie am Mittwoch abgeben.", "de")
    (6, 9)
    """
    lower = text.lower()
    return len(POLISH.findall(SOFTENING.sub("", lower)) if language == "pl" else GERMAN.findall(lower))


def rows(data: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of one set's clips that may be tuned on."""
    with (data / name / "labels.csv").open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["split"] in ("train", "dev")]


def praat_measures(parselmouth: Any, audio: Audio) -> dict[str, float]:
    """Jitter and shimmer in percent and the harmonics-to-noise ratio in dB, with Praat's standard settings."""
    call = parselmouth.praat.call
    sound = parselmouth.Sound(audio.samples.astype(np.float64), audio.rate)
    points = call(sound, "To PointProcess (periodic, cc)", 75.0, 600.0)
    harmonicity = sound.to_harmonicity_cc(0.01, 75.0, 0.1, 1.0).values
    return {
        "jitter": 100.0 * call(points, "Get jitter (local)", 0, 0, 0.0001, 0.02, 1.3),
        "shimmer": 100.0 * call([sound, points], "Get shimmer (local)", 0, 0, 0.0001, 0.02, 1.3, 1.6),
        "HNR": float(np.mean(harmonicity[harmonicity > -100.0])) if (harmonicity > -100.0).any() else np.nan,
    }


def against_praat(data: Path, parselmouth: Any, generator: np.random.Generator, *, clips: int) -> dict[str, object]:
    """Both measures of the same clips."""
    ours: dict[str, list[float]] = {"jitter": [], "shimmer": [], "HNR": []}
    theirs: dict[str, list[float]] = {"jitter": [], "shimmer": [], "HNR": []}
    for name in SETS:
        these = rows(data, name)
        for place in generator.choice(len(these), clips, replace=False):
            audio = read(data / name / these[place]["file"], rate=RATE)
            measured = measure(audio.samples, track_pitch(audio.samples), find_speech(audio))
            praat = praat_measures(parselmouth, audio)
            for measured_name in ours:
                ours[measured_name].append(measured[measured_name].value)
                theirs[measured_name].append(praat[measured_name])
    result: dict[str, object] = {}
    for name in ours:
        estimate = pearson(ours[name], theirs[name])
        result[name] = {
            "correlation": round(estimate.value, 3),
            "interval": [round(estimate.low, 3), round(estimate.high, 3)],
            "clips": estimate.count,
            "our_mean": round(float(np.nanmean(ours[name])), 2),
            "praat_mean": round(float(np.nanmean(theirs[name])), 2),
        }
    return result


def against_text(data: Path, generator: np.random.Generator, *, clips: int) -> dict[str, object]:
    """Syllables counted by ear and in the text."""
    result: dict[str, object] = {}
    for name, language in (("nemo", "pl"), ("emodb", "de")):
        these = rows(data, name)
        heard, written = [], []
        for place in generator.choice(len(these), min(clips, len(these)), replace=False):
            audio = read(data / name / these[place]["file"], rate=RATE)
            levels, voiced = loudness_track(audio.samples), track_pitch(audio.samples).voiced
            speech = frames_within(find_speech(audio), count=levels.size)
            heard.append(syllable_nuclei(levels, voiced=voiced, speech=speech).size)
            written.append(syllables(these[place]["text"], language))
        estimate = pearson(heard, written)
        result[name] = {
            "correlation": round(estimate.value, 3),
            "interval": [round(estimate.low, 3), round(estimate.high, 3)],
            "clips": estimate.count,
            "syllables": sum(written),
            "bias_percent": round(100.0 * (sum(heard) / sum(written) - 1.0), 1),
        }
    return result


def processor_seconds(call: Callable[[], object], *, repetitions: int) -> float:
    """The least of several calls, after one that does not count: what else the machine does can only add."""
    call()
    times = []
    for _ in range(repetitions):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def speed(audio: Audio) -> dict[str, float]:
    """Milliseconds for a second of audio."""
    samples = audio.samples
    contour, speech = track_pitch(samples), find_speech(audio)
    repetitions = 40 if audio.seconds < 10.0 else 7
    calls: dict[str, Callable[[], object]] = {
        "finding_speech": lambda: find_speech(audio),
        "pitch": lambda: track_pitch(samples),
        "measures": lambda: measure(samples, contour, speech),
    }
    times = {
        name: 1000.0 * processor_seconds(call, repetitions=repetitions) / audio.seconds for name, call in calls.items()
    }
    found = {f"{name}_milliseconds_per_second": round(value, 3) for name, value in times.items()}
    found["times_finding_speech"] = round((times["pitch"] + times["measures"]) / times["finding_speech"], 2)
    return found


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="The measures of the ear against Praat and against the words.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with the sets ravdess, emodb and nemo.")
    parser.add_argument("--clips", type=int, default=25, help="Number of clips of each set to compare with Praat.")
    parser.add_argument("--sentences", type=int, default=150, help="Sentences of each set to compare with their text.")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "measures.json")
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    record: dict[str, object] = {
        "what": "measures of the voice against Praat, syllables against the text, processor time on one thread",
        "seed": options.seed,
        "syllables": against_text(options.data, generator, clips=options.sentences),
    }
    packages = ["aptone", "numpy", "scipy"]
    if importlib.util.find_spec("parselmouth"):
        importlib.import_module("parselmouth.praat")
        parselmouth = importlib.import_module("parselmouth")
        record["against_praat"] = against_praat(options.data, parselmouth, generator, clips=options.clips)
        packages.append("praat-parselmouth")
    clips = [read(options.data / "emodb" / row["file"], rate=RATE).samples for row in rows(options.data, "emodb")[:40]]
    minute = np.concatenate(clips)[: 60 * RATE]
    record["speed"] = {
        f"{seconds} s": speed(from_array(minute[: seconds * RATE], rate=RATE)) for seconds in (3, minute.size // RATE)
    }
    record["versions"] = {"python": platform.python_version()} | {name: version(name) for name in packages}
    print(json.dumps(record, indent=2, ensure_ascii=False))
    options.output.write_text(
        json.dumps(with_revisions(record, "ear"), indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
