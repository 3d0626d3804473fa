"""Two processes that teach a judge together: python judge_ranks.py BASE SHARDS OUT.

Started with what torchrun puts into the environment of both; the second is forked off before anything is computed, so
that libraries are imported once. The first process leaves the checkpoints in OUT/plain and OUT/sharded.
For the second, weights are spread over the processes as FSDP has it, which accelerate itself does on GPUs only.
"""

import os
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from accelerate.utils import FullyShardedDataParallelPlugin, fsdp2_prepare_model
from torch.distributed.fsdp import FSDPModule

from aptone.train.judge import loop as judge_loop
from aptone.train.judge.dataset import ExampleBatches, index_examples
from aptone.train.judge.loop import CHECKPOINT, likelihood_step, make_accelerator, train_judge
from aptone.train.judge.run import held_out_loss, micro_batches
from tests.train.judge.tiny_judges import RECIPE, judge


def teach(base: Path, data: Path, out: Path, *, sharded: bool = False) -> Path:
    """A short training; its checkpoint."""
    out.mkdir(exist_ok=True)
    accelerator = make_accelerator(device="cpu")
    student, index = judge(base), index_examples(data)
    if sharded:
        accelerator = _Sharding(accelerator)
    train_judge(
        student,
        ExampleBatches(index, RECIPE.batch_size, RECIPE.seed),
        lambda work, examples: likelihood_step(work, micro_batches(student, examples, RECIPE.micro_batch_size)),
        out,
        config=RECIPE,
        accelerator=accelerator,
        evaluate=held_out_loss(student, index, micro_batch_size=RECIPE.micro_batch_size),
        log=lambda _: None,
    )
    return out / CHECKPOINT


class _Sharding:
    """An accelerator whose `prepare` shards weights, with the optimiser over the shards."""

    def __init__(self, accelerator: Any) -> None:
        self._accelerator = accelerator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._accelerator, name)

    def prepare(self, network: Any, optimiser: Any) -> tuple[Any, Any]:
        policy = "transformer_based_wrap"
        self.state = SimpleNamespace(
            fsdp_plugin=FullyShardedDataParallelPlugin(
                fsdp_version=2, auto_wrap_policy=policy, cpu_ram_efficient_loading=False
            )
        )
        sharded = fsdp2_prepare_model(self, network)
        assert sum(isinstance(one, FSDPModule) for one in sharded.modules()) == 1 + 2  # itself, and two layers
        return sharded, judge_loop.make_optimiser(sharded, RECIPE)


def teach_in_both_ways() -> None:
    weights, examples, folder = map(Path, sys.argv[1:4])
    for kind in ("plain", "sharded"):
        teach(weights, examples, folder / kind, sharded=kind == "sharded")


if __name__ == "__main__":
    second = os.fork()
    os.environ |= dict.fromkeys(("RANK", "LOCAL_RANK"), "0" if second else "1")
    if second:
        teach_in_both_ways()
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(second, 0)[1]))
    failed = 1
    try:
        teach_in_both_ways()
        failed = 0
    except BaseException:
        traceback.print_exc()
    os._exit(failed)  # at its usual end, Python would wait for threads that only the first process has
