"""The pairs of the miniature: graded by what is known, planned by who reads, apart by split."""

from pathlib import Path
from typing import get_args

import pytest

from aptone.errors import RecordError, UsageError
from aptone.types import Intonation, RecordingCondition, Rhythm
from recipes.miniature.narration import MANNER, sentences
from recipes.miniature.pairs import SETTINGS, PlanKind, overall, read_pairs, write_pairs
from tests.recipes.miniature.miniature_material import classifier, clips, pairs

pytestmark = pytest.mark.slow


def test_a_grade_is_the_weighted_mean_of_its_aspects_halved_further_by_a_wrong_recording_condition() -> None:
    # 0.6 · 5 + 0.2 · 2.5 + 0.2 · 0 = 3.5
    assert overall({"emotion": 5.0, "rhythm": 2.5, "intonation": 0.0}) == pytest.approx(3.5)
    for pair in pairs("train", 30):
        asked = RecordingCondition.parse(pair.plans["true"].recording_condition)
        factor = 1.0 if asked is pair.heard else SETTINGS.condition_factor
        assert pair.score == pytest.approx(overall(pair.aspects) * factor, abs=0.01)


def test_the_true_plan_asks_for_what_the_narration_asks_for() -> None:
    asked = {text: name for name, texts in MANNER.items() for text in texts}
    found = 0
    for pair in pairs("train", 30):
        true = pair.plans["true"]
        for line in pair.context:
            if line.text in asked:
                found += 1
                assert asked[line.text] in (true.rhythm, true.intonation)
    assert found > 10


def test_what_narration_says_in_training_it_does_not_say_elsewhere() -> None:
    for name in (*Rhythm, *Intonation):
        assert not set(sentences(name, is_training=True)) & set(sentences(name, is_training=False))


def test_a_pair_has_clip_and_line_of_its_own_split_and_a_plan_of_every_planner() -> None:
    by_key = {clip.key: clip for clip in clips()}
    for split in ("train", "dev"):
        for pair in pairs(split, 8):
            assert by_key[pair.clip].split == split
            assert set(pair.plans) == set(get_args(PlanKind))
            assert (pair.version == 0) == (split != "train")


def test_the_same_seed_draws_the_same_pairs_and_another_one_others() -> None:
    assert pairs("train", 12) == pairs("train", 12)
    assert pairs("train", 12) != pairs("train", 12, seed=2)


def test_pairs_are_read_as_they_were_written(tmp_path: Path) -> None:
    made = pairs("test", 6)
    write_pairs(tmp_path / "test.jsonl.gz", made)
    assert read_pairs(tmp_path / "test.jsonl.gz") == made


def test_a_missing_or_damaged_file_of_pairs_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"python -m recipes\.miniature rows"):
        read_pairs(tmp_path / "train.jsonl.gz")
    (tmp_path / "train.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(RecordError, match="make it again"):
        read_pairs(tmp_path / "train.jsonl.gz")


def test_the_other_planner_knows_the_lines_that_it_was_fitted_on() -> None:
    assert [classifier().emotion(text).value for text in ("Get out of here, now!", "She is gone.")] == ["angry", "sad"]
