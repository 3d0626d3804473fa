"""Evaluation of an encoder on held-out rows: accuracy by source, and whether it points at the speaker."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from recipes.planner.batches import Source, batch_of
from recipes.planner.network import HEADS, Encoder

HEAD_OF = {
    "scenes": "reader",
    "contrast": "reader",
    "lines": "reader",
    "talk": "reader",
    "taught": "reader",
    "seen": "reader",
    "unseen": "reader",
    "books": "reader",
    "pieces": "reader",
    "passages": "reader",
    "narrated": "reader",
    "tags": "tags",
    "hidden": "tags",
    "spoken": "tags",
}
KINDS = ("tag", "stage", "narrated", "tricky", "far", "implicit")
DEV_ROWS = 1000
"""Rows of each source that are evaluated on dev."""


def head_of(name: str) -> str:
    """Return the head for the labels of a source."""
    plain = name.partition(".")[0]
    return HEAD_OF.get(plain, plain)


def in_halves(device: str) -> bool:
    """Return whether products are computed in bfloat16: on GPUs, and on CPUs that can."""
    return device != "cpu" or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


@torch.no_grad()
def pointed(
    network: Encoder, held: Mapping[str, Tensor], rows: npt.NDArray[np.int64], device: str
) -> npt.NDArray[np.bool_]:
    """Return for rows whose speaker is known whether the likeliest piece mentions the speaker."""
    network.eval()
    found = []
    for start in range(0, len(rows), 256):
        chosen = torch.from_numpy(rows[start : start + 256]).to(device)
        batch = batch_of([(held, chosen)], device)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=in_halves(device)):
            scores = network.speaks(network.states(batch)).float().masked_fill(batch.padding, -1e4)
        mentions = held["speaks"][chosen][:, : scores.shape[1]]
        found.append(mentions.gather(1, scores.argmax(dim=1, keepdim=True))[:, 0].cpu().numpy())
    network.train()
    return np.concatenate(found)


@torch.no_grad()
def answers(
    network: Encoder, held: Mapping[str, Tensor], rows: npt.NDArray[np.int64], device: str, head: str
) -> npt.NDArray[np.float32]:
    """Return log-odds of a head for some rows."""
    network.eval()
    order = np.argsort(held["lengths"].cpu().numpy()[rows], kind="stable")
    found = np.zeros((len(rows), HEADS[head]), dtype=np.float32)
    for start in range(0, len(rows), 256):
        places = order[start : start + 256]
        batch = batch_of([(held, torch.from_numpy(rows[places]).to(device))], device)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=in_halves(device)):
            pooled = network.pool(network.states(batch), batch)
            found[places] = network.heads[head](pooled).float().cpu().numpy()
    network.train()
    return found


def macro_f1(truth: npt.NDArray[np.int64], answer: npt.NDArray[np.int64], classes: Sequence[int]) -> float:
    """Return the mean F1 over classes."""
    scores = []
    for one in classes:
        right = int(((truth == one) & (answer == one)).sum())
        scores.append(2 * right / max(1, int((truth == one).sum()) + int((answer == one).sum())))
    return float(np.mean(scores))


def report(
    network: Encoder,
    sources: Mapping[str, Source],
    held: Mapping[str, Mapping[str, Tensor]],
    device: str,
    *,
    dev_rows: int = DEV_ROWS,
) -> dict[str, float]:
    """Return the metrics on dev, on about `dev_rows` rows of each source."""
    found: dict[str, float] = {}
    for name, source in sources.items():
        rows = source.rows(dev=True)
        rows = rows[:: max(1, len(rows) // dev_rows)]
        if not len(rows):
            continue
        head = head_of(name)
        logits = answers(network, held[name], rows, device, head)
        shares = source.target[rows, : HEADS[head]]
        truth, answer = shares.argmax(axis=1), logits.argmax(axis=1)
        found[f"{name} macro-F1"] = macro_f1(truth, answer, sorted(set(truth.tolist())))
        right = shares[np.arange(len(rows)), answer] > 0
        found[f"{name} acceptable"] = float(right.mean())
        if len(known := rows[source.speaker_known[rows]]):
            found[f"{name} speakers"] = float(pointed(network, held[name], known, device).mean())
        for kind in sorted({int(one) for one in source.kind[rows] if one >= 0}):
            found[f"{name} {KINDS[kind]}"] = float(right[source.kind[rows] == kind].mean())
    return found
