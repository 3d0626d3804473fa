"""One step of writing, recorded once on a GPU and replayed for every further token.

To write one token, a model of 28 layers starts a thousand small kernels, and the host takes longer to start them than
the GPU to run them. So a step works on tensors that stay where they are (`aptone.models.omni.fixed_cache`): ids and
positions that come in, regions and open spans of the sequences, logits that go out. After a few steps it is recorded,
and from then on the host starts it as a whole. Where regions go on and whether a query is active is found on the device
as well, so that nobody waits for an answer.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from aptone.models.omni.attention import Trace, following, row_of_padding
from aptone.models.omni.attention_kernels import unprepared
from aptone.models.omni.attention_regions import Markers, Region
from aptone.models.omni.fixed_cache import FixedCache

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
