"""Any OpenAI-compatible server as a text embedder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aptone.errors import TransientError, UsageError
from aptone.messages import labelled, message
from aptone.models.about import About
from aptone.models.openai.endpoint import ABOUT, Endpoint
from aptone.models.text_embedder import Vectors, checked_texts
from aptone.types import Json, signature


@dataclass(frozen=True, slots=True)
class OpenAiTextEmbedder:
    """A model behind ``/embeddings``.

    Args:
        endpoint: where it is.
        model: its name there.

    Raises:
        UsageError: if the model has no name.
    """

    endpoint: Endpoint
    model: str

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("which model embeds? Give the name that the server knows it by.")

    @property
    def about(self) -> About:
        """What it needs; text goes to the server."""
        return ABOUT

    @property
    def signature(self) -> str:
        """Model and server."""
        return signature("openai-compatible-embedder", {"model": self.model, "server": self.endpoint.base_url})

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in their order; see `aptone.models.text_embedder.TextEmbedder`."""
        asked = checked_texts(texts)
        data = await self.endpoint.post_json("embeddings", {"model": self.model, "input": asked})
        rows = data.get("data")
        listed = rows if isinstance(rows, Sequence) and not isinstance(rows, str) else ()
        by_index = {row.get("index"): row.get("embedding") for row in listed if isinstance(row, Mapping)}
        vectors = _vectors([by_index.get(index) for index in range(len(texts))])
        if vectors is None:
            problem = message("models.expected-vectors", count=len(texts))
            raise TransientError(labelled(self.endpoint.machine, problem))
        return vectors


def _vectors(rows: Sequence[Json]) -> Vectors | None:
    """The rows as one array, if they are vectors of one length that hold finite numbers only."""
    try:
        with np.errstate(over="ignore"):  # what does not fit becomes infinite and is refused below
            vectors = np.array(rows, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        return None
    return vectors if vectors.ndim == 2 and vectors.shape[1] > 0 and np.isfinite(vectors).all() else None
