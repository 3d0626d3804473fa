"""Naturalness of people, damaged recordings and machines by the ear, beside what experts and listeners say.

    python -m benchmarks.ear_naturalness --data DATA --made MADE

`MADE` is a folder that `recipes.ear.naturalness` has made; nothing of its ``test`` part was trained on: other
speakers, other machine voices, other sentences. *Experts* are those of speechocean, who scored the prosody of read
English: the correlation over the clips of its test speakers, with one of the experts against the mean of the others
beside it. *Listeners* are those of EmoDB, 20 for each clip of its test speakers; they were asked about acting in a
studio.
"""

import argparse
import csv
import json
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from aptone.audio import read
from aptone.ear import load_ear
from aptone.stats import pearson, spearman
from aptone.types import Audio, Estimate
from benchmarks.ear_data import load_set
from benchmarks.ear_report import as_json
from benchmarks.made_with import with_revisions
from recipes.ear.data import READ_SET
from recipes.ear.naturalness import Report, expert_scores, report, target
from recipes.ear.naturalness_clips import emodb_listeners, read_clips

PARTS = ("dev", "test")
RESULTS = Path(__file__).parent / "results"
Say = Callable[[Audio], float]


@dataclass(frozen=True, slots=True)
class WithPeople:
    """Correlation with the share of listeners who found a clip natural."""

    pearson: Estimate
    spearman: Estimate


def on_made_clips(made: Path, part: str, say: Say) -> Report:
    """The report on a part of the made folder."""
    items = [item for item in read_clips(made) if item.part == part]
    targets = np.array([target(item) for item in items])
    return report(items, targets, np.array([say(read(made / item.path, rate=None)) for item in items]))


def with_experts(data: Path, say: Say) -> WithPeople:
    """Over the clips of the test speakers of read speech."""
    rated = [one for one in expert_scores(data) if one.part == "test"]
    said, scores = [say(read(one.path, rate=None)) for one in rated], [one.score for one in rated]
    return WithPeople(pearson(said, scores), spearman(said, scores))


def among_experts(data: Path) -> float:
    """The mean correlation of each expert with the mean of the others, over the same clips."""
    with (data / READ_SET / "labels.csv").open(encoding="utf-8", newline="") as file:
        scores = [json.loads(row["prosodic"]) for row in csv.DictReader(file) if row["split"] == "test"]
    count = min(map(len, scores))
    found = []
    for expert in range(count):
        own = [each[expert] for each in scores]
        others = [float(np.mean(each[:expert] + each[expert + 1 :])) for each in scores]
        found.append(pearson(own, others).value)
    return float(np.mean(found))


def with_people(data: Path, say: Callable[[Path], float]) -> WithPeople:
    """Over all clips of EmoDB's test speakers that were played to people."""
    shares = emodb_listeners(data)
    clips = [clip for clip in load_set(data, "emodb", part="test") if clip.name in shares]
    said, natural = [say(clip.path) for clip in clips], [shares[clip.name] for clip in clips]
    return WithPeople(pearson(said, natural), spearman(said, natural))


def shown(estimate: Estimate) -> str:
    """A figure with its interval.

    >>> shown(Estimate(0.5, 0.25, 0.75, count=9))
    '0.50 [0.25, 0.75]'
    """
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def table(part: str, found: Report) -> str:
    """A report in a few lines."""
    lines = [
        f"{part}: {found.clips} clips, {found.unjudged} not judged",
        f"  on targets: Pearson {shown(found.pearson)}, Spearman {shown(found.spearman)}, off by {found.error:.2f}",
        *(
            f"  {kind}: {found.means[kind]:.2f} on average, targets {found.target_means[kind]:.2f}"
            for kind in found.means
        ),
        f"  people above machines: {found.area:.3f} of pairs, targets {found.target_area:.3f}",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print the figures and write them."""
    parser = argparse.ArgumentParser(description="How natural the ear finds people, damaged recordings and machines.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with one folder a set.")
    parser.add_argument("--made", type=Path, required=True, help="Folder of recipes.ear.naturalness.")
    parser.add_argument("--ear", default="full", help="Ear: full or permissive.")
    parser.add_argument("--output", type=Path, help="Result file; results/ear_naturalness.json unless given.")
    options = parser.parse_args()
    ear = load_ear(options.ear)

    def say(audio: Audio) -> float:
        return ear.perceive(audio).naturalness

    reports = {part: on_made_clips(options.made, part, say) for part in PARTS}
    for part, found in reports.items():
        print(table(part, found))
    people = {
        "EmoDB's listeners": with_people(options.data, lambda path: say(read(path, rate=None))),
        "experts": with_experts(options.data, say),
    }
    for who, like in people.items():
        print(f"with {who}: Pearson {shown(like.pearson)}, Spearman {shown(like.spearman)}")
    ceiling = among_experts(options.data)
    print(f"an expert with the others: {ceiling:.2f}")
    suffix = "" if options.ear == "full" else f"_{options.ear}"
    output = options.output or RESULTS / f"ear_naturalness{suffix}.json"
    record = {
        "what": "how natural the ear finds people, damaged recordings and machines",
        "ear": options.ear,
        "parts": as_json(reports),
        "people": as_json(people),
        "an expert with the others": round(ceiling, 3),
        "versions": {"python": platform.python_version(), "aptone": version("aptone"), "numpy": np.__version__},
    }
    output.write_text(
        json.dumps(with_revisions(record, "ear"), indent=1, sort_keys=True, allow_nan=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
