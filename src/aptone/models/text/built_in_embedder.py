"""Built-in text embedder: English and Mandarin in one space, numpy only, no download.

Each unit of a text (a word, a piece of one, a run of Han characters) has a vector; a text's vector is their sum, at
length 1. Word order is lost with that, and most of what a "not" changes. A vector depends on its own text alone.
``weights/README.md`` describes the training.

So that vectors fit into the wheel, matrices are quantised to 4 bits (`pack`): each row is cut into groups of 32 numbers
that share a scale in half precision, 4.5 bits a number. All arithmetic is in single precision after unpacking.
"""

import asyncio
import functools
import io
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.messages import message
from aptone.models.parts import About, Vectors, checked_texts
from aptone.models.text.units import TextUnits
from aptone.types import signature

GROUP = 32
HIGHEST = 7
SHRINKINGS = tuple(float(share) for share in np.linspace(0.7, 1.0, 13))
"""Scales that are tried for a group, as shares of the one at which nothing is clipped."""

Floats = npt.NDArray[np.float32]


class Packed(NamedTuple):
    """Matrix of ``[rows, columns]`` in four bits.

    Args:
        nibbles: ``[rows, columns / 2]``, two numbers a byte, the first in the lower half.
        scales: ``[rows, columns / 32]``.
    """

    nibbles: npt.NDArray[np.uint8]
    scales: npt.NDArray[np.float16]


def pack(matrix: npt.ArrayLike) -> Packed:
    """Quantise a matrix to four bits, each group with the scale of the least squared error.

    Raises:
        ValueError: if the matrix does not consist of whole groups.
    """
    wide = np.asarray(matrix, dtype=np.float32)
    if wide.ndim != 2 or wide.shape[1] % GROUP:
        raise ValueError(f"a matrix whose columns are a multiple of {GROUP} is packed, got the shape {wide.shape}.")
    groups = wide.reshape(len(wide), -1, GROUP)
    full = np.maximum(np.abs(groups).max(axis=2), 1e-6) / HIGHEST
    best_scale = np.zeros_like(full)
    best_error = np.full_like(full, np.inf)
    for share in SHRINKINGS:
        scale = (full * share).astype(np.float16).astype(np.float32)
        error = np.square(_whole(groups, scale) * scale[..., np.newaxis] - groups).sum(axis=2)
        better = error < best_error
        best_error = np.where(better, error, best_error)
        best_scale = np.where(better, scale, best_scale)
    whole = (_whole(groups, best_scale) + 8).astype(np.uint8).reshape(wide.shape)
    nibbles = np.bitwise_or(whole[:, 0::2], np.left_shift(whole[:, 1::2], np.uint8(4)))
    return Packed(nibbles.astype(np.uint8), best_scale.astype(np.float16))


def unpack(packed: Packed) -> Floats:
    """Return the matrix that was packed, up to the error of quantisation.

    >>> ramp = np.arange(-16, 16, dtype=np.float32)[np.newaxis] / 16
    >>> bool(np.abs(unpack(pack(ramp)) - ramp).max() < 0.15)
    True
    """
    rows, half = packed.nibbles.shape
    whole = np.empty((rows, 2 * half), dtype=np.float32)
    whole[:, 0::2] = packed.nibbles & 15
    whole[:, 1::2] = packed.nibbles >> 4
    groups = (whole - 8).reshape(rows, -1, GROUP) * packed.scales.astype(np.float32)[..., np.newaxis]
    matrix: Floats = groups.reshape(rows, 2 * half)
    return matrix


def _whole(groups: Floats, scale: Floats) -> Floats:
    steps = groups / np.maximum(scale, 1e-8)[..., np.newaxis]
    rounded: Floats = np.clip(np.rint(steps), -HIGHEST, HIGHEST).astype(np.float32)
    return rounded


TEXTS_AT_ONCE = 256
LICENCE = "Apache-2.0"
FILE = "text_embedder.npz"


class StaticVectors:
    """Vectors of units, from the arrays of `recipes.text_embedder.run`, in four bits until they are looked up."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.about: Mapping[str, Any] = json.loads(bytes(arrays["about"]))
        self._packed = Packed(arrays["nibbles"], arrays["scales"])
        vocabulary = bytes(arrays["vocabulary"]).decode("utf-8").split("\n")
        self._units = TextUnits(vocabulary, buckets=len(self._packed.nibbles) - len(vocabulary))

    @property
    def revision(self) -> str:
        """Checksum of the weights when they were written."""
        return str(self.about["revision"])

    @property
    def size(self) -> int:
        """Dimension of the vectors."""
        return 2 * int(self._packed.nibbles.shape[1])

    def units(self, text: str) -> list[int]:
        """Return the numbers of a text's units, in order; empty only for spaces and accents."""
        return self._units.numbers(text)

    def words(self, text: str) -> Iterator[tuple[int, ...]]:
        """Yield the units of each word of a text, without punctuation; a unit of Han characters is a word."""
        return self._units.words(text)

    def unit_vectors(self, numbers: Sequence[int] | npt.NDArray[np.int64]) -> Vectors:
        """Return the vectors of units, in order: [units, size]. Their length is the weight of a unit in a text."""
        rows = np.asarray(numbers, dtype=np.int64)
        return unpack(Packed(self._packed.nibbles[rows], self._packed.scales[rows]))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 for each text.

        Raises:
            UsageError: if a text holds nothing that could have a meaning.
        """
        vectors = np.empty((len(texts), self.size), dtype=np.float32)
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            numbers = [self.units(text) for text in texts[start : start + TEXTS_AT_ONCE]]
            for place, found in enumerate(numbers, start=start):
                if not found:
                    raise UsageError(f"text {place + 1} holds no letters or marks, so it has no meaning to place.")
            vectors[start : start + len(numbers)] = self._sums(numbers)
        length = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
        unit: Vectors = vectors / np.maximum(length, np.float32(1e-12))
        return unit

    def _sums(self, numbers: Sequence[Sequence[int]]) -> Vectors:
        every = np.fromiter(itertools.chain.from_iterable(numbers), dtype=np.int64)
        rows, places = np.unique(every, return_inverse=True)
        table = self.unit_vectors(rows)
        starts = np.cumsum([0, *map(len, numbers[:-1])])
        sums: Vectors = np.add.reduceat(table[places], starts, axis=0)
        return sums


class BuiltInTextEmbedder:
    """Text embedder of English and Mandarin that comes with Aptone; nothing to install."""

    about = About(licence=message("models.licence-text-embedder", licence=LICENCE))

    @property
    def signature(self) -> str:
        """Revision of the weights."""
        return signature("built-in-text-embedder", {"weights": load_static_vectors().revision})

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, in their order; see `aptone.models.parts.TextEmbedder`."""
        return await asyncio.to_thread(load_static_vectors().embed, checked_texts(texts))


def read_static_vectors(data: bytes) -> StaticVectors:
    """Read the vectors from the bytes of their file."""
    with np.load(io.BytesIO(data), allow_pickle=False) as opened:
        return StaticVectors({name: opened[name] for name in opened.files})


@functools.cache
def load_static_vectors() -> StaticVectors:
    """Load the built-in vectors, once."""
    return read_static_vectors((files("aptone.models") / "weights" / FILE).read_bytes())
