"""Scores with the exact distance, and with FastDTW, beside those of EMO-Reasoning's released scripts.

    python -m benchmarks.dialogue_released

The formulas of the scripts are written down here anew, with the package ``fastdtw`` that they call; 36 random dialogues
of two turns give 288 scores of single turns, of which some are "balancing not needed". Expected: with ``distance:
fastdtw`` all are equal; with the exact distance, the default, none is lower.
"""

import argparse
import json
from collections import Counter
from dataclasses import replace
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import fastdtw
import numpy as np
import numpy.typing as npt

from aptone.rooms.dialogue.config import PAPER
from aptone.rooms.dialogue.score import score_dialogue, score_turn
from aptone.types import Score

RESULTS = Path(__file__).parent / "results" / "dialogue_released.json"
DIALOGUES, TURNS, LONGEST = 36, 2, 30
RELEASED = replace(PAPER, distance="fastdtw")
EQUAL = 1e-9

Points = npt.NDArray[np.float64]
Four = tuple[float, float | None, float, float]
"""Contagion, balancing (``None``: not needed), stability, reasoning."""


def theirs(x: Points, y: Points) -> float:
    """The distance as the released scripts take it."""
    return float(fastdtw.fastdtw(x, y)[0])


def released_turn(u: Points, a: Points) -> Four:
    """ECS, EBS, ESS, ERS."""
    ecs = 1 - 5 * (theirs(u[:, 0], a[:, 0]) + theirs(u[:, 1], a[:, 1])) / (4 * max(len(u), len(a)))
    v, r, d = u.mean(axis=0).tolist()
    shifted = [(0, 0.211)] * (v < -0.07) + [(1, -0.105)] * (r > 0.345) + [(2, 0.098)] * (d < 0.210)
    ebs = None
    if shifted:
        ebs = 1 - 5 / len(shifted) * sum(theirs(u[:, k] + by, a[:, k]) for k, by in shifted) / len(u)
    jumps = np.abs(np.diff(a, axis=0))
    ess = 1 - 5 * float(jumps[jumps > 0.04].mean()) if (jumps > 0.04).any() else 1.0
    return ecs, ebs, ess, 0.7 * ecs + 0.3 * ess if ebs is None else 0.4 * ecs + 0.4 * ebs + 0.2 * ess


def released_dialogue(users: list[Points], agents: list[Points]) -> Four:
    """CT-ECS, CT-EBS, CT-ESS, CT-ERS."""
    turns = [released_turn(u, a) for u, a in zip(users, agents, strict=True)]
    ecs = sum(turn[0] for turn in turns) / len(turns)
    needed = [turn[1] for turn in turns if turn[1] is not None]
    ebs = sum(needed) / len(needed) if needed else None
    apart = [sum(theirs(p[:, k], q[:, k]) for k in range(3)) / (6 * max(len(p), len(q))) for p, q in pairwise(agents)]
    ess = 1 - 5 * sum(apart) / len(apart)
    return ecs, ebs, ess, 0.6 * ecs + 0.4 * ess if ebs is None else 0.35 * ecs + 0.35 * ebs + 0.3 * ess


def random_dialogue(generator: np.random.Generator) -> tuple[list[Points], list[Points]]:
    """Turns of user and agent, of 3 to 30 points."""
    users, agents = (
        [np.clip(generator.normal(0.1, 0.4, (int(generator.integers(3, LONGEST)), 3)), -1, 1) for _ in range(TURNS)]
        for _ in range(2)
    )
    return users, agents


def compared(found: dict[str, Score], exact: dict[str, Score], expected: Four) -> Counter[str]:
    """Counts of scores: equal to theirs by either distance, and how the exact one differs."""
    counts: Counter[str] = Counter()
    for one, other, value in zip(found.values(), exact.values(), expected, strict=True):
        if value is None:
            counts.update({"scores": 1, "fastdtw equal": not one.needed, "exact equal": not other.needed})
            continue
        counts["scores"] += 1
        counts["fastdtw equal"] += abs(one.value - value) <= EQUAL
        counts["exact equal"] += abs(other.value - value) <= EQUAL
        counts["exact lower"] += other.value < value - EQUAL
        counts["exact higher"] += other.value > value + EQUAL
    return counts


def main() -> None:
    """Compare, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    turns: Counter[str] = Counter()
    across: Counter[str] = Counter()
    largest = 0.0
    for _ in range(DIALOGUES):
        users, agents = random_dialogue(generator)
        for user, agent in zip(users, agents, strict=True):
            fast, exact = score_turn(user, agent, config=RELEASED), score_turn(user, agent)
            turns += compared(fast.by_name(), exact.by_name(), released_turn(user, agent))
            largest = max(largest, exact.ers.value - fast.ers.value)
        fast_across, exact_across = score_dialogue(users, agents, config=RELEASED), score_dialogue(users, agents)
        across += compared(fast_across.by_name(), exact_across.by_name(), released_dialogue(users, agents))
    record = {
        "what": "scores by both distances beside the released scripts' formulas with the package fastdtw",
        "seed": options.seed,
        "single turns": dict(turns),
        "across turns": dict(across),
        "largest difference of ERS": round(largest, 4),
        "versions": {name: version(name) for name in ("aptone", "fastdtw", "numpy")},
    }
    print(json.dumps(record, indent=1))
    options.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
