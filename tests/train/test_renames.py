"""Checkpoints and settings under former names: still resumed, since their hashes are those of before."""

from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import torch

from aptone.errors import UsageError
from aptone.train.ablation import run as ablation_run
from aptone.train.checkpoint import load_checkpoint, save_checkpoint
from aptone.train.clap import trainer as clap_trainer
from aptone.train.cser import run as cser_run
from aptone.train.grpo.step import GrpoConfig, described
from aptone.train.judge import loop
from aptone.train.judge.config import JudgeConfig
from aptone.train.judge.model import AdapterConfig
from aptone.train.renames import JUDGE, new_names, old_names, refuse_old_names
from aptone.types import dumps


@dataclass(frozen=True)
class _Config:
    a: int = 1


# The hashes below were printed by the code before the renaming, for the same default settings.


def test_a_judge_keeps_its_former_identity() -> None:
    judge: Any = SimpleNamespace(base="b", fingerprint="w", adapter=AdapterConfig())
    about: Any = {"stage": "grpo", "eval_data": "", **described(GrpoConfig())}
    now, former = loop._identities(JudgeConfig(), "data", about, judge)
    assert former == "92d2b506b4ee402b2e4687a6dc1d03ff3e042b246c51b3bae25e4fee97883661"
    assert now != former


def test_a_dual_encoder_keeps_its_former_identity() -> None:
    data: Any = SimpleNamespace(identity="data")
    network: Any = SimpleNamespace(config=_Config())
    _, former = clap_trainer._identities(clap_trainer.ClapTrainingConfig(), data, network)
    assert former == "aee0b1906786b7a28f0de1817e9c97171d42191b3ee4d0e97dc2b85df223c81e"


def test_cser_keeps_its_former_identity() -> None:
    one = cser_run.RatedSequence("one", np.ones((3, 2), np.float32), np.zeros((3, 3), np.float32))
    config: Any = SimpleNamespace(front_end_signature="f", step=1.0)
    _, former = cser_run._identities([one], [one], cser_run.CserTrainingConfig(), config)
    assert former == "8faa29601963b33e2938e5e212c5a0c6824731bc939fdbda043ccca0bf55cb94"


def test_a_stage_of_an_ablation_is_recognised_under_former_names() -> None:
    config = ablation_run.AblationConfig("base", Path("a/captions"), {"vote": Path("a/lessons")}, {})
    made = ablation_run._made_of(config, "grpo", train_data=Path("a/lessons"))
    stage = (
        '{"batch":32,"decay":"cosine","largest_gradient":1.0,"last_rate":5e-07,"look":200,"precision":"float32",'
        '"rate":5e-06,"seed":1,"steps":1000,"warm_up":0.1,"weight_decay":0.0}'
    )
    former = f'{{"adapter":"lora","base":"base","grpo":{stage},"lessons":"a/lessons","max_tokens":1024,"replies":8}}'
    assert dumps(ablation_run._former(made)) == former


def test_a_checkpoint_of_before_is_read_and_its_metrics_go_on(tmp_path: Path) -> None:
    network = torch.nn.Linear(2, 1)
    optimiser = torch.optim.AdamW(network.parameters())
    looks: list[Any] = [{"step": 2, "figures": {"loss": 1.0, "gradient": 0.5}, "dev": {"loss": 2.0}}]
    saved: dict[str, Any] = {"identity": "old", "step": 3, "looks": looks, "pending": {"loss": 0.5, "gradient": 0.25}}
    save_checkpoint(tmp_path / "checkpoint", network, optimiser, saved)
    read = load_checkpoint(tmp_path / "checkpoint", network, optimiser, identities=("new", "old"))
    state = loop._read_state(read)
    assert state.step == 3
    assert asdict(state.evaluations[0]) == {
        "step": 2,
        "metrics": {"loss": 1.0, "grad_norm": 0.5},
        "eval_metrics": {"loss": 2.0},
    }
    assert state.pending == {"loss": 0.5, "grad_norm": 0.25}
    with pytest.raises(UsageError, match="a training with other settings or data"):
        load_checkpoint(tmp_path / "checkpoint", network, optimiser, identities=("new",))


def test_a_checkpoint_of_a_dual_encoder_of_before_is_read() -> None:
    looks = [{"step": 2, "loss": 1.0, "dev": {"loss": 2.0, "audio to text @1": 0.5}}]
    state = clap_trainer._read_state({"step": 3, "looks": looks, "best": 2, "pending": 0.5})
    assert (state.step, state.best, state.pending) == (3, 2, 0.5)
    assert state.evaluations[0].mean_recall == 0.5


def test_names_go_forth_and_back_and_former_ones_are_refused() -> None:
    config = asdict(JudgeConfig())
    assert new_names(old_names(config, JUDGE), JUDGE) == config
    assert not set(old_names(config, JUDGE)) & set(JUDGE.values())
    refuse_old_names(config, JUDGE, where="here")
    with pytest.raises(UsageError, match=r"^here: warm_up is now warmup_ratio\.$"):
        refuse_old_names(["steps", "warm_up"], JUDGE, where="here")
