"""Vectors of what raters wrote, kept from one page to the next: most of it was there a moment ago."""

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from aptone.models.text.built_in_embedder import load_static_vectors

Vector = npt.NDArray[np.float32]
MOST_KEPT = 50_000
"""Texts whose vectors are kept, of a kilobyte each; beyond that they are made anew."""

_kept: dict[str, Vector] = {}


def text_vectors(texts: Iterable[str]) -> Mapping[str, Vector]:
    """Each text to its vector; NaN throughout where nothing in it means anything."""
    wanted = list(dict.fromkeys(texts))
    found = {text: kept for text in wanted if (kept := _kept.get(text)) is not None}
    static = load_static_vectors()
    fresh = [text for text in wanted if text not in found]
    meant = [text for text in fresh if any(character.isalnum() for character in text) or static.units(text)]
    made: dict[str, Vector] = dict.fromkeys(fresh, np.full(static.size, np.nan, dtype=np.float32))
    if meant:
        made |= dict(zip(meant, static.embed(meant), strict=True))
    if len(_kept) + len(made) > MOST_KEPT:
        _kept.clear()
    _kept.update(made)
    return {**found, **made}
