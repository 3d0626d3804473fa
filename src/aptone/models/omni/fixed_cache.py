"""A cache of keys and values whose tensors keep their place and size for many steps of writing.

The stock cache makes new tensors with every token. Here there is room for the next ones: a step writes into the same
memory as the one before, so that it can be recorded once and replayed (`aptone.models.omni.fixed_step`). Attention
then sees all of the room, and a mask hides what is not written yet.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from transformers.cache_utils import Cache, CacheLayerMixin

STRIDE = 256
"""Positions by which room grows. Every growth costs a recording, and empty room is read in every step."""


@dataclass(slots=True)
class Extent:
    """How far the layers of a cache are written.

    Attributes:
        length: positions that are written, as the host counts them.
        room: positions that there is room for.
        place: (1,), where the next position goes; on the device, so that a recorded step can count on.
        is_stepping: whether positions go where `place` says.
    """

    length: int
    room: int
    place: Tensor
    is_stepping: bool = False


class FixedLayer(CacheLayerMixin):  # type: ignore[misc]
    """Keys and values of one layer, (rows, heads, room, width).

    Args:
        extent: that all layers share.
    """

    is_sliding = False

    def __init__(self, extent: Extent) -> None:
        super().__init__()
        self._extent = extent
        self.keys: Tensor
        self.values: Tensor

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Take room for states like these; zeros, since what is hidden must still be a number.

        Values get the precision of keys, as in the stock cache: with autocast they come in less than keys do.
        """
        self.keys, self.values = (
            key_states.new_zeros((*states.shape[:2], self._extent.room, states.shape[3]))
            for states in (key_states, value_states)
        )
        self.is_initialized = True

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: object, **kwargs: object
    ) -> tuple[Tensor, Tensor]:
        """Write states of the next positions; all states that may be looked at.

        In a step the position goes where the device says, and the whole room comes back; else positions go behind what
        the host has counted, and what is written comes back.
        """
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        value_states = value_states.to(self.values.dtype)
        if self._extent.is_stepping:
            self.keys.index_copy_(2, self._extent.place, key_states)
            self.values.index_copy_(2, self._extent.place, value_states)
            return self.keys, self.values
        begin, end = self._extent.length, self._extent.length + key_states.shape[2]
        self.keys[:, :, begin:end] = key_states
        self.values[:, :, begin:end] = value_states
        return (key_states, value_states) if begin == 0 else (self.keys[:, :, :end], self.values[:, :, :end])

    def widen(self) -> None:
        """Have the room that the extent says."""
        missing = (0, 0, 0, self._extent.room - self.keys.shape[2])
        self.keys = functional.pad(self.keys, missing)
        self.values = functional.pad(self.values, missing)

    def get_seq_length(self) -> int:
        """Positions that are written."""
        return self._extent.length

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Positions that a mask is about, and the first of them."""
        return self._extent.length + query_length, 0

    def get_max_length(self) -> int:
        """No most: it grows."""
        return -1


Step = Callable[["FixedCache", Tensor, Tensor], Tensor]
"""Takes a cache, ids and positions of the newest tokens, and gives the logits of the next."""


class FixedCache(Cache):  # type: ignore[misc]
    """Keys and values of all layers.

    Whoever runs the model says before a pass how many positions come (`expect`), and behind it that they are written
    (`advance`).

    Args:
        layers: how many there are.
        device: of the model.

    Attributes:
        extent: how far the layers are written.
        step: what writes single tokens into it, as long as the model stays as it is; None until positions are written
            in another way. A copy has none: a recording is about the memory of the original.
    """

    def __init__(self, layers: int, device: torch.device) -> None:
        self.extent = Extent(0, 0, torch.zeros(1, dtype=torch.long, device=device))
        self.step: Step | None = None
        super().__init__(layers=[FixedLayer(self.extent) for _ in range(layers)])

    def expect(self, positions: int) -> bool:
        """Have room for so many more positions; whether anything had to move."""
        needed = self.extent.length + positions
        if needed <= self.extent.room:
            return False
        self.extent.room = -(-needed // STRIDE) * STRIDE
        for layer in self.layers:
            if layer.is_initialized:
                layer.widen()
        return True

    def advance(self, positions: int) -> None:
        """So many positions have been written."""
        self.extent.length += positions

    @contextlib.contextmanager
    def stepping(self) -> Iterator[None]:
        """Within it, a position is written where the device says, and the whole room is looked at."""
        self.extent.is_stepping = True
        try:
            yield
        finally:
            self.extent.is_stepping = False

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "step": None}
