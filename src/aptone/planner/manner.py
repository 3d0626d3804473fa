"""How a line is written, apart from its words: marks, capitals, drawn-out letters, length. Both languages."""

import math
import re
import unicodedata
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_DRAWN_OUT = re.compile(r"([a-z])\1\1|([\u3400-\u9fff])\2\2", re.IGNORECASE)
_FEATURES: tuple[Callable[[str, int], float], ...] = (
    lambda text, size: math.log1p(text.count("!")),
    lambda text, size: math.log1p(text.count("?")),
    lambda text, size: float("?" in text and "!" in text),
    lambda text, size: float(text.rstrip().endswith("?")),
    lambda text, size: float(text.rstrip().endswith("!")),
    lambda text, size: float("..." in text or "…" in text),
    lambda text, size: float(text.rstrip().endswith(("...", "-", "—"))),
    lambda text, size: math.log1p(len(_CAPITALS.findall(text))),
    lambda text, size: float(_DRAWN_OUT.search(text) is not None),
    lambda text, size: math.log1p(size) - 2.5,
    lambda text, size: float(size <= 2),
    lambda text, size: math.log1p(text.count(",")),
)
SIZE = len(_FEATURES)


def manner(text: str) -> npt.NDArray[np.float32]:
    """A dozen numbers about how a line is written.

    >>> float(manner("What?!")[2])
    1.0
    """
    plain = unicodedata.normalize("NFKC", text.replace("…", "..."))
    size = len(re.findall(r"[\u3400-\u9fff]|[^\W_]+", plain))
    return np.array([feature(plain, size) for feature in _FEATURES], dtype=np.float32)
