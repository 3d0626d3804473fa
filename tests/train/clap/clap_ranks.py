"""One of several processes that train together: python clap_ranks.py RANK WORLD FOLDER.

Writes the gradients of one batch, and the weights after a few steps, for a test to compare with a single process.
"""

import sys
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


def main(rank: int, world: int, folder: Path) -> None:
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=world)
    for name, found in (("gradients", gradients(list(range(8)))), ("weights", weights(folder))):
        save_file({key: value.detach().contiguous() for key, value in found.items()}, folder / f"{name}-{rank}")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
