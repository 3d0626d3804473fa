"""Do the scores of EMO-Reasoning move as they should? A test with planned trajectories, for where nobody was asked.

    python benchmarks/dialogue_controlled.py

- *Inversions*: an agent of ten turns is cheerful or, after an inversion, the opposite. With more inversions between
  neighbouring turns CT-ESS must fall, from step to step, in every dialogue.
- *Contagion*: an agent moves away from a cheerful user, step by step: ECS must fall.
- *Balancing*: an agent moves from an angry user's own feeling to the balanced one: EBS must rise; and beyond: it must
  fall again.
- *Stability*: an agent swings more and more within a turn: ESS must fall.

Every trajectory has its own length and its own noise, from a fixed seed.
"""

import argparse
import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.rooms.dialogue.config import PAPER
from aptone.rooms.dialogue.score import ebs, ecs, ess, score_dialogue

DIALOGUES = 200
TURNS = 10
NOISE = 0.01
CHEERFUL = np.array([0.35, 0.30, 0.40])
ANGRY = np.array([-0.40, 0.50, 0.10])
SHIFT = np.array([PAPER.shift.valence, PAPER.shift.arousal, PAPER.shift.dominance])
STEPS = tuple(round(0.25 * step, 2) for step in range(9))

Points = npt.NDArray[np.float64]
Scored = Callable[[np.random.Generator, float], float]


def around(generator: np.random.Generator, feeling: Points) -> Points:
    """A turn of 4 to 10 points around a feeling."""
    length = int(generator.integers(4, 11))
    return np.clip(feeling + NOISE * generator.standard_normal((length, 3)), -1, 1)


def inverted(generator: np.random.Generator, inversions: float) -> float:
    """CT-ESS of an agent whose feeling turns into its opposite so many times, at places drawn at random."""
    places = set(generator.choice(np.arange(1, TURNS), size=int(inversions), replace=False).tolist())
    sign, agents = 1.0, []
    for turn in range(TURNS):
        sign = -sign if turn in places else sign
        agents.append(around(generator, sign * CHEERFUL))
    users = [around(generator, CHEERFUL) for _ in range(TURNS)]
    return score_dialogue(users, agents).ess.value


def apart(generator: np.random.Generator, distance: float) -> float:
    """ECS of an agent that is less cheerful than the user."""
    return ecs(around(generator, CHEERFUL), around(generator, CHEERFUL - 0.3 * distance)).value


def balancing(generator: np.random.Generator, part: float) -> float:
    """EBS of an agent on the way from an angry user's feeling (0) to the balanced one (1) and beyond."""
    return ebs(around(generator, ANGRY), around(generator, ANGRY + part * SHIFT)).value


def swinging(generator: np.random.Generator, reach: float) -> float:
    """ESS of an agent that swings to and fro within a turn."""
    turn = around(generator, CHEERFUL)
    turn[::2] = np.clip(turn[::2] - 0.3 * reach, -1, 1)
    return ess(turn).value


def sweep(score: Scored, steps: tuple[float, ...], *, seed: int, falls: bool) -> dict[str, object]:
    """The mean of a score at every step, and in how many dialogues it never moves the wrong way."""
    values = np.array(
        [[score(np.random.default_rng([seed, number]), step) for step in steps] for number in range(DIALOGUES)]
    )
    changes = np.diff(values, axis=1) * (-1 if falls else 1)
    return {
        "steps": list(steps),
        "means": np.round(values.mean(axis=0), 4).tolist(),
        "direction": "falls" if falls else "rises",
        "means_monotonic": bool((np.diff(values.mean(axis=0)) * (-1 if falls else 1) > 0).all()),
        "dialogues_monotonic": round(float((changes > 0).all(axis=1).mean()), 4),
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Planned trajectories through the scores of EMO-Reasoning.")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "dialogue_controlled.json")
    options = parser.parse_args()
    half = STEPS.index(1.0)
    counts = tuple(float(count) for count in range(TURNS))
    results = {
        "CT-ESS by inversions": sweep(inverted, counts, seed=options.seed, falls=True),
        "ECS by distance": sweep(apart, STEPS, seed=options.seed, falls=True),
        "EBS up to balance": sweep(balancing, STEPS[: half + 1], seed=options.seed, falls=False),
        "EBS beyond balance": sweep(balancing, STEPS[half:], seed=options.seed, falls=True),
        "ESS by swing": sweep(swinging, STEPS, seed=options.seed, falls=True),
    }
    for name, result in results.items():
        held = "holds" if result["means_monotonic"] else "DOES NOT HOLD"
        share = float(str(result["dialogues_monotonic"]))
        print(
            f"{name}: {result['direction']} on average: {held}; in {share:.1%} of {DIALOGUES} dialogues at every step"
        )
    record = {
        "what": "planned trajectories: do the scores move in the stated direction?",
        "seed": options.seed,
        "dialogues": DIALOGUES,
        "versions": {name: version(name) for name in ("aptone", "numpy")},
        "results": results,
    }
    options.output.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
