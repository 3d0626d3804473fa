"""Accuracy of the built-in planner on everything that is spoken: in the test scenes, and in pieces to try a tool with.

    python -m benchmarks.planner_lines [--before CHECKOUT]

A scene of `benchmarks.planner` was written around one target; here are the lines of the other people in it, who mostly
feel something else: 445 English and 335 Mandarin ones. They were labelled by a reader (a language model) who saw
neither the planner nor which line was the target; what it called no speech or left open is not counted. A planner that
hears the mood of a scene in each of its lines fails here.

Trials are 72 pieces a language, of two to nine sentences, as somebody would write them who tries out a tool: everything
that is spoken in them counts. Their writers (a language model) labelled them, and saw neither the planner nor other
labels.

Nothing was trained on these scenes and pieces or chosen by these labels.

Per language and set: share with an acceptable emotion [95 % over scenes], among lines with a feeling and among neutral
ones; share that names none; and of pairs of lines of one scene whose labels have no emotion in common, the share in
which both are right. Beside it the encoder alone, the commonest label in training, and the planner of another
checkout (``--before``).
"""

import argparse
import json
import platform
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from aptone.planner.built_in import BuiltInPlanner
from aptone.planner.passage import Passage
from aptone.run import Call
from aptone.types import Language
from benchmarks.made_with import with_revisions
from benchmarks.planner import DRAWS, LANGUAGES, encoder_only, named
from recipes.planner.as_read import sample_at
from recipes.planner.examples import Example
from recipes.planner.labels import scene_lines, scenes

RESULTS = Path(__file__).parent / "results" / "planner_lines.json"
BEFORE = "planner before (revision 8)"
_ANSWERS = """
import json, sys
from benchmarks.planner_lines import planned, spoken_lines
print(json.dumps(planned(spoken_lines(sys.argv[1], sys.argv[2]), sys.argv[1])))
"""
SETS = {"scenes": "other lines of test scenes", "trials": "all lines of trials"}


def spoken_lines(language: Language, name: str) -> list[Example]:
    """Return the lines of a set that somebody speaks and whose feeling the text gives away."""
    if name == "scenes":
        found = list(scene_lines(language, name="test_lines"))
    else:
        found = [*scenes(language, name="trials"), *scene_lines(language, name="trial_lines")]
    return [one for one in found if "unsaid" not in one.target]


def planned(examples: Sequence[Example], language: Language) -> list[str]:
    """Return what the planner names for each line, through the same path as ``aptone plan``."""
    planner = BuiltInPlanner()
    return [named(planner.plan(sample_at(one.text, one.start, one.end, language), Call())) for one in examples]


def before(checkout: Path, language: Language, name: str) -> list[str]:
    """Return what the planner of another checkout names for the same lines."""
    done = subprocess.run(
        [sys.executable, "-c", _ANSWERS, language, name],
        env={"PYTHONPATH": f"{checkout / 'src'}:{Path(__file__).parents[1]}", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    answers: list[str] = json.loads(done.stdout.splitlines()[-1])
    return answers


def judged(examples: Sequence[Example], answers: Sequence[str]) -> dict[str, Any]:
    """Return the shares of right answers."""
    right = np.array([answer in one.target for one, answer in zip(examples, answers, strict=True)])
    neutral = np.array([max(one.target, key=lambda name: one.target[name]) == "neutral" for one in examples])
    by_scene: defaultdict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(examples):
        by_scene[one.id.partition(".")[0]].append(place)
    groups = list(by_scene.values())
    generator = np.random.default_rng(1)
    draws = (generator.integers(0, len(groups), len(groups)) for _ in range(DRAWS))
    means = [right[[place for number in draw for place in groups[number]]].mean() for draw in draws]
    pairs = [
        (one, other)
        for places in groups
        for one, other in combinations(places, 2)
        if not examples[one].target.keys() & examples[other].target.keys()
    ]
    low, high = np.quantile(means, (0.025, 0.975))
    return {
        "all": round(float(right.mean()), 3),
        "interval": [round(float(low), 3), round(float(high), 3)],
        "with a feeling": round(float(right[~neutral].mean()), 3),
        "neutral": round(float(right[neutral].mean()), 3),
        "not_said": round(float(np.mean([not answer for answer in answers])), 3),
        "pairs": len(pairs),
        "both of a pair": round(float(np.mean([right[one] and right[other] for one, other in pairs])), 3),
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, help="Checkout of another revision.")
    options = parser.parse_args()
    earlier = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    record: dict[str, Any] = {
        "what": "the built-in planner on every line that is spoken in test scenes and in trials",
        "versions": {"python": platform.python_version()} | {name: version(name) for name in ("aptone", "onnxruntime")},
    }
    for language in LANGUAGES:
        training = (max(one.target, key=lambda name: one.target[name]) for one in scene_lines(language))
        commonest = Counter(training).most_common(1)[0][0]
        record[language] = {}
        for name, title in SETS.items():
            examples = spoken_lines(language, name)
            passages = [Passage(one.text, one.start, one.end, "", ()) for one in examples]
            table = {
                "planner": judged(examples, planned(examples, language)),
                "encoder alone": judged(examples, [encoder_only(passage, language) for passage in passages]),
                f"commonest ({commonest})": judged(examples, [commonest] * len(examples)),
            }
            if options.before is not None:
                table[BEFORE] = judged(examples, before(options.before, language, name))
            elif BEFORE in (known := earlier.get(language, {}).get(name, {}).get("table", {})):
                table[BEFORE] = known[BEFORE]
            record[language][name] = {"lines": len(examples), "table": table}
            for rival, row in table.items():
                print(f"{language}, {title} ({len(examples)}), {rival}: {row}")
    RESULTS.write_text(
        json.dumps(with_revisions(record, "planner"), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
