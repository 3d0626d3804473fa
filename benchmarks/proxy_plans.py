"""Accuracy of the built-in planner on a proxy benchmark: its emotion, and its recording condition.

    python -m benchmarks.proxy_plans --texts TEXTS --data DATA

The same lines as in `benchmarks.aptness`; nothing is heard. The share of lines whose emotion is right, and, of those
whose narration asks for a telephone, a far voice or a bad line, the share for which just that is planned.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from aptone.ear.labelled_clips import read_labels
from aptone.planner.built_in import BuiltInPlanner
from aptone.rooms.aptness.api import plan_sample
from aptone.rooms.aptness.build.proxy import item_record, sample_items
from aptone.rooms.aptness.data import read_record
from benchmarks.aptness import CONTEXTS, MATERIALS
from benchmarks.made_with import with_revisions

RESULTS = Path(__file__).parent / "results" / "proxy_plans.json"


def main() -> None:
    """Print the shares and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, required=True, help="folder with meld/ and cped/")
    parser.add_argument("--data", type=Path, required=True, help="folder with ravdess/ and csemotions/")
    arguments = parser.parse_args()
    found: dict[str, Any] = {"planner": BuiltInPlanner().signature, "benchmarks": {}}
    for material in MATERIALS:
        clips = [clip for clip in read_labels(arguments.data / material.clips) if clip.split == "test"]
        drawn = sample_items(material.read(arguments.texts, parts=("test",)), clips, settings=material.settings)
        samples = [
            read_record(item_record(number, item, item.clip.path.name), where=material.name, number=number, root=Path())
            for number, item in enumerate(drawn, start=1)
        ]
        rows = found["benchmarks"][material.name] = {}
        for context in CONTEXTS:
            planner = BuiltInPlanner(windows=context, replan=True)
            pairs = [(sample, sample.plan, plan_sample(sample, planner).plan) for sample in samples]
            emotion = [true.emotion == made.emotion for _, true, made in pairs if true is not None]
            condition = [
                true.recording_condition == made.recording_condition
                for sample, true, made in pairs
                if true is not None and sample.ids["asked"] != "normal"
            ]
            rows[str(context)] = {
                "emotion is right": round(float(np.mean(emotion)), 4),
                "recording condition asked for is planned": round(float(np.mean(condition)), 4),
            }
            print(f"{material.name}, {context} lines: {rows[str(context)]}")
    RESULTS.write_text(
        json.dumps(with_revisions(found, "planner"), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
