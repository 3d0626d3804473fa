"""Does the miniature judge earn its 15 MB? Both built-in judges on takes of people whom neither was trained on.

    python -m benchmarks.miniature_worth --speech DATA

A trial: one person's takes, one of each emotion, and a plan that names one of them; does the fitting take come first?
Three corpora that neither the ear nor the miniature was trained on (TurEV-DB, the Korean set, EmoSpeech), the plan given,
so that only the judges differ; and RAVDESS's test actors with plans read from the stories of `story_takes`. The corpora
do not come with Aptone.
"""

import argparse
import csv
import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import aptone
from aptone.planner.built_in import BuiltInPlanner
from aptone.rooms.aptness.planning import line_to_plan
from aptone.rooms.aptness.story import make_story
from aptone.run import Call
from aptone.stats.intervals import wilson_interval
from aptone.types import Plan, to_json
from benchmarks.story_takes import EMOTIONS, STORIES, takes_of

RESULTS = Path(__file__).parent / "results" / "miniature_worth.json"
CORPORA = ("turev", "korean", "emospeech")
ENGINES = ("built-in", "miniature")
TRIALS = 80
LINE = "I will be there in a minute."


def score(path: Path, plan: Plan, line: str, engine: str) -> float:
    """The score of a take by a plan, -1 where it is unscored."""
    asked = {key: value for key, value in dict(to_json(plan)).items() if isinstance(value, str)}  # type: ignore[call-overload]
    outcome = aptone.score(path, line=line, plan=asked, engine=engine, planner="by-hand")
    value = outcome.scores["aptness"].value if "aptness" in outcome.scores else -1.0
    return value if value == value else -1.0


def right(scores: dict[str, float], emotion: str) -> bool:
    """Whether the fitting take is first, alone."""
    return all(scores[emotion] > value for name, value in scores.items() if name != emotion)


def people(folder: Path, seed: int) -> list[tuple[str, dict[str, Path]]]:
    """Trials of a corpus: the emotion that is asked for, and a take of each emotion by one person."""
    takes: dict[str, dict[str, list[Path]]] = defaultdict(lambda: defaultdict(list))
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["emotion"] in {"angry", "happy", "sad", "fear", "neutral", "calm"}:
                takes[row["speaker"]][row["emotion"]].append(folder / row["file"])
    chance = random.Random(seed)
    trials = []
    whole = [own for own in takes.values() if len(own) >= 3]
    for number in range(TRIALS):
        own = whole[number % len(whole)]
        chosen = {emotion: chance.choice(sorted(paths)) for emotion, paths in sorted(own.items())}
        wanted = chance.choice(sorted(set(chosen) - {"neutral", "calm"}))
        trials.append((wanted, chosen))
    return trials


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speech", type=Path, required=True, help="Folder with ravdess, turev, korean and emospeech.")
    options = parser.parse_args()
    trials: dict[str, list[tuple[str, Plan, str, dict[str, Path]]]] = {}
    for corpus in CORPORA:
        found = people(options.speech / corpus, seed=1)
        trials[corpus] = [(emotion, Plan(emotion), LINE, takes) for emotion, takes in found]
    planner, readings = BuiltInPlanner(), takes_of(options.speech / "ravdess", "test")
    actors = sorted({actor for actor, _, _ in readings})
    for version in ("explicit", "implicit"):
        trials[f"ravdess, {version} stories"] = []
        for story in json.loads(STORIES.read_text(encoding="utf-8")):
            sample = line_to_plan(make_story(story[version], language="en"), line=story["line"])
            plan = planner.plan(sample, Call())
            for actor in actors:
                own = {emotion: readings[actor, story["line"], emotion] for emotion in EMOTIONS}
                trials[f"ravdess, {version} stories"].append((story["emotion"], plan, story["line"], own))
    record: dict[str, Any] = {}
    for name, rows in trials.items():
        counts = dict.fromkeys(ENGINES, 0)
        for emotion, plan, line, takes in rows:
            for engine in ENGINES:
                counts[engine] += right({e: score(path, plan, line, engine) for e, path in takes.items()}, emotion)
        record[name] = {"trials": len(rows), "takes": len(rows[0][3]), "first": counts}
        intervals = {engine: wilson_interval(count, len(rows), confidence=0.95) for engine, count in counts.items()}
        record[name]["intervals"] = {engine: [round(edge, 3) for edge in edges] for engine, edges in intervals.items()}
        print(
            f"{name}: " + ", ".join(f"{engine} {count} of {len(rows)}" for engine, count in counts.items()), flush=True
        )
    RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
