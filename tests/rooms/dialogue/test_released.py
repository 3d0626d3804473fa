"""The numbers of the released scripts, which call fastdtw, by ``distance: fastdtw``."""

from pathlib import Path

import numpy as np
import pytest

from aptone.errors import RecordError
from aptone.rooms.dialogue.config import PAPER, DialogueConfig, read_config
from aptone.rooms.dialogue.score import score_dialogue, score_turn
from aptone.types import ScoreState
from benchmarks.dialogue_released import RELEASED, released_dialogue, released_turn


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
