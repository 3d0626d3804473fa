"""From the vectors of the lines of a window to what the last of them should sound like, in numpy.

Every line becomes a hidden vector. The target's hidden vector asks those of the lines before it (attention with four
heads, a learned bias for each distance and for whether the same role speaks, and an empty slot for "nothing there
matters"). The target, what was found, and the line just before feed one hidden layer and the heads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.models.four_bits import Floats

HEADS = 4
LONGEST_CONTEXT = 15
SAME, OTHER = 0, 1
"""Whether the role of a line before the target is the target's."""


@dataclass(frozen=True, slots=True)
class ContextNetwork:
    """The weights; matrices as [outputs, inputs].

    Args:
        query, key, value: of the attention, [hidden, hidden].
        nearness: [heads, 2, 15], added to a line's match by whether its role is the target's and by its distance.
        nothing: [heads], the match of the empty slot.
        found: [hidden, hidden], of what the attention found.
        joined: [hidden, 3 * hidden] of target, found, line before.
        joined_bias: [hidden].
        heads: by name, weights and bias in the last column.
    """

    query: Floats
    key: Floats
    value: Floats
    nearness: Floats
    nothing: Floats
    found: Floats
    joined: Floats
    joined_bias: Floats
    heads: Mapping[str, Floats]

    def answers(self, target: Floats, context: Floats, relations: Sequence[int]) -> dict[str, Floats]:
        """The numbers of every head.

        Args:
            target: hidden vector of the target line.
            context: [lines, hidden] of the lines before it, the nearest last; of more than 15 the nearest count.
            relations: `SAME` or `OTHER`, one for each of them.
        """
        near = context[::-1][:LONGEST_CONTEXT]
        kinds = np.array(relations[::-1][:LONGEST_CONTEXT], dtype=np.int64)
        width = target.size // HEADS
        query = (self.query @ target).reshape(HEADS, width)
        keys = (near @ self.key.T).reshape(-1, HEADS, width)
        values = (near @ self.value.T).reshape(-1, HEADS, width)
        match = np.einsum("hw,lhw->hl", query, keys) / np.float32(np.sqrt(width))
        match = match + self.nearness[:, kinds, np.arange(len(near))]
        match = np.concatenate([self.nothing[:, np.newaxis], match], axis=1)
        weights = np.exp(match - match.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        seen = np.einsum("hl,lhw->hw", weights[:, 1:], values).reshape(-1)
        before = near[0] if len(near) else np.zeros_like(target)
        everything = np.concatenate([target, self.found @ seen, before])
        hidden = rectified(self.joined @ everything + self.joined_bias) + target
        return {name: head[:, :-1] @ hidden + head[:, -1] for name, head in self.heads.items()}


def rectified(values: Floats) -> Floats:
    """The positive part."""
    positive: Floats = np.maximum(values, np.float32(0.0))
    return positive


def network_from(arrays: Mapping[str, npt.NDArray[Any]]) -> ContextNetwork:
    """The network in arrays named ``network.query``, …, ``network.head.NAME``."""
    plain = {name: np.asarray(arrays[f"network.{name}"], dtype=np.float32) for name in _MATRICES}
    heads = {
        name.removeprefix("network.head."): np.asarray(value, dtype=np.float32)
        for name, value in arrays.items()
        if name.startswith("network.head.")
    }
    return ContextNetwork(**plain, heads=heads)


_MATRICES = ("query", "key", "value", "nearness", "nothing", "found", "joined", "joined_bias")
