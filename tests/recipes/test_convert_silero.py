"""The rewritten graph of the speech detector says what its layers, written out one by one, say."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest

from recipes.speech.convert_silero import difference, rewritten

Floats = npt.NDArray[np.float64]
STRIDES = (1, 2, 2, 1)
CHANNELS = (129, 128, 64, 64, 128)
LSTM = ("from_input", "from_state", "biases")


def random_weights(seed: int) -> dict[str, npt.NDArray[np.float32]]:
    generator = np.random.default_rng(seed)
    shapes = {"stft.forward_basis_buffer": (258, 1, 256), "output.weight": (1, 128, 1), "output.bias": (1,)}
    for number, (before, after) in enumerate(pairwise(CHANNELS)):
        shapes |= {f"encoder.{number}.weight": (after, before, 3), f"encoder.{number}.bias": (after,)}
    shapes |= {"from_input": (1, 512, 128), "from_state": (1, 512, 128), "biases": (1, 1024)}
    return {
        name: (3.0 * generator.standard_normal(shape) / np.sqrt(np.prod(shape[1:]) or 1)).astype(np.float32)
        for name, shape in shapes.items()
    }


def convolved(values: Floats, weights: Floats, bias: Floats, stride: int) -> Floats:
    """A convolution over time as it is defined: kernel of three, a zero on both sides."""
    padded = np.pad(values, ((0, 0), (1, 1)))
    places = range(0, values.shape[1], stride)
    return np.stack([np.einsum("oit,it->o", weights, padded[:, at : at + 3]) + bias for at in places], axis=1)


def sigmoid(values: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-values))


def transcribed(frames: Floats, weights: dict[str, Floats]) -> Floats:
    """The probability of each chunk, layer by layer; the LSTM as ONNX defines it (gates i, o, f, c)."""
    basis = weights["stft.forward_basis_buffer"][:, 0]
    hidden = cell = np.zeros(128)
    from_input, from_state = weights["from_input"][0], weights["from_state"][0]
    bias = weights["biases"][0].reshape(2, 512).sum(axis=0)
    probabilities = []
    for frame in frames:
        mirrored = np.concatenate([frame, frame[-65:-1][::-1]])
        waves = np.stack([basis @ mirrored[begin : begin + 256] for begin in range(0, 512, 128)], axis=1)
        values = np.hypot(waves[:129], waves[129:])
        for number, stride in enumerate(STRIDES):
            kernel, shift = weights[f"encoder.{number}.weight"], weights[f"encoder.{number}.bias"]
            values = np.maximum(convolved(values, kernel, shift, stride), 0.0)
        enter, leave, forget, new = (from_input @ values[:, 0] + from_state @ hidden + bias).reshape(4, 128)
        cell = sigmoid(forget) * cell + sigmoid(enter) * np.tanh(new)
        hidden = sigmoid(leave) * np.tanh(cell)
        logit = weights["output.weight"][0, :, 0] @ np.maximum(hidden, 0.0) + weights["output.bias"][0]
        probabilities.append(sigmoid(logit))
    return np.array(probabilities)


@pytest.mark.parametrize("seed", range(3))
def test_the_graph_says_what_its_layers_say(seed: int) -> None:
    weights = random_weights(seed)
    frames = np.random.default_rng(seed).standard_normal((9, 576)).astype(np.float32)
    model = rewritten(weights, LSTM).SerializeToString()
    state = np.zeros((1, 1, 128), dtype=np.float32)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    (found,) = session.run(["speech_probs"], {"input": frames, "h": state, "c": state})
    expected = transcribed(frames.astype(np.float64), {name: one.astype(np.float64) for name, one in weights.items()})
    assert found == pytest.approx(expected, abs=1e-5)
    assert np.ptp(expected) > 5e-3  # or nothing was compared


def test_other_weights_are_told_apart() -> None:
    one, other = (rewritten(random_weights(seed), LSTM).SerializeToString() for seed in (0, 1))
    assert difference(one, one) == 0.0
    assert difference(one, other) > 1e-3
