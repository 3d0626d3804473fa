"""Two processes that train together: python clap_ranks.py FOLDER.

Each writes the gradients of one batch, and the weights after a few steps, for a test to compare with a single process.
The second is forked off before anything is computed, so that libraries are imported once.
"""

import os
import sys
import traceback
from pathlib import Path

import torch
import torch.distributed
from safetensors.torch import save_file

from aptone.train.clap.loss import add_gradients, sum_gradients
from aptone.train.clap.trainer import ClapTrainingConfig, train_clap
from aptone.train.distributed import process_rank, world_size
from tests.models.local_claps import tiny_clap
from tests.train.clap_pairs import Tones, micro_batches

RECIPE = ClapTrainingConfig(
    batch_size=8, micro_batch_size=2, steps=3, lr=1e-3, audio_lr=1e-3, text_lr=1e-3, warmup_steps=0, precision="float32"
)
CPU = torch.device("cpu")


def gradients(order: list[int]) -> dict[str, torch.Tensor]:
    """Of one batch, of which this process has its share."""
    clap = tiny_clap()
    add_gradients(clap.network, micro_batches(clap, order[process_rank() :: world_size()], 2), device=CPU)
    sum_gradients(list(clap.network.parameters()))
    return {name: one.grad for name, one in clap.network.named_parameters() if one.grad is not None}


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """After a short training."""
    clap = tiny_clap()
    train_clap(
        clap.network, Tones(clap, 8, 2), folder, config=RECIPE, device=CPU, on_best=lambda _: None, log=lambda _: None
    )
    return dict(clap.network.named_parameters())


def train(rank: int, folder: Path) -> None:
    """What one of the two processes does."""
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
    for name, found in (("gradients", gradients(list(range(8)))), ("weights", weights(folder))):
        save_file({key: value.detach().contiguous() for key, value in found.items()}, folder / f"{name}-{rank}")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    second = os.fork()
    if second:
        train(0, Path(sys.argv[1]))
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(second, 0)[1]))
    failed = 1
    try:
        train(1, Path(sys.argv[1]))
        failed = 0
    except BaseException:
        traceback.print_exc()
    os._exit(failed)  # at its usual end, Python would wait for threads that only the first process has
