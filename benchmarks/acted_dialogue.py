"""Real acted dialogue: how many lines get a plan at all, and how many of sixty are right to a reader.

    python -m benchmarks.acted_dialogue --speech UQM [--sheet sheet.tsv | --read sheet.tsv]

Replies of six characters of The Ur-Quan Masters, each with what was said before it. Every sub-line is planned with the
lines around it. ``--sheet`` writes sixty of them for a reader, who puts right, acceptable or wrong into the last
column; ``--read`` counts what the reader wrote. No word of the dialogues is kept in the results. UQM does not come with
Aptone.
"""

import argparse
import csv
import hashlib
import json
import platform
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

from aptone.planner.built_in import BuiltInPlanner
from aptone.rooms.aptness.data import UNSPOKEN
from aptone.run import Call
from aptone.types import AudioRef, Line, Plan, Sample
from benchmarks.made_with import with_revisions

RESULTS = Path(__file__).parent / "results" / "acted_dialogue.json"
READ_BY_EYE = 60


def planned(folder: Path) -> list[tuple[str, Sample, Plan]]:
    """Every sub-line with its plan."""
    planner = BuiltInPlanner()
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = []
    for row in rows:
        role = row["speaker"].removeprefix("uqm_").capitalize()
        said = [Line(text, "Captain") for text in json.loads(row["before"])]
        lines = [Line(text, role) for text in json.loads(row["lines"])]
        for place, line in enumerate(lines):
            sample = Sample(
                f"{Path(row['file']).stem}-{place}",
                AudioRef(UNSPOKEN),
                line,
                context=(*said, *lines[:place]),
                following=tuple(lines[place + 1 :]),
            )
            found.append((sample.id, sample, planner.plan(sample, Call())))
    return found


def write_sheet(path: Path, chosen: list[tuple[str, Sample, Plan]]) -> None:
    """The lines for a reader."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(["id", "before", "line", "after", "plan", "second", "verdict"])
        for name, sample, plan in chosen:
            ranked = sorted(plan.emotions, key=lambda emotion: -plan.emotions[emotion])
            around = [f"{line.role}: {line.text}" for line in sample.context[-4:]]
            after = [line.text for line in sample.following[:1]]
            named = plan.emotion or "does not say"
            writer.writerow([name, " / ".join(around), sample.target.text, " ".join(after), named, ranked[1], ""])


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speech", type=Path, required=True, help="Folder of UQM with its labels.csv.")
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--read", type=Path)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    found = planned(options.speech)
    said = [one for one in found if one[2].says_emotion]
    chosen = sorted(said, key=lambda one: hashlib.sha256(one[0].encode()).digest())[:READ_BY_EYE]
    record: dict[str, Any] = {
        "what": "plans of lines of real acted dialogue",
        "lines": len(found),
        "share_with_an_emotion": round(len(said) / len(found), 3),
        "share_too_unsure_to_name_one": round(sum(plan.is_unsure for _, _, plan in found) / len(found), 3),
        "share_not_said": round(sum(plan.is_unsaid for _, _, plan in found) / len(found), 3),
        "emotions": dict(Counter(plan.emotion for _, _, plan in said).most_common()),
        "planner": BuiltInPlanner().signature,
        "versions": {"python": platform.python_version(), "aptone": version("aptone")},
    }
    if options.sheet:
        write_sheet(options.sheet, chosen)
    if options.read:
        with options.read.open(encoding="utf-8", newline="") as file:
            verdicts = Counter(row["verdict"] for row in csv.DictReader(file, delimiter="\t"))
        record["read_by_eye"] = {"reader": "a language model", "lines": sum(verdicts.values()), **verdicts}
    print(json.dumps(record, indent=1))
    options.output.write_text(json.dumps(with_revisions(record, "planner"), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
