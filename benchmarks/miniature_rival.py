"""The built-in judge on the pairs of the miniature: what the miniature has to beat before anybody is given it.

    python -m benchmarks.miniature_rival --data MINIATURE --results RESULTS        # once, on a CPU, some minutes
    python -m benchmarks.miniature report --results RESULTS                        # has it as a control of row 12

Both get the plan of the planner and the same version of the same clip. Rhythm and intonation of the grade are what the
ear of the built-in judge measured in the clip as it was recorded, which favours that judge; its ear never heard the
speakers of the test part either.
"""

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from aptone.judge import BuiltInJudge
from aptone.train.ablation.results import RowResult, lcc, result_path, write_result
from aptone.train.ablation.rows import FULL
from recipes.miniature.clips import MiniatureClip, version_of
from recipes.miniature.material import Material, read_material
from recipes.miniature.pairs import Pair
from recipes.miniature.sounds import in_processes

RIVAL = "built-in judge"


def main() -> None:
    """Judge the pairs of a part and write the file of a control."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="made by: python -m recipes.miniature rows")
    parser.add_argument("--results", type=Path, required=True, help="folder for what rows say")
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    result = judged(read_material(arguments.data), arguments.part, workers=arguments.workers)
    arguments.results.mkdir(parents=True, exist_ok=True)
    write_result(result_path(arguments.results, FULL, arguments.part, RIVAL.replace(" ", "-")), result)
    there = ~np.isnan(result.given)
    print(f"{arguments.part}: LCC {lcc(result.given[there], result.truth[there]):.3f}, unscored {result.unreadable}")


def judged(material: Material, part: str, *, workers: int) -> RowResult:
    """Judge the pairs of a part by the built-in judge."""
    pairs = material.readable(part)
    tasks: Sequence[tuple[Pair, MiniatureClip]] = [(pair, material.clips[pair.clip]) for pair in pairs]
    given = np.array(list(in_processes(_judged, tasks, workers=workers)))
    truth, speakers = np.array([pair.score for pair in pairs]), tuple(pair.speaker for pair in pairs)
    return RowResult(FULL, RIVAL, truth, given, speakers)


@cache
def _judge() -> BuiltInJudge:
    return BuiltInJudge(ear="full")


def _judged(task: tuple[Pair, MiniatureClip]) -> float:
    from aptone.ear import load_ear

    pair, clip = task
    audio = version_of(clip, pair.heard, number=pair.version)
    sample = replace(pair.sample("vote"), audio=audio)
    heard = load_ear("full").perceive(audio, language="en")
    scores = _judge().verdict(heard, pair.plans["vote"], sample).scores
    return next((score.value for name, score in scores.items() if name == "aptness"), math.nan)


if __name__ == "__main__":
    main()
