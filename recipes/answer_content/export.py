"""Export a trained scorer to the shipped file: a graph of ONNX in eight bits a weight, and the readings beside it."""

import json
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from aptone.planner.pairs import input_revision
from aptone.rooms.answer.judge.content_model import FILE, ContentModel
from recipes.answer_content.data import GradedAnswer
from recipes.answer_content.network import Scorer
from recipes.answer_content.stack import empty_stack, near_arrays, stack_arrays, word_arrays
from recipes.planner.export import OPSET, through_layer
from recipes.planner.network import WIDTH, Layer
from recipes.planner.packed_weights import unpacked


class Exported(nn.Module):
    """The scorer for one pair at a time."""

    def __init__(self, scorer: Scorer) -> None:
        super().__init__()
        self.scorer = scorer

    def forward(self, embedded: Tensor, inside: Tensor, opened: Tensor, style: Tensor) -> Tensor:
        """Return the log-odds of content, fit and harm."""
        scorer = self.scorer
        states = scorer.norm(embedded) + scorer.styles(style)[:, None, :]
        for layer in scorer.layers:
            assert isinstance(layer, Layer)
            states = through_layer(layer, states)
        second = inside.unsqueeze(-1)
        means = [(states * one).sum(1) / one.sum(1).clamp(min=1.0) for one in (1.0 - second, second)]
        mark = torch.index_select(states[0], 0, opened)
        pooled = torch.tanh(scorer.pooled(torch.cat([states[:, 0], mark, *means], dim=-1)))
        found: Tensor = scorer.outputs(pooled)
        return found


def graph_of(scorer: Scorer) -> bytes:
    """The scorer as an ONNX graph with weights in eight bits."""
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, small = Path(scratch) / "plain.onnx", Path(scratch) / "small.onnx"
        example = (torch.randn(1, 40, WIDTH), torch.ones(1, 40), torch.tensor([3]), torch.tensor([1]))
        torch.onnx.export(
            Exported(scorer.cpu().eval().float()),
            example,
            str(plain),
            input_names=["embedded", "inside", "opened", "style"],
            output_names=["logits"],
            dynamic_axes={"embedded": {1: "pieces"}, "inside": {1: "pieces"}},
            opset_version=OPSET,
            dynamo=False,
        )
        quantize_dynamic(
            str(plain),
            str(small),
            op_types_to_quantize=["MatMul"],
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
        )
        onnx.checker.check_model(onnx.load(small))
        return small.read_bytes()


def load_scorer(path: Path) -> Scorer:
    """Load the weights that a training wrote."""
    with np.load(path) as stored:
        weights = unpacked(dict(stored))
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    scorer = Scorer(layers=layers)
    found = scorer.load_state_dict(weights, strict=False)
    if missing := [name for name in found.missing_keys if not name.startswith(("kinds.", "follows."))]:
        raise ValueError(f"{path}: {missing[0]} is missing; expected the weights of a whole scorer.")
    return scorer.eval()


def write_scorer(
    scorer: Scorer,
    folder: Path,
    *,
    train: Sequence[GradedAnswer],
    dev: Sequence[GradedAnswer],
    about: Mapping[str, Any],
    seed: int = 0,
    log: Callable[[str], None] = print,
) -> Path:
    """Fit the other readings and the stack, and write the shipped file, which names the encoder that it builds on."""
    described = {**about, "encoder": {language: input_revision(language) for language in ("en", "zh")}}
    arrays: dict[str, npt.NDArray[Any]] = {
        "graph": np.frombuffer(graph_of(scorer), dtype=np.uint8),
        "about": np.frombuffer(json.dumps(described, sort_keys=True).encode(), dtype=np.uint8),
        **word_arrays(train),
        **near_arrays(train, seed=seed),
    }
    unstacked = ContentModel({**arrays, **empty_stack()}, revision="")
    arrays |= stack_arrays(unstacked, dev, seed=seed, log=log)
    path = folder / FILE
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type]
    return path
