"""Yield of ``aptone build dialogues``, and whether scores tell fitting answers from contrary ones at each strength.

    python -m benchmarks.dialogue_build --speaker espeak-ng --speaker flite --number 4 --out benchmarks/results

For each synthesiser: the yields per step; which share of the feelings is heard (moved as planned against a plain
reading, and likelier than in it), and named (the likeliest of all to the ear), by strength; and over the words that
were kept with both kinds of answers, how often the fitting ones score higher. No person has listened.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.made_with import with_revisions

SCORES = ("ECS", "EBS", "ERS", "CT-ERS", "categorical", "reaction")
STRENGTHS = ("subtle", "normal", "exaggerated")


def aptone(*arguments: str) -> dict[str, Any]:
    """Run a command and return the JSON that it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "aptone", *arguments, "--json"], capture_output=True, text=True, check=False
    )
    if not done.stdout.startswith("{"):
        raise SystemExit(done.stderr)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def measured(speaker: str, number: int, folder: Path) -> dict[str, Any]:
    """The figures of one synthesiser."""
    strengths = [word for strength in STRENGTHS for word in ("--strength", strength)]
    build = ["build", "dialogues", "-o", str(folder / "talks"), "--speaker", speaker, "--number", str(number)]
    made = aptone(*build, *strengths, "--answers", "fitting", "--answers", "contrary")
    heard: dict[str, list[bool]] = defaultdict(list)
    named: dict[str, list[bool]] = defaultdict(list)
    for line in (folder / "talks" / "journal.jsonl").read_text(encoding="utf-8").splitlines():
        for turn in json.loads(line)["outcome"]["evidence"].get("turns", ()):
            if turn["emotion"] != "neutral":
                strength = Path(turn["audio"]).stem.rpartition("-")[2]
                heard[f"{turn['emotion']}, {strength}"].append(turn["check"]["verdict"] == "heard")
                named[f"{turn['emotion']}, {strength}"].append(turn["named"])
    scored = aptone("dialogue", made["manifest"], "-o", str(folder / "run"))
    pairs: dict[tuple[str, str], dict[str, dict[str, Any]]] = defaultdict(dict)
    for item in scored["items"]:
        words, strength, answers = item["id"].rsplit("-", 2)
        pairs[words, strength][answers] = item["scores"]
    higher: dict[str, dict[str, Any]] = {}
    for strength in STRENGTHS:
        both = [found for (_, one), found in pairs.items() if one == strength and len(found) == 2]
        higher[strength] = {"pairs": len(both)}
        for name in SCORES:
            values = [tuple(found[kind][name]["value"] for kind in ("fitting", "contrary")) for found in both]
            known = [(one, other) for one, other in values if one is not None and other is not None]
            higher[strength][name] = {
                "compared": len(known),
                "fitting is higher": sum(one > other for one, other in known),
                "mean difference": sum(one - other for one, other in known) / len(known) if known else None,
            }
    return {
        "yields": made["yields"],
        "heard": {name: [sum(found), len(found)] for name, found in sorted(heard.items())},
        "named": {name: [sum(found), len(found)] for name, found in sorted(named.items())},
        "fitting against contrary": higher,
    }


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speaker", action="append", required=True)
    parser.add_argument("--number", type=int, default=4)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    results = {}
    for speaker in given.speaker:
        with tempfile.TemporaryDirectory() as folder:
            results[speaker] = measured(speaker, given.number, Path(folder))
        print(speaker, json.dumps(results[speaker], indent=1), flush=True)
    path = given.out / "dialogue_build.json"
    path.write_text(
        json.dumps(with_revisions({"number": given.number, "speakers": results}, "ear"), indent=1) + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
