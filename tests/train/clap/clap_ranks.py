"""One of several processes that train together: python clap_ranks.py RANK WORLD FOLDER.

Writes the gradients of one batch, and the weights after a few steps, for a test to compare with a single process.
"""

import sys
from pathlib import Path

import torch
import torch.distributed
from safetensors.torch import save_file

from aptone.train.clap.gradient_cache import add_gradients
from aptone.train.clap.loss import sum_gradients
from aptone.train.clap.trainer import ClapRecipe, train_clap
from aptone.train.processes import process_number, processes
from tests.models.local_claps import tiny_clap
from tests.train.clap_pairs import Tones, chunks

RECIPE = ClapRecipe(
    batch=8, chunk=2, steps=3, rate=1e-3, audio_rate=1e-3, text_rate=1e-3, warm_up=0, precision="float32"
)
CPU = torch.device("cpu")


def gradients(order: list[int]) -> dict[str, torch.Tensor]:
    """Of one batch, of which this process has its share."""
    clap = tiny_clap()
    add_gradients(clap.network, chunks(clap, order[process_number() :: processes()], 2), device=CPU)
    sum_gradients(list(clap.network.parameters()))
    return {name: one.grad for name, one in clap.network.named_parameters() if one.grad is not None}


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """After a short training."""
    clap = tiny_clap()
    train_clap(
        clap.network, Tones(clap, 8, 2), folder, recipe=RECIPE, device=CPU, better=lambda _: None, log=lambda _: None
    )
    return dict(clap.network.named_parameters())


def main(rank: int, world: int, folder: Path) -> None:
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=world)
    for name, found in (("gradients", gradients(list(range(8)))), ("weights", weights(folder))):
        save_file({key: value.detach().contiguous() for key, value in found.items()}, folder / f"{name}-{rank}")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
