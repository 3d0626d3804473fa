"""What ears of others cost beside the built-in one: processor seconds for each second of sound, on one thread.

    python -m benchmarks.ear_others

The networks have the shapes of the published checkpoints and random weights: what they cost does not depend on the
weights. How well they hear does, and needs the checkpoints: ``python -m benchmarks.ear --data DATA --ear emotion2vec
--only emotion --without-rival``. The figures hold the built-in ear, which hears everything but the feeling. The median
of `ROUNDS` passes over the clips of the lighthouse counts, after one that loads and warms up.
"""

import argparse
import json
import statistics
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import torch
import transformers

from aptone.audio import read
from aptone.ear import load_ear
from aptone.models.local.dimension_head import Wav2Vec2ForDimensions
from aptone.types import Audio
from benchmarks.made_with import with_revisions

ROOT = Path(__file__).resolve().parents[1]
CLIPS = ROOT / "examples" / "lighthouse" / "clips"
RESULT = Path(__file__).parent / "results" / "ear_others.json"
ROUNDS = 5
LARGE = {
    "hidden_size": 1024,
    "num_hidden_layers": 12,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
    "feat_extract_norm": "layer",
    "do_stable_layer_norm": True,
    "conv_bias": True,
}
"""Shape of wav2vec2-large-robust with twelve layers."""


def save_checkpoints(folder: Path) -> dict[str, tuple[str, int]]:
    """Save networks with random weights; returns ears by what they are like, with the number of their parameters."""
    torch.manual_seed(0)
    emotions = {0: "neu", 1: "hap", 2: "ang", 3: "sad"}
    dimensions = {0: "arousal", 1: "dominance", 2: "valence"}
    classifier = transformers.Wav2Vec2ForSequenceClassification(transformers.Wav2Vec2Config(id2label=emotions))
    regression = Wav2Vec2ForDimensions(transformers.Wav2Vec2Config(id2label=dimensions, **LARGE))
    ears = {}
    for name, like, model in (
        ("transformers", "superb/wav2vec2-base-superb-er", classifier),
        ("wav2vec2-dim", "audeering/wav2vec2-large-robust-12-ft-emotion-msp-dim", regression),
    ):
        model.save_pretrained(folder / name)
        transformers.Wav2Vec2FeatureExtractor(do_normalize=True).save_pretrained(folder / name)
        ears[like] = (f"{name}:{folder / name},device=cpu", model.num_parameters())
    return ears


def cost(ear: str, clips: list[Audio]) -> float:
    """Return processor seconds for each second of sound."""
    listening = load_ear(ear)
    sound = sum(clip.seconds for clip in clips)
    passes = []
    for _ in range(ROUNDS + 1):
        begin = time.process_time()
        for clip in clips:
            listening.perceive(clip)
        passes.append((time.process_time() - begin) / sound)
    return statistics.median(passes[1:])


def main() -> None:
    """Measure, print and write the result."""
    parser = argparse.ArgumentParser(description="What ears of others cost beside the built-in one.")
    parser.add_argument("--output", type=Path, default=RESULT, help="Result file.")
    options = parser.parse_args()
    torch.set_num_threads(1)
    clips = [read(path, rate=16_000) for path in sorted(CLIPS.iterdir())]
    rows = {"full": {"cost": round(cost("full", clips), 4)}}
    with tempfile.TemporaryDirectory() as folder:
        for like, (ear, parameters) in save_checkpoints(Path(folder)).items():
            rows[like] = {"cost": round(cost(ear, clips), 4), "parameters": parameters}
    for name, row in rows.items():
        print(f"{name:56} {row['cost']:.3f} s of processor time for 1 s of sound")
    record = {
        "what": "processor seconds for each second of sound, one thread; random weights at the published shapes",
        "seconds_of_sound": round(sum(clip.seconds for clip in clips), 2),
        "rows": rows,
        "versions": {name: version(name) for name in ("torch", "transformers")},
    }
    options.output.write_text(json.dumps(with_revisions(record, "ear"), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
