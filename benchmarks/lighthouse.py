"""The shipped example by every judge that runs without a download: in how many lines does the apt reading come first?

    python -m benchmarks.lighthouse   # on a CPU, a minute

Six lines of ``examples/lighthouse``, each in three readings by a synthetic voice; how a line should sound is read from
the story by the built-in planner, no plan is given. Six lines are an illustration, no measurement. Readings were made
before there was this planner, and no judge was tuned on them; but phrases for a telephone (its hook, the wire) were
added to the planner's lists, and contrast sets with shouted warnings were written, after two of these lines had been
read wrong.
"""

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Any

import aptone
from aptone.planner.built_in import BuiltInPlanner
from aptone.rooms.aptness.data import read_manifest
from aptone.run import Call
from aptone.types import AudioRef, Sample, dumps
from benchmarks.made_with import with_revisions

EXAMPLE = Path(__file__).parents[1] / "examples" / "lighthouse"
RESULT = Path(__file__).parent / "results" / "lighthouse.json"
PLANNER = BuiltInPlanner()
JUDGES: dict[str, dict[str, Any]] = {
    "built-in judge": {"engine": "built-in"},
}


def main() -> None:
    """Judge the readings, print the table and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    samples = read_manifest(EXAMPLE / "manifest.jsonl")
    record: dict[str, Any] = {name: judged(samples, asked) for name, asked in JUDGES.items()}
    arguments.out.write_text(dumps(with_revisions(record, "ear", "planner", "judge")) + "\n", encoding="utf-8")
    for name, found in record.items():
        print(f"{name}: the apt reading comes first in {found['apt first']} of {len(found['scores'])} lines")
        for line, readings in found["scores"].items():
            print(f"  {line}: {readings}")


def judged(samples: list[Sample], asked: dict[str, Any]) -> dict[str, Any]:
    """The scores of all readings of each line, and in how many lines the apt one is alone at the top."""
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for sample in samples:
        line, reading = sample.id.rsplit("-", 1)
        assert isinstance(sample.audio, AudioRef)
        plan = PLANNER.plan(sample, Call())
        outcome = aptone.score(sample.audio.path, line=sample.target.text, plan=plan, language=sample.language, **asked)
        scores[line][reading] = round(outcome.scores["aptness"].value, 2)
    others = [(readings["apt"], max(readings["flat"], readings["wrong"])) for readings in scores.values()]
    return {"apt first": sum(apt > other for apt, other in others), "scores": dict(scores)}


if __name__ == "__main__":
    main()
