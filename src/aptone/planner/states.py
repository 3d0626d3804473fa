"""States of the encoder's lower layers, for small models that build on them.

The encoder's file holds six layers and their heads. A model of another task keeps the first `LAYERS_BELOW` as they are
and brings its own layers above; it depends on the encoder's revision, which it has to name.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import onnxruntime

from aptone.models.text.built_in_embedder import Floats
from aptone.planner.encoder import (
    BEGIN,
    CLOSE,
    END,
    MARKS,
    OPEN,
    Arrays,
    encoder_arrays,
    load_encoder,
)
from aptone.types import Language

LAYERS_BELOW = 3
"""Layers of the encoder that are shared."""
LONGEST_FIRST, LONGEST_SECOND = 96, 152
"""Most pieces of the first and of the second text; the middle of a longer one is left out."""

_STATE = f"/narrowed_norm_{LAYERS_BELOW - 1}/LayerNormalization_output_0"


class PairStates(NamedTuple):
    """States of two texts that were read together.

    Args:
        values: state of every piece after `LAYERS_BELOW` layers: [pieces, width].
        inside: 1 for the pieces of the second text, else 0.
        opened: index of the mark between the two texts.
    """

    values: Floats
    inside: Floats
    opened: int


def read_pair(first: str, second: str, language: Language) -> PairStates:
    """Read two texts together, such as a question and its answer: the second one stands in the place of a target."""
    encoder = load_encoder(language)
    pieces = encoder.pieces
    before = shortened([piece.number for piece in pieces.cut(first)], LONGEST_FIRST)
    target = shortened([piece.number for piece in pieces.cut(second)], LONGEST_SECOND)
    begin, opened, closed, end = (MARKS.index(mark) for mark in (BEGIN, OPEN, CLOSE, END))
    numbers = [begin, *before, opened, *target, closed, end]
    inside = np.zeros(len(numbers), dtype=np.float32)
    inside[len(before) + 2 : len(numbers) - 2] = 1.0
    return PairStates(_below().states(encoder.embedded(numbers), inside), inside, 1 + len(before))


def shortened(pieces: Sequence[int], longest: int) -> list[int]:
    """Return the beginning and the end of a text that is too long, two thirds of them its beginning.

    >>> shortened([1, 2, 3, 4, 5, 6, 7], 6)
    [1, 2, 3, 4, 6, 7]
    """
    if len(pieces) <= longest:
        return list(pieces)
    last = longest // 3
    return [*pieces[: longest - last], *pieces[len(pieces) - last :]]


class _LowerLayers:
    def __init__(self, arrays: Arrays) -> None:
        self._places = np.asarray(arrays["places"], dtype=np.float32)
        self._target = np.asarray(arrays["target"], dtype=np.float32)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        graph = bytes(arrays["graph"]) + _further_output(_STATE)
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def states(self, embedded: Floats, inside: Floats) -> Floats:
        read = embedded + self._places[: len(embedded)] + inside[:, np.newaxis] * self._target
        given = {
            "embedded": read[np.newaxis].astype(np.float32),
            "inside": inside[np.newaxis],
            "opened": np.array([0], dtype=np.int64),
        }
        (states,) = self._session.run([_STATE], given)
        found: Floats = np.asarray(states)[0]
        return found


def _further_output(name: str) -> bytes:
    """Encode a graph with nothing but an output, of single precision; appended to a model, it is one more of its own.

    Protocol buffers merge what is concatenated (ModelProto.graph is field 7, GraphProto.output 12, ValueInfoProto.name
    1 and type 2, TypeProto.tensor_type 1, its elem_type 1).
    """
    kind = _field(2, _field(1, bytes((1 << 3, 1))))
    return _field(7, _field(12, _field(1, name.encode()) + kind))


def _field(number: int, content: bytes) -> bytes:
    return bytes((number << 3 | 2,)) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes((*found, value))


@functools.cache
def _below() -> _LowerLayers:
    return _LowerLayers(encoder_arrays())
