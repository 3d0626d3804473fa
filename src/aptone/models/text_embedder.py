"""Texts to vectors whose cosine says how near their meanings are."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.models.about import About
from aptone.types import Audio

Vectors = npt.NDArray[np.float32]
"""[texts, dimensions]"""


class TextEmbedder(Protocol):
    """Gives texts their places. It makes one call and does not try again, as `aptone.models.chat.Chat`."""

    @property
    def about(self) -> About:
        """What a user must know before it runs."""
        ...

    @property
    def signature(self) -> str:
        """Everything that a vector depends on besides the text; never a key."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in their order.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
        """
        ...


def checked_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Texts that have a meaning to be placed: an empty one has none, and a vector would be made up.

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


class StyleEmbedder(Protocol):
    """Gives clips and descriptions their places in one space, each a vector of length 1.

    A vector depends on its own clip or text alone: on no neighbour, batch size or order.
    """

    @property
    def about(self) -> About:
        """What a user must know before it runs."""
        ...

    @property
    def signature(self) -> str:
        """Everything that a vector depends on besides the clip or text."""
        ...

    @property
    def size(self) -> int:
        """How many numbers a vector has."""
        ...

    def embed_audio(self, clips: Sequence[Audio]) -> Vectors:
        """One row for each clip, in their order; NaN for a clip in which nothing can be heard.

        Raises:
            UsageError: if there is no clip.
        """
        ...

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """One row for each description, in their order; NaN for one of which nothing is understood.

        Raises:
            UsageError: if there is no text, or one of them is empty.
        """
        ...
