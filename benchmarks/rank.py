"""Effect of a ranking's margin: takes that were meant alike, and takes that were meant otherwise.

RAVDESS has every sentence by every actor twice in each emotion and intensity. The two are takes of one line that were
meant alike: what the built-in judge sees between them is no difference in what the line asks for, and it shows how far
apart such takes lie. Beside each stands a take by the same actor of the same sentence in another emotion. The plan asks
for the first one's emotion; a lead of the take that has it is right. For several least leads: how many pairs are
called, and how many of those rightly. The emotion is acted, not rated: this is a proxy, no agreement with listeners.

    python -m benchmarks.rank --speech RAVDESS
"""

import argparse
import csv
import json
import platform
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from aptone.audio import read
from aptone.judge import BuiltInJudge
from aptone.rooms.aptness.step import JUDGED_RATE
from aptone.rooms.aptness.takes.ranking import LEAST_LEAD, Take, rank_takes
from aptone.run import Call
from aptone.types import AudioRef, Line, Outcome, Plan, Sample
from benchmarks.made_with import with_revisions

LEADS = (0.0, 0.1, 0.25, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Clip:
    """A reading: who, which sentence, in which emotion and intensity, and which of the two times."""

    file: Path
    actor: str
    sentence: str
    emotion: str
    intensity: str


@dataclass(frozen=True, slots=True)
class Compared:
    """Scores by one plan: of a take and its twin, and of a take in another emotion."""

    take: float
    twin: float
    other: float


def clips_of(folder: Path, part: str) -> list[Clip]:
    """The readings of the actors of one part."""
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["split"] == part]
    return [Clip(folder / row["file"], row["speaker"], row["text"], row["emotion"], row["intensity"]) for row in rows]


def triples(clips: list[Clip], generator: np.random.Generator) -> Iterator[tuple[Clip, Clip, Clip]]:
    """A take, its twin, and a take of the same actor and sentence in another emotion."""
    alike: defaultdict[tuple[str, str, str, str], list[Clip]] = defaultdict(list)
    lines: defaultdict[tuple[str, str], list[Clip]] = defaultdict(list)
    for clip in clips:
        alike[clip.actor, clip.sentence, clip.emotion, clip.intensity].append(clip)
        lines[clip.actor, clip.sentence].append(clip)
    for (actor, sentence, emotion, _), twins in alike.items():
        if len(twins) == 2:
            others = [clip for clip in lines[actor, sentence] if clip.emotion != emotion]
            yield twins[0], twins[1], others[int(generator.integers(len(others)))]


def scores_of(clips: tuple[Clip, Clip, Clip], judge: BuiltInJudge) -> Compared | None:
    """The built-in judge on all three, by a plan that asks for the emotion of the first; ``None`` without a score."""
    plan = Plan(clips[0].emotion)
    found = []
    for clip in clips:
        sample = Sample("line", AudioRef(str(clip.file)), Line(clip.sentence))
        outcome: Outcome = judge.judge(read(clip.file, rate=JUDGED_RATE, channel="mix"), plan, sample, Call())
        if "aptness" not in outcome.scores:
            return None
        found.append(outcome.scores["aptness"].value)
    return Compared(*found)


def called(pairs: list[Compared], least_lead: float) -> dict[str, float]:
    """Count the pairs that a least lead leaves to be called, and those called rightly."""
    alike = right = wrong = 0
    for pair in pairs:
        twins = rank_takes([Take("take", (pair.take,)), Take("twin", (pair.twin,))], least_lead=least_lead)
        alike += len(twins.best) == 1
        apart = rank_takes([Take("take", (pair.take,)), Take("other", (pair.other,))], least_lead=least_lead)
        if len(apart.best) == 1:
            right += apart.best[0].id == "take"
            wrong += apart.best[0].id == "other"
    return {
        "least_lead": least_lead,
        "called_although_meant_alike": round(alike / len(pairs), 4),
        "called_where_meant_otherwise": round((right + wrong) / len(pairs), 4),
        "right_of_called": round(right / (right + wrong), 4) if right + wrong else float("nan"),
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="What the margin of a ranking does.")
    parser.add_argument("--speech", type=Path, required=True, help="Folder of RAVDESS with its labels.csv.")
    parser.add_argument("--part", default="test", help="Actors; what is tuned is tuned on dev.")
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "rank.json")
    options = parser.parse_args()
    judge = BuiltInJudge()
    generator = np.random.default_rng(options.seed)
    tried = [scores_of(three, judge) for three in triples(clips_of(options.speech, options.part), generator)]
    pairs = [pair for pair in tried if pair is not None]
    apart = np.abs([pair.take - pair.twin for pair in pairs])
    results = {
        "pairs": len(pairs),
        "without_a_score": len(tried) - len(pairs),
        "points_between_takes_meant_alike": {
            "median": round(float(np.median(apart)), 3),
            "90_percent": round(float(np.quantile(apart, 0.9)), 3),
        },
        "by_least_lead": [called(pairs, lead) for lead in LEADS],
    }
    print(json.dumps(results, indent=2))
    record = {
        "what": "takes of RAVDESS that were meant alike, and otherwise, ranked by the built-in judge; acted, not rated",
        "part": options.part,
        "seed": options.seed,
        "least_lead_unless_told": LEAST_LEAD,
        "judge": judge.signature,
        "versions": {"python": platform.python_version()} | {name: version(name) for name in ("aptone", "numpy")},
        "results": results,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(
        json.dumps(with_revisions(record, "ear", "judge"), indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
