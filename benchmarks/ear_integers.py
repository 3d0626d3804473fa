"""Cost of the stem in eight-bit integers: recall of emotions with it and with the same stem in floats.

Run:
    python -m benchmarks.ear_integers --data DATA --start START --run RUNS/all-seed1.safetensors --run …

Every run is exported on its own, and all of them averaged, which is how the ear ships; each hears the test part of all
sets through both stems. A single network differs by what a handful of clips do, so the mean over them is what counts.
"""

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from aptone.audio import read
from aptone.ear.network.inference import Network
from aptone.ear.perceive import Ear
from aptone.types import Audio
from benchmarks import ear_rows
from benchmarks.ear_data import EMOTIONS, SPEECH_SETS, Answers, Clip, labels_of, load_set, no_answers
from benchmarks.made_with import with_revisions
from recipes.ear.export import export_ear, export_stem
from recipes.ear.runs import load_runs

RESULT = Path(__file__).parent / "results" / "ear_integers.json"
RATE = 16_000


def main() -> None:
    """Measure, print the figures and write them."""
    parser = argparse.ArgumentParser(description="The ear's stem in integers against the same in floats.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with one folder a set.")
    parser.add_argument("--start", type=Path, required=True, help="Made by: python -m recipes.ear start.")
    parser.add_argument("--run", type=Path, action="append", required=True, help="NAME.safetensors of a run.")
    options = parser.parse_args()
    clips = {name: load_set(options.data, name, part="test") for name in SPEECH_SETS}
    labels = {name: labels_of(load_set(options.data, name)) for name in SPEECH_SETS}
    sounds = {name: [read(clip.path, rate=RATE) for clip in of_set] for name, of_set in clips.items()}
    rows: dict[str, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        export_stem(load_runs(options.run[:1], options.start)[0], folder / "floats.onnx", exact=True)
        named = [(path.stem, [path]) for path in options.run] + [("averaged", options.run)]
        for title, runs in named:
            export_ear(runs, options.start, folder, name="full")
            integers = Ear(Network(folder, "full"))
            (folder / "stem.onnx").write_bytes((folder / "floats.onnx").read_bytes())
            floats = Ear(Network(folder, "full"))
            rows[title] = {
                name: {
                    way: ear_rows.emotion([answers(ear, of_set, sounds[name])], of_set, labels=labels[name]).mean.value
                    for way, ear in (("integers", integers), ("floats", floats))
                }
                for name, of_set in clips.items()
            }
            for name, both in rows[title].items():
                print(f"{title}, {name}: {both['integers']:.4f} in integers, {both['floats']:.4f} in floats")
    costs = {
        name: float(np.mean([both[name]["integers"] - both[name]["floats"] for both in rows.values()]))
        for name in SPEECH_SETS
    }
    print("mean difference", {name: round(value, 4) for name, value in costs.items()})
    record = {
        "what": "unweighted recall of emotions on unseen speakers, the ear's stem in integers and in floats",
        "networks": rows,
        "mean difference": costs,
    }
    RESULT.write_text(
        json.dumps(with_revisions(record, "ear"), indent=1, sort_keys=True, allow_nan=False) + "\n", encoding="utf-8"
    )


def answers(ear: Ear, clips: Sequence[Clip], sounds: Sequence[Audio]) -> Answers:
    """Return the emotions that the network alone predicts for clips."""
    given = no_answers(clips)
    order = [ear.meaning.emotions.index(name) for name in EMOTIONS]
    for row, audio in enumerate(sounds):
        given.emotion[row] = np.log(np.maximum(ear.listen(audio).emotion[order], 1e-12))
    return given


if __name__ == "__main__":
    main()
