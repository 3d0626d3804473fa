"""Voices and descriptions of voices to vectors in one space: the cosine says how well a voice fits a description."""

from collections.abc import Sequence
from typing import Protocol

from aptone.models.about import About
from aptone.models.text_embedder import Vectors
from aptone.types import Audio


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
