"""One step of writing, recorded once on a GPU and replayed for every further token.

To write one token, a model of 28 layers starts a thousand small kernels, and the host takes longer to start them than
the GPU to run them. So a step works on tensors that stay where they are (`aptone.models.omni.fixed_step`): ids and
positions that come in, regions and open spans of the sequences, logits that go out. After a few steps it is recorded,
and from then on the host starts it as a whole. Where regions go on and whether a query is active is found on the device
as well, so that nobody waits for an answer.
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
from aptone.models.omni.attention_regions import Markers, Region

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


UNRECORDED = 2
"""Steps before the recording: the first makes the kernels. A recording takes longer than a step, and pays in a few."""


@functools.cache
def _stream(device: torch.device) -> torch.cuda.Stream:
    """What is started on it is recorded. One for each device; torch's own is on the device that first needed one."""
    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]


def _recorded(work: Callable[[], None], device: torch.device) -> Callable[[], None]:
    """What does the same work again on a GPU, on the same tensors; nothing is done yet."""
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
"""How work is recorded, by kind of device; elsewhere it is not."""


class FixedStep:
    """Writes a token for each row, again and again.

    It does not hold the cache that holds it: else the memory of both would wait for the collector of cycles.

    Args:
        model: the thinker.
        cache: what has been written.
        real: (rows, positions), true where a position that is written is no padding; None where all are.
        trace: of what is written; None for no bias.
        markers: what opens, closes and sounds; None for no bias.
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
        """Logits of the next token.

        Args:
            cache: what has been written.
            ids: (rows, 1), of the newest token.
            positions: of the same: (rows, 1); or (3 or 4, rows, 1), of which the last three are the axes.

        Returns:
            (rows, 1, words), until the next call.
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
        """Follow the cache, which has moved: what is recorded is about memory that is gone."""
        self._replay = None
        self._unrecorded = max(1, self._unrecorded)  # kernels for the new size are made before they are recorded
        self._real = functional.pad(self._real, (0, room - self._real.shape[1]))
        if self._trace is not None:
            self._trace = Trace(_in_room(self._trace.regions, room), self._trace.active, self._trace.inside)

    def _compute(self, cache: FixedCache) -> None:
        """The step itself: whenever it runs, it works on the same tensors."""
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
