"""Export a trained encoder to the shipped files: pieces and vectors in four bits, the transformer in eight.

python -m recipes.planner.export RUN/weights.NAME.words.npz RUN/weights.NAME.body.npz [--keep-inputs]
"""

import argparse
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

from aptone.lexicon.feelings import VOICES
from aptone.models.text.built_in_embedder import pack
from aptone.planner.encoder import MARKS, encoder_arrays
from aptone.planner.labelled_dialogues import LABEL_SETS
from recipes.planner.examples import EMOTIONS, INTONATIONS, RHYTHMS, TAG_EMOTIONS
from recipes.planner.gpu_job import encoder_like
from recipes.planner.network import ATTENTION_HEADS, WIDTH, Encoder, Layer
from recipes.planner.packed_weights import unpacked
from recipes.planner.vocabulary import costs, vocabulary

OPSET = 18
WEIGHTS = Path(__file__).parents[2] / "src" / "aptone" / "planner" / "weights"


class Exported(nn.Module):
    """The encoder from embedded pieces on, for one passage at a time."""

    def __init__(self, network: Encoder, heads: Sequence[str]) -> None:
        super().__init__()
        self.network = network
        self._heads = tuple(heads)
        upper = [layer for layer in network.layers[network.lower :] if isinstance(layer, Layer)]
        self._splits = nn.ModuleList(_Split(layer) for layer in upper)

    def forward(self, embedded: Tensor, inside: Tensor, opened: Tensor) -> tuple[Tensor, ...]:
        """Return the answers of every head, and the evidence of each piece."""
        network = self.network
        states = network.norm(embedded)
        layers = [layer for layer in network.layers if isinstance(layer, Layer)]
        for layer in layers[: network.lower]:
            states = through_layer(layer, states)
        weights = inside.unsqueeze(-1)
        mean = (states * weights).sum(1) / weights.sum(1).clamp(min=1.0)
        first = states[:, 0]
        mark = torch.index_select(states[0], 0, opened)
        three = torch.stack([first, mark, mean], dim=1)
        for layer, split in zip(layers[network.lower :], self._splits, strict=True):
            three = _through_upper(layer, split, three, states)
        pooled = torch.tanh(network.pooled(three.flatten(1)))
        wide = pooled.unsqueeze(1).expand(-1, states.shape[1], -1)
        decides = network.evidence(torch.cat([states, wide], dim=-1)).squeeze(-1)
        return *(network.heads[head](pooled) for head in self._heads), decides


class _Split(nn.Module):
    """The first product of an upper layer as two: of the target's states, and of the pieces they attend to."""

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        whole = layer.query_key_value
        self.query, self.key_value = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2 * WIDTH)
        for part, place in ((self.query, slice(None, WIDTH)), (self.key_value, slice(WIDTH, None))):
            part.weight.data, part.bias.data = whole.weight.data[place], whole.bias.data[place]


def through_layer(layer: Layer, states: Tensor) -> Tensor:
    """Apply a layer with explicit attention, which exports to plain products."""
    pieces = states.shape[1]
    mixed = layer.query_key_value(states).view(1, pieces, 3, ATTENTION_HEADS, WIDTH // ATTENTION_HEADS)
    query, key, value = mixed.permute(2, 0, 3, 1, 4).unbind(0)
    return _attend(layer, states, query, key, value)


def _through_upper(layer: Layer, split: nn.Module, three: Tensor, states: Tensor) -> Tensor:
    assert isinstance(split, _Split)
    size = (ATTENTION_HEADS, WIDTH // ATTENTION_HEADS)
    query = split.query(three).view(1, 3, *size).transpose(1, 2)
    key, value = split.key_value(states).view(1, states.shape[1], 2, *size).permute(2, 0, 3, 1, 4).unbind(0)
    return _attend(layer, three, query, key, value)


def _attend(layer: Layer, states: Tensor, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    match = torch.softmax(query @ key.transpose(-1, -2) * (WIDTH // ATTENTION_HEADS) ** -0.5, dim=-1)
    found = (match @ value).transpose(1, 2).reshape(1, states.shape[1], WIDTH)
    states = layer.attended_norm(states + layer.attended(found))
    narrowed: Tensor = layer.narrowed_norm(states + layer.narrowed(nn.functional.gelu(layer.widened(states))))
    return narrowed


def export(
    network: Encoder,
    folder: Path,
    *,
    vocabularies: Mapping[str, Sequence[str]],
    costs: Sequence[float],
    heads: Sequence[str],
    labels: Mapping[str, Sequence[str]],
) -> list[Path]:
    """Write the files of the encoder: one that both languages share, and one for the pieces of each.

    Args:
        network: network of both languages, the pieces of the second one after those of the first; they share marks.
        folder: output folder.
        vocabularies: pieces by language, in the order of the network's rows.
        costs: costs of the Mandarin pieces.
        heads: heads of the network that are shipped.
        labels: labels of each head.
    """
    network = network.cpu().eval().float()
    words = network.words.weight.detach().numpy()
    written = []
    first = len(MARKS)
    for language, known in vocabularies.items():
        own = np.concatenate([words[: len(MARKS)], words[first : first + len(known) - len(MARKS)]])
        first += len(known) - len(MARKS)
        packed = pack(own)
        arrays: dict[str, npt.NDArray[Any]] = {
            "vocabulary": np.frombuffer("\n".join(known).encode(), dtype=np.uint8),
            "nibbles": packed.nibbles,
            "scales": packed.scales,
        }
        if language == "zh":
            arrays["costs"] = np.array(costs, dtype=np.float32)
        written.append(folder / f"pieces.{language}.npz")
        np.savez_compressed(written[-1], **arrays)  # type: ignore[arg-type]
    places, target = network.places.weight.detach().numpy(), network.target.detach().numpy()
    return [*written, export_layers(network, folder, places=places, target=target, heads=heads, labels=labels)]


def export_layers(
    network: Encoder,
    folder: Path,
    *,
    places: npt.NDArray[Any],
    target: npt.NDArray[Any],
    heads: Sequence[str],
    labels: Mapping[str, Sequence[str]],
) -> Path:
    """Write the file that both languages share: layers, heads and their labels, embeddings of positions and target."""
    shared = {
        "graph": np.frombuffer(_graph(network.cpu().eval().float(), heads), dtype=np.uint8),
        "places": places.astype(np.float16),
        "target": target.astype(np.float32),
        "labels": np.frombuffer(json.dumps({name: list(own) for name, own in labels.items()}).encode(), dtype=np.uint8),
    }
    np.savez_compressed(folder / "encoder.npz", **shared)  # type: ignore[arg-type]
    return folder / "encoder.npz"


def _graph(network: Encoder, heads: Sequence[str]) -> bytes:
    """Return the transformer as an ONNX graph with weights in eight bits."""
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, small = Path(scratch) / "plain.onnx", Path(scratch) / "small.onnx"
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
        quantize_dynamic(str(plain), str(small), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        onnx.checker.check_model(onnx.load(small))
        return small.read_bytes()


def main() -> None:
    """Export the weights of a training run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path, nargs="+", help="Files that recipes.planner.gpu_job kept.")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument(
        "--keep-inputs", action="store_true", help="Keep the shipped embeddings, which other models share."
    )
    options = parser.parse_args()
    arrays: dict[str, npt.NDArray[Any]] = {}
    for path in options.weights:
        arrays |= dict(np.load(path))
    weights = unpacked(arrays)
    network = encoder_like(weights)
    network.load_state_dict(weights, strict=False)
    heads = ("reader", "tags", "goemotions", "cped", "intensity", "rhythm", "intonation", "voice")
    labels = {
        "reader": EMOTIONS,
        "tags": TAG_EMOTIONS,
        "goemotions": LABEL_SETS["goemotions"],
        "cped": LABEL_SETS["cped"],
    }
    labels |= {"rhythm": RHYTHMS, "intonation": INTONATIONS, "voice": tuple(VOICES)}
    vocabularies = {"en": vocabulary("en"), "zh": vocabulary("zh")}
    if options.keep_inputs:
        shipped = encoder_arrays()
        inputs = {"places": shipped["places"], "target": shipped["target"]}
        written = [export_layers(network, options.out, **inputs, heads=heads, labels=labels)]
    else:
        written = export(network, options.out, vocabularies=vocabularies, costs=costs(), heads=heads, labels=labels)
    for path in written:
        print(f"{path}: {path.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
