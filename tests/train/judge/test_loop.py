"""Teaching a judge: what moves, what resumed and shared trainings end with, and the schedule."""

import contextlib
import itertools
import json
import math
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("peft", reason="training judges needs torch, transformers and peft: pip install 'aptone[train]'")

import torch
from accelerate import DistributedType
from safetensors import safe_open
from safetensors.torch import load_file

from aptone.errors import MissingExtraError, UsageError
from aptone.models.omni.model import GATES
from aptone.train.checkpoint import checkpoint_weights
from aptone.train.judge import loop as judge_loop
from aptone.train.judge.batch import make_inputs
from aptone.train.judge.config import JudgeConfig, learning_rate
from aptone.train.judge.dataset import ExampleBatches, index_examples
from aptone.train.judge.loop import (
    CHECKPOINT,
    Metrics,
    TrainContext,
    likelihood_step,
    make_accelerator,
    refuse_other_engines,
    train_judge,
)
from aptone.train.judge.model import AdapterConfig, Judge, ReplyNetwork, load_judge
from aptone.train.judge.run import held_out_loss, micro_batches
from tests.train.judge.judge_ranks import teach
from tests.train.judge.tiny_judges import RECIPE, SMALL, example, judge, save_base, save_shards


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    save_base(folder / "base")
    save_shards(folder / "shards", 7)
    return folder


class StoppedError(Exception):
    pass


def taught(
    student: Judge,
    world: Path,
    out: Path,
    config: JudgeConfig = RECIPE,
    *,
    stop: int | None = None,
    dev: Callable[[TrainContext], Metrics] | None = None,
) -> list[Metrics]:
    """A short training, which may be stopped in the middle of a step; what each step says."""
    seen: list[Metrics] = []
    out.mkdir(exist_ok=True)

    def learn(work: TrainContext, examples: Any) -> Metrics:
        if len(seen) == stop:
            raise StoppedError
        seen.append(likelihood_step(work, micro_batches(student, examples, config.micro_batch_size)))
        return seen[-1]

    with contextlib.suppress(StoppedError):
        train_judge(
            student,
            ExampleBatches(index_examples(world / "shards"), config.batch_size, config.seed),
            learn,
            out,
            config=config,
            accelerator=make_accelerator(device="cpu"),
            evaluate=dev,
            log=lambda _: None,
        )
    return seen


@pytest.mark.parametrize("kind", ["lora", "all"])
@pytest.mark.parametrize("bias", [True, False])
def test_two_steps_move_everything_that_is_trained_and_nothing_else(
    world: Path, tmp_path: Path, kind: Any, bias: bool
) -> None:
    # Two steps and not one: LoRA's second matrix starts at 0, so that its first one has no gradient in the first step.
    adapter = replace(SMALL, kind=kind, bias=bias)
    student, before = judge(world / "base", adapter), judge(world / "base", adapter)
    # A weight whose gradient is smaller than what a float can add would seem to stay: hence the rate.
    taught(student, world, tmp_path, replace(RECIPE, steps=2, lr=1e-2, warmup_ratio=0.0))
    old = dict(before.model.named_parameters())
    moved = {name for name, one in student.model.named_parameters() if not torch.equal(one, old[name])}
    assert moved == set(student.parameters())
    gates = {name for name in old if name.split(".")[-2] in GATES}
    assert len(gates) == 2 * 3 * 2  # layers, gates, weight and bias
    assert gates <= moved if bias else not gates & moved
    if kind == "lora":
        others = moved - gates
        assert all("lora_" in name or "trainable_tokens_delta" in name for name in others)
        # 2 layers of 7 projections with two matrices each, and the rows of the new tokens on either side
        assert len(others) == 2 * 7 * 2 + 2
        # transformers names the decoder otherwise before 5.21
        decoder = next(name for name, one in student.model.named_modules() if one is student.omni.model.get_decoder())
        assert all(name.startswith(decoder) or "lm_head" in name for name in others)
    else:
        assert {name for name in old if name not in moved} == {
            name for name in old if "visual" in name or "bos_eos" in name or (not bias and name in gates)
        }
    buffers = dict(before.model.named_buffers())
    assert all(torch.equal(one, buffers[name]) for name, one in student.model.named_buffers())


def test_a_look_at_dev_is_without_dropout_and_changes_nothing(world: Path, tmp_path: Path) -> None:
    dropping, index = replace(SMALL, lora_dropout=0.5), index_examples(world / "shards")

    def checkpoint(name: str, *, adapter: AdapterConfig = dropping, on_dev: bool = False, lr: float = 1e-3) -> Path:
        student, noise = judge(world / "base", adapter), torch.Generator().manual_seed(1)
        with torch.no_grad():  # LoRA starts at 0, of which nothing can be dropped
            for parameter in student.parameters().values():
                parameter.add_(0.05 * torch.randn(parameter.shape, generator=noise))
        look = held_out_loss(student, index, micro_batch_size=4) if on_dev else None
        taught(student, world, tmp_path / name, replace(RECIPE, eval_every=1, lr=lr, min_lr=lr), dev=look)
        return tmp_path / name / CHECKPOINT

    still = evaluations(checkpoint("still", on_dev=True, lr=0.0))
    assert len({one["eval_metrics"]["loss"] for one in still}) == 1
    seen, unseen = load_file(checkpoint("seen", on_dev=True)), load_file(checkpoint("unseen"))
    assert all(torch.equal(one, unseen[name]) for name, one in seen.items())
    whole = load_file(checkpoint("whole", adapter=SMALL))  # and where it learns, something is dropped
    assert not all(torch.equal(one, unseen[name]) for name, one in whole.items())


@pytest.mark.parametrize("stop", [1, 3])
def test_a_training_that_was_stopped_ends_with_the_same_bits_as_one_that_was_not(
    world: Path, tmp_path: Path, stop: int
) -> None:
    dropping = replace(SMALL, lora_dropout=0.2)  # what is dropped is drawn anew, and must be the same
    expected = taught(judge(world / "base", dropping), world, tmp_path / "whole")
    taught(judge(world / "base", dropping), world, tmp_path / "parts", stop=stop)
    rest = taught(judge(world / "base", dropping), world, tmp_path / "parts")
    assert rest == expected[stop:]
    whole, parts = ((tmp_path / name / CHECKPOINT).read_bytes() for name in ("whole", "parts"))
    assert whole == parts


def test_two_processes_plain_or_sharded_end_where_one_with_accumulation_does(world: Path, tmp_path: Path) -> None:
    # A batch of 4: two chunks of 2 in one process, one chunk in each of two. Sums are then added in another order,
    # which in 32 bits differs by some 1e-7 of a gradient. Adam divides by a gradient's size, so that where one is next
    # to nothing, a weight may differ by a share of its step, 1e-3; 1e-5 is a hundredth of that.
    root = Path(__file__).resolve().parents[3]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(root), str(root / "src")]),
        "OMP_NUM_THREADS": "1",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": "2",
        "ACCELERATE_USE_CPU": "true",
    }
    script = Path(__file__).with_name("judge_ranks.py")
    command = [sys.executable, str(script), str(world / "base"), str(world / "shards"), str(tmp_path)]
    ranks = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        one_alone = teach(world / "base", world / "shards", tmp_path / "one")
        expected = load_file(one_alone)
        assert ranks.wait(timeout=600) == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(ranks.pid, signal.SIGKILL)
    for name in ("plain", "sharded"):
        found = load_file(tmp_path / name / CHECKPOINT)
        assert set(found) == set(expected)
        assert max((found[key] - one).abs().max().item() for key, one in expected.items()) < 1e-5
        # Gradients are clipped and Adam divides by them, so that one of half the size would end with these weights too.
        for said, usual in zip(evaluations(tmp_path / name / CHECKPOINT), evaluations(one_alone), strict=True):
            assert said["metrics"] == pytest.approx(usual["metrics"], rel=1e-3)
            assert said["eval_metrics"] == pytest.approx(usual["eval_metrics"], rel=1e-4)


def evaluations(checkpoint: Path) -> Any:
    """Evaluations in a checkpoint: losses, and gradient norms before clipping."""
    with safe_open(checkpoint, framework="pt") as opened:
        return json.loads(opened.metadata()["state"])["evaluations"]


def test_other_settings_are_refused_and_other_chunks_are_not(world: Path, tmp_path: Path) -> None:
    taught(judge(world / "base"), world, tmp_path, stop=2)
    for student, config in (
        (judge(world / "base"), replace(RECIPE, lr=1e-4)),
        (judge(world / "base", replace(SMALL, bias=False)), RECIPE),
    ):
        with pytest.raises(UsageError, match="other settings or data"):
            taught(student, world, tmp_path, config)
    assert len(taught(judge(world / "base"), world, tmp_path, replace(RECIPE, micro_batch_size=1))) == RECIPE.steps - 2


def test_a_base_that_was_made_anew_under_its_name_is_another_training(world: Path, tmp_path: Path) -> None:
    taught(judge(world / "base"), world, tmp_path, stop=1)
    other = judge(world / "base")
    with torch.no_grad():
        for name, one in other.model.named_parameters():
            if name.endswith("layers.1.mlp.down_proj.base_layer.weight"):
                one.mul_(1.01)
    assert (
        other.fingerprint
        != judge(world / "base").fingerprint
        == judge(world / "base", replace(SMALL, lora_rank=2)).fingerprint
    )
    with pytest.raises(UsageError, match="other settings or data"):
        taught(other, world, tmp_path)


def test_a_judge_learns_its_answers_by_heart(world: Path, tmp_path: Path) -> None:
    config = replace(
        RECIPE, batch_size=14, micro_batch_size=14, steps=16, lr=3e-2, min_lr=3e-3, save_every=16, eval_every=16
    )
    losses = [metrics["loss"] for metrics in taught(judge(world / "base"), world, tmp_path, config)]
    assert losses[0] > 5  # chance among 278 tokens is log 278 = 5.6
    assert losses[-1] < 0.6 * losses[0]


@pytest.mark.filterwarnings("ignore:TF32 acceleration")
def test_arithmetic_in_sixteen_bits_keeps_what_is_trained_in_thirty_two(world: Path, tmp_path: Path) -> None:
    student = load_judge(str(world / "base"), SMALL, precision="bfloat16", gradient_checkpointing=True)
    assert {one.dtype for one in student.parameters().values()} == {torch.float32}
    assert student.omni.model.dtype == torch.bfloat16
    config = replace(RECIPE, precision="bfloat16", steps=1)
    with torch.backends.mkldnn.flags(enabled=False):  # it takes AMX for usable on machines that lend none
        (metrics,) = taught(student, world, tmp_path, config)
    assert metrics["loss"] == pytest.approx(5.8, abs=0.6)


def test_layers_that_are_computed_again_change_nothing(world: Path, tmp_path: Path) -> None:
    again = load_judge(str(world / "base"), SMALL, gradient_checkpointing=True)
    assert taught(again, world, tmp_path / "again") == taught(judge(world / "base"), world, tmp_path / "once")


def test_a_loss_that_is_no_number_stops_the_training(world: Path, tmp_path: Path) -> None:
    student = judge(world / "base")
    with torch.no_grad():
        next(iter(student.parameters().values())).fill_(math.nan)
    with pytest.raises(UsageError, match="step 0: the loss is nan"):
        taught(student, world, tmp_path)
    assert not (tmp_path / CHECKPOINT).exists()


def test_the_rate_rises_over_a_tenth_of_the_steps_and_falls_to_a_tenth_of_its_peak() -> None:
    for lr_schedule in ("cosine", "linear"):
        config = JudgeConfig(steps=1000, lr_schedule=lr_schedule)
        rates = [learning_rate(step, config) for step in range(1000)]
        assert rates[99] == max(rates) == 5e-6
        assert rates[0] == pytest.approx(5e-8)
        assert rates[49] == pytest.approx(2.5e-6)
        assert rates[-1] == pytest.approx(5e-7)
        assert all(one >= other for one, other in itertools.pairwise(rates[99:]))
        # half way down both are half way between peak and end
        assert rates[549] == pytest.approx((5e-6 + 5e-7) / 2, rel=5e-3)
    assert learning_rate(0, JudgeConfig(steps=1, warmup_ratio=0.0)) == 5e-6
    assert JudgeConfig().for_epochs(2.5, per_epoch=10).steps == 25


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"batch_size": 0}, "1 or more"),
        ({"lr": -1.0}, "finite numbers"),
        ({"warmup_ratio": 1.5}, "share of the steps"),
        ({"lr_schedule": "never"}, "cosine or linear"),
        ({"seed": -1}, "a seed is a whole number from 0 to 4294967295, got -1"),
        ({"seed": 2**32}, "a seed is a whole number"),
    ],
)
def test_recipes_that_are_none_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        JudgeConfig(**wrong)
    with pytest.raises(UsageError, match="epochs are a number above 0"):
        JudgeConfig().for_epochs(0.0, per_epoch=3)


def test_what_accelerate_was_configured_with_does_not_change_the_recipe(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught(judge(world / "base"), world, tmp_path / "usual")
    monkeypatch.setenv("ACCELERATE_GRADIENT_ACCUMULATION_STEPS", "4")  # would make gradients a fourth
    taught(judge(world / "base"), world, tmp_path / "configured")
    assert evaluations(tmp_path / "configured" / CHECKPOINT) == evaluations(tmp_path / "usual" / CHECKPOINT)


def test_a_tracker_or_device_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(judge_loop, "get_available_trackers", list)
    with pytest.raises(UsageError, match="expected cpu, or cuda"):
        make_accelerator(device="abacus")
    with pytest.raises(UsageError, match=r"--tracker abacus: expected none or one of .*tensorboard"):
        make_accelerator(device="cpu", trackers=("abacus",), out=tmp_path)
    with pytest.raises(UsageError, match="--tracker wandb: its library is not installed"):
        make_accelerator(device="cpu", trackers=("none", "wandb"), out=tmp_path)
    with pytest.raises(MissingExtraError, match=r'or say --tracker none.*pip install .*\[train\]"'):
        make_accelerator(device="cpu", trackers=("tensorboard",), out=tmp_path)


def test_weights_of_a_checkpoint_go_back_into_a_judge(world: Path, tmp_path: Path) -> None:
    student = judge(world / "base")
    taught(student, world, tmp_path)
    again = judge(world / "base")
    again.load_weights(checkpoint_weights(tmp_path / CHECKPOINT))
    assert all(torch.equal(one, again.parameters()[name]) for name, one in student.parameters().items())
    with pytest.raises(UsageError, match="other settings"):
        judge(world / "base", replace(SMALL, lora_rank=2)).load_weights(checkpoint_weights(tmp_path / CHECKPOINT))


def test_gates_take_part_where_no_span_is_active(world: Path) -> None:
    # Else processes that wait for one another's gradients would wait forever.
    student = judge(world / "base")
    micro_batch_size = make_inputs(student.omni, [replace(example(0), reply="no marks", kind="caption")])
    network = ReplyNetwork(student)
    network.model.base_model.model.bias_by(student.omni.markers)
    micro_batch_size["input_ids"][
        micro_batch_size["input_ids"] == student.omni.tokenizer.convert_tokens_to_ids("<score>")
    ] = 0
    network(micro_batch_size).sum().backward()
    gates = [one.grad for name, one in student.parameters().items() if "biasfc" in name]
    assert len(gates) == 12
    assert all(one is not None and (one == 0).all() for one in gates)


@pytest.mark.parametrize(
    ("kind", "version", "saving", "words"),
    [
        ("DEEPSPEED", 0, False, "not supported here"),
        ("FSDP", 1, False, "set fsdp_version: 2"),
        ("FSDP", 2, True, "set fsdp_cpu_ram_efficient_loading: false"),
    ],
)
def test_what_would_not_train_right_is_refused(kind: str, version: int, saving: bool, words: str) -> None:
    def configured(version: int, saving: bool) -> SimpleNamespace:
        state = SimpleNamespace(fsdp_plugin=SimpleNamespace(cpu_ram_efficient_loading=saving))
        return SimpleNamespace(distributed_type=DistributedType[kind], is_fsdp2=version == 2, state=state)

    with pytest.raises(UsageError, match=words):
        refuse_other_engines(configured(version, saving))
    if kind == "FSDP":
        refuse_other_engines(configured(2, saving=False))
