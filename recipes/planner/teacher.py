"""Train the teacher (SmolLM2-135M) on labels by careful readers, and let it answer for all of them and for novels.

    python -m recipes.planner.teacher FOLDER --out OUT [--seeds 3] [--minutes 8]

`FOLDER` is made by `recipes.planner.teacher_data`. The teacher is trained on hidden tags first, then on labels of
readers; the answers of several seeds are averaged. Writes ``taught.en.npz``: shares of the eleven outcomes for every
row of a source (``SOURCE.shares``), and for lines of novels with their tags in sight and hidden, with the lines'
numbers (``tags.number``, ``hidden.number``). Needs torch, transformers and one GPU.
"""

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import LlamaConfig, LlamaModel

from recipes.planner.evaluation import macro_f1

READER, TAGS = 11, 8
LABELLED = ("scenes", "contrast", "pieces", "lines", "talk", "books", "passages")
SOURCES = (*LABELLED, "narrated")
NOVELS = ("tags", "hidden")
BATCH = 96
NEAR = 12
"""Batches that are sorted by length together."""


@dataclass(frozen=True)
class Rows:
    """Passages of one source."""

    tokens: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    target: npt.NDArray[np.float32]
    dev: npt.NDArray[np.bool_]
    number: npt.NDArray[np.int64]

    def batch(self, chosen: npt.NDArray[np.int64], device: str) -> tuple[Tensor, Tensor]:
        """Return tokens, padded on the right, and the place of the last one."""
        longest = int(self.lengths[chosen].max())
        laid = np.zeros((len(chosen), longest), dtype=np.int64)
        for row, one in enumerate(chosen):
            laid[row, : self.lengths[one]] = self.tokens[self.starts[one] : self.starts[one] + self.lengths[one]]
        return torch.from_numpy(laid).to(device), torch.from_numpy(self.lengths[chosen] - 1).to(device)


class Teacher(nn.Module):
    """The language model with a head for readers' labels and one for tags."""

    def __init__(self, model: LlamaModel) -> None:
        super().__init__()
        self.model = model
        self.dropout = nn.Dropout(0.1)
        width = model.config.hidden_size
        self.heads = nn.ModuleDict({"reader": nn.Linear(width, READER), "tags": nn.Linear(width, TAGS)})

    def forward(self, tokens: Tensor, last: Tensor, head: str) -> Tensor:
        """Return log-odds of a head; attention is causal, so padding is not seen."""
        states = self.model(input_ids=tokens).last_hidden_state
        found: Tensor = self.heads[head](self.dropout(states[torch.arange(len(last), device=last.device), last]))
        return found


def rows_of(folder: Path) -> dict[str, Rows]:
    """Return the passages of every source."""
    arrays = np.load(folder / "teacher.rows.npz")
    found = {}
    for name in (*SOURCES, *NOVELS):
        lengths = arrays[f"{name}.lengths"].astype(np.int64)
        found[name] = Rows(
            arrays[f"{name}.tokens"].astype(np.int64),
            np.concatenate([[0], np.cumsum(lengths)[:-1]]),
            lengths,
            arrays[f"{name}.target"].astype(np.float32),
            arrays[f"{name}.dev"],
            arrays[f"{name}.number"].astype(np.int64),
        )
    return found


def weights_of(folder: Path) -> dict[str, Tensor]:
    """Return the weights, from four bits."""
    arrays: dict[str, Any] = {}
    for path in sorted(folder.glob("teacher.[0-9].npz")):
        arrays |= dict(np.load(path))
    found = {}
    for key, values in arrays.items():
        name, _, part = key.partition("|")
        plain = name.removeprefix("model.")
        if part == "plain":
            found[plain] = torch.from_numpy(values.astype(np.float32))
        elif part == "steps":
            steps = np.stack([values & 15, values >> 4], axis=2).reshape(len(values), -1).astype(np.float32)
            laid = steps * arrays[f"{name}|scale"].astype(np.float32) + arrays[f"{name}|least"].astype(np.float32)
            found[plain] = torch.from_numpy(laid.reshape(arrays[f"{name}|shape"]))
    return found


def fresh(weights: dict[str, Tensor], device: str) -> Teacher:
    """Return the pre-trained language model."""
    config = LlamaConfig(
        vocab_size=len(weights["embed_tokens.weight"]),
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        max_position_embeddings=8192,
        rms_norm_eps=1e-5,
        rope_theta=100_000.0,
        rope_parameters={"rope_type": "default", "rope_theta": 100_000.0},
    )
    model = LlamaModel(config)
    model.load_state_dict(weights)
    return Teacher(model).to(device)


def merged(parts: list[Rows]) -> Rows:
    """Concatenate the rows of several sources with the same labels."""
    lengths = np.concatenate([part.lengths for part in parts])
    return Rows(
        np.concatenate([part.tokens for part in parts]),
        np.concatenate([[0], np.cumsum(lengths)[:-1]]),
        lengths,
        np.concatenate([part.target for part in parts]),
        np.concatenate([part.dev for part in parts]),
        np.concatenate([part.number for part in parts]),
    )


def train(
    teacher: Teacher, rows: Rows, head: str, *, epochs: int, rate: float, device: str, seed: int, smooth: float
) -> None:
    """Train for some epochs with AdamW and a learning rate that decays to zero."""
    generator = np.random.default_rng(seed)
    torch.manual_seed(seed)
    places = np.flatnonzero(~rows.dev & (rows.target.sum(axis=1) > 0))
    steps = epochs * len(places) // BATCH
    optimizer = torch.optim.AdamW(teacher.parameters(), lr=rate, weight_decay=0.01, fused=device != "cpu")
    teacher.train()
    step = 0
    for _ in range(epochs):
        for chosen in _batches(places, rows.lengths, generator):
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, (step + 1) / 50) * max(0.02, 1 - step / steps)
            tokens, last = rows.batch(chosen, device)
            target = torch.from_numpy(rows.target[chosen]).to(device)
            target = target * (1 - smooth) + smooth / target.shape[1]
            with torch.autocast(device, dtype=torch.bfloat16):
                odds = teacher(tokens, last, head)
            total = -(target * functional.log_softmax(odds.float(), dim=-1)).sum(1).mean()
            optimizer.zero_grad(set_to_none=True)
            total.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(teacher.parameters(), 1.0)
            optimizer.step()
            step += 1


def _batches(
    places: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], generator: np.random.Generator
) -> list[npt.NDArray[np.int64]]:
    """Return batches of an epoch in random order, each of rows of similar length."""
    order = places[generator.permutation(len(places))]
    found = []
    for start in range(0, len(order), NEAR * BATCH):
        near = order[start : start + NEAR * BATCH]
        near = near[np.argsort(lengths[near], kind="stable")]
        found += [near[first : first + BATCH] for first in range(0, len(near), BATCH)]
    return [found[place] for place in generator.permutation(len(found))]


@torch.no_grad()
def answers(
    teacher: Teacher, rows: Rows, chosen: npt.NDArray[np.int64], device: str, head: str = "reader"
) -> npt.NDArray[np.float32]:
    """Return the shares of a head's outcomes."""
    teacher.eval()
    found = np.zeros((len(chosen), READER if head == "reader" else TAGS), dtype=np.float32)
    order = np.argsort(rows.lengths[chosen], kind="stable")
    for start in range(0, len(chosen), 256):
        places = order[start : start + 256]
        tokens, last = rows.batch(chosen[places], device)
        with torch.autocast(device, dtype=torch.bfloat16):
            odds = teacher(tokens, last, head)
        found[places] = functional.softmax(odds.float(), dim=-1).cpu().numpy()
    return found


def hidden_score(shares: npt.NDArray[np.float32], rows: Rows) -> float:
    """Return the macro-F1 of hidden tags on dev authors."""
    kept = rows.dev & (rows.target.sum(axis=1) > 0)
    return macro_f1(rows.target[kept].argmax(axis=1), shares[kept].argmax(axis=1), range(TAGS))


def main() -> None:
    """Train some teachers, and average their answers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=8.0)
    options = parser.parse_args()
    begun = time.monotonic()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rows, weights = rows_of(options.folder), weights_of(options.folder)
    teacher = fresh(weights, device)
    train(teacher, rows["hidden"], "tags", epochs=1, rate=1e-4, device=device, seed=0, smooth=0.05)
    first = {key: value.detach().clone() for key, value in teacher.state_dict().items()}
    every = {name: np.arange(len(rows[name].lengths)) for name in (*LABELLED, *NOVELS)}
    tags = answers(teacher, rows["hidden"], every["hidden"], device, "tags")
    log: dict[str, Any] = {"hidden macro-F1": hidden_score(tags, rows["hidden"])}
    print(f"hidden tags after {time.monotonic() - begun:.0f} s: {log}", flush=True)
    sums = {name: np.zeros((len(places), READER), dtype=np.float32) for name, places in every.items()}
    for seed in range(1, options.seeds + 1):
        if seed > 1 and (time.monotonic() - begun) / (seed - 1) * seed > options.minutes * 60:
            break
        teacher.load_state_dict(first)
        train(
            teacher, merged([rows[name] for name in SOURCES]), "reader",
            epochs=options.epochs, rate=1e-4, device=device, seed=seed, smooth=0.03,
        )  # fmt: skip
        scores = {}
        for name, places in every.items():
            shares = answers(teacher, rows[name], places, device)
            sums[name] += shares
            if name in LABELLED:
                for answer, label in ((shares, f"{name} {seed}"), (sums[name], f"{name} together")):
                    chosen, dev = answer.argmax(axis=1), rows[name].dev
                    right = rows[name].target[every[name], chosen] > 0
                    scores[label] = float(right[dev].mean()) if dev.any() else float("nan")
        log |= scores
        print(f"{time.monotonic() - begun:.0f} s", json.dumps({k: round(v, 3) for k, v in scores.items()}), flush=True)
        taught: dict[str, npt.NDArray[Any]] = {
            f"{name}.shares": (found / seed).astype(np.float16) for name, found in sums.items()
        }
        taught |= {f"{name}.number": rows[name].number for name in NOVELS}
        np.savez_compressed(options.out / "taught.en.npz", **taught)  # type: ignore[arg-type]
        (options.out / "teacher.json").write_text(json.dumps(log, indent=1))


if __name__ == "__main__":
    main()
