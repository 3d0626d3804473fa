"""Does the pair measure of the room answer tell a system that minds how it is asked from one that does not?

    python -m benchmarks.answer_systems --manifest bench/manifest.jsonl --out benchmarks/results

On a benchmark of ``aptone build paras2s`` (without ``--manifest`` a miniature one is built first: 20 prompts a
dimension with twins, said by a registry engine) three scripted systems of `scripted_answers.py` answer every question:
``told`` is told how it was asked and adapts words and delivery, ``heard`` has to hear feelings and sex with the ear,
``blind`` says the same in the same voice. What they say and how was written without sight of the judge's table, as
their first commit says, and has not been changed since. The judge is the built-in one, words are Moonshine's, sound
is the ear's. No person has listened.

Goals: ``told`` has the larger margin than ``blind``, and a positive one, in at least 90 % of pairs, and the higher
average. Beside them stand two checks of the judge: what is left of it without the words (style of the voice only), and
without the sound (words only).
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from aptone.files import file_hash
from aptone.rooms.answer.data import AnswerStyle, Fields, read_manifest
from aptone.rooms.answer.judge import AnswerJudge
from aptone.rooms.answer.parts import make_step
from aptone.rooms.answer.report.results import AnswerResults, answer_results, judged_entries
from aptone.rooms.answer.score import OVERALL, JudgedAnswer, compare_pairs, pair_margins, pair_measures
from aptone.rooms.answer.step import AnswerStep, answer_items, assign_systems
from aptone.run import Call, RunConfig, display_for, run_items
from aptone.run.system import System
from aptone.types import Entry, Estimate, from_json
from benchmarks.made_with import with_revisions
from benchmarks.scripted_answers import Manner, Scripted, questions_of

MANNERS: tuple[Manner, ...] = ("told", "heard", "blind")
GOAL = 0.90
SAYS_NOTHING = "I hear you."
"""Text of every answer where only its sound is judged."""


def built(folder: Path, prompts: int) -> Path:
    """A miniature benchmark in a folder."""
    command = [sys.executable, "-m", "aptone", "build", "paras2s", "-o", str(folder), "--prompts", str(prompts)]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return folder / "manifest.jsonl"


def asked(manifest: Path, folder: Path) -> tuple[AnswerStep, Sequence[Entry]]:
    """Every system asked every question, and its answers judged."""
    samples = read_manifest(manifest)
    told = questions_of(samples)
    systems: dict[str, System] = {manner: Scripted(manner, told) for manner in MANNERS}
    step = make_step(systems=systems, answers=(folder / "answers").absolute())
    config = RunConfig(verb="answer", engine="built-in", settings=step.settings())
    items = answer_items(assign_systems(samples, list(systems)))
    cache = folder.with_name(f"{folder.name}-transcripts.sqlite")  # who says the same twice is transcribed once
    ended = run_items(items, step, folder=folder, config=config, cache=cache, display=display_for(label="answers"))
    return step, ended.run.entries


def shown(estimate: Estimate) -> dict[str, Any]:
    """An estimate for the results."""
    return {
        "value": round(estimate.value, 4),
        "interval": [round(estimate.low, 4), round(estimate.high, 4)],
        "count": estimate.count,
    }


def judged_again(judge: AnswerJudge, entries: Sequence[Entry], manner: Manner, *, part: str) -> list[JudgedAnswer]:
    """The answers of a system judged by their words or by their sound alone; both twins are judged either way."""
    fields_of = {}
    for entry in entries:
        ids = entry.item.payload["ids"]
        if isinstance(ids, dict) and ids.get("system") == manner and "fields" in entry.outcome.evidence:
            fields_of[entry.item.id] = (entry, from_json(Fields, entry.outcome.evidence["fields"]))
    answers = []
    for entry, fields in fields_of.values():
        left = (
            replace(fields, output_style=AnswerStyle())
            if part == "words alone"
            else replace(fields, output_content=SAYS_NOTHING)
        )
        (one,) = answers_of([entry])
        twin = entry.outcome.evidence["swapped"]
        assert isinstance(twin, dict)
        own = asyncio.run(judge.judge(left, Call(), language="en"))
        other = asyncio.run(judge.judge(replace(left, input_style=str(twin["style"])), Call(), language="en"))
        answers.append(replace(one, fitness=own.value, swapped=other.value, fields=left))
    return answers


def answers_of(entries: Sequence[Entry]) -> list[JudgedAnswer]:
    """Judge some answers."""
    return [one.answer for one in judged_entries(entries)]


def measured(results: AnswerResults) -> dict[str, Any]:
    """The figures of every system."""
    found = {}
    for system in results.systems:
        found[system.name] = {
            "answers": system.asked,
            "scored": system.scored,
            "unscored": dict(system.unscored),
            "average": shown(system.average.value),
            "parts": {name: shown(mean) for name, mean in system.average.parts.items()},
            "pairs": {
                name: {
                    "won": shown(measure.won),
                    "margin": shown(measure.margin),
                    "pairs": measure.pairs,
                    "tied": measure.ties,
                    "lost": measure.lost,
                    "answer changed": shown(measure.changed),
                }
                for name, measure in system.pairs.items()
            },
        }
    return found


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", type=Path, help="of a benchmark that was built; by default one is built")
    parser.add_argument("--prompts", type=int, default=20, help="a dimension, where one is built")
    parser.add_argument("--run", type=Path, help="folder of the run, to go on with; by default a temporary one")
    parser.add_argument("--out", type=Path, help="folder for answer_systems.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        manifest = options.manifest or built(Path(temporary) / "bench", options.prompts)
        step, entries = asked(manifest, options.run or Path(temporary) / "run")
        results = answer_results(entries, blind="blind")
        told, _, blind = results.systems
        versus = compare_pairs(told.margins, blind.margins)
        alone = {
            part: {
                name: {"won": shown(measure.won), "margin": shown(measure.margin)}
                for name, measure in pair_measures(
                    pair_margins(judged_again(step.judge, entries, "told", part=part))
                ).items()
            }
            for part in ("words alone", "sound alone")
        }
        report: dict[str, Any] = {
            "benchmark": {
                "questions": len(read_manifest(manifest)),
                "sha256": file_hash(manifest),
                "said by": sorted({sample.prompt.speaker for sample in read_manifest(manifest)}),
            },
            "judge": step.signature,
            "systems": measured(results),
            "told against blind": {
                "larger margin": shown(versus.first),
                "smaller margin": versus.second_larger,
                "ties": versus.ties,
                "difference of margins": shown(versus.difference),
                "difference of averages": round(told.average.value.value - blind.average.value.value, 4),
            },
            "judge of told, by part": alone,
            "goals": {
                "told wins at least 90 % of pairs": told.pairs[OVERALL].won.value >= GOAL,
                "told has the larger margin than blind in at least 90 % of pairs": versus.first.value >= GOAL,
                "told has the higher average": told.average.value.value > blind.average.value.value,
            },
        }
    print(json.dumps(report, indent=1, ensure_ascii=False))
    if options.out:
        path = options.out / "answer_systems.json"
        path.write_text(
            json.dumps(with_revisions(report, "ear"), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
