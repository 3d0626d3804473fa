"""Cost of the EMO-Reasoning scores: from ready trajectories beside the authors' approximation, and from audio.

    python -m benchmarks.dialogue_speed --data DATA

Ready trajectories: 10,000 turns of 20 points each, every score of a turn, in CPU-seconds; on some of the same turns,
the same distances by fastdtw (radius 1), as the authors' scripts call it. Audio: the same recordings heard by the ear
alone (read, perceive) and scored as dialogues (read, perceive, score, as an outcome), one after the other in one
process, so that a busy machine slows both. `DATA` holds ``ravdess/`` with its ``labels.csv``; it does not come with
Aptone.
"""

import argparse
import json
import platform
import statistics
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import fastdtw
import numpy as np
import numpy.typing as npt

from aptone.audio import read
from aptone.ear import load_ear
from aptone.rooms.dialogue.config import PAPER
from aptone.rooms.dialogue.data import make_items
from aptone.rooms.dialogue.hearing.turns import HEARING_RATE, EarListener
from aptone.rooms.dialogue.records import Dialogue, Role, Turn
from aptone.rooms.dialogue.score import score_turn
from aptone.rooms.dialogue.step import DialogueStep
from aptone.run import Call
from aptone.types import AudioRef, Outcome
from benchmarks.ear_data import load_set
from benchmarks.made_with import with_revisions

TURNS, POINTS, GOAL = 10_000, 20, 3.0
BESIDE = 200
"""Turns on which fastdtw is timed: all of them would take minutes."""
DIALOGUES, REPETITIONS, RATIO_GOAL = 24, 3, 1.2

Points = npt.NDArray[np.float64]
Pair = tuple[Points, Points]


def random_pairs(count: int, *, seed: int) -> list[Pair]:
    """Turns of a user and an agent: noise around a feeling of their own."""
    generator = np.random.default_rng(seed)

    def one() -> Points:
        return np.clip(generator.uniform(-0.4, 0.5, 3) + 0.1 * generator.standard_normal((POINTS, 3)), -1, 1)

    return [(one(), one()) for _ in range(count)]


def approximate_distances(pair: Pair) -> float:
    """The distances behind the scores of a turn, as the authors' scripts take them: five calls of fastdtw."""
    user, agent = pair
    shift = (PAPER.shift.valence, PAPER.shift.arousal, PAPER.shift.dominance)
    plain = sum(fastdtw.fastdtw(user[:, k], agent[:, k])[0] for k in (0, 1))
    shifted = sum(fastdtw.fastdtw(user[:, k] + shift[k], agent[:, k])[0] for k in range(3))
    return float(plain + shifted)


def ready_trajectories(*, seed: int) -> dict[str, object]:
    """CPU-seconds of the scores, and of fastdtw's distances alone on some of the turns."""
    pairs = random_pairs(TURNS, seed=seed)
    score_turn(*pairs[0])
    begin = time.process_time()
    for user, agent in pairs:
        score_turn(user, agent)
    ours = time.process_time() - begin
    begin = time.process_time()
    for pair in pairs[:BESIDE]:
        approximate_distances(pair)
    theirs = (time.process_time() - begin) * TURNS / BESIDE
    return {
        "turns": TURNS,
        "points": POINTS,
        "cpu_seconds": round(ours, 2),
        "goal_cpu_seconds": GOAL,
        "fastdtw_distances_alone_cpu_seconds": round(theirs, 1),
        "times_faster": round(theirs / ours, 1),
    }


def make_dialogues(data: Path) -> list[Dialogue]:
    """Dialogues of two turns each from the recordings of unseen actors, in the order of their names."""
    clips = load_set(data, "ravdess", part="test")[: 4 * DIALOGUES]
    groups = [clips[begin : begin + 4] for begin in range(0, len(clips), 4)]
    roles = (Role.USER, Role.AGENT, Role.USER, Role.AGENT)
    return [
        Dialogue(
            str(number),
            tuple(Turn(role, audio=AudioRef(str(clip.path))) for role, clip in zip(roles, group, strict=True)),
        )
        for number, group in enumerate(groups)
    ]


def audio_to_scores(dialogues: Sequence[Dialogue]) -> dict[str, object]:
    """Seconds of whole dialogues against seconds of the ear on the same recordings."""
    step, ear = DialogueStep(EarListener("full")), load_ear("full")
    items = list(make_items(dialogues))
    paths = [[turn.audio.path for turn in one.turns if turn.audio is not None] for one in dialogues]
    seconds = sum(read(path, rate=HEARING_RATE).seconds for group in paths for path in group)
    ratios = []
    for _ in range(REPETITIONS):
        for item, group in zip(items, paths, strict=True):
            begin = time.process_time()
            for path in group:
                ear.perceive(read(path, rate=HEARING_RATE, channel="mix"), trajectory=1.0)
            alone = time.process_time() - begin
            begin = time.process_time()
            outcome = step(item, Call())
            whole = time.process_time() - begin
            assert isinstance(outcome, Outcome)
            ratios.append(whole / alone)
    return {
        "dialogues": len(dialogues),
        "recordings": sum(map(len, paths)),
        "seconds_of_audio": round(seconds, 1),
        "times_the_ear_alone_median": round(statistics.median(ratios), 3),
        "times_the_ear_alone_90th_percentile": round(float(np.quantile(ratios, 0.9)), 3),
        "goal": RATIO_GOAL,
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="What the scores of EMO-Reasoning cost.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "dialogue_speed.json")
    options = parser.parse_args()
    ready = ready_trajectories(seed=options.seed)
    audio = audio_to_scores(make_dialogues(options.data))
    print(
        f"{TURNS} turns of {POINTS} points: {ready['cpu_seconds']} CPU-s (goal {GOAL}); fastdtw's distances alone "
        f"{ready['fastdtw_distances_alone_cpu_seconds']} CPU-s, {ready['times_faster']} times as much"
    )
    print(f"audio to scores: {audio['times_the_ear_alone_median']} times the ear alone (goal {RATIO_GOAL})")
    record = {
        "what": "scores of EMO-Reasoning: time from trajectories, and from audio beside the ear alone",
        "seed": options.seed,
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("aptone", "fastdtw", "numpy", "onnxruntime")},
        "ready_trajectories": ready,
        "audio": audio,
    }
    options.output.write_text(
        json.dumps(with_revisions(record, "ear"), indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
