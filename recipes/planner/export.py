"""A trained encoder as the two files that ship: pieces and vectors in four bits, the transformer in eight."""

import json
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from aptone.models.four_bits import pack
from recipes.planner.network import ATTENTION_HEADS, WIDTH, Encoder

OPSET = 18


class Exported(nn.Module):
    """The encoder from embedded pieces on, for one passage at a time."""

    def __init__(self, network: Encoder, heads: Mapping[str, str]) -> None:
        super().__init__()
        self.network = network
        self._heads = dict(heads)

    def forward(self, embedded: Tensor, inside: Tensor, opened: Tensor) -> tuple[Tensor, ...]:
        """Answers of every head, and how much each piece decides."""
        network = self.network
        states = network.norm(embedded)
        for layer in network.layers:
            states = _through(layer, states)
        weights = inside.unsqueeze(-1)
        mean = (states * weights).sum(1) / weights.sum(1).clamp(min=1.0)
        first = states[:, 0]
        mark = torch.index_select(states[0], 0, opened)
        pooled = torch.tanh(network.pooled(torch.cat([first, mark, mean], dim=-1)))
        wide = pooled.unsqueeze(1).expand(-1, states.shape[1], -1)
        decides = network.evidence(torch.cat([states, wide], dim=-1)).squeeze(-1)
        return *(network.heads[head](pooled) for head in self._heads.values()), decides


def _through(layer: nn.Module, states: Tensor) -> Tensor:
    """A layer with its attention written out, which exports to plain products."""
    pieces = states.shape[1]
    mixed = layer.query_key_value(states).view(1, pieces, 3, ATTENTION_HEADS, WIDTH // ATTENTION_HEADS)
    query, key, value = mixed.permute(2, 0, 3, 1, 4).unbind(0)
    match = torch.softmax(query @ key.transpose(-1, -2) * (WIDTH // ATTENTION_HEADS) ** -0.5, dim=-1)
    found = (match @ value).transpose(1, 2).reshape(1, pieces, WIDTH)
    states = layer.attended_norm(states + layer.attended(found))
    return layer.narrowed_norm(states + layer.narrowed(nn.functional.gelu(layer.widened(states))))


def export(
    network: Encoder,
    folder: Path,
    language: str,
    *,
    vocabulary: Sequence[str],
    costs: Sequence[float] | None,
    heads: Mapping[str, str],
    labels: Mapping[str, Sequence[str]],
) -> list[Path]:
    """Write the files of an encoder.

    Args:
        network: trained.
        folder: where they go.
        language: names them.
        vocabulary, costs: of its pieces.
        heads: names of answers, and which head of the network gives each.
        labels: of each answer.
    """
    network = network.cpu().eval().float()
    nibbles = pack(network.words.weight.detach().numpy())
    arrays: dict[str, npt.NDArray[Any]] = {
        "vocabulary": np.frombuffer("\n".join(vocabulary).encode(), dtype=np.uint8),
        "labels": np.frombuffer(json.dumps({k: list(v) for k, v in labels.items()}).encode(), dtype=np.uint8),
        "words.nibbles": nibbles.nibbles,
        "words.scales": nibbles.scales,
        "places": network.places.weight.detach().numpy().astype(np.float16),
        "target": network.target.detach().numpy().astype(np.float32),
    }
    if costs is not None:
        arrays["costs"] = np.array(costs, dtype=np.float32)
    numbers = folder / f"encoder.{language}.npz"
    np.savez_compressed(numbers, **arrays)  # type: ignore[arg-type]
    graph = folder / f"encoder.{language}.onnx"
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = Path(scratch) / "plain.onnx"
        example = (torch.randn(1, 40, WIDTH), torch.ones(1, 40), torch.tensor([3]))
        torch.onnx.export(
            Exported(network, heads),
            example,
            str(plain),
            input_names=["embedded", "inside", "opened"],
            output_names=[*heads, "decides"],
            dynamic_axes={"embedded": {1: "pieces"}, "inside": {1: "pieces"}, "decides": {1: "pieces"}},
            opset_version=OPSET,
            dynamo=False,
        )
        quantize_dynamic(str(plain), str(graph), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    onnx.checker.check_model(onnx.load(graph))
    return [numbers, graph]
