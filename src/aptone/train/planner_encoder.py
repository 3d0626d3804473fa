"""Teach the beginning of MiniLM which English lines carry which feeling, while its weights are held to four bits.

Lines are read alone, without their context: that is learned afterwards, from the vectors (`planner.py`). MELD,
GoEmotions and EmoBank share the layers; each has its own linear head on top, which is thrown away. Forward passes see
the weights as four bits will hold them, gradients pass straight through the rounding (Bengio et al. 2013).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from aptone.models.four_bits import GROUP, HIGHEST, Packed, pack, unpack
from aptone.models.word_pieces import WordPieces
from aptone.planner.label_sets import LABEL_SETS
from aptone.planner.labelled_dialogues import Dialogue, Labelled
from aptone.planner.line_encoder import HEADS, MATRICES, MOST_PIECES, NORM_EPSILON

LINES = {"meld": 30_000, "goemotions": 20_000, "emobank": 4000}
"""How many lines of each set are read unless told: MELD's three times, half of GoEmotions' and of EmoBank's."""
SHARE = 0.9
"""Of the scale at which nothing is cut off, while the weights are trained."""


@dataclass(frozen=True, slots=True)
class EncoderRecipe:
    """What the training depends on besides the data.

    Args:
        seed: of everything that is drawn.
        lines: how many lines of each set are read; `LINES` when left out.
        batch: lines in a batch.
        rate: highest learning rate of the layers; that of the heads is ten times as high.
        dropout: on the vectors, before the heads.
    """

    seed: int = 1
    lines: Mapping[str, int] | None = None
    batch: int = 32
    rate: float = 1.5e-4
    dropout: float = 0.2


class _Rounded(torch.autograd.Function):
    """A matrix as four bits hold it; the gradient passes as if nothing had happened."""

    @staticmethod
    def forward(context: Any, matrix: Tensor) -> Tensor:
        groups = matrix.reshape(*matrix.shape[:-1], -1, GROUP)
        scale = groups.abs().amax(-1, keepdim=True).clamp_min(1e-6) * (SHARE / HIGHEST)
        return ((groups / scale).round().clamp(-HIGHEST, HIGHEST) * scale).reshape(matrix.shape)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> Tensor:
        return gradients[0]


def rounded(matrix: Tensor) -> Tensor:
    """A matrix as four bits hold it."""
    result: Tensor = _Rounded.apply(matrix)  # type: ignore[no-untyped-call]
    return result


class TrainedEncoder(nn.Module):
    """The same network as `aptone.planner.line_encoder.LineEncoder`, with gradients."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]], weights: Mapping[str, npt.NDArray[Any]]) -> None:
        super().__init__()
        self.layers = int(arrays["layers"])
        self.values = nn.ParameterDict()
        for name in arrays:
            plain = name.removesuffix(".nibbles")
            if name.endswith(".scales") or name in {"vocabulary", "layers"}:
                continue
            value = weights[plain] if plain != name else arrays[name]
            self.values[plain.replace(".", "/")] = nn.Parameter(torch.tensor(np.asarray(value, dtype=np.float32)))

    def forward(self, numbers: Tensor) -> Tensor:
        """Vectors of texts that have equally many pieces."""
        values = self.values
        states = rounded(functional.embedding(numbers, values["words"])) + values["places"][: numbers.shape[1]]
        states = functional.layer_norm(states, states.shape[-1:], values["norm"][0], values["norm"][1], NORM_EPSILON)
        for number in range(self.layers):
            layer = {name: values[f"layer{number}/{name}"] for name in _NAMES}
            texts, pieces, width = states.shape
            mixed = functional.linear(states, rounded(layer["query_key_value"]), layer["query_key_value_bias"])
            query, key, value = mixed.view(texts, pieces, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(states.shape)
            added = functional.linear(seen, rounded(layer["attended"]), layer["attended_bias"])
            states = functional.layer_norm(
                states + added, (width,), layer["attended_norm"][0], layer["attended_norm"][1], NORM_EPSILON
            )
            wide = functional.gelu(
                functional.linear(states, rounded(layer["widened"]), layer["widened_bias"]), approximate="tanh"
            )
            added = functional.linear(wide, rounded(layer["narrowed"]), layer["narrowed_bias"])
            states = functional.layer_norm(
                states + added, (width,), layer["narrowed_norm"][0], layer["narrowed_norm"][1], NORM_EPSILON
            )
        return torch.cat([states.mean(1), states.amax(1)], 1)

    def arrays(self, like: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
        """What `LineEncoder` reads, with the vocabulary and the number of layers of another."""
        made: dict[str, npt.NDArray[Any]] = {name: like[name] for name in ("vocabulary", "layers")}
        for name, value in self.values.items():
            plain, numbers = name.replace("/", "."), value.detach().numpy()
            if plain.split(".")[-1] in {"words", *MATRICES}:
                made[f"{plain}.nibbles"], made[f"{plain}.scales"] = pack(numbers)
            else:
                made[plain] = numbers.astype(np.float16)
        return made


_NAMES = (
    *MATRICES,
    *(f"{name}_bias" for name in MATRICES),
    "attended_norm",
    "narrowed_norm",
)


def train_encoder(
    arrays: Mapping[str, npt.NDArray[Any]],
    dialogues: Sequence[Dialogue],
    recipe: EncoderRecipe,
    *,
    log: Callable[[str], None],
) -> dict[str, npt.NDArray[Any]]:
    """Teach an encoder, and give its arrays.

    Args:
        arrays: to begin with, as `aptone.train.planner_start.encoder_arrays` makes them.
        dialogues: those of the part ``train`` in English are used.
        recipe: how.
        log: is told how far it is.
    """
    torch.manual_seed(recipe.seed)
    generator = np.random.default_rng(recipe.seed)
    pieces = WordPieces(bytes(arrays["vocabulary"]).decode("utf-8").split("\n"))
    weights = {
        name.removesuffix(".nibbles"): unpack(Packed(arrays[name], arrays[name.replace(".nibbles", ".scales")]))
        for name in arrays
        if name.endswith(".nibbles")
    }
    encoder = TrainedEncoder(arrays, weights)
    width = 2 * int(arrays["places"].shape[1])
    heads = nn.ModuleDict(
        {name: nn.Linear(width, size) for name, size in (("meld", 7), ("goemotions", 7), ("emobank", 3))}
    )
    batches = _batches(dialogues, pieces, recipe, generator)
    optimiser = torch.optim.AdamW(
        [
            {"params": [*encoder.parameters()], "lr": recipe.rate},
            {"params": [*heads.parameters()], "lr": 10 * recipe.rate},
        ],
        weight_decay=0.01,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [recipe.rate, 10 * recipe.rate], total_steps=len(batches) + 1, pct_start=0.1
    )
    began, shown = time.perf_counter(), 0.0
    for step, (name, numbers, target) in enumerate(batches):
        vectors = functional.dropout(encoder(numbers), recipe.dropout)
        answer = heads[name](vectors)
        if name == "emobank":
            loss = 4 * functional.mse_loss(answer, target)
        else:
            loss = functional.cross_entropy(answer, target, label_smoothing=0.1)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        schedule.step()
        shown += 0.02 * (float(loss.detach()) - shown)
        if step % 100 == 99:
            log(f"step {step + 1} of {len(batches)}, {time.perf_counter() - began:.0f} s: loss {shown:.3f}")
    return encoder.arrays(arrays)


def _batches(
    dialogues: Sequence[Dialogue], pieces: WordPieces, recipe: EncoderRecipe, generator: np.random.Generator
) -> list[tuple[str, Tensor, Tensor]]:
    """Batches of one set and one length each, in an order that is drawn."""
    batches = []
    for name, count in (recipe.lines or LINES).items():
        lines = [line for one in dialogues if one.set == name and one.part == "train" for line in one.lines]
        drawn: list[int] = []
        while len(drawn) < count:
            drawn += generator.permutation(len(lines)).tolist()
        by_length: dict[int, list[int]] = {}
        for number in drawn[:count]:
            length = len(pieces.numbers(lines[number].line.text, most=MOST_PIECES))
            waiting = by_length.setdefault(length, [])
            waiting.append(number)
            if len(waiting) == recipe.batch:
                batches.append((name, *_tensors([lines[one] for one in waiting], pieces, name)))
                waiting.clear()
        left = [waiting for waiting in by_length.values() if waiting]
        batches += [(name, *_tensors([lines[one] for one in waiting], pieces, name)) for waiting in left]
    return [batches[number] for number in generator.permutation(len(batches))]


def _tensors(lines: Sequence[Labelled], pieces: WordPieces, name: str) -> tuple[Tensor, Tensor]:
    numbers = torch.tensor([pieces.numbers(one.line.text, most=MOST_PIECES) for one in lines])
    if name == "emobank":
        return numbers, torch.tensor([one.vad for one in lines])
    return numbers, torch.tensor([[one.labels.get(label, 0.0) for label in LABEL_SETS[name]] for one in lines])
