"""The adaptive audio attention bias: while a judge writes what it hears, attention is led to the audio.

CEAEval (section 3.3.4, appendix F) multiplies attention by a factor B and norms it again. Since
norm(softmax(z) ⊙ B) = softmax(z + log B), the bias is something that is added to the scores before the softmax.
B depends on

- whether the query is *active*: it lies behind an opening token such as ``<score>``, up to and including the closing
  one. Queries that are not active have a factor of 1 everywhere;
- the *region* of the key: instruction, audio, or the rest;
- three gates of the layer, one for each region, read from its input.

What is here is the form of the public release. Markers say which tokens open, close and sound, so that other forms
differ in data, not in code. `biased_attention` is the one place where attention is computed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

GatePosition = Literal["query", "key"]
"""Where gates are read: at the position that attends (the paper), or at the one that is attended to (the release)."""


class Region(IntEnum):
    """What a key belongs to: the column of its gate."""

    INSTRUCTION = 0
    """Everything before the first audio token."""
    AUDIO = 1
    REST = 2


@dataclass(frozen=True, slots=True)
class Markers:
    """Token ids by which regions and active spans are found.

    Args:
        audio: ids of the audio region.
        spans: pairs of an opening and a closing id. The positions behind an opening one are active, up to and including
            the closing one; a span that is never closed runs to the end. Spans of different pairs may overlap.
    """

    audio: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """What is known of sequences so far; a row for each sequence.

    Args:
        regions: (batch, positions), `Region` of every position.
        active: (batch, positions), whether attention is biased where that position is the query.
        inside: (batch, spans), whether a span of each pair is open behind the last position.
    """

    regions: Tensor
    active: Tensor
    inside: Tensor

    def to(self, device: torch.device) -> "Trace":
        """The same on another device."""
        return Trace(self.regions.to(device), self.active.to(device), self.inside.to(device))


def extend(before: Trace | None, ids: Tensor, markers: Markers) -> Trace:
    """The trace of sequences that have grown.

    Args:
        before: the trace of what came before; None at the beginning.
        ids: (batch, positions), token ids of the new positions.
        markers: what opens, closes and sounds.
    """
    rows = ids.shape[0]
    inside = ids.new_zeros((rows, len(markers.spans)), dtype=torch.bool) if before is None else before.inside
    ends = [_inside_after(ids, *pair, begun=inside[:, [kind]]) for kind, pair in enumerate(markers.spans)]
    behind = torch.stack([torch.cat([inside[:, [kind]], end], dim=1) for kind, end in enumerate(ends)], dim=-1)
    heard = None if before is None else (before.regions == Region.AUDIO).any(dim=1, keepdim=True)
    regions, active = _regions(ids, markers.audio, heard=heard), behind[:, :-1].any(dim=-1)
    if before is not None:
        regions = torch.cat([before.regions, regions], dim=1)
        active = torch.cat([before.active, active], dim=1)
    return Trace(regions, active, inside=behind[:, -1])


def _inside_after(ids: Tensor, opening: int, closing: int, *, begun: Tensor) -> Tensor:
    """Whether a span is open behind each position: the last of its two tokens decides."""
    places = torch.arange(1, ids.shape[1] + 1, device=ids.device)
    last_opening, last_closing = ((places * (ids == token)).cummax(dim=1).values for token in (opening, closing))
    return torch.where((last_opening == 0) & (last_closing == 0), begun, last_opening > last_closing)


def _regions(ids: Tensor, audio: Sequence[int], *, heard: Tensor | None) -> Tensor:
    sounds = torch.isin(ids, torch.tensor(audio, device=ids.device))
    begun = sounds.cumsum(dim=1) > 0
    if heard is not None:
        begun |= heard
    return torch.where(begun, int(Region.REST), int(Region.INSTRUCTION)).masked_fill(sounds, int(Region.AUDIO))


class Tracker:
    """Traces sequences that grow while a model writes; what has been traced is not traced again.

    Args:
        markers: what opens, closes and sounds.
    """

    def __init__(self, markers: Markers) -> None:
        self._markers = markers
        self._ids: Tensor | None = None
        self._trace: Trace | None = None

    def __call__(self, ids: Tensor) -> Trace:
        """The trace of whole sequences, (batch, positions).

        Those that do not go on from the sequences of the last call are traced from their beginning.
        """
        known = 0 if self._ids is None else self._ids.shape[1]
        goes_on = (
            self._ids is not None
            and known < ids.shape[1]
            and self._ids.shape[0] == ids.shape[0]
            and torch.equal(ids[:, :known], self._ids)
        )
        before, begin = (self._trace, known) if goes_on else (None, 0)
        self._trace = extend(before, ids[:, begin:], self._markers)
        self._ids = ids.clone()
        return self._trace


def log_gates(instruction: Tensor, focus: Tensor, suppression: Tensor) -> Tensor:
    """Logarithms of the gates, from what the three projections of a layer give.

    With s(x) = 1 / (1 + exp(-x)): instruction 2·s, audio 1 + s, the rest s.

    Args:
        instruction, focus, suppression: (batch, positions, 1).

    Returns:
        (batch, positions, regions) in 32 bits, in the order of `Region`.
    """
    instruction, focus, suppression = (gate.float() for gate in (instruction, focus, suppression))
    columns = (
        functional.logsigmoid(instruction) + math.log(2.0),
        torch.log1p(torch.sigmoid(focus)),
        functional.logsigmoid(suppression),
    )
    return torch.cat(columns, dim=-1)


@dataclass(frozen=True, slots=True)
class Bias:
    """The bias of one layer.

    Args:
        trace: of all positions so far.
        gates: (batch, queries, regions), `log_gates` at the newest positions, which are the queries.
        position: where gates are read. With ``key`` that is the release: at the key on a whole sequence; at the query
            when there are earlier positions, since it has no gates of those.
    """

    trace: Trace
    gates: Tensor
    position: GatePosition = "query"

    def log_factors(self) -> Tensor:
        """(batch, queries, keys), the logarithm of B."""
        regions, queries = self.trace.regions, self.gates.shape[1]
        keys = regions.shape[1]
        active = self.trace.active[:, keys - queries :]
        if self.position == "key" and keys == queries:
            factors = self.gates.gather(2, regions[:, :, None])[:, None, :, 0]
        else:
            factors = self.gates.gather(2, regions[:, None, :].expand(-1, queries, -1))
        return torch.where(active[:, :, None], factors, 0.0)


def biased_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    bias: Bias,
    mask: Tensor | None,
    scaling: float,
    dropout: float = 0.0,
) -> Tensor:
    """Attention with the bias: softmax(scaling · q kᵀ + log B) v.

    Args:
        query: (batch, heads, queries, width).
        key, value: (batch, key heads, keys, width); each serves the same number of query heads.
        bias: what is added.
        mask: (batch or 1, 1, queries, keys), true where a query may look; None where it may look at all before it.
        scaling: of the scores.
        dropout: share of attention that is dropped.

    Returns:
        (batch, heads, queries, width).
    """
    queries, keys = query.shape[2], key.shape[2]
    if mask is None:
        mask = torch.ones(queries, keys, dtype=torch.bool, device=query.device).tril(keys - queries)
    # The lowest number and not -inf: a padded row may look nowhere, and must not become undefined.
    lowest = torch.finfo(query.dtype).min
    added = torch.where(mask, bias.log_factors()[:, None].to(query.dtype), lowest)
    groups = query.shape[1] // key.shape[1]
    return functional.scaled_dot_product_attention(
        query,
        key.repeat_interleave(groups, dim=1),
        value.repeat_interleave(groups, dim=1),
        attn_mask=added,
        dropout_p=dropout,
        scale=scaling,
    )
