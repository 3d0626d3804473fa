"""Sensitivity of the built-in judge to a feeling that changes: the right order of two feelings against the reverse.

    python -m benchmarks.judge_change --data CLIPS

``CLIPS`` holds ``ravdess/`` (none of it comes with Aptone). Two clips by one of four actors that the ear never heard
are joined, 0.1 s apart, in both orders; the plan words one order ("calm turning into happy"). The share of pairs in
which the right order has the higher score for emotion; a judge that compares means alone is right half of the time.
"""

import argparse
import json
import random
from itertools import permutations
from pathlib import Path

import numpy as np

from aptone.audio import read
from aptone.ear import load_ear
from aptone.judge.aspects.emotion import STEP, judge_emotion
from aptone.judge.parameters import load_parameters
from aptone.types import Audio, Emotion, Perception, Plan
from benchmarks.made_with import with_revisions

RESULTS = Path(__file__).parent / "results" / "judge_change.json"
RATE = 16_000
PAUSE = np.zeros(RATE // 10, np.float32)
ACTORS = ("21", "22", "23", "24")
CODES = {Emotion.CALM: "02", Emotion.HAPPY: "03", Emotion.SAD: "04", Emotion.ANGRY: "05", Emotion.FEAR: "06"}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="Feelings that change, in the right order and in the reverse.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with ravdess/.")
    parser.add_argument("--output", type=Path, default=RESULTS, help="Result file.")
    options = parser.parse_args()
    ear, parameters, draw = load_ear("full"), load_parameters(), random.Random(1)

    def clip(actor: str, emotion: Emotion) -> Audio:
        files = sorted((options.data / "ravdess").glob(f"03-01-{CODES[emotion]}-*-{actor}.ogg"))
        return read(draw.choice(files), rate=RATE)

    def heard(first: Audio, second: Audio) -> Perception:
        joined = Audio(np.concatenate([first.samples, PAUSE, second.samples]), rate=RATE)
        return ear.perceive(joined, language="en", trajectory=STEP)

    right: list[float] = []
    scores: dict[str, list[float]] = {"right_order": [], "reverse": []}
    for actor in ACTORS:
        for first, last in permutations(CODES, 2):
            plan = Plan(f"{first} turning into {last}")
            one, other = clip(actor, first), clip(actor, last)
            pair = [
                judge_emotion(plan, heard(*order), language="en", parameters=parameters).score.value
                for order in ((one, other), (other, one))
            ]
            right.append(float(pair[0] > pair[1]) + 0.5 * float(pair[0] == pair[1]))
            for name, score in zip(scores, pair, strict=True):
                scores[name].append(score)
    record = {
        "pairs": len(right),
        "right_order_scores_higher": round(float(np.mean(right)), 3),
        "mean_score": {name: round(float(np.mean(values)), 2) for name, values in scores.items()},
        "actors": list(ACTORS),
    }
    print(json.dumps(record))
    options.output.write_text(
        json.dumps(with_revisions(record, "ear", "judge"), indent=1, sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
