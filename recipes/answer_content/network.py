"""The scorer in torch: upper transformer layers on the encoder's states, and three outputs.

The layers start from those of the planner's encoder, whose eight-bit weights are taken out of its graph.
"""

from collections.abc import Mapping

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from aptone.planner.encoder import encoder_arrays
from aptone.planner.states import LAYERS_BELOW
from aptone.rooms.answer.judge.content_model import STYLES
from recipes.answer_content.data import KINDS
from recipes.planner.network import LAYERS, WIDTH, Layer

OUTPUTS = ("content", "fit", "harm")
_PRODUCTS = ("query_key_value", "attended", "widened", "narrowed")


class Scorer(nn.Module):
    """States of question and answer in, log-odds of `OUTPUTS` out; in training, those of the kinds as well."""

    def __init__(self, *, dropout: float = 0.1) -> None:
        super().__init__()
        self.styles = nn.Embedding(len(STYLES), WIDTH)
        nn.init.normal_(self.styles.weight, std=0.02)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS - LAYERS_BELOW))
        self.dropout = nn.Dropout(dropout)
        self.pooled = nn.Linear(4 * WIDTH, WIDTH)
        self.outputs = nn.Linear(WIDTH, len(OUTPUTS))
        self.kinds = nn.Linear(WIDTH, len(KINDS))

    def pool(self, states: Tensor, inside: Tensor, known: Tensor, opened: Tensor) -> Tensor:
        """Return one vector for a pair: the first mark, the mark between, the mean of either text."""
        rows = torch.arange(len(states), device=states.device)
        second = inside.unsqueeze(-1)
        first = (known - inside).unsqueeze(-1)
        means = [(states * one).sum(1) / one.sum(1).clamp(min=1.0) for one in (first, second)]
        together = torch.cat([states[:, 0], states[rows, opened], *means], dim=-1)
        found: Tensor = self.dropout(torch.tanh(self.pooled(together)))
        return found

    def forward(
        self, states: Tensor, inside: Tensor, opened: Tensor, style: Tensor, known: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the log-odds of the outputs and of the kinds; `known` is 1 where a piece is no padding."""
        mask = torch.zeros_like(known).masked_fill(known == 0, float("-inf"))[:, None, None, :]
        states = states + self.styles(style)[:, None, :]
        for layer in self.layers:
            states = layer(states, mask)
        pooled = self.pool(states, inside, known, opened)
        return self.outputs(pooled), self.kinds(pooled)


def encoder_layers() -> list[dict[str, Tensor]]:
    """The weights of the encoder's layers, out of its graph, in single precision."""
    graph = onnx.load_from_string(bytes(encoder_arrays()["graph"])).graph
    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    products = []
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            name = node.input[1].removesuffix("_quantized")
            zero = stored.get(f"{name}_zero_point", np.zeros(1))
            whole = stored[node.input[1]].astype(np.float32) - zero.astype(np.float32)
            products.append(whole * stored[f"{name}_scale"])
    layers: list[dict[str, Tensor]] = []
    for number in range(LAYERS):
        weights: dict[str, Tensor] = {}
        for place, part in enumerate(_PRODUCTS):
            weights[f"{part}.weight"] = torch.tensor(products[4 * number + place].T.copy())
            weights[f"{part}.bias"] = _found(stored, f"network.layers.{number}.{part}.bias")
        for norm in ("attended_norm", "narrowed_norm"):
            for part in ("weight", "bias"):
                weights[f"{norm}.{part}"] = _found(stored, f"network.layers.{number}.{norm}.{part}")
        layers.append(weights)
    return layers


def _found(stored: Mapping[str, "np.ndarray[tuple[int, ...], np.dtype[np.float32]]"], name: str) -> Tensor:
    return torch.tensor(np.array(stored[name], dtype=np.float32))


def started(*, seed: int, dropout: float = 0.1) -> Scorer:
    """A scorer whose layers are the encoder's upper ones."""
    torch.manual_seed(seed)
    scorer = Scorer(dropout=dropout)
    for layer, weights in zip(scorer.layers, encoder_layers()[LAYERS_BELOW:], strict=True):
        layer.load_state_dict(weights)
    return scorer
