"""From a trained style network to the two ONNX files that the built-in style embedder runs on."""

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn

from aptone.rooms.style.embedding.built_in import AUDIO_FILE, LICENCE, META, NAMES, TEXT_FILE
from recipes.style.network import StyleNetwork, TextSide

OPSET = 18


class OneText(nn.Module):
    """The text side for one description: [units, numbers] and [units] to [128]."""

    def __init__(self, text: TextSide) -> None:
        super().__init__()
        self.text = text

    def forward(self, vectors: Tensor, known: Tensor) -> Tensor:
        """The vector of a description."""
        present = torch.ones_like(known, dtype=vectors.dtype)
        found: Tensor = self.text(vectors[None], known[None], present[None])
        return found[0]


def export_style(
    network: StyleNetwork, known: Sequence[int], out: Path, *, about: Mapping[str, object]
) -> tuple[Path, Path]:
    """Write both files; gives their paths.

    Args:
        network: trained.
        known: the unit of the built-in text embedder that stands at each place of the learned table, the first at 1.
        out: folder for the files.
        about: what the files say about themselves.
    """
    network = network.cpu().float().eval()
    out.mkdir(parents=True, exist_ok=True)
    audio, text = out / AUDIO_FILE, out / TEXT_FILE
    size = network.text.meaning.in_features
    _export(network.audio, (torch.zeros(1, len(NAMES)),), audio, names=["numbers"], axes={})
    example = (torch.zeros(7, size), torch.zeros(7, dtype=torch.long))
    _export(
        OneText(network.text),
        example,
        text,
        names=["vectors", "known"],
        axes={"vectors": {0: "units"}, "known": {0: "units"}},
    )
    revision = hashlib.sha256(audio.read_bytes() + text.read_bytes()).hexdigest()[:12]
    said = {**about, "licence": LICENCE, "revision": revision, "numbers": list(NAMES), "known": list(known)}
    for path in (audio, text):
        model = onnx.load(path)
        entry = model.metadata_props.add()
        entry.key, entry.value = META, json.dumps(said if path == text else {"revision": revision}, sort_keys=True)
        onnx.save(model, path)
    return audio, text


def _export(
    module: nn.Module,
    inputs: tuple[Tensor, ...],
    path: Path,
    *,
    names: list[str],
    axes: Mapping[str, Mapping[int, str]],
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns that it will be replaced by one with more dependencies
        torch.onnx.export(
            module.eval(),
            inputs,
            path,
            input_names=names,
            output_names=["vector"],
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
