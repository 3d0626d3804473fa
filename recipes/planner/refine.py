"""Go on with a trained encoder on a CPU: a few passes over contrast sets, with some of everything else beside them.

    python -m recipes.planner.refine FOLDER --weights RUN/weights.NAME.words.npz RUN/weights.NAME.body.npz --out OUT

A pass takes a share of every source (``--shares``); what was learned before goes along, so that it is not forgotten.
Rows of about the same length go together, in half precision where the processor has it. About half an hour on two
cores.
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from recipes.planner.gpu_job import first_weights, joined, keep, score_of
from recipes.planner.network import Encoder
from recipes.planner.training import Recipe, Source, batch_of, dropped, losses, on_device, report, unpacked

PIECES = 6000
"""Pieces of a batch, padding included."""
SHARES = {"contrast": 1.0, "scenes": 0.12, "books": 0.04, "narrated": 0.01, "tags": 0.001}
"""Of the rows of each source, how many a pass takes."""

Rows = npt.NDArray[np.int64]


def epoch_of(
    sources: dict[str, Source], shares: dict[str, float], generator: np.random.Generator
) -> list[tuple[str, Rows]]:
    """Batches of one pass: a share of the rows of each source, by length, in an order by chance."""
    batches: list[tuple[str, Rows]] = []
    for name, share in shares.items():
        rows = sources[name].rows(dev=False)
        rows = generator.choice(rows, int(share * len(rows)), replace=False)
        lengths = sources[name].lengths[rows] + generator.uniform(0, 24, len(rows))
        rows = rows[np.argsort(lengths)]
        start = 0
        while start < len(rows):
            end = start + 1
            while end < len(rows) and sources[name].lengths[rows[end]] * (end + 1 - start) <= PIECES:
                end += 1
            batches.append((name, rows[start:end]))
            start = end
    order = generator.permutation(len(batches))
    return [batches[number] for number in order]


def main() -> None:
    """Refine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--weights", type=Path, nargs="*", default=())
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="refined")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=1.2e-4)
    parser.add_argument("--body-rate", type=float, default=7e-5)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--shares", type=json.loads, default=SHARES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    sources, _ = joined(options.folder)
    shares = {name: share for name in sources if (share := options.shares.get(name.partition(".")[0], 0.0))}
    start = first_weights(options.folder)
    weights: dict[str, Any] = {}
    for path in options.weights:
        weights |= dict(np.load(path))
    network = Encoder(len(start["words.weight"]))
    network.load_state_dict(unpacked(weights) if weights else start, strict=False)
    network.train()
    recipe = replace(Recipe(shares={}), dropout=options.dropout, word_drop=0.1, smoothing=0.05)
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = recipe.dropout
    held = {name: on_device(source, "cpu") for name, source in sources.items()}
    groups = _groups(network, options.rate, options.body_rate)
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98))
    generator = np.random.default_rng(options.seed)
    averaged = [value.detach().clone() for value in network.parameters()]
    batches: list[tuple[str, Rows]] = []
    for _ in range(options.epochs):
        batches += epoch_of(sources, shares, generator)
    begun = time.monotonic()
    for step, (name, rows) in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = group["top"] * min(1.0, (step + 1) / 60) * (1.0 - step / len(batches))
        loss = _loss(network, name, held[name], torch.from_numpy(rows), recipe)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        decay = min(0.995, (step + 1) / (step + 10))
        with torch.no_grad():
            torch._foreach_lerp_(averaged, [value.detach() for value in network.parameters()], 1.0 - decay)
        if step % 20 == 0:
            print(
                f"{step} of {len(batches)}, {time.monotonic() - begun:.0f} s, loss {float(loss.detach()):.3f}",
                flush=True,
            )
    with torch.no_grad():
        for value, mean in zip(network.parameters(), averaged, strict=True):
            value.copy_(mean)
    options.out.mkdir(parents=True, exist_ok=True)
    keep(dict(network.state_dict()), network, {}, options.out, "cpu", options.name)
    looked_at = {name: source for name, source in sources.items() if name.startswith(("contrast", "scenes", "books"))}
    scores = report(network, looked_at, held, "cpu")
    print(json.dumps({key: round(value, 4) for key, value in scores.items()}), f"score {score_of(scores):.4f}")
    record = {"name": options.name, "shares": shares, "steps": len(batches), **scores}
    (options.out / f"log.{options.name}.json").write_text(json.dumps(record, indent=1))


def _groups(network: Encoder, rate: float, body_rate: float) -> list[dict[str, Any]]:
    words, body, new = [], [], []
    for name, value in network.named_parameters():
        first = name.partition(".")[0]
        kind = words if first in ("words", "guess_bias") else body if first in ("layers", "places", "norm") else new
        kind.append(value)
    return [
        {"params": words, "lr": 0.0, "top": rate},
        {"params": body, "lr": 0.0, "top": body_rate},
        {"params": new, "lr": 0.0, "top": rate},
    ]


def _loss(network: Encoder, name: str, held: dict[str, Tensor], rows: Tensor, recipe: Recipe) -> Tensor:
    batch = dropped(batch_of([(held, rows)], "cpu"), recipe.word_drop)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        states = network.states(batch)
        pooled = network.pool(states, batch)
        own = {key: value[rows] for key, value in held.items() if key != "numbers"}
        return losses(network, name, own, states, pooled, batch.padding, recipe.smoothing)


if __name__ == "__main__":
    main()
