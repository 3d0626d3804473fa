"""Adaptive audio attention bias: while a judge writes what it hears, attention is led to the audio.

CEAEval (section 3.3.4, appendix F) multiplies attention by a factor B and normalises it again. Since
norm(softmax(z) ⊙ B) = softmax(z + log B), the bias is added to the scores before the softmax. B depends on

- whether the query is *active*: it lies behind an opening token such as ``<score>``, up to and including the closing
  one. Queries that are not active have a factor of 1 everywhere;
- the *region* of the key: instruction, audio, the rest, or a base whose factor is always 1;
- three gates of the layer, one for each of the first three regions, read from its input.

The paper's form and that of the public release differ in `Markers`, in data and not in code. `biased_attention`
computes attention; nothing in it ever holds a number for each pair of positions:

- a single query, as in decoding, has one row of numbers to add (`one_query_attention`);
- whole sequences are computed in pieces, region by region, and merged (`aptone.models.omni.attention_pieces`);
- where pieces cannot be used, or there would be very many, the bias goes into a few more dimensions of queries and
  keys (`attend_with_columns`).
"""

import functools
import math
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn import functional

from aptone.models.omni.attention_layout import Layout, Markers, Region, lay_out
from aptone.models.omni.attention_pieces import attend_in_pieces, is_worth_pieces

GatePosition = Literal["query", "key"]
"""Position that gates are read at: the one that attends (the paper), or the one that is attended to (the release)."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Regions and active spans of sequences so far; a row for each sequence.

    Args:
        regions: (batch, positions), `Region` of every position.
        active: (batch, positions), true if attention is biased where that position is the query.
        inside: (batch, pairs), true if a pair of `Markers.pairs` is open behind the last position.
    """

    regions: Tensor
    active: Tensor
    inside: Tensor

    def to(self, device: torch.device) -> "Trace":
        """Return the trace on another device."""
        if self.regions.device == device:
            return self
        return Trace(self.regions.to(device), self.active.to(device), self.inside.to(device))


def extend(before: Trace | None, ids: Tensor, markers: Markers) -> Trace:
    """Return the trace of sequences that have grown.

    Args:
        before: trace of the earlier positions; None at the beginning.
        ids: (batch, positions), token ids of the new positions.
    """
    if before is not None and ids.shape[1] == 1:  # in few steps: decoding waits for it at every token
        region, active, inside = following(before.regions, before.inside, ids, markers)
        return Trace(torch.cat([before.regions, region], dim=1), torch.cat([before.active, active], dim=1), inside)
    rows = ids.shape[0]
    inside = ids.new_zeros((rows, len(markers.pairs)), dtype=torch.bool) if before is None else before.inside
    ends = [_inside_after(ids, *pair, begun=inside[:, [kind]]) for kind, pair in enumerate(markers.pairs)]
    behind = torch.stack([torch.cat([inside[:, [kind]], end], dim=1) for kind, end in enumerate(ends)], dim=-1)
    sounds = torch.isin(ids, torch.tensor(markers.audio, device=ids.device))
    heard = sounds.cumsum(dim=1) > 0
    if before is not None:
        heard |= (before.regions == Region.AUDIO).any(dim=1, keepdim=True)
    regions = _regions(ids, markers, sounds=sounds, heard=heard, reasoning=behind[:, :-1, -1])
    active = behind[:, :-1, : len(markers.spans)].any(dim=-1)
    if before is not None:
        regions = torch.cat([before.regions, regions], dim=1)
        active = torch.cat([before.active, active], dim=1)
    return Trace(regions, active, inside=behind[:, -1])


def following(regions: Tensor, inside: Tensor, ids: Tensor, markers: Markers) -> tuple[Tensor, Tensor, Tensor]:
    """Return region, activity and open pairs of one more position, without a synchronisation of the device.

    Args:
        regions: (batch, positions) so far; `Region.BASE` may stand for positions that are not there.
        inside: (batch, pairs), true if a pair is open behind them.
        ids: (batch, 1), token ids of the new position.

    Returns:
        (batch, 1), its region; (batch, 1), true if it is active; (batch, pairs), pairs that are open behind it.
    """
    opening, closing, audio = _marker_ids(markers, ids.device)
    sounds = (ids == audio).any(dim=1, keepdim=True)
    heard = (regions == Region.AUDIO).any(dim=1, keepdim=True)
    region = _regions(ids, markers, sounds=sounds, heard=heard, reasoning=inside[:, -1:])
    active = inside[:, : len(markers.spans)].any(dim=1, keepdim=True)
    return region, active, (inside | (ids == opening)) & (ids != closing)


@functools.cache
def _marker_ids(markers: Markers, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Return opening and closing ids of all pairs, and those of the audio, cached on the device.

    A recorded step reads them from their memory, so that none is ever freed.
    """
    opening, closing = (torch.tensor(ends, device=device) for ends in zip(*markers.pairs, strict=True))
    return opening, closing, torch.tensor(markers.audio, device=device)


def _inside_after(ids: Tensor, opening: int, closing: int, *, begun: Tensor) -> Tensor:
    """Return true where a span is open behind a position: the last of its two tokens decides."""
    places = torch.arange(1, ids.shape[1] + 1, device=ids.device)
    last_opening, last_closing = ((places * (ids == token)).cummax(dim=1).values for token in (opening, closing))
    return torch.where((last_opening == 0) & (last_closing == 0), begun, last_opening > last_closing)


def _regions(ids: Tensor, markers: Markers, *, sounds: Tensor, heard: Tensor, reasoning: Tensor) -> Tensor:
    """Return regions, from where it sounds, where a sound came before, and where the last pair of markers is open."""
    region = torch.full_like(ids, int(Region.REST if markers.reasoning is None else Region.BASE))
    if markers.reasoning is not None:
        region = region.masked_fill(reasoning | (ids == markers.reasoning[0]), int(Region.REST))
    return torch.where(heard, region, int(Region.INSTRUCTION)).masked_fill(sounds, int(Region.AUDIO))


class Tracker:
    """Incremental trace of sequences that grow while a model writes."""

    def __init__(self, markers: Markers) -> None:
        self._markers = markers
        self._ids: Tensor | None = None
        self._trace: Trace | None = None

    def __call__(self, ids: Tensor) -> Trace:
        """Return the trace of whole sequences, (batch, positions).

        Sequences that do not extend those of the last call are traced from their beginning.
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
    """Return the logarithms of the gates, from the outputs of the three projections of a layer.

    With s(x) = 1 / (1 + exp(-x)): instruction 2·s, audio 1 + s, the rest s.

    Args:
        instruction, focus, suppression: (batch, positions, 1).

    Returns:
        (batch, positions, 3) in 32 bits or more, in the order of `Region`.
    """
    instruction, focus, suppression = (
        gate if gate.dtype == torch.float64 else gate.float() for gate in (instruction, focus, suppression)
    )
    columns = (
        math.log(2.0)
        - functional.softplus(-instruction),  # log s(x); ONNX has it in this form, exact for large numbers
        torch.log1p(torch.sigmoid(focus)),
        -functional.softplus(-suppression),
    )
    return torch.cat(columns, dim=-1)


@dataclass(frozen=True, slots=True)
class Bias:
    """Bias of one layer.

    Args:
        gates: (batch, queries, 3), `log_gates` at the newest positions, which are the queries.
        position: position that gates are read at. ``key`` is the release: at the key on a whole sequence; at the query
            when there are earlier positions, since it has no gates of those.
    """

    trace: Trace
    gates: Tensor
    position: GatePosition = "query"

    @property
    def is_read_at_keys(self) -> bool:
        """True if gates are read at the positions of keys."""
        return self.position == "key" and self.gates.shape[1] == self.trace.regions.shape[1]

    def active_gates(self) -> Tensor:
        """Return (batch, queries, 4), the log factor of each region for every query; 0 where it is not active."""
        active = self.trace.active[:, -self.gates.shape[1] :, None]
        return functional.pad(torch.where(active, self.gates, 0.0), (0, 1))

    def log_factors(self) -> Tensor:
        """Return (batch, queries, keys), the logarithm of B: for pictures and tests. Attention never needs it."""
        regions, queries = self.trace.regions, self.gates.shape[1]
        active = self.trace.active[:, -queries:, None]
        if self.is_read_at_keys:
            return torch.where(active, self.key_gates()[:, None], 0.0)
        return self.active_gates().gather(2, regions[:, None, :].expand(-1, queries, -1))

    def key_gates(self) -> Tensor:
        """Return (batch, keys), the log factor of each key, for gates that are read at keys."""
        return functional.pad(self.gates, (0, 1)).gather(2, self.trace.regions[:, :, None])[..., 0]


def biased_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    bias: Bias | None,
    scaling: float,
    padding: Tensor | None = None,
    layout: Layout | None = None,
    dropout: float = 0.0,
) -> Tensor:
    """Compute causal attention with the bias: softmax(scaling · q kᵀ + log B) v.

    Args:
        query: (batch, heads, queries, width); the newest positions.
        key, value: (batch, key heads, keys, width); each serves the same number of query heads.
        bias: bias of the layer; None for plain attention.
        padding: (batch, keys), true where a position is real; None where all are.
        layout: layout of the sequences, where known: all layers share it.

    Returns:
        (batch, heads, queries, width); undefined at padding.
    """
    queries = query.shape[2]
    if queries == 1:
        return one_query_attention(query, key, value, added=_row(bias, padding, query.dtype), scaling=scaling)
    if layout is None:
        nowhere = torch.zeros(key.shape[0], key.shape[2], dtype=torch.bool, device=key.device)
        regions, active = (nowhere.long(), nowhere) if bias is None else (bias.trace.regions, bias.trace.active)
        layout = lay_out(regions, active, padding=padding, queries=queries)
    known: dict[str, Any] = {"padding": padding, "scaling": scaling, "dropout": dropout}
    is_read_at_keys = bias is not None and bias.is_read_at_keys
    if not is_read_at_keys and dropout == 0.0 and is_worth_pieces(query, layout, is_biased=bias is not None):
        gates, biased = (None, None) if bias is None else (bias.gates, bias.trace.active)
        if biased is not None and queries < layout.keys:
            biased = biased[:, -queries:]
        return attend_in_pieces(query, key, value, gates=gates, active=biased, layout=layout, scaling=scaling)
    if bias is None:
        return attend_with_columns(query, key, value, on_queries=None, on_keys=None, whole="keys", **known)
    if is_read_at_keys:
        on_queries, on_keys = bias.trace.active[:, :, None].to(query.dtype), bias.key_gates()[:, :, None]
        return attend_with_columns(query, key, value, on_queries=on_queries, on_keys=on_keys, whole="queries", **known)
    columns = functional.one_hot(bias.trace.regions, num_classes=len(Region))[..., :3]
    return attend_with_columns(
        query, key, value, on_queries=bias.active_gates()[..., :3], on_keys=columns, whole="keys", **known
    )


def one_query_attention(query: Tensor, key: Tensor, value: Tensor, *, added: Tensor | None, scaling: float) -> Tensor:
    """Compute attention of one query a row to all keys; heads that share keys are grouped, so that none is copied.

    Args:
        query: (batch, heads, 1, width).
        key, value: (batch, key heads, keys, width).
        added: (batch, keys), addend of the scores.
    """
    rows, heads, _, width = query.shape
    shared = key.shape[1]
    grouped = query.reshape(rows, shared, heads // shared, width)
    mask = None if added is None else added.to(query.dtype)[:, None, None, :].expand(-1, shared, heads // shared, -1)
    attended = functional.scaled_dot_product_attention(grouped, key, value, attn_mask=mask, scale=scaling)
    return attended.reshape(rows, heads, 1, width)


def _row(bias: Bias | None, padding: Tensor | None, dtype: torch.dtype) -> Tensor | None:
    """Return (batch, keys), the addend of the scores of one query a row; None for none."""
    if bias is None:
        return None if padding is None else row_of_padding(padding, dtype)
    row = bias.active_gates()[:, 0].to(dtype).gather(1, bias.trace.regions)
    return row if padding is None else _masked(row, padding)


def row_of_padding(padding: Tensor, dtype: torch.dtype) -> Tensor:
    """Return (batch, keys), the addend of the scores of one query a row without a bias."""
    return _masked(torch.zeros(padding.shape, dtype=dtype, device=padding.device), padding)


def _masked(row: Tensor, padding: Tensor) -> Tensor:
    # The lowest number and not -inf: what may look nowhere must not become undefined.
    return row.masked_fill(~padding.bool(), torch.finfo(row.dtype).min)


MULTIPLE = 8
"""Divisor of the widths that kernels take."""
NOWHERE = -1e4
"""Addend of the score of a padding key: its share is 0 in any precision."""

Side = Literal["queries", "keys"]


def attend_with_columns(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    on_queries: Tensor | None,
    on_keys: Tensor | None,
    whole: Side,
    padding: Tensor | None,
    scaling: float,
    dropout: float = 0.0,
) -> Tensor:
    """Compute causal attention with the products of columns added to the scores.

    softmax(s · q kᵀ + Σ a_i b_i) is softmax(s · [q, a / s] [k, b]ᵀ), so that any kernel of plain attention computes it,
    on any device. Padding is one more column, so that rows of different length are computed at once. It is slower than
    in pieces where sequences are long, since kernels are not made for such widths of heads; faster where many short
    ones would each have pieces of their own.

    Args:
        query: (batch, heads, queries, width).
        key, value: (batch, key heads, keys, width).
        on_queries: (batch, queries, columns); None for no bias.
        on_keys: (batch, keys, columns).
        whole: side that holds integers only, exact in half precision.
        padding: (batch, keys), true where a position is real; None where all are.
        scaling: factor on the scores, without the columns.

    Returns:
        (batch, heads, queries, width); undefined at padding.
    """
    columns = None
    if on_queries is not None and on_keys is not None:
        if whole == "keys":  # what the kernel scales again is taken from the side that is not whole: it stays exact
            on_queries = on_queries / scaling
        else:
            on_keys = on_keys / scaling
        columns = _split(on_queries, on_keys, whole=whole, dtype=query.dtype)
    if padding is not None:
        columns = _with_padding(columns, padding, queries=query.shape[2], scaling=scaling, dtype=query.dtype)
    return _attend(query, key, value, columns=columns, scaling=scaling, dropout=dropout)


def _split(on_queries: Tensor, on_keys: Tensor, *, whole: Side, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return the columns in the precision of the kernel; in half precision, with columns for the rounding errors."""
    kept_queries, kept_keys = on_queries.to(dtype), on_keys.to(dtype)
    if dtype not in (torch.bfloat16, torch.float16):
        return kept_queries, kept_keys
    if whole == "keys":
        lost = (on_queries.float() - kept_queries.float()).to(dtype)
        return torch.cat([kept_queries, lost], dim=2), torch.cat([kept_keys, kept_keys], dim=2)
    lost = (on_keys.float() - kept_keys.float()).to(dtype)
    return torch.cat([kept_queries, kept_queries], dim=2), torch.cat([kept_keys, lost], dim=2)


def _with_padding(
    columns: tuple[Tensor, Tensor] | None, padding: Tensor, *, queries: int, scaling: float, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    rows = padding.shape[0]
    hides = torch.full((rows, queries, 1), NOWHERE, dtype=dtype, device=padding.device)
    hidden = (~padding.bool())[:, :, None].to(dtype) / scaling  # on this side: the product is too large for 16 bits
    if columns is None:
        return hides, hidden
    return torch.cat([columns[0], hides], dim=2), torch.cat([columns[1], hidden], dim=2)


def _attend(
    query: Tensor, key: Tensor, value: Tensor, *, columns: tuple[Tensor, Tensor] | None, scaling: float, dropout: float
) -> Tensor:
    """Compute attention of the newest positions to all before them and to themselves."""
    width, queries, keys = query.shape[3], query.shape[2], key.shape[2]
    if columns is not None:
        missing = -(width + columns[0].shape[2]) % MULTIPLE
        query = torch.cat([query, _on_heads(columns[0], query, missing)], dim=3)
        key = torch.cat([key, _on_heads(columns[1], key, missing)], dim=3)
        value = functional.pad(value, (0, query.shape[3] - width))
    if queries < keys:  # kernels count causality from the first query: so there is a query for each key
        query = functional.pad(query, (0, 0, keys - queries, 0))
    groups = query.shape[1] // key.shape[1]
    is_shared = query.is_cuda  # kernels for GPUs know heads that share keys
    if not is_shared:
        key, value = (states.repeat_interleave(groups, dim=1) for states in (key, value))
    attended = functional.scaled_dot_product_attention(
        query, key, value, is_causal=True, dropout_p=dropout, scale=scaling, enable_gqa=is_shared and groups > 1
    )
    return attended[:, :, keys - queries :, :width]


def _on_heads(columns: Tensor, states: Tensor, missing: int) -> Tensor:
    return functional.pad(columns, (0, missing))[:, None].expand(-1, states.shape[1], -1, -1)
