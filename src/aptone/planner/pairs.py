"""Two texts as one input of the encoder's layers, for small models of other tasks that bring layers of their own.

Such a model shares the encoder's pieces, their embeddings and those of the positions, nothing else; `input_revision`
is what it has to name.
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aptone.models.text.built_in_embedder import Floats
from aptone.planner.encoder import BEGIN, CLOSE, END, MARKS, OPEN, load_encoder
from aptone.types import Language

LONGEST_FIRST, LONGEST_SECOND = 96, 152
"""Most pieces of the first and of the second text; the middle of a longer one is left out."""


class Pair(NamedTuple):
    """Two texts that are read together.

    Args:
        embedded: input of the layers for every piece: [pieces, width].
        inside: 1 for the pieces of the second text, else 0.
        opened: index of the mark between the two texts.
    """

    embedded: Floats
    inside: Floats
    opened: int


def read_pair(first: str, second: str, language: Language) -> Pair:
    """Return two texts as one input, such as a question and its answer: the second has the place of a target."""
    before, target = pieces_of_pair(first, second, language)
    begin, opened, closed, end = (MARKS.index(mark) for mark in (BEGIN, OPEN, CLOSE, END))
    numbers = [begin, *before, opened, *target, closed, end]
    inside = np.zeros(len(numbers), dtype=np.float32)
    inside[len(before) + 2 : len(numbers) - 2] = 1.0
    encoder = load_encoder(language)
    return Pair(encoder.placed(encoder.embedded(numbers), inside), inside, 1 + len(before))


def pieces_of_pair(first: str, second: str, language: Language) -> tuple[list[int], list[int]]:
    """Return the numbers of the pieces of two texts, each as far as it is read."""
    cut = load_encoder(language).pieces.cut
    return (
        shortened([piece.number for piece in cut(first)], LONGEST_FIRST),
        shortened([piece.number for piece in cut(second)], LONGEST_SECOND),
    )


def shortened(pieces: Sequence[int], longest: int) -> list[int]:
    """Return the beginning and the end of a text that is too long, two thirds of them its beginning.

    >>> shortened([1, 2, 3, 4, 5, 6, 7], 6)
    [1, 2, 3, 4, 6, 7]
    """
    if len(pieces) <= longest:
        return list(pieces)
    last = longest // 3
    return [*pieces[: longest - last], *pieces[len(pieces) - last :]]


def input_revision(language: Language) -> str:
    """Return the identity of what a pair is made with: pieces, their embeddings, and those of positions and target."""
    encoder = load_encoder(language)
    size = len(encoder.vocabulary)
    digest = hashlib.sha256("\n".join(encoder.vocabulary).encode())
    digest.update(np.ascontiguousarray(encoder.embedded(range(size)), dtype=np.float32).tobytes())
    for inside in (0.0, 1.0):
        nothing = np.zeros((LONGEST_FIRST + LONGEST_SECOND + 4, encoder.width), dtype=np.float32)
        digest.update(encoder.placed(nothing, np.full(len(nothing), inside, dtype=np.float32)).tobytes())
    return digest.hexdigest()[:12]
