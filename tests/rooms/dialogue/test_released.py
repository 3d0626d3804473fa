"""The numbers of the released scripts, which call fastdtw, by ``distance: fastdtw``."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import fastdtw
import numpy as np
import numpy.typing as npt
import pytest

from aptone.errors import RecordError
from aptone.rooms.dialogue.config import PAPER, DialogueConfig, read_config
from aptone.rooms.dialogue.score import score_dialogue, score_turn
from aptone.types import ScoreState

Points = npt.NDArray[np.float64]
RELEASED = replace(PAPER, distance="fastdtw")


def theirs(x: Points, y: Points) -> float:
    """The distance as the released scripts take it."""
    return float(fastdtw.fastdtw(x, y)[0])


def released_turn(u: Points, a: Points) -> tuple[float, float | None, float, float]:
    """ECS, EBS (None: not needed), ESS, ERS, written down from the scripts' formulas."""
    ecs = 1 - 5 * (theirs(u[:, 0], a[:, 0]) + theirs(u[:, 1], a[:, 1])) / (4 * max(len(u), len(a)))
    v, r, d = u.mean(axis=0).tolist()
    shifted = [(0, 0.211)] * (v < -0.07) + [(1, -0.105)] * (r > 0.345) + [(2, 0.098)] * (d < 0.210)
    ebs = None
    if shifted:
        ebs = 1 - 5 / len(shifted) * sum(theirs(u[:, k] + by, a[:, k]) for k, by in shifted) / len(u)
    jumps = np.abs(np.diff(a, axis=0))
    ess = 1 - 5 * float(jumps[jumps > 0.04].mean()) if (jumps > 0.04).any() else 1.0
    return ecs, ebs, ess, 0.7 * ecs + 0.3 * ess if ebs is None else 0.4 * ecs + 0.4 * ebs + 0.2 * ess


def released_dialogue(users: list[Points], agents: list[Points]) -> tuple[float, float | None, float, float]:
    """The four scores across turns, likewise."""
    turns = [released_turn(u, a) for u, a in zip(users, agents, strict=True)]
    ecs = sum(turn[0] for turn in turns) / len(turns)
    needed = [turn[1] for turn in turns if turn[1] is not None]
    ebs = sum(needed) / len(needed) if needed else None
    apart = [sum(theirs(p[:, k], q[:, k]) for k in range(3)) / (6 * max(len(p), len(q))) for p, q in pairwise(agents)]
    ess = 1 - 5 * sum(apart) / len(apart)
    return ecs, ebs, ess, 0.6 * ecs + 0.4 * ess if ebs is None else 0.35 * ecs + 0.35 * ebs + 0.3 * ess


def test_every_score_is_that_of_the_released_scripts_and_never_above_the_exact_one() -> None:
    generator = np.random.default_rng(7)
    compared = above = 0
    for _ in range(24):
        users, agents = (
            [np.clip(generator.normal(0.1, 0.4, (int(generator.integers(3, 30)), 3)), -1, 1) for _ in range(3)]
            for _ in range(2)
        )
        scored = [
            (score_turn(u, a, config=RELEASED).by_name(), score_turn(u, a).by_name(), released_turn(u, a))
            for u, a in zip(users, agents, strict=True)
        ]
        scored.append(
            (
                score_dialogue(users, agents, config=RELEASED).by_name(),
                score_dialogue(users, agents).by_name(),
                released_dialogue(users, agents),
            )
        )
        for found, exact, expected in scored:
            for one, other, value in zip(found.values(), exact.values(), expected, strict=True):
                if value is None:
                    assert one.state is ScoreState.NOT_NEEDED
                    continue
                compared += 1
                above += other.value > one.value + 1e-9
                assert one.value == pytest.approx(value, abs=1e-9)
                assert other.value >= one.value - 1e-9
    assert compared > 300
    assert above > 50  # so the two distances do differ here


def test_the_distance_is_a_constant_of_the_file_and_of_the_signature(tmp_path: Path) -> None:
    path = tmp_path / "constants.json"
    path.write_text('{"distance": "fastdtw"}', encoding="utf-8")
    assert read_config(path) == RELEASED
    assert RELEASED.signature == f"{PAPER.signature}|distance:fastdtw"
    path.write_text('{"distance": "euclid"}', encoding="utf-8")
    with pytest.raises(RecordError, match="distance"):
        read_config(path)
    with pytest.raises(ValueError, match="exact, fastdtw"):
        DialogueConfig(distance="euclid")  # type: ignore[arg-type]
