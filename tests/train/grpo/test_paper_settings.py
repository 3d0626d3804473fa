"""Defaults of the commands against the paper's training (CEAEval, sections 3.3.5 and 4.2, appendix G)."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("peft", reason="training judges needs torch, transformers and peft: pip install 'aptone[train]'")

from click.testing import CliRunner

from aptone.cli.train.group import train
from aptone.train.grpo import run as grpo
from aptone.train.grpo.loss import PolicyLossConfig
from aptone.train.grpo.rollouts import SIGMA
from aptone.train.grpo.run import MAX_SECONDS, MIN_SECONDS
from aptone.train.grpo.step import GrpoConfig
from aptone.train.judge import distil
from aptone.train.judge import run as fine_tuning
from aptone.train.judge.config import JudgeConfig
from aptone.train.judge.model import AdapterConfig
from tests.tables import for_each
from tests.train.judge.tiny_judges import save_shards


class _CalledError(Exception):
    """A stage was called."""


def asked(stage: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Arguments of a stage, called by the command without options."""
    called: dict[str, Any] = {}

    def caught(*_: Any, **given: Any) -> None:
        called.update(given)
        raise _CalledError

    for module, name in ((distil, "distil"), (fine_tuning, "fine_tune"), (grpo, "train_grpo")):
        monkeypatch.setattr(module, name, caught)
    save_shards(folder / "shards", 1)
    words = [stage, str(folder / "shards"), "--device", "cpu", "-o", str(folder / "out")]
    with pytest.raises(_CalledError):
        CliRunner().invoke(train, words, standalone_mode=False, catch_exceptions=False)
    return called


@for_each("stage", ["distil", "sft", "grpo"])
def test_every_stage_has_the_paper_s_adapter_and_schedule(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = asked(stage, tmp_path, monkeypatch)
    config, adapter = called["config"], called["adapter"]
    assert (adapter.kind, adapter.lora_rank, adapter.lora_alpha, adapter.lora_dropout) == ("lora", 32, 64, 0.0)
    assert adapter.bias is (stage != "distil")
    assert (config.lr, config.min_lr, config.warmup_ratio) == (5e-6, 5e-7, 0.1)
    assert config.batch_size == 8 * 4  # GPUs and examples on each
    assert called["base"] == "Qwen/Qwen2.5-Omni-7B"


def test_reinforcement_has_the_paper_s_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called = asked("grpo", tmp_path, monkeypatch)
    settings = called["settings"]
    assert (settings.loss.epsilon, settings.loss.beta, settings.sigma) == (0.1, 0.01, 1.0)
    assert called["balance"] is True
    assert called["kinds"] == ("reasoned", "score")
    assert (MIN_SECONDS, MAX_SECONDS) == (1.0, 45.0)


def test_python_has_the_same_numbers_as_the_command() -> None:
    assert (AdapterConfig().lora_rank, AdapterConfig().lora_alpha, AdapterConfig().bias) == (32, 64, True)
    assert (PolicyLossConfig().epsilon, PolicyLossConfig().beta) == (0.1, 0.01)
    assert GrpoConfig().sigma == SIGMA == 1.0
    assert (JudgeConfig().lr, JudgeConfig().min_lr, JudgeConfig().warmup_ratio) == (5e-6, 5e-7, 0.1)
