"""What an English line means, as a vector: the beginning of a small pretrained transformer, in numpy.

Post-norm BERT layers (Devlin et al. 2019). The vector is the mean and the maximum over the pieces. Lines are read one
by one, without their neighbours, so that a story's lines are read once, however many windows look at them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.models.four_bits import Floats, Packed, unpack
from aptone.models.word_pieces import WordPieces

HEADS = 12
MOST_PIECES = 64
NORM_EPSILON = 1e-12
MATRICES = ("query_key_value", "attended", "widened", "narrowed")


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: matrices as [outputs, inputs]."""

    query_key_value: Floats
    query_key_value_bias: Floats
    attended: Floats
    attended_bias: Floats
    attended_norm: Floats
    widened: Floats
    widened_bias: Floats
    narrowed: Floats
    narrowed_bias: Floats
    narrowed_norm: Floats


class LineEncoder:
    """The encoder, unpacked.

    Args:
        arrays: as `aptone.train.planner_start` writes them.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._pieces = WordPieces(bytes(arrays["vocabulary"]).decode("utf-8").split("\n"))
        self._words = _matrix(arrays, "words")
        self._places = np.asarray(arrays["places"], dtype=np.float32)
        self._norm = np.asarray(arrays["norm"], dtype=np.float32)
        self._layers = [_layer(arrays, number) for number in range(int(arrays["layers"]))]

    @property
    def size(self) -> int:
        """How many numbers a line's vector has."""
        return 2 * int(self._words.shape[1])

    def encode(self, texts: Sequence[str]) -> Floats:
        """One vector a text: [texts, size]. Texts of equally many pieces are read together; none is padded."""
        numbers = [self._pieces.numbers(text, most=MOST_PIECES) for text in texts]
        vectors = np.zeros((len(texts), self.size), dtype=np.float32)
        lengths = np.array([len(one) for one in numbers], dtype=np.int64)
        for length in np.unique(lengths):
            rows = np.flatnonzero(lengths == length)
            states = self._states(np.array([numbers[row] for row in rows]))
            vectors[rows] = np.concatenate([states.mean(axis=1), states.max(axis=1)], axis=1)
        return vectors

    def _states(self, numbers: npt.NDArray[np.int64]) -> Floats:
        states = _normalised(self._words[numbers] + self._places[: numbers.shape[1]], self._norm)
        for layer in self._layers:
            states = _through(layer, states)
        return states


def _through(layer: Layer, states: Floats) -> Floats:
    texts, pieces, width = states.shape
    mixed = states @ layer.query_key_value.T + layer.query_key_value_bias
    query, key, value = mixed.reshape(texts, pieces, 3, HEADS, width // HEADS).transpose(2, 0, 3, 1, 4)
    match = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(width // HEADS))
    weights = np.exp(match - match.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    seen = (weights @ value).transpose(0, 2, 1, 3).reshape(texts, pieces, width)
    states = _normalised(states + seen @ layer.attended.T + layer.attended_bias, layer.attended_norm)
    wide = _gelu(states @ layer.widened.T + layer.widened_bias)
    return _normalised(states + wide @ layer.narrowed.T + layer.narrowed_bias, layer.narrowed_norm)


def _normalised(states: Floats, norm: Floats) -> Floats:
    centred = states - states.mean(axis=-1, keepdims=True)
    variance = np.square(centred).mean(axis=-1, keepdims=True)
    scaled: Floats = centred / np.sqrt(variance + np.float32(NORM_EPSILON)) * norm[0] + norm[1]
    return scaled


def _gelu(values: Floats) -> Floats:
    """The usual approximation of x times the normal distribution function, by a hyperbolic tangent."""
    inner = np.float32(0.7978845608) * (values + np.float32(0.044715) * values * values * values)
    passed: Floats = (np.float32(0.5) * values * (np.float32(1.0) + np.tanh(inner))).astype(np.float32)
    return passed


def _matrix(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Floats:
    return unpack(Packed(arrays[f"{name}.nibbles"], arrays[f"{name}.scales"]))


def _layer(arrays: Mapping[str, npt.NDArray[Any]], number: int) -> Layer:
    given = {name: _matrix(arrays, f"layer{number}.{name}") for name in MATRICES}
    for name in Layer.__slots__:
        if name not in given:
            given[name] = np.asarray(arrays[f"layer{number}.{name}"], dtype=np.float32)
    return Layer(**given)
