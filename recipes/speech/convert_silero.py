"""Rewrite the graph of Silero's sequence model so that all chunks of a call share its matrix products.

Silero's ``silero_vad_16k_sequence.onnx`` (package silero-vad, MIT) runs its convolutions chunk by chunk, four places at
a time. Here they are products with all chunks as rows: a third of the processor time (`benchmarks/speech_activity.py`).
Weights, inputs and outputs stay as they are, and probabilities are equal to rounding, which is checked before the file
is written.

    pip download --no-deps silero-vad==6.2.3 && unzip silero_vad-6.2.3-py3-none-any.whl
    python -m recipes.speech.convert_silero silero_vad/data/silero_vad_16k_sequence.onnx

A chunk of 512 samples with 64 samples of context, mirrored at its end to 640, has four windows of 256 samples; their
magnitude spectra (129 numbers each) go through four convolutions over time with kernels of three and strides 1, 2, 2,
1: four places become four, two, one, one. An LSTM follows the chunks, and a last layer gives the probability.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from aptone.audio.speech import WEIGHTS

Floats = npt.NDArray[np.float32]

OPSET = 16
LINES = 129
"""Of a spectrum."""
WINDOW, WINDOWS, HOP = 256, 4, 128
LARGEST_DIFFERENCE = 2e-6


class Graph:
    """Nodes and constants of a graph in the making."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, values: npt.NDArray[np.generic]) -> str:
        """Add a constant, once."""
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def add(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        """Add a node with one output."""
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def part(self, of: str, begin: int, end: int, *, axis: int = 1) -> str:
        """Add columns `begin` to `end` of a matrix; rows on axis 0."""
        bounds = [self.constant(f"at_{bound}", np.array([bound])) for bound in (begin, end)]
        name = f"{of}_{begin}_{end}"
        if not any(node.output[0] == name for node in self.nodes):
            self.add("Slice", [of, *bounds, self.constant(f"axis_{axis}", np.array([axis]))], name)
        return name

    def convolution(self, of: str, number: int, weights: Floats, bias: Floats, *, places: int, stride: int) -> str:
        """Add a convolution over the places of each row (kernel 3, a zero on both sides) and its ReLU.

        Args:
            of: rows of ``places × channels`` numbers.
            number: of the layer.
            weights: channels out × channels in × 3.
            bias: one number a channel out.
            places: how many there are.
            stride: 1 or 2.
        """
        channels = weights.shape[1]
        kernel = self.constant(f"kernel_{number}", weights.transpose(2, 1, 0).reshape(-1, len(weights)))
        outputs = []
        for centre in range(0, places, stride):
            first, end = max(0, centre - 1), min(places, centre + 2)
            seen = of if end - first == places else self.part(of, first * channels, end * channels)
            # Of the kernel, the taps whose place exists; a session cuts them out once, when it is made.
            taps = self.part(kernel, (first - centre + 1) * channels, (end - centre + 1) * channels, axis=0)
            product = self.add(
                "Gemm", [seen, taps, self.constant(f"bias_{number}", bias)], f"convolved_{number}_{centre}"
            )
            outputs.append(self.add("Relu", [product], f"place_{number}_{centre}"))
        return outputs[0] if len(outputs) == 1 else self.add("Concat", outputs, f"layer_{number}", axis=1)


def rewritten(weights: Mapping[str, Floats], lstm: Sequence[str]) -> onnx.ModelProto:
    """Return the model with shared products.

    Args:
        weights: of Silero's file, by name.
        lstm: names of the LSTM's three tensors: from the input, from the state, biases.
    """
    graph = Graph()
    mirrored = graph.add(
        "Pad", ["input", graph.constant("mirrored_samples", np.array([0, 0, 0, 64]))], "mirrored", mode="reflect"
    )
    windows = [graph.part(mirrored, HOP * window, HOP * window + WINDOW) for window in range(WINDOWS)]
    joined = graph.add("Concat", windows, "windows", axis=1)
    rows = graph.add("Reshape", [joined, graph.constant("a_window", np.array([-1, WINDOW]))], "window_rows")
    basis = graph.constant("basis", weights["stft.forward_basis_buffer"].reshape(2 * LINES, WINDOW).T)
    waves = graph.add("MatMul", [rows, basis], "waves")
    squares = graph.add("Mul", [waves, waves], "squares")
    powers = graph.add("Add", [graph.part(squares, 0, LINES), graph.part(squares, LINES, 2 * LINES)], "powers")
    spectra = graph.add("Sqrt", [powers], "spectra")
    layer = graph.add("Reshape", [spectra, graph.constant("a_chunk", np.array([-1, WINDOWS * LINES]))], "layer")
    for number, (places, stride) in enumerate([(4, 1), (4, 2), (2, 2), (1, 1)]):
        kernel, bias = (weights[f"encoder.{number}.{part}"] for part in ("weight", "bias"))
        layer = graph.convolution(layer, number, kernel, bias, places=places, stride=stride)
    sequence = graph.add("Unsqueeze", [layer, graph.constant("one", np.array([1]))], "sequence")
    tensors = [graph.constant(f"lstm_{place}", weights[name]) for place, name in enumerate(lstm)]
    graph.nodes.append(
        helper.make_node("LSTM", [sequence, *tensors, "", "h", "c"], ["followed", "hn", "cn"], hidden_size=128)
    )
    flat = graph.add("Reshape", ["followed", graph.constant("a_state", np.array([-1, 128]))], "states")
    kept = graph.add("Relu", [flat], "kept")
    last = [graph.constant("last", weights["output.weight"].reshape(1, 128).T)]
    last.append(graph.constant("last_bias", weights["output.bias"]))
    probability = graph.add("Sigmoid", [graph.add("Gemm", [kept, *last], "logit")], "probability")
    graph.add("Reshape", [probability, graph.constant("all", np.array([-1]))], "speech_probs")
    made = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "silero_vad_16k",
            [_declared("input", ["chunks", 576]), _declared("h", [1, 1, 128]), _declared("c", [1, 1, 128])],
            [_declared("speech_probs", ["chunks"]), _declared("hn", [1, 1, 128]), _declared("cn", [1, 1, 128])],
            list(graph.constants.values()),
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=8,
    )
    onnx.checker.check_model(made, full_check=True)
    return made


def _declared(name: str, shape: Sequence[int | str]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def difference(before: bytes, after: bytes, *, seed: int = 0) -> float:
    """Return the largest difference of two models' probabilities, on noise in calls of several lengths."""
    sessions = [onnxruntime.InferenceSession(one, providers=["CPUExecutionProvider"]) for one in (before, after)]
    generator, largest = np.random.default_rng(seed), 0.0
    states = [[np.zeros((1, 1, 128), dtype=np.float32)] * 2 for _ in sessions]
    for chunks in (1, 2, 7, 64, 300):
        levels = 10.0 ** generator.uniform(-4, 0, (chunks, 1))
        frames = (levels * generator.standard_normal((chunks, 576))).astype(np.float32)
        given = [{"input": frames, "h": h, "c": c} for h, c in states]
        outputs = [session.run(["speech_probs", "hn", "cn"], one) for session, one in zip(sessions, given, strict=True)]
        states = [output[1:] for output in outputs]
        largest = max(largest, float(np.abs(outputs[0][0] - outputs[1][0]).max()))
    return largest


def main() -> None:
    """Convert, compare and write."""
    parser = argparse.ArgumentParser(description="Silero's sequence model with shared products.")
    parser.add_argument("model", type=Path, help="silero_vad_16k_sequence.onnx of the package silero-vad.")
    folder = Path(__file__).resolve().parents[2] / "src" / "aptone" / "audio" / "weights"
    parser.add_argument("--output", type=Path, default=folder / WEIGHTS)
    options = parser.parse_args()
    original = onnx.load(options.model)
    weights = {one.name: numpy_helper.to_array(one) for one in original.graph.initializer}
    (lstm,) = (node for node in original.graph.node if node.op_type == "LSTM")
    made = rewritten(weights, list(lstm.input)[1:4]).SerializeToString()
    found = difference(options.model.read_bytes(), made)
    print(f"largest difference: {found:.1e}; {len(made) / 1e6:.2f} MB")
    if found > LARGEST_DIFFERENCE:
        raise SystemExit(f"the rewritten graph differs by {found:.1e}, above {LARGEST_DIFFERENCE:g}; nothing written.")
    options.output.write_bytes(made)


if __name__ == "__main__":
    main()
