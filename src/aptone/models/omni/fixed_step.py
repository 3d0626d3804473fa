"""Decoding step as a CUDA graph: recorded once, replayed for every further token; and its cache in fixed memory.

To write one token, a model of 28 layers starts a thousand small kernels, and the host takes longer to start them than
the GPU to run them. So a step works on tensors in fixed memory: ids and positions, keys and values, regions and open
spans of the sequences, logits. After a few steps it is recorded, and from then on the host starts it as a whole.
Regions and activity of a query are computed on the device as well, so that the host never waits.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from transformers.cache_utils import Cache, CacheLayerMixin

from aptone.models.omni.attention import Trace, following, row_of_padding
from aptone.models.omni.attention_kernels import unprepared
from aptone.models.omni.attention_layout import Markers, Region

STRIDE = 256
"""Positions by which a cache grows. Every growth costs a recording, and empty room is read in every step."""


@dataclass(slots=True)
class Extent:
    """Extent of the layers of a cache.

    Attributes:
        length: positions that are written, as the host counts them.
        room: capacity in positions.
        place: (1,), index of the next position; on the device, so that a recorded step can count on.
        is_stepping: true if positions are written at `place`.
    """

    length: int
    room: int
    place: Tensor
    is_stepping: bool = False


class FixedLayer(CacheLayerMixin):  # type: ignore[misc]
    """Keys and values of one layer, (rows, heads, room, width)."""

    is_sliding = False

    def __init__(self, extent: Extent) -> None:
        super().__init__()
        self._extent = extent
        self.keys: Tensor
        self.values: Tensor

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Allocate memory for states like these; zeros, since masked states must be finite.

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
        """Write states of the next positions; return all states that may be attended to.

        In a step the position is written at `Extent.place`, and the whole memory is returned; else positions are
        appended, and the written part is returned.
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
        """Grow to the capacity of the extent."""
        missing = (0, 0, 0, self._extent.room - self.keys.shape[2])
        self.keys = functional.pad(self.keys, missing)
        self.values = functional.pad(self.values, missing)

    def get_seq_length(self) -> int:
        """Return the number of positions that are written."""
        return self._extent.length

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Return the number of positions of a mask, and the first of them."""
        return self._extent.length + query_length, 0

    def get_max_length(self) -> int:
        """Return no limit: it grows."""
        return -1


Step = Callable[["FixedCache", Tensor, Tensor], Tensor]
"""Function from a cache, ids and positions of the newest tokens to the logits of the next."""


class FixedCache(Cache):  # type: ignore[misc]
    """Keys and values of all layers.

    Callers announce positions before a pass (`expect`), and confirm them after it (`advance`).

    Attributes:
        extent: extent of the layers.
        step: step that writes single tokens into it; None until it is made. A copy has none: a recording is bound to
            the memory of the original.
    """

    def __init__(self, layers: int, device: torch.device) -> None:
        self.extent = Extent(0, 0, torch.zeros(1, dtype=torch.long, device=device))
        self.step: Step | None = None
        super().__init__(layers=[FixedLayer(self.extent) for _ in range(layers)])

    def expect(self, positions: int) -> bool:
        """Make room for so many more positions; return true if the memory has moved."""
        needed = self.extent.length + positions
        if needed <= self.extent.room:
            return False
        self.extent.room = -(-needed // STRIDE) * STRIDE
        for layer in self.layers:
            if layer.is_initialized:
                layer.widen()
        return True

    def advance(self, positions: int) -> None:
        """Count positions that have been written."""
        self.extent.length += positions

    @contextlib.contextmanager
    def stepping(self) -> Iterator[None]:
        """Write positions at `Extent.place` within this context, and attend to the whole memory."""
        self.extent.is_stepping = True
        try:
            yield
        finally:
            self.extent.is_stepping = False

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "step": None}


UNRECORDED = 2
"""Steps before the recording: the first compiles the kernels. A recording pays off after a few steps."""


@functools.cache
def _stream(device: torch.device) -> torch.cuda.Stream:
    """Return the stream of recordings, one for each device; torch's own is on the device that first needed one."""
    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]


def _recorded(work: Callable[[], None], device: torch.device) -> Callable[[], None]:
    """Record work on a GPU and return its replay, on the same tensors; nothing is computed yet."""
    graph = torch.cuda.CUDAGraph()
    try:
        # Only what this thread does is watched: others may go on with other work.
        with torch.cuda.graph(graph, stream=_stream(device), capture_error_mode="thread_local"):
            work()
    except RuntimeError as error:
        error.add_note('A step could not be recorded; a model whose `writing` is "growing" writes without a recording.')
        raise
    return graph.replay


Recorder = Callable[[Callable[[], None], torch.device], Callable[[], None]]
RECORDERS: Mapping[str, Recorder] = {"cuda": _recorded}
"""Recorders by kind of device; elsewhere nothing is recorded."""


class FixedStep:
    """Decoding step: one token for each row.

    It holds no reference to the cache that holds it: else the memory of both would wait for the garbage collector.

    Args:
        real: (rows, positions), true where a written position is no padding; None where all are.
        trace: trace of the written positions; None for no bias.
        markers: token ids of spans and audio; None for no bias.
    """

    def __init__(
        self, model: Any, cache: FixedCache, *, real: Tensor | None, trace: Trace | None, markers: Markers | None
    ) -> None:
        self._model, self._markers = model, markers
        length, room = cache.extent.length, cache.extent.room
        keys = cache.layers[0].keys
        rows, device = keys.shape[0], keys.device
        cache.extent.place.fill_(length)
        self._ids = torch.zeros((rows, 1), dtype=torch.long, device=device)
        self._positions = torch.zeros((3, rows, 1), dtype=torch.long, device=device)
        written = torch.ones((rows, length), dtype=torch.bool, device=device) if real is None else real.bool()
        self._real = functional.pad(written, (0, room - length))
        self._trace: Trace | None = None
        if trace is not None:
            self._trace = Trace(_in_room(trace.regions, room), trace.active[:, -1:].clone(), trace.inside.clone())
        self._logits: Tensor | None = None
        self._replay: Callable[[], None] | None = None
        self._unrecorded = UNRECORDED

    def __call__(self, cache: FixedCache, ids: Tensor, positions: Tensor) -> Tensor:
        """Return the logits of the next token.

        Args:
            positions: positions of the newest token: (rows, 1); or (3 or 4, rows, 1), the last three are the axes.

        Returns:
            (rows, 1, words), valid until the next call.
        """
        if cache.expect(1):
            self._widen(cache.extent.room)
        self._ids.copy_(ids)
        self._positions.copy_(positions[-3:] if positions.ndim == 3 else positions)
        if self._replay is None and self._unrecorded <= 0 and ids.device.type in RECORDERS:
            self._replay = RECORDERS[ids.device.type](lambda: self._compute(cache), ids.device)
        if self._replay is not None:
            self._replay()
        else:
            self._compute(cache)
            self._unrecorded -= 1
        cache.advance(1)
        assert self._logits is not None
        return self._logits

    def _widen(self, room: int) -> None:
        """Follow the cache after its memory has moved; the recording is void."""
        self._replay = None
        self._unrecorded = max(1, self._unrecorded)  # kernels for the new size are made before they are recorded
        self._real = functional.pad(self._real, (0, room - self._real.shape[1]))
        if self._trace is not None:
            self._trace = Trace(_in_room(self._trace.regions, room), self._trace.active, self._trace.inside)

    def _compute(self, cache: FixedCache) -> None:
        """Compute the step, always on the same tensors."""
        place = cache.extent.place
        self._real.index_fill_(1, place, True)
        options: dict[str, Any] = {}
        if self._trace is not None and self._markers is not None:
            region, active, inside = following(self._trace.regions, self._trace.inside, self._ids, self._markers)
            self._trace.regions.index_copy_(1, place, region)
            self._trace.active.copy_(active)
            self._trace.inside.copy_(inside)
            options["trace"] = self._trace
        else:
            options["bias"] = row_of_padding(self._real, cache.layers[0].keys.dtype)
        with cache.stepping(), unprepared():
            states = self._model.get_decoder()(
                inputs_embeds=self._model.get_input_embeddings()(self._ids),
                attention_mask={"full_attention": self._real},
                position_ids=self._positions,
                past_key_values=cache,
                use_cache=True,
                **options,
            ).last_hidden_state
        self._logits = self._model.get_output_embeddings()(states)
        place.add_(1)


def _in_room(regions: Tensor, room: int) -> Tensor:
    return functional.pad(regions, (0, room - regions.shape[1]), value=int(Region.BASE))
