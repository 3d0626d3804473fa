"""Protocols of embedders: texts, and voices with their descriptions, to vectors."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.models.parts import Part
from aptone.types import Audio

Vectors = npt.NDArray[np.float32]
"""[texts, dimensions]"""


class TextEmbedder(Part, Protocol):
    """Text embedder: the cosine of two vectors is the similarity of meaning. One call, no retry, as `Chat`."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, in their order.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
        """
        ...


def checked_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Check that no text is empty: an empty one has no meaning that a vector could hold.

    >>> checked_texts(["calm", "平静"])
    ('calm', '平静')

    Raises:
        UsageError: if there is no text, or one of them is empty.
    """
    if isinstance(texts, str):
        raise UsageError("texts come as a list, got a single text.")
    if not texts:
        raise UsageError("there is nothing to embed: no text was given.")
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            raise UsageError(f"text {number} of {len(texts)} is empty: it has no meaning that a vector could hold.")
    return tuple(texts)


class StyleEmbedder(Part, Protocol):
    """Style embedder: clips and descriptions as vectors of length 1 in one space.

    A vector depends on its own clip or text alone, not on batch or order.
    """

    @property
    def size(self) -> int:
        """Dimension of the vectors."""
        ...

    def embed_audio(self, clips: Sequence[Audio]) -> Vectors:
        """Return one row for each clip, in their order; NaN for a clip in which nothing can be heard.

        Raises:
            UsageError: if there is no clip.
        """
        ...

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each description, in their order; NaN for one without a known word.

        Raises:
            UsageError: if there is no text, or one of them is empty.
        """
        ...
