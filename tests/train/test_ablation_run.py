"""``aptone bench ablation`` on a true checkpoint, though a tiny one."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("peft", reason="the extra train is not installed")

from aptone.audio import encode_lossless
from aptone.cli.main import aptone
from aptone.errors import UsageError
from aptone.train.ablation_run import read_config
from aptone.train.judge_examples import write_examples
from aptone.types import Audio
from tests.train.tiny_judges import example, examples, save_base

BRIEF = {"batch": 2, "chunk": 2, "steps": 1}
CONFIG: dict[str, Any] = {
    "base": "base",
    "captions": "captions",
    "lessons": {"vote": "lines"},
    "tested": {"dev": {"none": "lines", "vote": "lines"}},
    "distil": BRIEF,
    "sft": BRIEF,
    "grpo": BRIEF,
    "at_once": 4,
    "max_tokens": 16,
    "replies": 2,
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    save_base(tmp_path / "base")
    second = encode_lossless(Audio(np.sin(np.arange(17_600) / 8.0).astype(np.float32) * 0.3, rate=16_000))[0]
    lines = [replace(one, audio=second, seconds=1.1) for one in examples(3)]  # reinforcement leaves out shorter ones
    write_examples(tmp_path / "lines", lines)
    said = [replace(example(number), reply="A calm voice.", kind="caption") for number in range(2)]
    write_examples(tmp_path / "captions", said)
    path = tmp_path / "ablation.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    return path


def typed(*words: object) -> Any:
    result = CliRunner().invoke(
        aptone, ["bench", "ablation", *map(str, words), "--json"], standalone_mode=False, catch_exceptions=False
    )
    return json.loads(result.stdout)


def test_rows_of_a_checkpoint_are_trained_and_scored_and_what_is_done_is_left_alone(config: Path) -> None:
    asked = (config, "--row", 0, "--row", 12, "--device", "cpu", "-o", config.parent / "out")
    found = typed(*asked)
    assert set(found["dev"]["rows"]) == {"0", "12"}
    assert found["dev"]["rows"]["12"]["items"] == 3
    assert found["dev"]["rows"]["12"]["recipe"]["bias"] is True
    made = {path.name for path in (config.parent / "out").iterdir()}
    assert made == {"distil", "distil-vote-mixed-bias", "distil-vote-mixed-bias-rl", "results"}
    changed = {path: path.stat().st_mtime_ns for path in (config.parent / "out").rglob("*") if path.is_file()}
    assert typed(*asked) == found
    assert changed == {path: path.stat().st_mtime_ns for path in (config.parent / "out").rglob("*") if path.is_file()}


def test_a_row_whose_shards_are_not_named_is_refused(config: Path) -> None:
    with pytest.raises(UsageError, match="no shards for the planner 'none'"):
        typed(config, "--row", 1, "--device", "cpu", "-o", config.parent / "out")


def test_a_configuration_says_what_it_does_not_know(tmp_path: Path) -> None:
    path = tmp_path / "ablation.json"
    path.write_text(json.dumps({**CONFIG, "planner": "vote"}), encoding="utf-8")
    with pytest.raises(UsageError, match="nothing is called 'planner'"):
        read_config(path)
