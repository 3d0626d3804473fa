"""Rows of an index by the built-in model: the vector of a clip, and behind it the log odds that evidence rests on.

With them a search grades every clip without hearing it again, and "not angry" finds clips in which anger is ruled out.
"""

from collections.abc import Sequence

import numpy as np

from aptone.models import About
from aptone.models.parts import Vectors
from aptone.rooms.style.embedding.built_in import BuiltInStyleEmbedder
from aptone.rooms.style.evidence.odds import VALUES, evidence_signature, load_calibration
from aptone.types import Audio


class IndexedRows:
    """The built-in embedder, with the log odds of every value behind the numbers of a vector."""

    def __init__(self, embedder: BuiltInStyleEmbedder) -> None:
        self._embedder = embedder

    @property
    def about(self) -> About:
        """Those of the embedder."""
        return self._embedder.about

    @property
    def signature(self) -> str:
        """The embedder, its references, and the evidence."""
        return f"{self._embedder.signature}|evidence:{evidence_signature()}"

    @property
    def size(self) -> int:
        """Numbers in a row."""
        return self._embedder.size + len(VALUES)

    def embed_audio(self, clips: Sequence[Audio]) -> Vectors:
        """One row for each clip; a clip without a voice is NaN throughout."""
        rows = []
        for heard in self._embedder.hear(clips):
            odds = load_calibration().log_odds(heard) if heard.emotion else np.full(len(VALUES), np.nan)
            rows.append(np.concatenate([self._embedder.embed_perception(heard), odds.astype(np.float32)]))
        return np.stack(rows)

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Vectors of descriptions, without anything behind them."""
        return self._embedder.embed_texts(texts)
