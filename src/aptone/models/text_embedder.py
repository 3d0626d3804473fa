"""Texts to vectors whose cosine says how near their meanings are."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from aptone.models.about import About

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
