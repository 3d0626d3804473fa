"""Accuracy of the built-in planner on every other line that is spoken in the test scenes.

    python -m benchmarks.planner_lines [--before CHECKOUT]

A scene of `benchmarks.planner` was written around one target; here are the lines of the other people in it, who mostly
feel something else: 445 English and 335 Mandarin ones. They were labelled by a reader (a language model) who saw
neither the planner nor which line was the target; what it called no speech or left open is not counted. A planner that
hears the mood of a scene in each of its lines fails here. Nothing was trained on these scenes or chosen by these
labels.

Per language: share with an acceptable emotion [95 % over scenes], among lines with a feeling and among neutral ones;
share that names none; and of pairs of lines of one scene whose labels have no emotion in common, the share in which
both are right. Beside it the encoder alone, the commonest label, and the planner of another checkout (``--before``).
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
from benchmarks.planner import DRAWS, LANGUAGES, encoder_only, named, sample_at
from recipes.planner.examples import Example
from recipes.planner.labels import scene_lines

RESULTS = Path(__file__).parent / "results" / "planner_lines.json"
_ANSWERS = """
import json, sys
from benchmarks.planner_lines import planned, test_lines
print(json.dumps(planned(test_lines(sys.argv[1]), sys.argv[1])))
"""


def test_lines(language: Language) -> list[Example]:
    """Return the lines that somebody speaks and whose feeling the scene gives away."""
    return [one for one in scene_lines(language, name="test_lines") if "unsaid" not in one.target]


def planned(examples: Sequence[Example], language: Language) -> list[str]:
    """Return what the planner names for each line, through the same path as ``aptone plan``."""
    planner = BuiltInPlanner()
    return [named(planner.plan(sample_at(one.text, one.start, one.end, language), Call())) for one in examples]


def before(checkout: Path, language: Language) -> list[str]:
    """Return what the planner of another checkout names for the same lines."""
    done = subprocess.run(
        [sys.executable, "-c", _ANSWERS, language],
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
        by_scene[one.id.rpartition(".")[0]].append(place)
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
        "what": "the built-in planner on every other spoken line of the test scenes",
        "versions": {"python": platform.python_version()} | {name: version(name) for name in ("aptone", "onnxruntime")},
    }
    for language in LANGUAGES:
        examples = test_lines(language)
        passages = [Passage(one.text, one.start, one.end, "", ()) for one in examples]
        training = (max(one.target, key=lambda name: one.target[name]) for one in scene_lines(language))
        commonest = Counter(training).most_common(1)[0][0]
        table = {
            "planner": judged(examples, planned(examples, language)),
            "encoder alone": judged(examples, [encoder_only(passage, language) for passage in passages]),
            f"commonest ({commonest})": judged(examples, [commonest] * len(examples)),
        }
        name = "planner before (revision 6)"
        if options.before is not None:
            table[name] = judged(examples, before(options.before, language))
        elif name in earlier.get(language, {}).get("table", {}):
            table[name] = earlier[language]["table"][name]
        record[language] = {"lines": len(examples), "table": table}
        for rival, row in table.items():
            print(f"{language}, {len(examples)} lines, {rival}: {row}")
    RESULTS.write_text(
        json.dumps(with_revisions(record, "planner"), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
