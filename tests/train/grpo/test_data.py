"""Training examples of GRPO: balanced scores, and clips of a usual length."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

from aptone.audio import encode_lossless
from aptone.errors import RecordError
from aptone.judge.chat.conversation import Conversation
from aptone.train.grpo.rollouts import score_bin
from aptone.train.grpo.run import balanced_sample, sample_examples
from aptone.train.judge.dataset import write_examples
from aptone.train.judge.example import Example
from aptone.types import Audio


def example(number: int, *, score: float = 3.5, seconds: float = 1.1) -> Example:
    tone = Audio((0.3 * np.sin(np.arange(round(16_000 * seconds)) * (0.05 + 0.01 * number))).astype(np.float32), 16_000)
    asked = Conversation("Listen.", "How well is it said?")
    return Example(f"line-{number}", encode_lossless(tone)[0], asked, score=score, seconds=seconds, kind="score")


@given(st.lists(st.floats(0.0, 5.0), min_size=1, max_size=60), st.integers(0, 99))
def test_every_step_of_the_scale_that_occurs_is_drawn_equally_often(scores: list[float], seed: int) -> None:
    chosen = balanced_sample(scores, seed=seed)
    present = {score_bin(score) for score in scores}
    counts = [sum(score_bin(scores[place]) == step for place in chosen) for step in present]
    share = math.ceil(len(scores) / len(present))
    assert counts == [share] * len(present)
    assert chosen.tolist() == balanced_sample(scores, seed=seed).tolist() == sorted(chosen)


@given(st.lists(st.floats(0.0, 5.0), min_size=1, max_size=60))
def test_nothing_is_repeated_before_all_of_its_step_were_drawn(scores: list[float]) -> None:
    drawn = np.bincount(balanced_sample(scores, seed=1), minlength=len(scores))
    for step in {score_bin(score) for score in scores}:
        counts = [drawn[place] for place, score in enumerate(scores) if score_bin(score) == step]
        assert max(counts) - min(counts) <= 1


def test_scores_to_balance_are_numbers() -> None:
    for wrong in ([], [math.nan]):
        with pytest.raises(ValueError, match="finite"):
            balanced_sample(wrong, seed=1)


def test_clips_of_unusual_length_and_without_a_score_are_left_out_and_counted(tmp_path: Path) -> None:
    usual = [example(number, score=score) for number, score in enumerate((0.5, 4.2, 4.8, 5.0))]
    others = [example(7, seconds=0.9), example(8, seconds=45.5), example(9, score=math.nan)]
    write_examples(tmp_path, [*usual, *others])
    drawn = sample_examples(tmp_path, seed=1)
    assert dict(drawn.left_out) == {"no score": 1, "shorter than 1 s": 1, "longer than 45 s": 1}
    assert dict(drawn.before) == {0: 1, 4: 2, 5: 1}
    assert dict(drawn.after) == {0: 2, 4: 2, 5: 2}  # four examples over three steps: two of each
    assert len(drawn.index) == 6
    assert dict(sample_examples(tmp_path, seed=1, balance=False).after) == {0: 1, 4: 2, 5: 1}
    with pytest.raises(RecordError, match="no example has a score"):
        sample_examples(tmp_path, seed=1, min_seconds=50.0, max_seconds=60.0)
