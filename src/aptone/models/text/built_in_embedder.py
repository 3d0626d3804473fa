"""Built-in text embedder: English and Mandarin in one space, numpy only, no download.

Each unit of a text (a word, a piece of one, a run of Han characters) has a vector; a text's vector is their sum, at
length 1. Word order is lost with that, and most of what a "not" changes. A vector depends on its own text alone.
``weights/README.md`` describes the training.
"""

import asyncio
import functools
import io
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.messages import message
from aptone.models.about import About
from aptone.models.text.four_bits import Packed, unpack
from aptone.models.text.units import TextUnits
from aptone.models.text_embedder import Vectors, checked_texts
from aptone.types import signature

TEXTS_AT_ONCE = 256
LICENCE = "Apache-2.0"
FILE = "text_embedder.npz"


class StaticVectors:
    """Vectors of units, in four bits until they are looked up.

    Args:
        arrays: arrays that `recipes.text_embedder.run` writes.
    """

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
        """Return one row for each text, in their order; see `aptone.models.text_embedder.TextEmbedder`."""
        return await asyncio.to_thread(load_static_vectors().embed, checked_texts(texts))


def read_static_vectors(data: bytes) -> StaticVectors:
    """Read the vectors from the bytes of their file."""
    with np.load(io.BytesIO(data), allow_pickle=False) as opened:
        return StaticVectors({name: opened[name] for name in opened.files})


@functools.cache
def load_static_vectors() -> StaticVectors:
    """Load the built-in vectors, once."""
    return read_static_vectors((files("aptone.models") / "weights" / FILE).read_bytes())
