"""Exact dynamic time warping against fastdtw, the approximation that EMO-Reasoning's scripts call.

Both run in this process on the same pairs of trajectories, one after the other within every repetition, so that a busy
machine slows both. fastdtw gets its best case: ready float arrays, radius 1, and the fastest of several ways to write
``|a - b|``, chosen for each length before the clock starts. The compiled loop of dtaidistance, which the core used once
for short sequences, runs beside them. Ratios, not times, are kept: they travel.

    python benchmarks/dtw.py
"""

import argparse
import importlib.util
import json
import platform
import statistics
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import fastdtw
import numpy as np
import numpy.typing as npt
from dtaidistance import dtw_cc

from aptone.stats import dtw

ABSOLUTE = 1
"""dtaidistance's number for ``|a - b|`` as the local cost; its default squares the difference."""
Trajectory = npt.NDArray[np.float64]
Cost = Callable[[float, float], float]

GOALS = {60: 20.0, 600: 20.0, 6000: 2.0}
PAIRS = {60: 200, 600: 40, 6000: 6}
REPETITIONS = {60: 5, 600: 3, 6000: 3}
CALLS = {60: 10, 600: 2, 6000: 1}  # of the exact one within a repetition, so that the clock's own steps do not show
COSTS: dict[str, Cost | None] = {
    "default": None,
    "abs(a - b)": lambda a, b: abs(a - b),
    "float(abs(a - b))": lambda a, b: float(abs(a - b)),
    "abs(float(a) - float(b))": lambda a, b: abs(float(a) - float(b)),
}


def trajectory_pair(generator: np.random.Generator, length: int, *, related: bool) -> tuple[Trajectory, Trajectory]:
    """Two trajectories such as valence over time, between -1 and 1; related ones follow each other with a delay."""
    first = wander(generator, length)
    if not related:
        return first, wander(generator, length)
    delay = max(1, length // 20)
    followed = np.concatenate([np.full(delay, first[0]), first[:-delay]])
    return first, np.clip(followed + 0.05 * generator.standard_normal(length), -1, 1)


def wander(generator: np.random.Generator, length: int) -> Trajectory:
    """A smooth walk that is drawn back to 0: x(t) = 0.95 x(t-1) + noise."""
    noise = 0.1 * generator.standard_normal(length)
    path = np.empty(length)
    position = 0.0
    for step, shock in enumerate(noise):
        position = 0.95 * position + float(shock)
        path[step] = position
    return np.clip(path, -1, 1)


def seconds(call: Callable[[], object], *, calls: int = 1) -> float:
    """Mean seconds of a call."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def fastest_cost(x: Trajectory, y: Trajectory) -> str:
    """Choose the form of the local cost that makes fastdtw fastest, by the best of three runs each."""
    best = {
        name: min(seconds(partial(fastdtw.fastdtw, x, y, radius=1, dist=cost)) for _ in range(3))
        for name, cost in COSTS.items()
    }
    return min(best, key=lambda name: best[name])


def compare(length: int, *, seed: int) -> dict[str, object]:
    """Speed and answers at one length."""
    generator = np.random.default_rng([seed, length])
    pairs = [trajectory_pair(generator, length, related=bool(number % 2)) for number in range(PAIRS[length])]
    name = fastest_cost(*pairs[0])
    cost = COSTS[name]
    ratios: list[float] = []
    against_loop: list[float] = []
    excesses: list[float] = []
    for x, y in pairs:
        exact = dtw(x, y)
        excesses.append(float(fastdtw.fastdtw(x, y, radius=1, dist=cost)[0]) / exact - 1)
        for _ in range(REPETITIONS[length]):
            approximate_seconds = seconds(partial(fastdtw.fastdtw, x, y, radius=1, dist=cost))
            exact_seconds = seconds(partial(dtw, x, y), calls=CALLS[length])
            loop_seconds = seconds(partial(dtw_cc.distance, x, y, inner_dist=ABSOLUTE), calls=CALLS[length])
            ratios.append(approximate_seconds / exact_seconds)
            against_loop.append(loop_seconds / exact_seconds)
    differing = [excess for excess in excesses if abs(excess) > 1e-9]
    return {
        "length": length,
        "pairs": len(pairs),
        "repetitions": REPETITIONS[length],
        "fastdtw_local_cost": name,
        "times_faster_median": round(statistics.median(ratios), 2),
        "times_faster_10th_percentile": round(float(np.quantile(ratios, 0.1)), 2),
        "times_faster_90th_percentile": round(float(np.quantile(ratios, 0.9)), 2),
        "times_faster_than_the_loop_of_dtaidistance_median": round(statistics.median(against_loop), 2),
        "goal": GOALS[length],
        "share_of_pairs_where_fastdtw_differs": round(len(differing) / len(pairs), 4),
        "median_excess_where_it_differs": round(statistics.median(differing), 4) if differing else None,
        "largest_excess": round(max(excesses), 4),
        "smallest_excess": round(min(excesses), 12),
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Exact DTW against fastdtw.")
    parser.add_argument("--seed", type=int, default=20_240_601)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "dtw.json")
    options = parser.parse_args()
    results = []
    for length in GOALS:
        result = compare(length, seed=options.seed)
        results.append(result)
        median = float(str(result["times_faster_median"]))
        print(
            f"{length:>5} steps: exact is {median:6.1f} times as fast (goal {GOALS[length]:g}: "
            f"{'met' if median >= GOALS[length] else 'MISSED'}), "
            f"{result['times_faster_than_the_loop_of_dtaidistance_median']} times dtaidistance; fastdtw differs on "
            f"{float(str(result['share_of_pairs_where_fastdtw_differs'])):.0%} of {result['pairs']} pairs, "
            f"by up to {float(str(result['largest_excess'])):.1%}"
        )
    record = {
        "what": "exact dynamic time warping against fastdtw (radius 1), same process, interleaved",
        "seed": options.seed,
        "fastdtw_has_its_compiled_extension": importlib.util.find_spec("fastdtw._fastdtw") is not None,
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("aptone", "dtaidistance", "fastdtw", "numpy")},
        "results": results,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
