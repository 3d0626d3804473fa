"""Turn the taught vectors into the one file of the built-in text embedder."""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from aptone.models.text.four_bits import pack


def embedder_bytes(
    vectors: npt.NDArray[np.float32], vocabulary: Sequence[str], *, about: Mapping[str, object]
) -> bytes:
    """The file's bytes: equal input gives equal bytes. It is not compressed: the wheel is.

    Args:
        vectors: of the units and of the buckets behind them.
        vocabulary: the units.
        about: what the file says about itself.
    """
    packed = pack(vectors)
    words = "\n".join(vocabulary).encode("utf-8")
    content = hashlib.sha256(packed.nibbles.tobytes() + packed.scales.tobytes() + words)
    told = {**about, "revision": content.hexdigest()[:12]}  # here and not when it is loaded, which takes longer so
    held = io.BytesIO()
    np.savez(
        held,
        about=np.frombuffer(json.dumps(told, sort_keys=True).encode("utf-8"), dtype=np.uint8),
        nibbles=packed.nibbles,
        scales=packed.scales,
        vocabulary=np.frombuffer(words, dtype=np.uint8),
    )
    return held.getvalue()
